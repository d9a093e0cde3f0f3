import type {ServiceClient} from '../../api/client.ts'
import {type OrderKind, orderKinds, type ServiceOrder} from '../../core/order.ts'
import type {ServiceSide} from '../../core/reconcile/classify.ts'
import {orderKey} from '../../core/reconcile/orders.ts'
import {type AskOptions, askOrders} from '../orders/ask.ts'
import type {CompletionOfOther} from './record-facts.ts'

/** An order without a row, with the service's answer. */
export interface MissingOrder {
  readonly order: {kind: OrderKind; orderNo: string}
  readonly side: ServiceSide
}

export interface MissingOrderAnswers {
  readonly missing: readonly MissingOrder[]
  /** Orders with the same number that own none of these records; not reported. */
  readonly others: readonly ServiceOrder[]
}

interface LedgerOrders {
  readonly kinds: ReadonlySet<OrderKind>
  /** Rows state their kind, so the file may also have the other kind. */
  readonly statesKinds: boolean
  names(order: Pick<ServiceOrder, 'kind' | 'orderNo'>): boolean
  /** Whether a row has this order under another number, and so shows whether it is booked. */
  hasPaid(order: ServiceOrder): boolean
}

/**
 * Finds orders without a row, from completion records that belong to none of the ledger's orders; each is queried
 * first. A record does not show its kind, so it is queried as every kind that the ledger covers.
 */
export async function queryMissingOrders(
  completions: Iterable<CompletionOfOther>,
  ledger: LedgerOrders,
  client: Pick<ServiceClient, 'queryOrder'>,
  options: Pick<AskOptions<unknown>, 'width'> & {readonly signal: AbortSignal},
): Promise<MissingOrderAnswers> {
  const wanted = new Map<string, {kind: OrderKind; orderNo: string; orderIds: Set<string>}>()
  for (const record of completions) {
    // For a kind without rows, delivered orders may be in a ledger of their own.
    for (const kind of ledger.statesKinds && !record.isTaken ? orderKinds : ledger.kinds) {
      const order = {kind, orderNo: record.merchantOrderId}
      const names = (other: OrderKind) => ledger.names({kind: other, orderNo: order.orderNo})
      if (names(kind) || (!ledger.kinds.has(kind) && orderKinds.some(names))) continue
      const known = wanted.get(orderKey(order)) ?? {...order, orderIds: new Set()}
      known.orderIds.add(record.orderId)
      wanted.set(orderKey(order), known)
    }
  }
  const sides = new Map<string, ServiceSide>()
  const ask = (orders: Iterable<MissingOrder['order']>) =>
    askOrders(client, orders, {
      ...{...options, reachedBefore: true},
      onAnswer: (order, side) => void sides.set(orderKey(order), side),
    })
  const found = () => [...sides.values()].flatMap((side) => (side.is === 'found' ? side.order : []))
  const isOwn = ({kind}: MissingOrder['order']) => ledger.kinds.has(kind)
  await ask([...wanted.values()].filter(isOwn))
  const foundNos = new Set(found().map((order) => order.orderNo))
  await ask([...wanted.values()].filter((order) => !isOwn(order) && !foundNos.has(order.orderNo)))
  const foundIds = new Set(found().map((order) => order.platformOrderNo))
  const [missing, others]: [MissingOrder[], ServiceOrder[]] = [[], []]
  for (const {kind, orderNo, orderIds} of wanted.values()) {
    const side = sides.get(orderKey({kind, orderNo}))
    if (!side) continue
    // A row of the other kind has this number, or all its records are another order's: only the platform's ID shows
    // whose record it is, and without an answer nothing does.
    const isShared =
      [...ledger.kinds].some((other) => ledger.names({kind: other, orderNo})) ||
      [...orderIds].every((orderId) => foundIds.has(orderId))
    const isAnothers = side.is !== 'found' || !orderIds.has(side.order.platformOrderNo)
    if (side.is === 'found' && ledger.hasPaid(side.order)) others.push(side.order)
    else if (!isShared || side.is === 'no_answer' || !isAnothers) missing.push({order: {kind, orderNo}, side})
    else if (side.is === 'found') others.push(side.order)
  }
  return {missing, others}
}
