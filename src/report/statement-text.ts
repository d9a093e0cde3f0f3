import {escapeInvisible} from '../core/text.ts'
import {counted, grouped, minuteOf} from './figures.ts'
import {resultText} from './finding-view.ts'
import type {MonthView} from './month-statement.ts'
import {signOffText} from './runs-text.ts'
import type {OpenItemsView, StatementView} from './statement-view.ts'
import type {Style} from './table.ts'
import {wrapText} from './wrap.ts'

/** A line of a statement; `orders` is null for a balance. The amounts of items are signed. */
interface StatementLine {
  readonly label: string
  readonly orders: number | null
  readonly amount: string
}

export function statementLines({
  kind,
  balanceByLedger,
  items,
  balanceByService,
  unexplained,
}: Omit<StatementView, 'openItems'>): StatementLine[] {
  return [
    {label: 'Balance by the ledger', orders: null, amount: balanceByLedger},
    ...items.flatMap((one) =>
      [one.plus, negated(one.minus)]
        .filter((amount) => amount !== '0.00')
        .map((amount) => ({label: resultText({...one, kind}), orders: one.orders, amount})),
    ),
    {label: 'Balance by the service', orders: null, amount: balanceByService},
    {label: 'Unexplained', orders: null, amount: unexplained},
  ]
}

export function statementRows(view: Omit<StatementView, 'openItems'>): {
  readonly label: string
  readonly amount: string
  readonly isBalance: boolean
}[] {
  return statementLines(view).map(({label, orders, amount}) => {
    if (orders === null) return {label, amount: grouped(amount), isBalance: true}
    const sign = amount.startsWith('-') ? '' : '+'
    return {label: `  ${label} (${orders})`, amount: `${sign}${grouped(amount)}`, isBalance: false}
  })
}

export function negated(amount: string): string {
  return amount === '0.00' ? amount : `-${amount}`
}

/** `Open items: 12 before, 8 new, 5 closed, 15 now`, and what they put at risk, in the same steps. */
function openItemsLines({opening, new: fresh, closed, revalued, closing}: OpenItemsView): readonly string[] {
  const changed = revalued === '0.00' ? '' : `${grouped(revalued)} by other amounts, `
  return [
    `Open items: ${opening.items} before, ${fresh.items} new, ${closed.items} closed, ${closing.items} now`,
    `BDT at risk: ${grouped(opening.amount)} before, ${grouped(fresh.amount)} new, ${grouped(closed.amount)} closed, ${changed}${grouped(closing.amount)} now`,
  ]
}

const widest = 78

export function statementText(statements: readonly StatementView[], style: Style, width: number): string {
  const room = Math.min(width, widest)
  return statements
    .map((statement) =>
      [
        style('bold', `Statement, ${statement.kind}s, BDT`),
        ...rowLines(statementRows(statement), style, room),
        ...openItemsLines(statement.openItems).map((line) => wrapText(line, room, '  ')),
      ].join('\n'),
    )
    .join('\n\n')
}

function rowLines(rows: ReturnType<typeof statementRows>, style: Style, room: number): string[] {
  const wide = Math.max(...rows.map(({amount}) => amount.length))
  return rows.map(({label, amount, isBalance}) => {
    const shown = label.slice(0, room - wide - 4).padEnd(room - wide - 3)
    const isBad = label === 'Unexplained' && amount !== '0.00'
    const figure = amount.padStart(wide)
    return `  ${shown} ${isBad ? style('red', figure) : isBalance ? style('bold', figure) : figure}`
  })
}

/** Orders in no balance. */
export function leftOutText(amountUnknown: number, unanswered: number): string {
  const unknown =
    amountUnknown > 0
      ? [`${counted(amountUnknown, 'order', 'orders')} left out: amount unknown on one side`]
      : []
  const silent = unanswered > 0 ? [`${counted(unanswered, 'order', 'orders')} without an answer`] : []
  return [...unknown, ...silent].join('; ')
}

/** The statement of a month: balances, gaps, its runs, and who approved them. */
export function monthText({statement, runs, uncounted}: MonthView, style: Style, width: number): string {
  const parts = statement.map(({gaps, openItems, ...view}) => {
    const {opening, closing, until, laterRuns} = openItems
    return [
      style('bold', `Statement, ${view.kind}s, BDT`),
      ...rowLines(statementRows(view), style, Math.min(width, widest)),
      `  Open items: ${opening.items} before, BDT ${grouped(opening.amount)}; ${closing.items} ${until === null ? 'now' : 'at its end'}, BDT ${grouped(closing.amount)}`,
      ...laterRuns.map(
        (runId) =>
          `  Run ${runId} came after its end: the items it found are of this month, those it closed were open at its end.`,
      ),
      ...gaps.map(({from, to}) => `  No ledger: ${minuteOf(from)} to ${minuteOf(to)}`),
      ...(overlap(runs.filter(({kind}) => kind === view.kind))
        ? ['  Ledgers overlap. Each order counts once, as the last run had it.']
        : []),
    ].join('\n')
  })
  const lines = runs.map(({runId, kind, from, to, orders, preparedBy, approvedBy}) => {
    const who = [
      `prepared by ${preparedBy ?? 'an unknown person'}`,
      ...(approvedBy.length > 0 ? approvedBy.map(signOffText) : ['not approved']),
    ].join('; ')
    const counts = orders === 0 ? 'all its orders are in later ledgers' : counted(orders, 'order', 'orders')
    return `  ${runId}  ${kind}s  ${minuteOf(from)} to ${minuteOf(to)}, ${counts}\n    ${escapeInvisible(who)}`
  })
  const missing = uncounted.map(
    ({runId, kind, orders, balanceByLedger}) =>
      `  ${runId}  ${counted(orders, kind, `${kind}s`)}, BDT ${grouped(balanceByLedger)} by the ledger: this run did not end, or its ledger has no times.`,
  )
  const left =
    missing.length === 0
      ? []
      : [
          [
            style('bold', 'Not counted'),
            ...missing,
            '  Resume the run (hisab reconcile --resume RUN_ID), or reconcile its ledger again.',
          ].join('\n'),
        ]
  return [...parts, ...left, [style('bold', 'Runs'), ...lines].join('\n')].join('\n\n')
}

/** By when they begin. */
function overlap(runs: MonthView['runs']): boolean {
  return runs.some(
    ({from}, at) => at > 0 && runs.slice(0, at).some(({to}) => Date.parse(from) <= Date.parse(to)),
  )
}
