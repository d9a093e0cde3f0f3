import type {Paisa} from '../money.ts'
import type {OrderKind} from '../order.ts'
import type {Judged, Severity} from './verdict.ts'

/**
 * A finding in the journal. Kind, number and verdict identify it within a merchant; its `snapshot` may change from
 * run to run.
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
  /** When it was first seen, or when it came back after a delivery. */
  readonly openedMs: number
  readonly openedRunId: string
  readonly lastSeenMs: number
  readonly lastRunId: string
  /** Its `snapshotOf` when last seen; null from an earlier version of hisab. */
  readonly snapshot: string | null
  /** The last run with another snapshot, or null. */
  readonly changedRunId: string | null
  /** Null if open. */
  readonly closedMs: number | null
  /** Null also if a person closed it. */
  readonly closedRunId: string | null
  /** What closed it: a ledger, the service or a person; null if open. */
  readonly closedBy: ClosedBy | null
  /** By its row or its webhook, or null. */
  readonly orderedAtMs: number | null
}

export type ClosedBy = 'ledger' | 'service' | 'person'

export const historyStates = ['new', 'open', 'changed', 'reopened'] as const
export type HistoryState = (typeof historyStates)[number]

export interface FindingHistory {
  readonly state: HistoryState
  readonly firstSeenMs: number
  /** Its age counts from here. */
  readonly openedMs: number
  readonly snapshot: string
}

/** What earlier runs remember of a finding, without this run's own processes (`--resume`). */
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
  // What a person closed stays closed until the finding changes (P19b).
  const isHeld = remembered.closedBy === 'person' && remembered.snapshot === snapshot
  const isBack = remembered.closedMs !== null && remembered.closedRunId !== runId && !isHeld
  if (isBack) return {state: 'reopened', firstSeenMs, openedMs: nowMs, snapshot}
  const isOther = remembered.snapshot !== null && remembered.snapshot !== snapshot
  const state = isOther || remembered.changedRunId === runId ? 'changed' : 'open'
  return {state, firstSeenMs, openedMs, snapshot}
}

export function ageDays(openedMs: number, nowMs: number): number {
  return Math.max(0, Math.floor((nowMs - openedMs) / 86_400_000))
}
