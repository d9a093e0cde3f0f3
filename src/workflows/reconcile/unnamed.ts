import type {ServiceClient} from '../../api/client.ts'
import type {Delivery, OrderKind, ServiceOrder} from '../../core/order.ts'
import type {ServiceSide} from '../../core/reconcile/classify.ts'
import {type LedgerOrders, orderKey} from '../../core/reconcile/orders.ts'
import {isWithin} from '../../core/reconcile/window.ts'
import {parseInstant} from '../../core/time.ts'
import {type QueryOptions, queryOrders} from './queries.ts'

/** An order no row names, as the service answers for it. */
export interface Unnamed {
  readonly order: {kind: OrderKind; orderNo: string}
  readonly side: ServiceSide
}

/**
 * Orders with a completion record inside the window that no row names, each queried before anything is
 * concluded. A record does not say whether it is a deposit's or a payout's, so every kind the ledger covers
 * is asked for.
 */
export async function queryUnnamed(
  completions: readonly Delivery[],
  window: {fromMs: number; toMs: number},
  orders: LedgerOrders,
  known: readonly ServiceOrder[],
  client: Pick<ServiceClient, 'queryOrder'>,
  options: Pick<QueryOptions, 'width' | 'signal'>,
): Promise<Unnamed[]> {
  const ours = new Set(known.map(({platformOrderNo}) => platformOrderNo))
  const asked = new Map<string, {kind: OrderKind; orderNo: string; orderIds: Set<string>}>()
  for (const record of completions) {
    if (ours.has(record.orderId) || !isWithin(parseInstant(record.createdAt) ?? 0, window)) continue
    for (const kind of orders.kinds) {
      const order = {kind, orderNo: record.merchantOrderId}
      if (orders.names(order)) continue
      const known = asked.get(orderKey(order)) ?? {...order, orderIds: new Set()}
      known.orderIds.add(record.orderId)
      asked.set(orderKey(order), known)
    }
  }
  const answers = await queryOrders(client, [...asked.values()], {...options, reachedBefore: true})
  return [...asked.values()].flatMap((order) => {
    const side = answers.get(orderKey(order))
    if (!side) return []
    // A ledger row of the other kind carries this number: only the platform's ID can tell whose record it is, and
    // without an answer nobody can.
    const shared = [...orders.kinds].some((kind) => orders.names({kind, orderNo: order.orderNo}))
    if (
      shared &&
      side.is !== 'no_answer' &&
      !(side.is === 'found' && order.orderIds.has(side.order.platformOrderNo))
    )
      return []
    return [{order: {kind: order.kind, orderNo: order.orderNo}, side}]
  })
}
