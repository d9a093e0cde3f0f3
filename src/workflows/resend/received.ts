import type {Dialect} from '../../core/dialect.ts'
import {mayBeSameEvent, stateOfEvent} from '../../core/event-state.ts'
import {completedEvent, type Delivery, isSameId, type OrderKind, type ServiceOrder} from '../../core/order.ts'
import {escapeInvisible} from '../../core/text.ts'
import {parseInstant} from '../../core/time.ts'
import {saysMoneyBack} from '../../ledger/money-back.ts'
import {maySay, stateOf} from '../../receiver/same-event.ts'
import type {StoredEvent} from '../../receiver/stored-events.ts'
import {kindOf} from '../../receiver/webhook.ts'

/** What the own receiver has of an order that speaks against sending its event again. */
export interface Received {
  readonly event: string
  /** When the merchant's server took that event from hisab; null if it may have, or if another event is against it. */
  readonly takenAtMs: number | null
  /** As a clause. */
  readonly why: string
}

/** The event that is to be sent again: a record of it, or its name. `isUsual` as in `eventAgainst`. */
interface Asked extends Pick<Delivery, 'event'>, Partial<Pick<Delivery, 'createdAt'>> {
  readonly isUsual?: ((event: string) => boolean) | undefined
}

/** `kind`: null where nobody knows it. */
export type WhyReceived = (
  order: Pick<ServiceOrder, 'orderNo' | 'platformOrderNo'> & {readonly kind: OrderKind | null},
  asked?: Asked,
) => Received | null

/**
 * The one rule for what came through the own receiver. What the merchant's server acknowledged here, or may have, is not sent
 * again, whatever the service's records show: the service may never have seen the answer. What it did not acknowledge holds
 * nothing. Other events of the order speak against it as their records would. `list`: the events of a number.
 */
export function receivedBy(
  list: (about: string) => readonly StoredEvent[],
  {status}: Pick<Dialect, 'status'>,
): WhyReceived {
  return ({kind, orderNo, platformOrderNo}, asked = {event: completedEvent}) => {
    const {event, createdAt, isUsual} = asked
    const ends = stateOfEvent(event, {status})
    if (ends === 'open') return null
    const isOwn = (one: StoredEvent) =>
      isSameId(platformOrderNo, one.orderId.trim()) ||
      (one.orderNo === orderNo && (kind === null || kindOf(one) === kind))
    const others: Parameters<typeof eventAgainst>[1][number][] = []
    for (const one of [orderNo, platformOrderNo].flatMap((number) => (number === '' ? [] : list(number)))) {
      if (!isOwn(one)) continue
      const name = one.event || one.status || 'webhook'
      const shown = escapeInvisible(name, 60)
      const of = {event: one.event, takenAtMs: null}
      if (one.isConflict && one.closedBy !== null) continue
      if (one.isConflict) return {...of, why: `hisab received its ${shown}, which contradicts it`}
      const isSame =
        mayBeSameEvent(one.event, event, {status}) || (ends !== null && maySay(one, ends, status))
      if (!isSame && stateOf(one, status) !== 'open')
        others.push({
          event: name,
          createdAt: new Date(one.receivedAtMs).toISOString(),
          status: one.acknowledgedAtMs === null ? 'failed' : 'success',
        })
      if (isSame && one.forward === 'closed') {
        const reason = escapeInvisible(one.closeReason ?? '', 100)
        return {...of, why: `${escapeInvisible(one.closedBy ?? '', 60)} closed its ${shown}: ${reason}`}
      }
      if (isSame && one.acknowledgedAtMs !== null)
        return {
          event: one.event,
          takenAtMs: one.acknowledgedAtMs,
          why: `your server took its ${shown}, which hisab handed on`,
        }
      if (isSame && one.forward === 'unknown')
        return {...of, why: `hisab handed its ${shown} on, and your server may have it`}
    }
    const resent = createdAt === undefined ? null : {event, createdAt}
    const against = eventAgainst(resent, others, {status}, isUsual)
    if (against === null) return null
    const why = `hisab received its ${escapeInvisible(against, 60)}, which speaks against it`
    return {event: against, takenAtMs: null, why}
  }
}

export function sentenceOf({why}: Received): string {
  return `${why.replace(/^your/, 'Your')}.`
}

/**
 * The event of an order's records that speaks against a resend of one of them, or null: that the money went back (`order.refunded`),
 * or a newer one that it ended otherwise (`order.cancelled` after a completion), or one of an unknown meaning that the merchant's
 * server took. `isUsual`: events that most orders have, and that say nothing about this one.
 */
export function eventAgainst(
  resent: Pick<Delivery, 'event' | 'createdAt'> | null,
  records: readonly Pick<Delivery, 'event' | 'createdAt' | 'status'>[],
  dialect: Pick<Dialect, 'status'>,
  isUsual: (event: string) => boolean = () => false,
): string | null {
  const own = resent?.event ?? completedEvent
  if (!['completed', 'failed'].includes(stateOfEvent(own, dialect) ?? '')) return null
  for (const {event, createdAt, status} of records) {
    if (mayBeSameEvent(event, own, dialect)) continue
    if (saysMoneyBack(event.replaceAll(/[._-]/g, ' '), true)) return event
    const isNewer = resent !== null && (parseInstant(createdAt) ?? 0) > (parseInstant(resent.createdAt) ?? 0)
    const state = stateOfEvent(event, dialect)
    const isEnd = state === 'failed' || state === 'completed'
    if (isNewer && (isEnd || (state === null && status === 'success' && !isUsual(event)))) return event
  }
  return null
}
