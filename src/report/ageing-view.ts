import {formatPaisa} from '../core/money.ts'
import type {OrderKind} from '../core/order.ts'
import type {Finding, Findings} from '../core/reconcile/finding.ts'
import {ageDays, type RememberedFinding} from '../core/reconcile/history.ts'
import {type ItemState, itemState} from '../core/reconcile/item.ts'
import type {Severity, Verdict} from '../core/reconcile/verdict.ts'
import {formatInstant} from '../core/time.ts'
import {riskOf, viewAmount} from './finding-view.ts'

export interface AgeingFacts {
  readonly findings: Findings
  /** Open before, examined again, and closed now. */
  readonly closed: readonly RememberedFinding[]
  /** Open before; this run did not see the order, or not well enough to decide. */
  readonly notExamined: readonly RememberedFinding[]
  readonly finishedAtMs: number
  readonly timeZone: string
}

/** Amounts at risk in taka as text. What this run closed no longer counts; what a person ignores does. */
export type AtRisk = Readonly<Record<'total' | Exclude<Severity, 'none'> | 'ignored', string>>

export interface MemoryView {
  readonly new: number
  readonly open: number
  readonly reopened: number
  /** Open before, and different now. */
  readonly changed: number
  readonly closed: readonly RememberedView[]
  readonly notExamined: readonly RememberedView[]
  /** Age in days of the oldest open finding, checked by this run or not. */
  readonly oldestDays: number
  readonly ignored: number
}

export interface RememberedView {
  readonly kind: OrderKind
  readonly orderNo: string
  readonly verdict: Verdict
  readonly amountAtRisk: string | null
  readonly firstSeenAt: string
  readonly ageDays: number
  /** What closed it, or null. `confirmed`: it was delivered, and a later ledger has booked it. */
  readonly closedBy: 'ledger' | 'service' | 'person' | null
  readonly state: ItemState
}

export function sumAtRisk(findings: Iterable<Finding>): AtRisk {
  const sums = {total: 0n, high: 0n, medium: 0n, low: 0n, none: 0n, ignored: 0n}
  for (const finding of findings) {
    const {severity, ignored} = finding
    const atRisk = riskOf(finding) ?? 0n
    sums.total += atRisk
    sums[severity] += atRisk
    if (ignored) sums.ignored += atRisk
  }
  const {total, high, medium, low, ignored} = sums
  return {
    ...{total: formatPaisa(total), high: formatPaisa(high), medium: formatPaisa(medium)},
    ...{low: formatPaisa(low), ignored: formatPaisa(ignored)},
  }
}

export function viewMemory({findings, closed, notExamined, finishedAtMs, timeZone}: AgeingFacts): MemoryView {
  const counts = {new: 0, open: 0, changed: 0, reopened: 0, ignored: 0}
  let oldestDays = 0
  const noteAge = (openedMs: number) => {
    oldestDays = Math.max(oldestDays, ageDays(openedMs, finishedAtMs))
  }
  for (const {history, ignored, keepsItem} of findings) {
    if (ignored) counts.ignored += 1
    // Its item is among those not examined.
    if (!history || keepsItem) continue
    counts[history.state] += 1
    noteAge(history.openedMs)
  }
  // Severity `none` is an order still open on both sides, remembered only to be queried again.
  const view = (some: readonly RememberedFinding[]) =>
    some
      .filter(({severity}) => severity !== 'none')
      .map((finding) => viewRemembered(finding, finishedAtMs, timeZone))
  for (const {openedMs, severity} of notExamined) if (severity !== 'none') noteAge(openedMs)
  return {...counts, oldestDays, closed: view(closed), notExamined: view(notExamined)}
}

function viewRemembered(finding: RememberedFinding, nowMs: number, timeZone: string): RememberedView {
  const {kind, orderNo, verdict, cause, atRisk, firstSeenMs, openedMs, closedBy} = finding
  return {
    ...{kind, orderNo, verdict, amountAtRisk: viewAmount(atRisk), closedBy},
    state: itemState({cause, closedMs: closedBy === null ? null : nowMs, closedBy}),
    firstSeenAt: formatInstant(firstSeenMs, timeZone),
    ageDays: ageDays(openedMs, nowMs),
  }
}
