import type {QuotedDelivery, ServiceClient} from '../../api/client.ts'
import type {Dialect} from '../../core/dialect.ts'
import {mayBeSameEvent} from '../../core/event-state.ts'
import {Failure} from '../../core/failure.ts'
import {
  completedEvent,
  type Delivery,
  type OddDelivery,
  orderKinds,
  type ServiceOrder,
} from '../../core/order.ts'
import {mayBeWebhookOf} from '../../core/reconcile/delivered.ts'
import {escapeInvisible} from '../../core/text.ts'
import {parseInstant} from '../../core/time.ts'
import {type NamedOrder, NameIndex} from '../../ledger/name-index.ts'
import {askQuietly} from '../orders/confirm.ts'
import {readQuietly} from './watch.ts'

/** What is known of one. `status`: empty where it cannot be read. */
interface Orphan extends Pick<Delivery, 'id' | 'orderId' | 'merchantOrderId' | 'createdAt'> {
  readonly status: string
}

interface OrphanPorts {
  readonly client: Pick<ServiceClient, 'getDelivery' | 'queryOrder'>
  readonly dialect: Dialect
}

/** Clocks differ, and a ledger may have the time of the booking. */
const clocksMs = 60 * 60_000
/** So many numbers of other orders are asked for, at most, before one is listed to be booked by hand. */
const askedMax = 500
/** Where so many records have no number, and more than have one, the service leaves it out as a habit. */
const habitMin = 20
/** So many records without a number are read, at most; where there are more, each may be of the order. */
const readMax = 500

/**
 * Records of a completion that belong to no known order, and that the merchant's server took or may still get: one may be of
 * an order that is about to be resent, under its number in another spelling or under none.
 */
export class Orphans {
  private readonly ports: OrphanPorts
  private readonly index: NameIndex
  private readonly byOrder = new Map<string, Map<string, Orphan>>()
  private readonly nameless = new Map<string, Orphan>()
  private readonly details = new Map<string, Promise<QuotedDelivery | null>>()
  private readonly orders = new Map<string, Promise<ServiceOrder | null>>()

  private readonly countNumbered: () => number
  private numbered = 0

  /** `orders`: those that are about to be resent. `countNumbered`: how many records have a number, where not all are seen here. */
  constructor(orders: Iterable<NamedOrder>, ports: OrphanPorts, countNumbered?: () => number) {
    this.index = new NameIndex(orders)
    this.ports = ports
    this.countNumbered = countNumbered ?? (() => this.numbered)
  }

  see(record: Delivery): void {
    const {event, status, nextRetryAt, merchantOrderId} = record
    if (merchantOrderId.trim() !== '') this.numbered += 1
    const isGivenUp = status === 'failed' && nextRetryAt === null
    if (!isGivenUp && mayBeSameEvent(event, completedEvent, this.ports.dialect)) this.keep(record)
  }

  /** One that is not as documented, of no known order. */
  seeOdd({id, orderId, merchantOrderId, event, status, createdAt}: Omit<OddDelivery, 'at'>): void {
    const isOther = event !== null && !mayBeSameEvent(event, completedEvent, this.ports.dialect)
    if (isOther || status === 'failed') return
    const named = {orderId: orderId ?? '', merchantOrderId: merchantOrderId ?? ''}
    this.keep({id, ...named, status: status ?? '', createdAt: createdAt ?? ''})
  }

  private keep(record: Orphan): void {
    const {id, merchantOrderId: number} = record
    if (number.trim() === '') this.nameless.set(id, record)
    for (const orderNo of this.namesIn(number)) {
      if (orderNo === number) continue
      const seen = this.byOrder.get(orderNo) ?? new Map<string, Orphan>()
      this.byOrder.set(orderNo, seen.set(id, record))
    }
  }

  /** Why one may be of the order, as sentences, or null. `sinceMs`: when it was made. */
  async whyOf(
    order: NamedOrder & Partial<Pick<ServiceOrder, 'amount'>>,
    sinceMs: number | null,
  ): Promise<string | null> {
    const isSince = ({createdAt}: Orphan) =>
      (parseInstant(createdAt) ?? Number.MAX_SAFE_INTEGER) >= (sinceMs ?? 0) - clocksMs
    const isHabit = this.nameless.size > habitMin && this.nameless.size > this.countNumbered()
    const nameless = isHabit ? [] : [...this.nameless.values()].filter(isSince)
    for (const record of [...(this.byOrder.get(order.orderNo)?.values() ?? []), ...nameless]) {
      const {id, orderId, merchantOrderId: number, status} = record
      if (orderId === order.platformOrderNo) continue
      if (number.trim() !== '' && (await this.isOrders(number))) continue
      const detail = nameless.length > readMax ? null : await this.detailOf(id)
      const names = (text: string) => text === order.orderNo || this.namesIn(text).has(order.orderNo)
      const {amount = (await this.find(order.orderNo))?.amount ?? null} = order
      if (detail && !mayBeWebhookOf(detail.payload, {amount}, this.ports.dialect, names)) continue
      const shown = number.trim() === '' ? 'no number' : `"${escapeInvisible(number, 40)}"`
      const was = status === 'success' ? 'was taken by your server' : 'may still reach your server'
      return `Delivery record ${id} (${shown}) ${was} and may be of this order. Look in your books. Do not book it twice.`
    }
    return null
  }

  /** Whether the service has an order with exactly this number: then a record with it is of that one. */
  async isOrders(number: string): Promise<boolean> {
    return (await this.find(number)) !== null
  }

  private find(number: string): Promise<ServiceOrder | null> {
    const asked = this.orders.get(number) ?? this.ask(number)
    this.orders.set(number, asked)
    return asked
  }

  private async ask(number: string): Promise<ServiceOrder | null> {
    for (const kind of orderKinds) {
      const answer = await askQuietly(this.ports.client, kind, number)
      if (!(answer instanceof Failure) && answer.found) return answer.order
    }
    return null
  }

  private detailOf(id: string): Promise<QuotedDelivery | null> {
    const read = this.details.get(id) ?? readQuietly(id, this.ports.client)
    this.details.set(id, read)
    return read
  }

  /** A number of other letters is another series'. */
  private namesIn(number: string): ReadonlySet<string> {
    const isDigits = /^[\s\p{P}\p{S}\p{N}]*$/u.test(number)
    const found = this.index.find(number).filter(({sureness}) => isDigits || sureness === 'sure')
    return new Set(found.map(({orderNo}) => orderNo))
  }
}

/** Tells whether each record since an order was made is of another order, by its number. `ofNobody`: those of no known order. */
export function othersSince(
  ofNobody: (fromMs: number) => Iterable<Delivery>,
  orphans: () => Orphans,
): (orderedAtMs: number) => Promise<boolean> {
  let [knownFromMs, strangerMs] = [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER]
  return async (orderedAtMs) => {
    const fromMs = orderedAtMs - clocksMs
    if (fromMs >= knownFromMs || fromMs <= strangerMs) return fromMs >= knownFromMs
    const numbers = new Map<string, number>()
    for (const {merchantOrderId, createdAt} of ofNobody(fromMs))
      if (numbers.size <= askedMax) numbers.set(merchantOrderId, parseInstant(createdAt) ?? fromMs)
    if (numbers.size > askedMax) strangerMs = fromMs
    for (const [number, atMs] of numbers) {
      if (fromMs <= strangerMs) return false
      if (number.trim() === '' || !(await orphans().isOrders(number))) strangerMs = Math.max(atMs, fromMs)
    }
    if (fromMs > strangerMs) knownFromMs = fromMs
    return fromMs > strangerMs
  }
}
