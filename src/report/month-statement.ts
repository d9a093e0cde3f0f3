import {formatPaisa, type Paisa, parsePaisa, sumPaisa} from '../core/money.ts'
import {type OrderKind, orderKinds} from '../core/order.ts'
import type {Window} from '../core/reconcile/window.ts'
import {formatInstant} from '../core/time.ts'
import type {RecountedOrders, RunTotals} from './run-totals.ts'
import type {SignOffView} from './runs-text.ts'
import type {StatementView} from './statement-view.ts'

/** A run whose ledger is of the month. */
export interface MonthRun {
  readonly id: string
  readonly totals: RunTotals
  readonly by: string | null
  readonly signOffs: readonly SignOffView[]
}

/** A run of the month, and what of it counts. */
export interface CountedRunView {
  readonly runId: string
  readonly kind: OrderKind
  readonly from: string
  readonly to: string
  /** Null where it counts; else the later run whose ledger has its time as well. */
  readonly replacedBy: string | null
  readonly preparedBy: string | null
  readonly approvedBy: readonly SignOffView[]
}

/** A kind's statement over the runs that count. */
export interface MonthStatementView extends Omit<StatementView, 'openItems'> {
  /** Orders that one run counted as missing and a later one in its ledger: in the sum of the balances they stand twice. */
  readonly countedTwice: {readonly orders: number; readonly amount: string}
  readonly openItems: Pick<StatementView['openItems'], 'opening' | 'closing'>
  /** Times of the month between two ledgers, which no ledger covers. */
  readonly gaps: readonly {readonly from: string; readonly to: string}[]
}

export interface MonthView {
  readonly statement: readonly MonthStatementView[]
  readonly runs: readonly CountedRunView[]
}

interface Counted extends Window {
  readonly run: MonthRun
  readonly statement: StatementView
}

const shortGapMs = 60 * 60_000

/** Over the runs, the newest first: of two ledgers with a common time the later one counts. */
export function monthStatement(runs: readonly MonthRun[], month: Window, timeZone: string): MonthView {
  const views: CountedRunView[] = []
  const statement = orderKinds.flatMap((kind): MonthStatementView[] => {
    const [all, counted]: [Counted[], Counted[]] = [[], []]
    for (const run of runs) {
      const one = countedOf(run, kind, month)
      if (!one) continue
      all.push(one)
      const later = counted.find((other) => one.fromMs <= other.toMs && other.fromMs <= one.toMs)
      if (!later) counted.push(one)
      views.push({
        ...{runId: run.id, kind, replacedBy: later?.run.id ?? null},
        ...{from: formatInstant(one.fromMs, timeZone), to: formatInstant(one.toMs, timeZone)},
        ...{preparedBy: run.by, approvedBy: run.signOffs},
      })
    }
    counted.sort((a, b) => a.fromMs - b.fromMs)
    const [newest, oldest] = [all[0], all.at(-1)]
    if (!newest || !oldest) return []
    const openItems = {
      opening: oldest.statement.openItems.opening,
      closing: newest.statement.openItems.closing,
    }
    return [{...sumOf(kind, counted, timeZone), openItems}]
  })
  return {statement, runs: views.sort((a, b) => (a.from < b.from ? -1 : 1))}
}

function countedOf(run: MonthRun, kind: OrderKind, month: Window): Counted | null {
  const seen = run.totals.ledger[kind]
  const [fromMs, toMs] = [seen?.ledgerFromMs ?? seen?.fromMs ?? null, seen?.toMs ?? null]
  const statement = run.totals.statement?.find((one) => one.kind === kind)
  if (fromMs === null || toMs === null || !statement) return null
  return fromMs >= month.fromMs && fromMs <= month.toMs ? {run, statement, fromMs, toMs} : null
}

function sumOf(
  kind: OrderKind,
  counted: readonly Counted[],
  timeZone: string,
): Omit<MonthStatementView, 'openItems'> {
  const statements = counted.map(({statement}) => statement)
  const sum = (read: (one: StatementView) => string) => sumPaisa(statements.map((one) => paisaOf(read(one))))
  const twice = recountedAmong(kind, counted)
  const amount = sumPaisa(twice.map((one) => paisaOf(one.amount)))
  const items = Map.groupBy(
    statements.flatMap((one) => one.items),
    ({verdict, cause}) => `${verdict} ${cause}`,
  )
  return {
    kind,
    balanceByLedger: formatPaisa(sum((one) => one.balanceByLedger)),
    items: [...items.values()].flatMap((some) => {
      const [one] = some
      if (!one) return []
      const gross = (name: 'plus' | 'minus') => formatPaisa(sumPaisa(some.map((item) => paisaOf(item[name]))))
      const orders = some.reduce((all, item) => all + item.orders, 0)
      return {verdict: one.verdict, cause: one.cause, orders, plus: gross('plus'), minus: gross('minus')}
    }),
    countedTwice: {orders: twice.reduce((all, one) => all + one.orders, 0), amount: formatPaisa(amount)},
    balanceByService: formatPaisa(sum((one) => one.balanceByService) - amount),
    unexplained: formatPaisa(sum((one) => one.unexplained)),
    gaps: counted.flatMap(({fromMs}, at) => {
      const before = counted[at - 1]
      if (!before || fromMs - before.toMs < shortGapMs) return []
      return {from: formatInstant(before.toMs, timeZone), to: formatInstant(fromMs, timeZone)}
    }),
  }
}

/** What a run counted at the service, and an earlier one that counts as well. */
function recountedAmong(kind: OrderKind, counted: readonly Counted[]): RecountedOrders[] {
  const ids = new Set(counted.map(({run}) => run.id))
  return counted.flatMap(({run}) =>
    (run.totals.recounted ?? []).filter((one) => one.kind === kind && ids.has(one.runId)),
  )
}

function paisaOf(amount: string): Paisa {
  const paisa = parsePaisa(amount.replace('-', '')) ?? 0n
  return amount.startsWith('-') ? -paisa : paisa
}
