import type {ServiceClient} from '../../api/client.ts'
import {Failure, isStop} from '../../core/failure.ts'
import type {OrderKind} from '../../core/order.ts'
import type {ServiceSide} from '../../core/reconcile/classify.ts'
import {orderKey} from '../../core/reconcile/orders.ts'
import {forEachBounded} from '../bounded.ts'

type Querier = Pick<ServiceClient, 'queryOrder'>

interface Asked {
  readonly kind: OrderKind
  readonly orderNo: string
}

/**
 * Asks the service for each order, once. An order without a trustworthy answer is `no_answer`, never absent.
 *
 * Throws where going on is pointless: the run was stopped, credentials rejected, or no call of all reached the
 * service. `reachedBefore`: other calls did, so that silence now is no answer and not an unreachable service.
 */
export async function queryOrders(
  client: Querier,
  orders: readonly Asked[],
  width: number,
  onProgress?: (done: number, total: number) => void,
  reachedBefore = false,
): Promise<Map<string, ServiceSide>> {
  const answers = new Map<string, ServiceSide>()
  let unreachable: Failure | undefined
  let reached = reachedBefore
  await forEachBounded(orders, width, async (order) => {
    const side = await queryOne(client, order)
    if (side instanceof Failure) unreachable = side
    else reached = true
    answers.set(orderKey(order), side instanceof Failure ? noAnswer(side) : side)
    onProgress?.(answers.size, orders.length)
  })
  if (unreachable && !reached) throw unreachable
  return answers
}

/**
 * One order. The failure itself where the service could not be reached at all; throws where going on is pointless.
 */
export async function queryOne(client: Querier, {kind, orderNo}: Asked): Promise<ServiceSide | Failure> {
  try {
    const answer = await client.queryOrder(kind, orderNo)
    return answer.found ? {is: 'found', order: answer.order} : {is: 'absent'}
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (isStop(error) || error.code === 'credentials_rejected' || error.code === 'credentials_missing')
      throw error
    return error.code === 'service_unreachable' ? error : noAnswer(error)
  }
}

export function noAnswer({code, clause: because}: Failure): ServiceSide {
  return {is: 'no_answer', code, because}
}
