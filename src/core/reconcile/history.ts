import type {Paisa} from '../money.ts'
import type {OrderKind} from '../order.ts'
import type {Judged, Severity} from './verdict.ts'

/**
 * A finding as the journal remembers it. Its identity, within a profile and merchant, is kind, number and verdict; what is
 * its `snapshot` says changes from run to run while the problem stays.
 */
export type RememberedFinding = Judged & Remembered
interface Remembered {
  readonly id: number
  readonly kind: OrderKind
  readonly orderNo: string
  readonly severity: Severity
  readonly atRisk: Paisa | null
  readonly firstSeenMs: number
  readonly firstRunId: string
  /** When it was last seen to begin: at first sight, or when it came back after it had delivered. */
  readonly openedMs: number
  readonly openedRunId: string
  readonly lastSeenMs: number
  readonly lastRunId: string
  /** `snapshotOf` it when it was last seen; null where an earlier version of hisab kept it. */
  readonly snapshot: string | null
  /** The last run that saw it with another snapshot; null where it never changed. */
  readonly changedRunId: string | null
  /** Null while it is open. */
  readonly closedMs: number | null
  /** Null also where a person closed it. */
  readonly closedRunId: string | null
  /** What closed it: a row that has it booked or a new export, the service's answer, or a person; null while it is open. */
  readonly closedBy: ClosedBy | null
  /** When its order was made, by its row or its webhook; null where nothing says. */
  readonly orderedAtMs: number | null
}

export type ClosedBy = 'ledger' | 'service' | 'person'

/** Compares a finding with the runs before. */
export const historyStates = ['new', 'open', 'changed', 'reopened'] as const
export type HistoryState = (typeof historyStates)[number]

export interface FindingHistory {
  readonly state: HistoryState
  readonly firstSeenMs: number
  /** Its age is counted from here. */
  readonly openedMs: number
  /** `snapshotOf` it now. */
  readonly snapshot: string
}

/** What was remembered of a finding before this run, its own earlier processes left out (`--resume`). */
export function historyOf(
  remembered: RememberedFinding | null,
  snapshot: string,
  runId: string,
  nowMs: number,
): FindingHistory {
  if (!remembered) return {state: 'new', firstSeenMs: nowMs, openedMs: nowMs, snapshot}
  const {firstSeenMs, openedMs} = remembered
  if (remembered.firstRunId === runId) return {state: 'new', firstSeenMs, openedMs, snapshot}
  if (remembered.openedRunId === runId) return {state: 'reopened', firstSeenMs, openedMs, snapshot}
  // What a person closed stays closed while it says the same (P19b).
  const isHeld = remembered.closedBy === 'person' && remembered.snapshot === snapshot
  const isBack = remembered.closedMs !== null && remembered.closedRunId !== runId && !isHeld
  if (isBack) return {state: 'reopened', firstSeenMs, openedMs: nowMs, snapshot}
  const isOther = remembered.snapshot !== null && remembered.snapshot !== snapshot
  const state = isOther || remembered.changedRunId === runId ? 'changed' : 'open'
  return {state, firstSeenMs, openedMs, snapshot}
}

/** Whole days, of 24 hours. */
export function ageDays(openedMs: number, nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - openedMs) / 86_400_000))
}
