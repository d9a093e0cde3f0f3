import {ageDays} from '../../core/reconcile/history.ts'
import {orderKey} from '../../core/reconcile/orders.ts'
import {formatInstant} from '../../core/time.ts'
import type {Journal} from '../../journal/journal.ts'
import type {RunRow} from '../../journal/rows.ts'
import {isDryRun, itemsOfRun, type RunTotals, readTotals} from '../../report/run-totals.ts'
import {ageSteps, sumReceivers, type TrendDay} from '../../report/trend-text.ts'

type Journalled = Pick<Journal, 'listRuns' | 'findTotals' | 'listItems'>

interface CountedRun {
  readonly run: RunRow
  readonly totals: RunTotals
}

/** One entry for each day, oldest first, without dry runs and unfinished runs. `sinceMs`: earliest start of a run. */
export async function runTrend(
  journal: Journalled,
  {sinceMs, timeZone}: {readonly sinceMs: number; readonly timeZone: string},
): Promise<TrendDay[]> {
  const counted: CountedRun[] = []
  for (const run of await journal.listRuns(runsMax)) {
    if (run.startedAtMs < sinceMs) continue
    if (run.command !== 'reconcile' || run.status !== 'finished' || run.finishedAtMs === null) continue
    const totals = readTotals(await journal.findTotals(run.id))
    if (totals && !isDryRun(totals)) counted.unshift({run, totals})
  }
  const items = counted.length > 0 ? await journal.listItems() : []
  const dayOf = ({run}: CountedRun) => formatInstant(run.startedAtMs, timeZone).slice(0, 10)
  return [...Map.groupBy(counted, dayOf)].map(([day, runs]) => {
    const last = new Map(runs.map((one) => [Object.keys(one.totals.ledger).sort().join(), one]))
    return {
      ...sumRuns([...last.values()]),
      ...endOf(runs),
      day,
      ...agesAt(items, runs.at(-1)?.run.finishedAtMs ?? 0),
    }
  })
}

const runsMax = 10_000

type AtEnd = Pick<TrendDay, 'breaks' | 'atRisk'>

/** Every run asks about all open items, whatever its ledger is of, so the last one of a day has them all once. */
function endOf(runs: readonly CountedRun[]): AtEnd {
  const totals = runs.at(-1)?.totals
  return {breaks: totals ? breaksOf(totals) : 0, atRisk: totals?.atRisk.total ?? '0.00'}
}

function sumRuns(
  runs: readonly CountedRun[],
): Omit<TrendDay, 'day' | 'openByAge' | 'oldestDays' | keyof AtEnd> {
  const sum = (of: (totals: RunTotals) => number) => runs.reduce((total, {totals}) => total + of(totals), 0)
  const receivers = sumReceivers(runs.map(({totals}) => totals.receivers ?? []))
  const records = receivers.reduce((total, one) => total + one.records, 0)
  const delivered = receivers.reduce((total, one) => total + one.delivered, 0)
  return {
    runIds: runs.map(({run}) => run.id),
    complete: runs.every(({totals}) => totals.complete),
    newBreaks: sum((totals) => itemsOfRun(totals).new),
    closed: sum((totals) => itemsOfRun(totals).closed),
    resends: {sent: sum(({resends}) => resends.sent), delivered: sum(({resends}) => resends.delivered)},
    webhooks: {records, delivered},
    deliveryRate: records === 0 ? null : delivered / records,
    receivers,
  }
}

/** For runs of an earlier version, the number of results that are not right; some of them may only wait. */
function breaksOf({breaks, counts}: RunTotals): number {
  if (breaks !== undefined) return breaks
  const {rows: _, matched: __, in_flight: ___, ...wrong} = counts
  return Object.values(wrong).reduce((sum, count) => sum + count, 0)
}

/** A delivered item is open until a ledger confirms it. */
function agesAt(
  items: Awaited<ReturnType<Journal['listItems']>>,
  atMs: number,
): Pick<TrendDay, 'openByAge' | 'oldestDays'> {
  const openByAge = ageSteps.map(() => 0)
  let oldestDays = 0
  const open = items.filter(
    ({openedMs, closedMs}) => openedMs <= atMs && (closedMs === null || closedMs > atMs),
  )
  // An order whose trouble has changed is as old as its first.
  for (const own of Map.groupBy(open, orderKey).values()) {
    const days = ageDays(Math.min(...own.map(({openedMs}) => openedMs)), atMs)
    const step = ageSteps.findLastIndex((from) => days >= from)
    openByAge[step] = (openByAge[step] ?? 0) + 1
    oldestDays = Math.max(oldestDays, days)
  }
  return {openByAge, oldestDays}
}
