import type {ServiceClient} from '../../api/client.ts'
import type {OrderKind} from '../../core/order.ts'
import type {ServiceSide} from '../../core/reconcile/classify.ts'
import {askOrders} from './ask.ts'

export interface QueryPorts {
  readonly client: Pick<ServiceClient, 'queryOrder'>
  /** Queries at once, at most. */
  readonly width: number
  /** Called once for each order that was asked for, in the order of the list; waited for. */
  readonly onAnswer: (orderNo: string, side: ServiceSide) => Promise<void> | void
  readonly onProgress: (done: number, total: number) => void
}

/**
 * Asks the service for each order, once, and hands the answers on as they come. Where the run is stopped the calls
 * under way finish and their answers count; returned is how many orders were not asked for any more.
 *
 * Throws where going on is pointless: credentials rejected, or no call of all reached the service; then nothing was
 * handed on.
 */
export async function queryEach(
  kind: OrderKind,
  orderNos: readonly string[],
  {client, width, onAnswer, onProgress}: QueryPorts,
): Promise<number> {
  const answers: (ServiceSide | undefined)[] = []
  let isReached = false
  let answered = 0
  let next = 0
  const handOn = async (isEnd: boolean) => {
    if (!isReached) return
    for (let side = answers[next]; side || (isEnd && next < orderNos.length); side = answers[next]) {
      const orderNo = orderNos[next] ?? ''
      answers[next] = undefined
      next += 1
      if (side) await onAnswer(orderNo, side)
    }
  }
  const orders = orderNos.values().map((orderNo) => ({kind, orderNo}))
  const asked = await askOrders(client, orders, {
    width,
    onAnswer: async (_, side, index) => {
      answers[index] = side
      isReached ||= side.is !== 'no_answer' || side.code !== 'service_unreachable'
      onProgress(++answered, orderNos.length)
      if (answers[next]) await handOn(false)
    },
  })
  await handOn(true)
  return orderNos.length - asked
}
