import * as Args from '@oclif/core/args'
import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../../cli/base-command.ts'
import {monotonic} from '../../cli/context.ts'
import {
  dryRunFlag,
  formatFlag,
  maxResendsFlag,
  overrideFlags,
  resendRateFlag,
  waitFlag,
  writtenFlags,
  yesFlag,
} from '../../cli/flags.ts'
import {sleepUnlessStopped, statusIfStopped} from '../../cli/interrupt.ts'
import {Progress} from '../../cli/progress.ts'
import {styleFor} from '../../cli/style.ts'
import {unwrap} from '../../cli/unwrap.ts'
import {deliveryStatusFlag, localFilterFlags} from '../../cli/webhooks/filter-flags.ts'
import {resendCommand} from '../../cli/webhooks/resend-command.ts'
import {approveWork, readResendWork} from '../../cli/webhooks/resend-input.ts'
import {listText} from '../../report/list-text.ts'
import {
  isUnfinished,
  type ResendReport,
  resendColumns,
  resendReport,
  resendStatus,
  resendSummary,
} from '../../report/resend-report.ts'
import {refuseTooMany} from '../../workflows/resend/limits.ts'
import {carryOut, type ResendLine} from '../../workflows/resend/run.ts'

export default class WebhooksResend extends BaseCommand {
  static override summary = 'Send webhooks again: plan, ask, send each once, and see what delivered.'

  static override description = unwrap(`
    Takes ids, or --status with filters, or lets you mark records in a list (--pick). Everything is read before
    anything is sent; of an order's event only the newest record is resent, once, and what is left out is listed with
    the reason: accepted already, due again by itself, resent less than 8 hours ago, in doubt since an earlier
    resend, or seen by reconcile as booked, in dispute or ignored. Your server gets the event again, so it must know it by (order_id, event). Without a terminal it sends
    only with --yes, and plans only with --dry-run.

    Just before each send its record is read and its order asked for: an event that contradicts the order's state of now
    (order.completed of one that is not completed, order.failed of one that is not failed), or a webhook of another
    amount or order, is not sent (7). An event whose name tells no state is sent only by id or with --event.

    Of more than 5, one is sent first and watched; the others follow when its record shows success. Five failures in
    a row hold the rest back. A run that was stopped, in whatever way, is gone on with by --resume: nothing is sent
    twice.
  `)

  static override examples = [
    {
      description: 'After an outage, see what would be sent:',
      command: '<%= config.bin %> <%= command.id %> --status failed --since 24h --dry-run --profile sandbox',
    },
    '<%= config.bin %> <%= command.id %> --status failed --code 5xx --yes --profile sandbox',
    '<%= config.bin %> <%= command.id %> 8b0f2c7e-5f0d-4f7c-9d59-0c6f3d1c7a10 --yes --profile sandbox',
    {
      description: 'Mark them in a list:',
      command: '<%= config.bin %> <%= command.id %> --pick --since 24h --profile sandbox',
    },
  ]

  static override strict = false

  static override args = {
    id: Args.string({description: 'Id of a delivery record, one or more.', ignoreStdin: true}),
  }

  static override flags = {
    status: deliveryStatusFlag,
    ...localFilterFlags,
    pick: Flags.boolean({
      default: false,
      summary: 'Mark the records in a list; failed ones, unless --status.',
    }),
    resume: Flags.string({summary: 'Go on with a run that was interrupted.', helpValue: 'RUN_ID'}),
    'dry-run': dryRunFlag,
    yes: yesFlag,
    'max-resends': maxResendsFlag,
    rate: resendRateFlag,
    wait: waitFlag,
    'no-canary': Flags.boolean({default: false, summary: 'Do not send one first and wait for it to heal.'}),
    ...overrideFlags,
    format: formatFlag,
  }

  async run(): Promise<ResendReport> {
    const {argv, flags, metadata} = await this.parse(WebhooksResend)
    const isDry = flags['dry-run']
    const loaded = await this.context.loadProfile(flags.profile)
    const progress = new Progress()
    const {work, runId, resendsMax, mayUseCanary, ...parts} = await readResendWork(
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
    // A resumed run is carried out also where nothing is left of it: it has to end.
    const isWanted = (work.isResumed || work.jobs.length > 0) && !isDry
    const isRun = isWanted && (await approveWork(work, mayUseCanary, flags))
    const lines = isRun
      ? await carryOut(
          work,
          {
            ...parts,
            ...{runId, resendsMax, mayUseCanary, resumeCommand: resume, dialect: loaded.profile.dialect},
            now: Date.now,
            monotonic,
            sleep: (ms) => sleepUnlessStopped(ms, this.context.signal),
            ratePerSecond: flags.rate,
            waitMs: flags.wait,
            signal: this.context.signal,
            onProgress: (stage, done, total) => progress.update(stage, done, total),
          },
          statusOf,
        )
      : work.lines
    progress.end()

    const report = resendReport(isRun || work.isResumed ? runId : null, lines)
    await this.show(
      listText(flags.format, resendColumns, report.records, styleFor(process.stdout), process.stdout.columns),
    )
    this.tell(resendSummary(report, lines))
    if (isRun && isUnfinished(lines)) this.tell(`Go on with this run: ${resume}`)
    this.endWith(statusOf(lines))
    return report
  }
}
