import type {ServiceClient} from '../../api/client.ts'
import type {Dialect} from '../../core/dialect.ts'
import {mayBeSameEvent} from '../../core/event-state.ts'
import {asFailure} from '../../core/failure.ts'
import {completedEvent, type Delivery} from '../../core/order.ts'
import {newestOf} from '../../core/reconcile/evidence.ts'
import {escapeInvisible} from '../../core/text.ts'
import {parseInstant} from '../../core/time.ts'
import {readOrderRecords, withoutOtherKind} from './order-records.ts'
import {Orphans} from './orphans.ts'
import {eventAgainst} from './seen.ts'
import {readQuietly} from './watch.ts'

/** A webhook that is to be handed on without a record of its own. `event`: what it means, whatever its `name`. */
export interface EventToCheck extends Pick<Delivery, 'event' | 'orderId' | 'merchantOrderId' | 'createdAt'> {
  readonly name: string
}

/** What was read of the orders of some events. */
export interface RecordsRead {
  /** Why an event of one of them is held, as a clause. `isOwn`: whether hisab itself took that event. */
  readonly against: (event: EventToCheck, isOwn: (event: string) => boolean) => Promise<string | null>
  /** The order's number by the platform's ID, where an event has no number; else empty. */
  readonly numberOf: (orderId: string) => string
}

export const noRecords: RecordsRead = {against: async () => null, numberOf: () => ''}

/**
 * What the delivery records of orders say against an event of one of them: what `planResends` reads before a resend. `onNone`: the
 * service has no records, or lets nobody read them, so that nothing is held for them.
 */
export async function readRecords(
  events: readonly EventToCheck[],
  client: Pick<ServiceClient, 'listDeliveries' | 'getDelivery' | 'queryOrder'>,
  dialect: Dialect,
  onNone: (why: string) => void,
): Promise<RecordsRead> {
  const orders = events.map(({merchantOrderId: orderNo, orderId: platformOrderNo}) => ({
    ...{orderNo, platformOrderNo},
  }))
  const orphans = new Orphans(orders, {client, dialect})
  const ports = {client, width: 8, onProgress: () => undefined}
  let recordsOf: Awaited<ReturnType<typeof readOrderRecords>>
  try {
    recordsOf = await readOrderRecords(events, {...ports, onRecord: (record) => orphans.see(record)})
  } catch (thrown) {
    const {code, clause} = asFailure(thrown)
    if (code !== 'legacy_unavailable' && code !== 'credentials_rejected' && code !== 'service_unreachable')
      throw thrown
    onNone(clause)
    return noRecords
  }
  const against: RecordsRead['against'] = async (event, isOwn) => {
    const read = recordsOf(event)
    if (typeof read === 'string') return `its delivery records could not be read: ${read}`
    const {records} = await withoutOtherKind(event, read, client)
    const same = records.filter((one) =>
      [event.event, event.name].some((name) => mayBeSameEvent(one.event, name, dialect)),
    )
    const newest = newestOf(same)
    // The others were read a while ago; it may have been delivered since.
    const now = newest && (await readQuietly(newest.id, client))?.delivery
    const taken = [...(now ? [now] : []), ...same].find(
      ({status, event: name}) => status === 'success' && !isOwn(name),
    )
    if (taken) return `your server took its ${escapeInvisible(taken.event, 60)} (record ${taken.id})`
    const against = eventAgainst(newest ?? event, records, dialect, isOwn)
    if (against !== null) return `its order has a record of ${escapeInvisible(against, 60)}`
    const {orderId: platformOrderNo, merchantOrderId: orderNo, createdAt} = event
    if (!mayBeSameEvent(event.event, completedEvent, dialect)) return null
    const orphan = await orphans.whyOf({orderNo, platformOrderNo}, parseInstant(createdAt))
    return orphan?.replace(/\.$/, '') ?? null
  }
  const numberOf = (orderId: string) => {
    const read = orderId === '' ? '' : recordsOf({orderId, merchantOrderId: ''})
    const isIts = (one: Delivery) => one.orderId.toLowerCase() === orderId.toLowerCase()
    return typeof read === 'string' ? '' : (read.find(isIts)?.merchantOrderId ?? '')
  }
  return {against, numberOf}
}
