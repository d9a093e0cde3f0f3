import type {Dialect} from '../../core/dialect.ts'
import {mayBeSameEvent, stateOfEvent} from '../../core/event-state.ts'
import {completedEvent, type OrderKind, type ServiceOrder} from '../../core/order.ts'
import {escapeInvisible} from '../../core/text.ts'
import {saysMoneyBack} from '../../ledger/money-back.ts'
import {maySay} from '../../receiver/same-event.ts'
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

/** `kind`: null where nobody knows it. */
export type WhyReceived = (
  order: Pick<ServiceOrder, 'orderNo' | 'platformOrderNo'> & {readonly kind: OrderKind | null},
  event?: string,
) => Received | null

/**
 * The one rule for what came through the own receiver. What the merchant's server acknowledged here, or may have, is not sent
 * again, whatever the service's records show: the service may never have seen the answer. What it did not acknowledge holds
 * nothing. `list`: the events of a number.
 */
export function receivedBy(
  list: (about: string) => readonly StoredEvent[],
  {status}: Pick<Dialect, 'status'>,
): WhyReceived {
  return ({kind, orderNo, platformOrderNo}, event = completedEvent) => {
    const ends = stateOfEvent(event, {status})
    if (ends === 'open') return null
    const isById = (one: StoredEvent) =>
      platformOrderNo !== '' && one.orderId.trim().toLowerCase() === platformOrderNo.toLowerCase()
    const found = [orderNo, platformOrderNo].flatMap((number) => (number === '' ? [] : list(number)))
    const isOwn = (one: StoredEvent) =>
      isById(one) || (one.orderNo === orderNo && (kind === null || kindOf(one) === kind))
    for (const one of found) {
      if (!isOwn(one)) continue
      const name = escapeInvisible(one.event || one.status || 'webhook', 60)
      const isSame =
        mayBeSameEvent(one.event, event, {status}) || (ends !== null && maySay(one, ends, status))
      const of = {event: one.event, takenAtMs: null}
      if (one.isConflict || saysMoneyBack(one.event.replaceAll(/[._-]/g, ' '), true))
        return {...of, why: `hisab received its ${name}, which contradicts it`}
      if (isSame && one.acknowledgedAtMs !== null)
        return {
          event: one.event,
          takenAtMs: one.acknowledgedAtMs,
          why: `your server took its ${name}, which hisab handed on`,
        }
      if (isSame && one.forward === 'unknown')
        return {...of, why: `hisab handed its ${name} on, and your server may have it`}
    }
    return null
  }
}

export function sentenceOf({why}: Received): string {
  return `${why.replace(/^your/, 'Your')}.`
}
