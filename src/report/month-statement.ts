import {formatPaisa, parsePaisa, sumPaisa} from '../core/money.ts'
import {type OrderKind, orderKinds} from '../core/order.ts'
import type {OpenItem} from '../core/reconcile/item.ts'
import type {BalanceOfRun} from '../core/reconcile/tie-out.ts'
import {isWithin, type Window} from '../core/reconcile/window.ts'
import {formatInstant} from '../core/time.ts'
import type {RunTotals} from './run-totals.ts'
import type {SignOffView} from './runs-text.ts'
import type {StatementView} from './statement-view.ts'

export interface MonthRun {
  readonly id: string
  readonly startedAtMs: number
  /** Null if it did not end. */
  readonly totals: RunTotals | null
  readonly by: string | null
  readonly signOffs: readonly SignOffView[]
}

export interface CountedRunView {
  readonly runId: string
  readonly kind: OrderKind
  readonly from: string
  readonly to: string
  /** Orders that no later run has in its ledger. */
  readonly orders: number
  readonly preparedBy: string | null
  readonly approvedBy: readonly SignOffView[]
}

/** A kind's statement over the runs of a month; each order counts in its last run. */
export interface MonthStatementView extends Omit<StatementView, 'openItems'> {
  readonly openItems: Pick<StatementView['openItems'], 'opening' | 'closing'> & {
    /** When the first run with a ledger of a later month began; null before that. */
    readonly until: string | null
    /** Runs of the month that began after that: what they closed was closed in a later month. */
    readonly laterRuns: readonly string[]
  }
  /** Times of the month that no ledger covers, between two that do. */
  readonly gaps: readonly {readonly from: string; readonly to: string}[]
}

/** Its orders are in no sum: the run did not end, or its ledger has no times. */
export interface UncountedRunView {
  readonly runId: string
  readonly kind: OrderKind
  readonly orders: number
  readonly balanceByLedger: string
  readonly balanceByService: string
}

export interface MonthView {
  readonly statement: readonly MonthStatementView[]
  readonly runs: readonly CountedRunView[]
  readonly uncounted: readonly UncountedRunView[]
}

interface Counted extends Window {
  /** The time in which the run looked for orders missing from the ledger. */
  readonly covered: Window
  readonly run: MonthRun
  readonly statement: StatementView
}

const shortGapMs = 60 * 60_000
/** The ledger of a month's last day is read in the following days. */
const lateRunMs = 7 * 24 * 60 * 60_000

/** The runs come newest first. `balances` are of all runs; each order counts in the last run that has it. */
export function monthStatement(
  runs: readonly MonthRun[],
  balances: readonly BalanceOfRun[],
  items: readonly OpenItem[],
  month: Window,
  timeZone: string,
): MonthView {
  const views: CountedRunView[] = []
  const placed = new Set<string>()
  const statement = orderKinds.flatMap((kind): MonthStatementView[] => {
    const all = runs.flatMap((run) => placeOf(run, kind) ?? [])
    for (const {run} of all) placed.add(keyOf(run.id, kind))
    const counted = all.filter(({fromMs}) => isWithin(fromMs, month))
    for (const {run, ...one} of counted) {
      const own = balances.filter((balance) => balance.runId === run.id && balance.kind === kind)
      views.push({
        ...{runId: run.id, kind, orders: own.reduce((all, {orders}) => all + orders, 0)},
        ...{from: formatInstant(one.fromMs, timeZone), to: formatInstant(one.toMs, timeZone)},
        ...{preparedBy: run.by, approvedBy: run.signOffs},
      })
    }
    const [newest] = all
    if (!newest || counted.length === 0) return []
    const ids = new Set(counted.map(({run}) => run.id))
    const ofMonth = balances.filter((one) => one.kind === kind && ids.has(one.runId))
    // One rule for both ends, so that the end of a month is the beginning of the next.
    const [first, next] = [month.fromMs, month.toMs + 1].map((ms) => endBefore(ms, all, items))
    const openItems = {
      opening: first?.openItems ?? newest.statement.openItems.opening,
      closing: next?.openItems ?? newest.statement.openItems.closing,
      until: next ? formatInstant(next.atMs, timeZone) : null,
      laterRuns: counted.flatMap(({run}) => (next?.laterRuns.has(run.id) ? run.id : [])),
    }
    return [{...sumOf(kind, ofMonth), openItems, gaps: gapsOf(counted, timeZone)}]
  })
  const latestMs = month.toMs + lateRunMs
  const doubtful = runs.filter(({startedAtMs}) =>
    isWithin(startedAtMs, {fromMs: month.fromMs, toMs: latestMs}),
  )
  const uncounted = doubtful.flatMap(({id}) =>
    orderKinds.flatMap((kind): UncountedRunView[] => {
      const own = balances.filter((one) => one.runId === id && one.kind === kind)
      if (own.length === 0 || placed.has(keyOf(id, kind))) return []
      const {balanceByLedger, balanceByService} = sumOf(kind, own)
      const orders = own.reduce((all, one) => all + one.orders, 0)
      return [{runId: id, kind, orders, balanceByLedger, balanceByService}]
    }),
  )
  return {statement, runs: views.sort((a, b) => (a.from < b.from ? -1 : 1)), uncounted}
}

/**
 * The open items at the end of the time before `ms`: those before the first run whose ledger is of a later time, and those that
 * later runs found in a ledger of that time. Null before such a run. The runs come newest first.
 */
function endBefore(ms: number, runs: readonly Counted[], items: readonly OpenItem[]) {
  const next = runs.findLast((one) => one.fromMs >= ms)
  if (!next) return null
  const {opening} = next.statement.openItems
  const atMs = next.run.startedAtMs
  const later = runs.slice(0, runs.indexOf(next)).filter(({fromMs}) => fromMs < ms)
  const laterRuns = new Set(later.map(({run}) => run.id))
  const own = items.filter(({kind, severity}) => kind === next.statement.kind && severity !== 'none')
  const known = new Set(
    own.flatMap((one) => (one.openedMs < atMs && atMs < (one.closedMs ?? Infinity) ? one.orderNo : [])),
  )
  const found = new Map(
    own.flatMap((one) => {
      const isLate = laterRuns.has(one.openedRunId) && !known.has(one.orderNo)
      return isLate ? [[one.orderNo, one.cause === 'delivered' ? 0n : (one.atRisk ?? 0n)]] : []
    }),
  )
  const amount = sumPaisa([parsePaisa(opening.amount) ?? 0n, ...found.values()])
  const openItems = {items: opening.items + found.size, amount: formatPaisa(amount)}
  return {openItems, atMs, laterRuns}
}

function keyOf(runId: string, kind: OrderKind): string {
  return `${runId} ${kind}`
}

/** Places a run by the times of its rows, else by the window that a person gave; null without either. */
function placeOf(run: MonthRun, kind: OrderKind): Counted | null {
  const seen = run.totals?.ledger[kind]
  const statement = run.totals?.statement?.find((one) => one.kind === kind)
  const looked = seen?.fromMs == null || seen.toMs === null ? null : {fromMs: seen.fromMs, toMs: seen.toMs}
  const given = looked && {...looked, fromMs: seen?.ledgerFromMs ?? looked.fromMs}
  const rows = seen?.rows ?? given
  if (!rows || !statement) return null
  const {fromMs, toMs} = looked ?? rows
  const covered = {fromMs: Math.min(fromMs, rows.fromMs), toMs: Math.max(toMs, rows.toMs)}
  return {run, statement, ...rows, covered}
}

function sumOf(
  kind: OrderKind,
  balances: readonly BalanceOfRun[],
): Omit<MonthStatementView, 'openItems' | 'gaps'> {
  const sum = (read: (one: BalanceOfRun) => bigint) => sumPaisa(balances.map(read))
  const between = Map.groupBy(
    balances.filter(({differing}) => differing > 0),
    ({verdict, cause}) => `${verdict} ${cause}`,
  )
  const items = [...between.values()].flatMap((some) => {
    const [{verdict, cause} = {verdict: null, cause: null}] = some
    if (verdict === null) return []
    const gross = (name: 'plus' | 'minus') => formatPaisa(sumPaisa(some.map((one) => one[name])))
    const orders = some.reduce((all, {differing}) => all + differing, 0)
    return {verdict, cause, orders, plus: gross('plus'), minus: gross('minus')}
  })
  const [ledger, service] = [sum((one) => one.ledger), sum((one) => one.service)]
  return {
    kind,
    balanceByLedger: formatPaisa(ledger),
    items,
    balanceByService: formatPaisa(service),
    unexplained: formatPaisa(ledger - service - sum(({plus, minus}) => minus - plus)),
  }
}

/** A gap starts at the latest end of the earlier ledgers. */
function gapsOf(counted: readonly Counted[], timeZone: string): MonthStatementView['gaps'] {
  const inOrder = counted.map(({covered}) => covered).sort((a, b) => a.fromMs - b.fromMs)
  return inOrder.flatMap(({fromMs}, at) => {
    if (at === 0) return []
    const endedMs = Math.max(...inOrder.slice(0, at).map(({toMs}) => toMs))
    if (fromMs - endedMs < shortGapMs) return []
    return {from: formatInstant(endedMs, timeZone), to: formatInstant(fromMs, timeZone)}
  })
}
