import {setTimeout as delay} from 'node:timers/promises'
import * as Args from '@oclif/core/args'

import {askToResend, requireTerminal} from '../../cli/approve.ts'
import {BaseCommand} from '../../cli/base-command.ts'
import {deliveryStatusFlag, eventFlag} from '../../cli/delivery-flags.ts'
import {
  dryRunFlag,
  formatFlag,
  maxResendsFlag,
  overrideFlags,
  resendRateFlag,
  settleFlag,
  yesFlag,
} from '../../cli/flags.ts'
import {statusIfStopped} from '../../cli/interrupt.ts'
import {paintFor} from '../../cli/paint.ts'
import {Progress} from '../../cli/progress.ts'
import {prose} from '../../cli/prose.ts'
import {overridesOf, selectionOf} from '../../cli/resend-input.ts'
import {newRunId} from '../../cli/run-id.ts'
import {windowFlags} from '../../cli/time-flag.ts'
import {listText} from '../../report/list-text.ts'
import {resendColumns, resendReport, resendStatus, resendSummary} from '../../report/resend-report.ts'
import {earlierResends} from '../../workflows/reconcile/memory.ts'
import {refuseTooMany} from '../../workflows/resend-limits.ts'
import {planResends} from '../../workflows/resend-plan.ts'
import {leavePlanned, plannedJobs, type ResendLine, runPlan} from '../../workflows/resend-run.ts'

export default class WebhooksResend extends BaseCommand {
  static override summary = 'Send webhooks again: plan, ask, send each once, and see what healed.'

  static override description = prose(`
    Takes ids, or --status with filters. Everything is read before anything is sent; of an order's event only the
    newest record is resent, once, and what is left out is listed with the reason: accepted already, due again by
    itself, resent less than 8 hours ago, or in doubt since an earlier resend. Your server gets the event again, so
    it must know it by (order_id, event). Without a terminal it sends only with --yes, and plans only with --dry-run.
  `)

  static override examples = [
    {
      description: 'After an outage, see what would be sent:',
      command: '<%= config.bin %> <%= command.id %> --status failed --since 24h --dry-run --profile sandbox',
    },
    '<%= config.bin %> <%= command.id %> --status failed --yes --profile sandbox',
    '<%= config.bin %> <%= command.id %> 8b0f2c7e-5f0d-4f7c-9d59-0c6f3d1c7a10 --yes --profile sandbox',
  ]

  static override strict = false

  static override args = {
    id: Args.string({description: 'Id of a delivery record, one or more.', ignoreStdin: true}),
  }

  static override flags = {
    status: deliveryStatusFlag,
    ...windowFlags,
    event: eventFlag,
    'dry-run': dryRunFlag,
    yes: yesFlag,
    'max-resends': maxResendsFlag,
    rate: resendRateFlag,
    settle: settleFlag,
    ...overrideFlags,
    format: formatFlag,
  }

  async run(): Promise<object> {
    const {argv, flags} = await this.parse(WebhooksResend)
    const loaded = await this.context.loadProfile(flags.profile)
    const {timeZone} = loaded.profile.ledger
    const selection = selectionOf(argv as string[], flags, timeZone)
    if (!flags.yes && !flags['dry-run']) requireTerminal()
    const overrides = overridesOf(flags)
    const client = await this.context.client(loaded)
    if (!flags['dry-run']) await this.context.lock(loaded)
    const journal = await this.context.journal(loaded)
    const runId = newRunId(Date.now())
    const progress = new Progress()
    const onProgress = (stage: string, done: number, total: number) => progress.update(stage, done, total)

    const plan = await planResends(selection, {
      client,
      earlierResend: earlierResends(journal, runId),
      overrides,
      timeZone,
      now: Date.now,
      width: 8,
      onProgress,
    })
    progress.end()
    for (const reason of plan.incompleteBecause) this.tell(`warning: incomplete: ${reason}`)
    const planned = plannedJobs(plan).length
    if (!flags['dry-run']) refuseTooMany(planned, flags['max-resends'])

    const statusOf = (lines: readonly ResendLine[]) =>
      statusIfStopped(this.context.signal) ?? resendStatus(lines, plan)
    const ports = {
      ...{client, journal, runId, onProgress},
      now: Date.now,
      sleep: (ms: number) => delay(Math.max(0, ms)),
      ratePerSecond: flags.rate,
      settleMs: flags.settle,
      signal: this.context.signal,
    }
    const isApproved = planned > 0 && !flags['dry-run'] && (flags.yes || (await this.ask(leavePlanned(plan))))
    const lines = isApproved ? await runPlan(plan, overrides, ports, statusOf) : leavePlanned(plan)
    progress.end()

    const report = resendReport(lines)
    await this.show(listText(flags.format, resendColumns, report.records, paintFor(process.stdout)))
    this.tell(resendSummary(report.resends))
    this.endWith(statusOf(lines))
    return report
  }

  /** Shows the plan where the result will not be mixed up with it, and asks. */
  private async ask(lines: readonly ResendLine[]): Promise<boolean> {
    const {resends, records} = resendReport(lines)
    this.tell(listText('table', resendColumns, records, paintFor(process.stderr)))
    return await askToResend(resends.planned)
  }
}
