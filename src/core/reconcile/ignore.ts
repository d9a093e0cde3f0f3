import type {Paisa} from '../money.ts'
import type {OrderKind} from '../order.ts'
import {quoteForShell} from '../shell.ts'
import {escapeInvisible} from '../text.ts'
import {formatInstant} from '../time.ts'
import type {FindingHistory} from './history.ts'
import type {Verdict} from './verdict.ts'

/** A finding that a person ignores for a while. */
export interface Ignore {
  readonly id: number
  readonly kind: OrderKind
  readonly orderNo: string
  readonly verdict: Verdict
  /** The amount at risk when it was made. */
  readonly atRisk: Paisa | null
  /** The finding's `snapshotOf` then, and its beginning; null from an earlier version of hisab. */
  readonly snapshot: string | null
  readonly openedMs: number | null
  readonly reason: string
  readonly by: string
  readonly atMs: number
  readonly expiresAtMs: number
}

/** The end of a person's closing of an item: never, unless the finding changes. */
export const closedForMs = Date.UTC(9999, 11, 31)

export function isClosing({expiresAtMs}: Pick<Ignore, 'expiresAtMs'>): boolean {
  return expiresAtMs === closedForMs
}

/**
 * Whether an ignore still fits the finding: a change or worse news ends it, and so does a break that was gone and
 * came back (P19b). Only for ignores of the finding's kind, number and verdict.
 */
export function fits(
  {snapshot, openedMs}: Pick<Ignore, 'snapshot' | 'openedMs'>,
  now: Pick<FindingHistory, 'snapshot' | 'openedMs'>,
): boolean {
  return snapshot === now.snapshot && openedMs === now.openedMs
}

/** Why nothing is sent for an order after its ignore's time, and the commands that decide it. */
export function describeEnded({orderNo, by, reason, expiresAtMs}: Ignore, timeZone: string): string {
  const day = formatInstant(expiresAtMs, timeZone).slice(0, 10)
  const number = quoteForShell(escapeInvisible(orderNo))
  return `Not resent: its ignore ended on ${day}. If it is dealt with: \`hisab items close ${number} --reason "..."\`. If it is not booked, send it: \`hisab webhooks resend --order-no ${number} --include-delivered\`. Ignored by ${by}: ${reason}`
}
