import {verdictLabel} from '../core/labels.ts'
import type {OrderKind} from '../core/order.ts'
import {verdicts} from '../core/reconcile/verdict.ts'
import type {Window} from '../core/reconcile/window.ts'
import {counted, grouped} from './figures.ts'
import type {ReconcileReport} from './reconcile-report.ts'
import type {StatementView} from './statement-view.ts'

/** The figures of a run that the journal keeps, for `runs show` and for the next plan. */
export interface RunTotals
  extends Pick<ReconcileReport, 'complete' | 'counts' | 'resends' | 'atRisk' | 'calls' | 'records'>,
    Partial<Pick<ReconcileReport, 'dryRun' | 'breaks' | 'receivers' | 'clockSkewMs'>> {
  readonly memory: Readonly<
    Record<
      'new' | 'open' | 'changed' | 'reopened' | 'closed' | 'notExamined' | 'oldestDays' | 'ignored',
      number
    >
  >
  /** Null if too few queries were made to tell. */
  readonly queriesPerSecond: number | null
  readonly ledger: LedgersSeen
  /** Missing in runs of an earlier version. */
  readonly statement?: readonly StatementView[]
}

/**
 * For each kind, how far the run looked for missing orders (null if it did not), and the columns and headers of its
 * ledgers (null without one).
 */
export type LedgersSeen = Partial<
  Record<
    OrderKind,
    {
      readonly fromMs: number | null
      readonly toMs: number | null
      /** The start of what its ledgers themselves cover. */
      readonly ledgerFromMs?: number | null
      /** From this time on rows of its day may be missing. */
      readonly doubtedFromMs?: number | null
      /** The times of their rows, or null. */
      readonly rows?: Window | null
      readonly columns: Readonly<Record<string, string>> | null
    }
  >
>

export function writeTotals(
  report: ReconcileReport,
  queriesPerSecond: number | null,
  ledger: LedgersSeen,
): string {
  const {complete, dryRun, breaks, counts, resends, atRisk, calls, records, receivers, memory, statement} =
    report
  const {clockSkewMs} = report
  const totals: RunTotals = {
    ...{complete, dryRun, breaks, counts, resends, atRisk, calls, records, receivers},
    ...{clockSkewMs, queriesPerSecond, ledger, statement},
    memory: {...memory, closed: memory.closed.length, notExamined: memory.notExamined.length},
  }
  return JSON.stringify(totals)
}

/** Reads what `writeTotals` wrote; null for a run without totals. */
export function readTotals(text: string | null): RunTotals | null {
  return text === null ? null : (JSON.parse(text) as RunTotals)
}

/** Dry runs of an earlier version are known by having no ledger. */
export function isDryRun({dryRun, ledger}: RunTotals): boolean {
  return dryRun ?? Object.keys(ledger).length === 0
}

/**
 * Open items at a run's end, delivered ones included, and what the run did to them, as its statement counts them: an order
 * counts once. Runs of an earlier version counted findings. A dry run leaves all as it was.
 */
export function itemsOfRun(totals: RunTotals): Readonly<Record<'open' | 'new' | 'closed', number>> {
  const {memory, statement} = totals
  if (!statement) {
    const {new: fresh, open, changed = 0, reopened, notExamined, closed} = memory
    return {open: fresh + open + changed + reopened + notExamined, new: fresh, closed}
  }
  const sum = (of: 'opening' | 'new' | 'closed' | 'closing') =>
    statement.reduce((total, {openItems}) => total + openItems[of].items, 0)
  if (isDryRun(totals)) return {open: sum('opening'), new: 0, closed: 0}
  return {open: sum('closing'), new: sum('new'), closed: sum('closed')}
}

/** A run's figures for `runs show`, by name. */
export function totalsFields(totals: RunTotals | null): [name: string, text: string][] {
  if (!totals) return []
  const {counts, memory, atRisk, calls} = totals
  const figures = (some: readonly (readonly [name: string, count: number])[]) =>
    some.flatMap(([name, count]) => (count > 0 ? [`${name} ${count}`] : [])).join('; ')
  const found = verdicts.map((verdict) => [verdictLabel(verdict, null).en, counts[verdict]] as const)
  const oldest = memory.oldestDays > 0 ? `, the oldest ${counted(memory.oldestDays, 'day', 'days')}` : ''
  const items = itemsOfRun(totals)
  const earlier = figures([
    ['new', items.new],
    ['changed', memory.changed ?? 0],
    ['back again', memory.reopened],
    ['closed', items.closed],
    ['not checked by this run', memory.notExamined],
    ['ignored', memory.ignored],
  ])
  return [
    ['Rows', `${counts.rows}`],
    ['Results', figures(found) || 'none'],
    ['Open items', `${[`${items.open}`, earlier].filter(Boolean).join('; ')}${oldest}`],
    ['At risk', `BDT ${grouped(atRisk.total)}`],
    ['Calls', figures(Object.entries(calls)) || 'none'],
  ]
}
