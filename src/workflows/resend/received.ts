import type {Dialect} from '../../core/dialect.ts'
import {mayBeSameEvent, stateOfEvent} from '../../core/event-state.ts'
import {completedEvent, type Delivery, type OrderKind, type ServiceOrder} from '../../core/order.ts'
import {escapeInvisible} from '../../core/text.ts'
import {maySay, stateOf} from '../../receiver/same-event.ts'
import type {StoredEvent} from '../../receiver/stored-events.ts'
import {kindOf} from '../../receiver/webhook.ts'
import {eventAgainst} from './seen.ts'

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
    const isById = (one: StoredEvent) =>
      platformOrderNo !== '' && one.orderId.trim().toLowerCase() === platformOrderNo.toLowerCase()
    const isOwn = (one: StoredEvent) =>
      isById(one) || (one.orderNo === orderNo && (kind === null || kindOf(one) === kind))
    const others: Parameters<typeof eventAgainst>[1][number][] = []
    for (const one of [orderNo, platformOrderNo].flatMap((number) => (number === '' ? [] : list(number)))) {
      if (!isOwn(one)) continue
      const name = one.event || one.status || 'webhook'
      const shown = escapeInvisible(name, 60)
      const of = {event: one.event, takenAtMs: null}
      if (one.isConflict) return {...of, why: `hisab received its ${shown}, which contradicts it`}
      const isSame =
        mayBeSameEvent(one.event, event, {status}) || (ends !== null && maySay(one, ends, status))
      if (!isSame && stateOf(one, status) !== 'open')
        others.push({
          event: name,
          createdAt: new Date(one.receivedAtMs).toISOString(),
          status: one.acknowledgedAtMs === null ? 'failed' : 'success',
        })
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
