import type {OrderKind} from '../order.ts'
import type {RememberedFinding} from './history.ts'
import {orderKey} from './orders.ts'
import type {Cause, Judged} from './verdict.ts'
import {isOfRows} from './verdict-facts.ts'

/** A break of an earlier run that people work on. */
export type OpenItem = RememberedFinding & {
  /** The last owner, or null. */
  readonly owner: string | null
  readonly note: string | null
}

/**
 * Open: a person or a later run has to act. Delivered: the merchant's server has taken the webhook. Confirmed:
 * delivered, and a ledger shows it booked. Closed: by the service, a ledger or a person.
 */
export const itemStates = ['open', 'delivered', 'confirmed', 'closed'] as const
export type ItemState = (typeof itemStates)[number]

export function itemState({
  cause,
  closedMs,
  closedBy,
}: Pick<OpenItem, 'cause' | 'closedMs' | 'closedBy'>): ItemState {
  const isDelivered = cause === 'delivered'
  if (closedMs === null) return isDelivered ? 'delivered' : 'open'
  return isDelivered && closedBy === 'ledger' ? 'confirmed' : 'closed'
}

/** How long runs ask about an order whose item a person closed. */
export const askedAfterClosingMs = 30 * 86_400_000

/**
 * Until when runs ask about an item that a person closed. Null where a person has confirmed a delivery, where nobody paid
 * a failed deposit, and where only rows can end it.
 */
export function askedUntilMs(item: Pick<RememberedFinding, 'kind' | 'closedMs'> & Judged): number | null {
  const {cause, closedMs} = item
  const isOver = cause === 'delivered' || isUnpaidDeposit(item) || isOfRows(item)
  return closedMs === null || isOver ? null : closedMs + askedAfterClosingMs
}

/**
 * Whether nobody paid a deposit and no ledger booked it: no run asks about it again. A failed payout is different, because
 * its player waits for the money.
 */
export function isUnpaidDeposit({kind, cause}: {kind: OrderKind | null; cause: Cause | null}): boolean {
  return cause === 'failed_not_booked' && kind === 'deposit'
}

/**
 * Of several open items of an order, those of the last run that saw any: an older one waits behind them and is not
 * counted again. Closed items stay.
 */
export function lastSeenItems<
  Item extends Pick<RememberedFinding, 'kind' | 'orderNo' | 'lastSeenMs' | 'closedMs'>,
>(items: readonly Item[]): Item[] {
  const last = new Map<string, number>()
  for (const one of items)
    if (one.closedMs === null) last.set(orderKey(one), Math.max(last.get(orderKey(one)) ?? 0, one.lastSeenMs))
  return items.filter((one) => one.closedMs !== null || one.lastSeenMs === last.get(orderKey(one)))
}

/**
 * By order, the open items that stay as they are while the service gives no answer, because later runs ask about them.
 * What only rows can end is not asked about.
 */
export function itemsKeptUnanswered(items: readonly RememberedFinding[]): Map<string, RememberedFinding> {
  const open = lastSeenItems(items.filter(({closedMs}) => closedMs === null))
  const isKept = (one: RememberedFinding) =>
    one.severity !== 'none' && one.verdict !== 'query_failed' && !isUnpaidDeposit(one) && !isOfRows(one)
  return new Map(
    [...Map.groupBy(open, orderKey)].flatMap(([key, [one, ...others]]) =>
      one && [one, ...others].every(isKept) ? [[key, one]] : [],
    ),
  )
}

/** A deposit that is open on both sides is queried this long; a payout until it ends. */
const openMaxMs = 72 * 60 * 60_000

/** Whether a deposit was open on both sides for so long that no run asks about it any more. */
export function isOverdue(
  {
    kind,
    verdict,
    severity,
    lastSeenMs,
  }: Pick<RememberedFinding, 'kind' | 'verdict' | 'severity' | 'lastSeenMs'>,
  nowMs: number,
): boolean {
  const isWaiting = verdict === 'in_flight' && severity === 'none'
  return isWaiting && kind === 'deposit' && nowMs - lastSeenMs > openMaxMs
}

/** How many orders a run queries because earlier runs left them open, without those that its ledger names. */
export function countLeftOpen(
  items: readonly RememberedFinding[],
  isNamed: (item: RememberedFinding) => boolean,
  nowMs: number,
): number {
  const isAsked = (one: RememberedFinding) =>
    (one.closedBy !== 'person' || nowMs < (askedUntilMs(one) ?? 0)) &&
    !isOfRows(one) &&
    !isUnpaidDeposit(one) &&
    !isOverdue(one, nowMs) &&
    !isNamed(one)
  return new Set(items.filter(isAsked).map(orderKey)).size
}

/** What a person did with an order that has open items. */
export interface ItemEvent {
  readonly what: 'assigned' | 'noted' | 'closed'
  /** The owner, the note or the reason. */
  readonly text: string
  readonly by: string
  readonly atMs: number
}

export interface PersonsClosing {
  readonly reason: string
  readonly by: string
  readonly atMs: number
}
