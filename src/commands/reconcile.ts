import {readFileSync} from 'node:fs'
import {basename, join, resolve} from 'node:path'
import * as Args from '@oclif/core/args'

import {BaseCommand} from '../cli/base-command.ts'
import {writtenFlags} from '../cli/flags.ts'
import {type FindingsAgain, findingsAgain, findingsAgainText} from '../cli/reconcile/again.ts'
import {type ReconcileFlags, reconcileFlags} from '../cli/reconcile/flags.ts'
import {type ReconcileInput, readReconcileInput} from '../cli/reconcile/input.ts'
import {runInput} from '../cli/reconcile/run-input.ts'
import {unwrap} from '../cli/unwrap.ts'
import type {LoadedProfile} from '../config/load-profile.ts'
import type {CallPlan} from '../core/reconcile/call-plan.ts'
import {escapeInvisible} from '../core/text.ts'
import {requireTrusted} from '../files/trust.ts'
import {callPlanText} from '../report/plan-text.ts'
import type {ReconcileReport} from '../report/reconcile-report.ts'
import {summaryText} from '../report/reconcile-text.ts'

export interface PlannedCalls {
  readonly plan: CallPlan
}

export default class Reconcile extends BaseCommand {
  static override summary = 'Compare a ledger with the service, and resend the webhooks it missed.'

  static override description = unwrap(`
    hisab queries every order of the ledger and reads the webhook delivery records. It gives each row a result and
    writes the report. Then it shows what it would resend, and asks. It resends each missing \`order.completed\` once
    and reads the record again to see whether your server took it. docs/verdicts.md explains every result and what to
    do about it.

    The ledger is a CSV file or a spreadsheet (.xlsx, .ods) with at least the order number; docs/ledgers.md says how it is
    read. Without a terminal nothing is sent unless you give --yes.
  `)

  static override usage = 'reconcile [LEDGER…] [FLAGS]'

  static override examples = [
    '<%= config.bin %> <%= command.id %> ledger.csv',
    {
      description: 'See how many calls it takes, and how long:',
      command: '<%= config.bin %> <%= command.id %> ledger.csv --plan',
    },
    {
      description: 'The nightly job:',
      command: '<%= config.bin %> <%= command.id %> ledger.csv --yes --since-last-run --json',
    },
    {
      description: 'A past run, made again from its evidence: was it only timing?',
      command: '<%= config.bin %> <%= command.id %> --from-evidence DIR --cutoff 2026-11-21',
    },
    {
      description: 'A ledger with its own headers:',
      command:
        '<%= config.bin %> <%= command.id %> orders.csv --dry-run --column order_no="Order ID" --column amount="Amount (BDT)"',
    },
  ]

  static override strict = false

  static override args = {
    ledger: Args.string({description: 'The ledger: one or more files, CSV or spreadsheets.'}),
  }

  static override flags = reconcileFlags

  async run(): Promise<ReconcileReport | PlannedCalls | FindingsAgain> {
    const {flags, argv, metadata} = await this.parse(Reconcile)
    if (flags['from-evidence'] !== undefined) return await this.playAgain(flags['from-evidence'], flags)
    const loaded = await this.context.loadProfile(flags.profile)
    const given = {...flags, written: writtenFlags({flags, metadata})}
    const input = await readReconcileInput(argv as string[], given, loaded, this.context)
    for (const note of input.notes) this.tell(note)

    const resumes = flags.resume !== undefined
    if (flags.plan) return await this.showPlan(input, loaded, resumes)

    const tell = (text: string) => this.tell(text)
    const again = (runId: string) =>
      readReconcileInput([], {...given, resume: runId}, loaded, this.context, true)
    const {facts, report, status} = await runInput({input, flags, loaded, tell, again}, this.context)
    const {mail} = report.reports
    const isMailed = flags['mail-to-stdout'] && mail !== null
    await this.show(
      isMailed
        ? readFileSync(mail, 'latin1')
        : this.named(summaryText(facts, report, this.style, process.stdout.columns)),
    )
    if (report.notSent) this.tell(`error: ${report.notSent.because}\n  try: ${report.notSent.next}`)
    this.endWith(status)
    return report
  }

  private async playAgain(
    dir: string,
    {report: given, cutoff}: Pick<ReconcileFlags, 'report' | 'cutoff'>,
  ): Promise<FindingsAgain> {
    const {runAgain} = await import('../workflows/evidence/again.ts')
    const path = resolve(dir)
    const reportDir = resolve(given ?? join(this.context.dataDir, 'reports', 'again', basename(path)))
    requireTrusted(reportDir, `The report folder ${escapeInvisible(reportDir)}`)
    const again = await runAgain(path, await this.context.staging(), reportDir)
    const cutoffMs = cutoff?.resolve(again.facts.timeZone, again.facts.finishedAtMs)
    const result = findingsAgain(path, again, cutoffMs)
    await this.show(findingsAgainText(result))
    const remain = result.cutoff ? result.cutoff.remaining.length : result.breaks
    this.endWith(!result.isSame ? 8 : remain > 0 ? 7 : 0)
    return result
  }

  private async showPlan(
    input: ReconcileInput,
    loaded: LoadedProfile,
    resumes: boolean,
  ): Promise<PlannedCalls> {
    const {planRun} = await import('../workflows/reconcile/plan.ts')
    const {rememberRows} = await import('../workflows/reconcile/seen-rows.ts')
    const {ledger, staging, options, journal, runId} = input
    const {holds} = loaded.profile.ledger
    await rememberRows({ledger, staging, untilMs: options.untilMs, holds, runId, nowMs: Date.now()}, journal)
    const plan = await planRun(ledger, staging, options, {
      ...{profile: loaded.profile, journal, runId, resumes},
      now: Date.now,
    })
    await this.show(callPlanText(plan, this.style, process.stdout.columns))
    return {plan}
  }
}
