import {join, resolve} from 'node:path'
import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../cli/base-command.ts'
import {runHisab} from '../cli/run-hisab.ts'
import {unwrap} from '../cli/unwrap.ts'
import {formatPaisa, formatTaka} from '../core/money.ts'
import {demoProofText, outageText} from '../report/demo-text.ts'
import type {DemoResult, DemoStep} from '../workflows/demo/demo.ts'

export interface DemoProof
  extends Pick<DemoResult, 'dir' | 'ledger' | 'reportDir' | 'orders' | 'bookedTwice'> {
  readonly before: GapView
  readonly after: GapView
}

/** Orders done at the service and not in the merchant's books; the amount in taka, as text. */
interface GapView {
  readonly orders: number
  readonly amount: string
}

export default class Demo extends BaseCommand {
  static override summary = 'Watch hisab find and resend the webhooks of a day with an outage, in a minute.'

  static override description = unwrap(`
    The demo starts the sandbox and plays one day of deposits and payouts into it. The merchant's server is down for
    part of the day. The demo writes the ledger of that day and runs \`hisab reconcile\` on it. The merchant's own books
    then show what was delivered. No account, network or configuration is needed.
  `)

  static override examples = ['<%= config.bin %> <%= command.id %>']

  // It has its own service and profile, so --profile would do nothing.
  static override baseFlags = {debug: BaseCommand.baseFlags.debug} as typeof BaseCommand.baseFlags

  static override flags = {
    dir: Flags.string({
      summary: 'Folder for the ledger and the report. Default: a new one in the data directory.',
    }),
    seed: Flags.integer({summary: 'Another seed plays another day.', default: 21}),
  }

  async run(): Promise<DemoProof> {
    const {flags} = await this.parse(Demo)
    const {profile} = await this.context.loadProfile('sandbox')
    const {runDemo} = await import('../workflows/demo/demo.ts')
    const nowMs = Date.now()
    const stamp = new Date(nowMs).toISOString().slice(0, 19).replaceAll(':', '')

    const result = await runDemo({
      dir: flags.dir ? resolve(flags.dir) : join(this.context.dataDir, 'demo', stamp),
      profile,
      nowMs,
      seed: flags.seed,
      onStep: (step) => this.show(this.describe(step, profile.ledger.timeZone)),
      runHisab: (args, at) => runHisab(args, at, this.jsonEnabled() ? 'stderr' : 'stdout'),
    })

    await this.show(`\n${demoProofText(result, this.style)}`)
    const gap = ({orders, amount}: typeof result.before) => ({orders, amount: formatPaisa(amount)})
    const {dir, ledger, reportDir, orders, bookedTwice} = result
    return {dir, ledger, reportDir, orders, bookedTwice, before: gap(result.before), after: gap(result.after)}
  }

  private describe(step: DemoStep, timeZone: string): string {
    switch (step.step) {
      case 'service':
        return `The sandbox runs at ${step.url}. A merchant's server listens for its webhooks.`
      case 'day':
        return (
          `Played a day: ${step.deposits} deposits, ${step.payouts} payouts.\n` +
          `The merchant's server was down on ${outageText(step.day.outage, timeZone)}. The service gave up on some webhooks after 7 h 21 min.`
        )
      case 'gap':
        return `At the end of the day ${this.style('red', `${step.before.orders} orders, BDT ${formatTaka(step.before.amount)}`)} are done at the service and open in the books.`
      case 'reconcile':
        return `\n${this.style('cyan', `$ hisab ${step.args.join(' ')}`)}\n`
    }
  }
}
