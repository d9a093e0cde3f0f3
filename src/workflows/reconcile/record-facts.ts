import type {Dialect} from '../../core/dialect.ts'
import {mayCredit} from '../../core/event-state.ts'
import {completedEvent, type Delivery, type OddDelivery, type ServiceOrder} from '../../core/order.ts'
import {ListObserver} from '../../core/reconcile/list-order.ts'
import type {MaybeWindow, Window} from '../../core/reconcile/window.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {Records} from '../../staging/records.ts'
import {describeOdd, type RecordSink} from '../records/full-list-read.ts'
import {isAlmostCompleted} from './events-seen.ts'
import type {JoinedRecords} from './joined-records.ts'

/** Stores the records of a list in the staging store, and observes their order. */
export class ObservedRecords implements RecordSink {
  list = new ListObserver()
  private readonly records: Records

  constructor(records: Records) {
    this.records = records
  }

  again(): void {
    this.records.clearOdd()
    this.list = new ListObserver()
  }

  add(record: Delivery): void {
    this.records.replace(record)
    this.list.see(record)
  }

  addOdd(odd: OddDelivery): void {
    this.records.addOdd(odd)
    this.list.see(odd)
  }
}

/** A completion record of an order that probably has no row. */
export interface CompletionOfOther extends Pick<Delivery, 'orderId' | 'merchantOrderId'> {
  readonly isTaken: boolean
}

/** The window's `order.completed` records that belong to none of the ledger's orders; malformed ones, too. */
export function* completionsOfOthers(
  records: Pick<Records, 'ofUnknownOrders' | 'oddOfUnknownOrders'>,
  window: Window,
): Generator<CompletionOfOther> {
  for (const {orderId, merchantOrderId, status} of records.ofUnknownOrders(completedEvent, window))
    yield {orderId, merchantOrderId, isTaken: status === 'success'}
  for (const {orderId, merchantOrderId, status} of records.oddOfUnknownOrders(completedEvent, window)) {
    if (merchantOrderId !== null)
      yield {orderId: orderId ?? '', merchantOrderId, isTaken: status === 'success'}
  }
}

/** Records of other events that may have credited such orders, if they have no `order.completed`. */
export function* creditsOfOthers(
  records: Pick<Records, 'ofUnknownOrders' | 'byOrderId'>,
  window: Window,
  dialect: Pick<Dialect, 'status'>,
): Generator<CompletionOfOther> {
  for (const {orderId, merchantOrderId, event, status} of records.ofUnknownOrders(
    completedEvent,
    window,
    'is not',
  ))
    if (mayCredit(event, dialect) && !records.byOrderId(orderId).some((own) => own.event === completedEvent))
      yield {orderId, merchantOrderId, isTaken: status === 'success'}
}

/**
 * Which malformed records have no known order, in a clause; null if none. Only records count that may belong to an
 * order missing from the window: a completion, not delivered, and not of another time. With `isOneUnread` an order of
 * the ledger has no record, and every such completion may be its.
 */
export function whyOddOfNobody(records: Records, window: MaybeWindow, isOneUnread: boolean): string | null {
  const odd = records.oddOfNobody().filter(({event, status, createdMs}) => {
    const isElsewhere =
      window.ok && createdMs !== null && (createdMs < window.fromMs || createdMs > window.toMs)
    return mayComplete(event) && (isOneUnread || (status !== 'success' && !isElsewhere))
  })
  const clause = describeOdd(odd)
  return clause && `${clause}; whose ${odd.length === 1 ? 'it is' : 'they are'} nobody can tell`
}

/** Why undelivered completions may be of orders that nothing names, as clauses. */
export function whyOfNoOrder(records: Records, window: Window, nowMs: number): string[] {
  return [whyOfTwoOrders(records, window), whyImpossibleTimes(records, nowMs)].filter((why) => why !== null)
}

function whyOfTwoOrders(records: Records, window: Window): string | null {
  const found = records.ofTwoOrders(completedEvent, window)
  const named = found.slice(0, 5).map(({id, orderNo}) => `${id} (${escapeInvisible(orderNo, 40)})`)
  if (named.length === 0) return null
  return `delivery records have the order_id of an unknown order and the number of another order, which has a record of its own: ${named.join(', ')}${found.length > 5 ? ' and more' : ''}. The unknown order may be paid and not booked. Ask the service`
}

function whyImpossibleTimes(records: Records, nowMs: number): string | null {
  const windows = [
    {fromMs: Number.MIN_SAFE_INTEGER, toMs: firstWebhooksMs},
    {fromMs: nowMs + 24 * 60 * 60_000, toMs: Number.MAX_SAFE_INTEGER},
  ]
  const [first, ...more] = windows
    .flatMap((window) => [...records.ofUnknownOrders(completedEvent, window)])
    .filter(({status}) => status !== 'success')
  if (!first) return null
  const others = more.length === 0 ? '' : `, and ${more.length} more`
  return `the delivery record ${first.id} (${escapeInvisible(first.merchantOrderId, 40)}) has the time ${escapeInvisible(first.createdAt, 40)}${others}: whether its order is of this time is not known. Ask the service`
}

/** No webhook of any service of today is older. */
const firstWebhooksMs = Date.UTC(2015, 0)

function mayComplete(event: string | null): boolean {
  return event === null || isAlmostCompleted(event)
}

/** Why nothing can be concluded for an order: its record is malformed, or it has none and a malformed record may be its. */
export function whyOdd(
  joined: JoinedRecords,
  records: Records,
  order: ServiceOrder,
  newest: Delivery | null,
): string | null {
  const own = describeOdd(joined.oddOf(order))
  if (own !== null || newest !== null) return own
  const nobodys = describeOdd(records.oddOfNobody().filter(({event}) => mayComplete(event)))
  return nobodys && `${nobodys}; it may be this order's`
}
