import type {ServiceClient} from '../../api/client.ts'
import type {MeasuredTime} from '../../core/clocks.ts'
import type {Dialect} from '../../core/dialect.ts'
import {mayBeSameEvent} from '../../core/event-state.ts'
import {asFailure} from '../../core/failure.ts'
import {type Delivery, isSameId} from '../../core/order.ts'
import {newestOf} from '../../core/reconcile/evidence.ts'
import {readOrderRecords, withoutOtherKind} from './order-records.ts'
import {Orphans} from './orphans.ts'
import {readQuietly} from './watch.ts'

/** A webhook that is to be handed on without a record of its own. `event`: what it means, whatever its `name`. */
export interface EventToCheck extends Pick<Delivery, 'event' | 'orderId' | 'merchantOrderId' | 'createdAt'> {
  readonly name: string
}

/** What was read of the orders of some events. */
export interface RecordsRead extends Pick<MeasuredTime, 'skewMs'> {
  /** The records of an event's order, that of the event read anew, or why they could not be read. */
  readonly of: (
    event: EventToCheck,
  ) => Promise<{readonly records: readonly Delivery[]; readonly newest: Delivery | null} | string>
  readonly orphans: (() => Orphans) | null
  /** The order's number by the platform's ID, where an event has no number; else empty. */
  readonly numberOf: (orderId: string) => string
}

const unread = 'its delivery records could not be read'

export const noRecords: RecordsRead = {
  of: async () => ({records: [], newest: null}),
  orphans: null,
  numberOf: () => '',
  skewMs: null,
}

/**
 * The delivery records of events' orders: what `planResends` reads before a resend. Records that cannot be read hold each event,
 * and so does an order without any: the service sent the event, and a list without its record proves nothing (P9).
 */
export async function readRecords(
  events: readonly EventToCheck[],
  client: Pick<ServiceClient, 'listDeliveries' | 'getDelivery' | 'queryOrder' | 'clockSkewMs'>,
  dialect: Dialect,
): Promise<RecordsRead> {
  const orders = events.map(({merchantOrderId: orderNo, orderId: platformOrderNo}) => ({
    ...{orderNo, platformOrderNo},
  }))
  const orphans = new Orphans(orders, {client, dialect})
  const ports = {client, width: 8, onProgress: () => undefined}
  let all: Awaited<ReturnType<typeof readOrderRecords>>
  try {
    all = await readOrderRecords(events, {
      ...ports,
      onRecord: (record) => orphans.see(record),
      onOdd: (odd) => orphans.seeOdd(odd),
    })
  } catch (thrown) {
    const {code, clause} = asFailure(thrown)
    if (code !== 'legacy_unavailable' && code !== 'service_unreachable') throw thrown
    const hint =
      code === 'legacy_unavailable' ? '. If the service has none, take api_key out of the profile' : ''
    return {...noRecords, of: async () => `${unread}: ${clause}${hint}`}
  }
  const readOf: RecordsRead['of'] = async (event) => {
    const read = all.of(event)
    if (typeof read === 'string') return `${unread}: ${read}`
    if (read.length === 0)
      return 'the service shows no delivery record of its order, although it sent the event'
    const {records} = await withoutOtherKind(event, read, client)
    const isSame = (one: Delivery) =>
      [event.event, event.name].some((name) => mayBeSameEvent(one.event, name, dialect))
    const last = newestOf(records.filter(isSame))
    // The others were read a while ago; it may have been delivered since.
    const newest = (last && (await readQuietly(last.id, client))?.delivery) ?? last
    return {newest, records: records.map((one) => (newest && one === last ? newest : one))}
  }
  const numberOf = (orderId: string) => {
    const read = all.of({orderId, merchantOrderId: ''})
    return typeof read === 'string'
      ? ''
      : (read.find((one) => isSameId(one.orderId, orderId))?.merchantOrderId ?? '')
  }
  return {of: readOf, orphans: () => orphans, numberOf, skewMs: client.clockSkewMs}
}
