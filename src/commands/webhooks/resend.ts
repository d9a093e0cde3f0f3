import * as Args from '@oclif/core/args'

import {BaseCommand} from '../../cli/base-command.ts'
import {monotonic} from '../../cli/context.ts'
import {writtenFlags} from '../../cli/flags.ts'
import {sleepUnlessStopped, statusIfStopped} from '../../cli/interrupt.ts'
import {Progress} from '../../cli/progress.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {resendCommand} from '../../cli/webhooks/resend-command.ts'
import {resendFlags} from '../../cli/webhooks/resend-flags.ts'
import {approveWork, readResendWork} from '../../cli/webhooks/resend-input.ts'
import {exitStatusOf, worstStatus} from '../../core/failure.ts'
import {listText} from '../../report/list-text.ts'
import {
  isUnfinished,
  type ResendLine,
  type ResendReport,
  resendColumns,
  resendReport,
  resendStatus,
  resendSummary,
} from '../../report/resend-report.ts'
import {refuseTooMany} from '../../workflows/resend/limits.ts'
import {carryOut} from '../../workflows/resend/run.ts'

export default class WebhooksResend extends BaseCommand {
  static override summary = 'Resend webhooks: plan, ask, send each once, and see whether it was delivered.'

  static override description = unwrap(`
    Give record ids, --order-no, or --status with filters, or mark records in a list with --pick. hisab reads everything before it
    sends anything. Only the newest record of each order and event is resent, once. The others are listed with the
    reason: already accepted, due for an automatic retry, resent less than 8 hours ago, in doubt since an earlier
    resend, or seen by reconcile as booked, disputed or ignored. Your server must recognise a repeated event by
    (order_id, event). Without a terminal, give --yes to send or --dry-run to plan.

    Just before each resend hisab reads the record and queries the order again. It does not send an event that
    contradicts the order, such as order.completed of an open order, or a webhook with another amount or order number
    (exit status 7). An event whose name shows no state is sent only by id or with --event.

    If more than 5 are planned, one is sent first; the others follow when its record shows success. After five failures
    in a row the rest is not sent. --resume continues a stopped run and sends nothing twice.
  `)

  static override examples = [
    {
      description: 'After an outage, see what would be sent:',
      command: '<%= config.bin %> <%= command.id %> --status failed --since 24h --dry-run --profile sandbox',
    },
    '<%= config.bin %> <%= command.id %> --status failed --code 5xx --yes --profile sandbox',
    '<%= config.bin %> <%= command.id %> --order-no D-1012 --dry-run --profile sandbox',
    '<%= config.bin %> <%= command.id %> 8b0f2c7e-5f0d-4f7c-9d59-0c6f3d1c7a10 --yes --profile sandbox',
    {
      description: 'Mark records in a list:',
      command: '<%= config.bin %> <%= command.id %> --pick --since 24h --profile sandbox',
    },
  ]

  static override strict = false

  static override args = {
    id: Args.string({description: 'Id of a delivery record, one or more.', ignoreStdin: true}),
  }

  static override flags = resendFlags

  async run(): Promise<ResendReport> {
    const {argv, flags, metadata} = await this.parse(WebhooksResend)
    const isDry = flags['dry-run']
    const loaded = await this.context.loadProfile(flags.profile)
    const progress = new Progress()
    const {work, runId, resendsMax, mayUseCanary, amounts, take, ...parts} = await readResendWork(
      argv as string[],
      {...flags, written: writtenFlags({flags, metadata})},
      loaded,
      this.context,
      progress,
    )
    for (const reason of work.incompleteBecause) this.tell(`warning: incomplete: ${reason}`)
    if (!isDry) refuseTooMany(work.jobs.length, work.made, resendsMax)

    const statusOf = (lines: readonly ResendLine[]) =>
      statusIfStopped(this.context.signal) ?? resendStatus(lines, work)
    const resume = resendCommand(['--resume', runId], flags.profile)
    // A resumed run with nothing left to send must still be recorded as ended.
    const isWanted = (work.isResumed || work.jobs.length > 0) && !isDry
    const isRun = isWanted && (await approveWork(work, mayUseCanary, amounts, flags))
    const {lines, failure} = isRun
      ? await carryOut(
          await take(work),
          {
            ...parts,
            ...{runId, resendsMax, mayUseCanary, resumeCommand: resume, dialect: loaded.profile.dialect},
            timeZone: loaded.profile.ledger.timeZone,
            now: Date.now,
            monotonic,
            sleep: (ms) => sleepUnlessStopped(ms, this.context.signal),
            ratePerSecond: flags.rate,
            waitMs: flags.wait,
            signal: this.context.signal,
            onNote: (note) => this.tell(`note: ${note}`),
            onProgress: (stage, done, total) => progress.update(stage, done, total),
          },
          statusOf,
        )
      : {lines: work.lines, failure: null}
    progress.end()

    const made = resendReport(isRun || work.isResumed ? runId : null, lines)
    const named = (why: string | null) => (why === null ? null : this.named(why))
    const report = {...made, records: made.records.map((one) => ({...one, why: named(one.why)}))}
    await this.show(listText(flags.format, resendColumns, report.records, this.style, process.stdout.columns))
    this.tell(resendSummary(report, lines))
    if (failure) this.tell(`error: ${failure.message}\n  try: ${failure.hint}`)
    else if (isRun && isUnfinished(lines)) this.tell(`Continue this run: ${resume}`)
    this.endWith(worstStatus([statusOf(lines), ...(failure ? [exitStatusOf.incomplete] : [])]))
    return report
  }
}
