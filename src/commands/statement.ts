import * as Flags from '@oclif/core/flags'

import {BaseCommand} from '../cli/base-command.ts'
import {unwrap} from '../cli/unwrap.ts'
import {Failure} from '../core/failure.ts'
import {monthWindow} from '../core/reconcile/window.ts'
import {escapeInvisible} from '../core/text.ts'
import {type MonthRun, type MonthView, monthStatement} from '../report/month-statement.ts'
import {readTotals} from '../report/run-totals.ts'
import {viewSignOff} from '../report/runs-text.ts'
import {monthText} from '../report/statement-text.ts'

export interface StatementOfMonth extends MonthView {
  readonly month: string
}

const runsMax = 10_000

export default class Statement extends BaseCommand {
  static override summary = 'Show the reconciliation statement of a month, over all its runs.'

  static override description = unwrap(`
    Makes one statement for deposits and one for payouts, from all runs whose ledger begins in the month. An order that several
    runs compared counts once, with the result of the last one. Open items at the end of the month are those open before the
    first ledger of a later month, and those that a ledger of this month found afterwards. The statement also lists times that no
    ledger covers, and runs that did not end. It is made from the journal of this machine; the service is not asked.
  `)

  static override examples = ['<%= config.bin %> <%= command.id %> --month 2026-11']

  static override flags = {
    month: Flags.string({summary: 'The month: `2026-11`.', required: true, helpValue: 'YYYY-MM'}),
  }

  async run(): Promise<StatementOfMonth> {
    const {flags} = await this.parse(Statement)
    const loaded = await this.context.loadProfile(flags.profile)
    const journal = await this.context.journal(loaded)
    const {timeZone} = loaded.profile.ledger
    const window = monthWindow(flags.month, timeZone)
    if (!window) {
      throw new Failure(
        'usage',
        `${escapeInvisible(flags.month, 40)} is not a month.`,
        'For example: --month 2026-11.',
      )
    }
    const runs: MonthRun[] = []
    for (const {id, command, status, by, startedAtMs, finishedAtMs} of await journal.listRuns(runsMax)) {
      if (command !== 'reconcile') continue
      const totals = status === 'finished' ? readTotals(await journal.findTotals(id)) : null
      const signOffs = (await journal.signOffsOf(id)).map((one) => viewSignOff(one, timeZone, finishedAtMs))
      runs.push({id, startedAtMs, totals, by, signOffs})
    }

    const view = monthStatement(
      runs,
      await journal.balancesOfRuns(),
      await journal.listItems(),
      window,
      timeZone,
    )
    if (view.runs.length === 0 && view.uncounted.length === 0) {
      throw new Failure(
        'not_found',
        `No run has a ledger of ${flags.month} with order times.`,
        'Run hisab reconcile with the ledgers of that month. See `hisab runs list`.',
      )
    }

    await this.show(monthText(view, this.style, process.stdout.columns ?? 80))
    const isTied = view.statement.every(({unexplained}) => unexplained === '0.00')
    if (!isTied || view.uncounted.length > 0) this.endWith(8)
    return {month: flags.month, ...view}
  }
}
