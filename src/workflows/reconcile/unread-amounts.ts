import {type OrderKind, orderKinds, type ServiceOrder} from '../../core/order.ts'
import {orderKey} from '../../core/reconcile/orders.ts'
import {orderNoFault} from '../../ledger/order-no.ts'
import type {Staging} from '../../staging/staging.ts'
import {isUnread, keysOfAmount, keysOfAnyOrder, type UnexplainedRow} from '../../staging/unexplained-rows.ts'
import {askOrders} from '../orders/ask.ts'
import {unreadableNumbers} from './seen-rows.ts'
import type {ReconcileOptions, ReconcilePorts} from './types.ts'

/** If there are more, none is queried: then each may be any order. */
const askedMax = 500

/**
 * A row with an unreadable amount may be any order with its digits, and one of an unknown kind any with its amount, unless its own
 * order is paid. Queries those orders, only if orders are missing in the ledger.
 */
export async function askForUnreadAmounts(
  staging: Staging,
  missing: readonly ServiceOrder[],
  {concurrency: width}: Pick<ReconcileOptions, 'concurrency'>,
  {client, signal}: Pick<ReconcilePorts, 'client' | 'signal'>,
): Promise<(row: Pick<UnexplainedRow, 'kind' | 'orderNo'>) => boolean> {
  const keys = new Set(missing.flatMap(({amount}) => keysOfAmount(amount)))
  const wanted = new Map<string, {kind: OrderKind; orderNo: string}>()
  for (const row of missing.length > 0 ? unreadableNumbers(staging) : []) {
    if (wanted.size > askedMax) break
    const {kind: stated, orderNo, anyOrder, isBeginning} = row
    const isRead = stated !== null && anyOrder !== undefined && !isUnread(anyOrder.amount)
    if (isRead || !keysOfAnyOrder(row).some((key) => keys.has(key))) continue
    if (isBeginning || orderNo === '' || orderNoFault(orderNo) !== null) continue
    for (const kind of stated === null ? orderKinds : [stated])
      wanted.set(orderKey({kind, orderNo}), {kind, orderNo})
  }
  const paid = new Set<string>()
  await askOrders(client, wanted.size > askedMax ? [] : wanted.values(), {
    ...{width, signal, reachedBefore: true},
    onAnswer: (order, side) => {
      if (side.is === 'found' && side.order.status === 'completed') paid.add(orderKey(order))
    },
  })
  return ({kind: stated, orderNo}) =>
    (stated === null ? orderKinds : [stated]).some((kind) => paid.has(orderKey({kind, orderNo})))
}
