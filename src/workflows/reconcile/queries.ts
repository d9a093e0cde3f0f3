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

export interface QueryOptions {
  /** Orders asked for at once. */
  readonly width: number
  readonly onProgress?: (done: number, total: number) => void
  /** Other calls reached the service before, so that silence now is no answer and not an unreachable service. */
  readonly reachedBefore?: boolean
  /** Once aborted nothing more is asked: what was not asked is then not in the answers. Without it a stop throws. */
  readonly signal?: AbortSignal
  /** Told of each answer as it comes. */
  readonly onAnswer?: (index: number, side: ServiceSide) => void
}

/**
 * Asks the service for each order, once. An order without a trustworthy answer is `no_answer`, never absent.
 *
 * Throws where going on is pointless: credentials rejected, or no call of all reached the service.
 */
export async function queryOrders(
  client: Querier,
  orders: readonly Asked[],
  {width, onProgress, reachedBefore = false, signal, onAnswer}: QueryOptions,
): Promise<Map<string, ServiceSide>> {
  const answers = new Map<string, ServiceSide>()
  let unreachable: Failure | undefined
  let reached = reachedBefore
  const ask = async (order: Asked, index: number) => {
    const side = await queryOne(client, order)
    if (side instanceof Failure && isStop(side)) {
      if (signal) return
      throw side
    }
    if (side instanceof Failure) unreachable = side
    else reached = true
    const answer = side instanceof Failure ? noAnswer(side) : side
    answers.set(orderKey(order), answer)
    onAnswer?.(index, answer)
    onProgress?.(answers.size, orders.length)
  }
  await forEachBounded(orders, width, ask, signal)
  if (unreachable && !reached && !signal?.aborted) throw unreachable
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
    if (error.code === 'credentials_rejected' || error.code === 'credentials_missing') throw error
    return isStop(error) || error.code === 'service_unreachable' ? error : noAnswer(error)
  }
}

export function noAnswer({code, clause: because}: Failure): ServiceSide {
  return {is: 'no_answer', code, because}
}
