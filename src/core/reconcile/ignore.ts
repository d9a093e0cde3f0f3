import type {Paisa} from '../money.ts'
import type {OrderKind} from '../order.ts'
import type {FindingHistory} from './history.ts'
import type {Verdict} from './verdict.ts'

/** A finding that a person ignores for a while: reason, name, end. */
export interface Ignore {
  readonly id: number
  readonly kind: OrderKind
  readonly orderNo: string
  readonly verdict: Verdict
  /** The amount at risk it was given for. */
  readonly atRisk: Paisa | null
  /** `snapshotOf` the finding it was given for, and when that began; null where an earlier version of hisab kept it. */
  readonly snapshot: string | null
  readonly openedMs: number | null
  readonly reason: string
  readonly by: string
  readonly atMs: number
  readonly expiresAtMs: number
}

/** The end of an ignore that is a person's closing of an item: there is none, until there is other news of it. */
export const closedForMs = Date.UTC(9999, 11, 31)

export function isClosing({expiresAtMs}: Pick<Ignore, 'expiresAtMs'>): boolean {
  return expiresAtMs === closedForMs
}

/**
 * Whether an ignore in force is of what the finding says now: worse or other news ends it, and so does a break that was
 * gone and came back (P19b). To be asked of ignores of the finding's kind, number and verdict.
 */
export function fits(
  {snapshot, openedMs}: Pick<Ignore, 'snapshot' | 'openedMs'>,
  now: Pick<FindingHistory, 'snapshot' | 'openedMs'>,
): boolean {
  return snapshot === now.snapshot && openedMs === now.openedMs
}
