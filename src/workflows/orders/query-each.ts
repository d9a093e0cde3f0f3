import type {ServiceClient} from '../../api/client.ts'
import type {OrderKind} from '../../core/order.ts'
import type {ServiceSide} from '../../core/reconcile/classify.ts'
import {askOrders} from './ask.ts'

export interface QueryPorts {
  readonly client: Pick<ServiceClient, 'queryOrder'>
  /** The most queries at once. */
  readonly width: number
  /** Called once for each order that was asked for, in the order of the list; awaited. */
  readonly onAnswer: (orderNo: string, side: ServiceSide) => Promise<void> | void
  readonly onProgress: (done: number, total: number) => void
}

/**
 * Asks the service once for each order and passes the answers on. When stopped, running calls finish and count. Returns
 * how many orders were not asked for.
 *
 * Throws if going on is pointless: credentials rejected, or the service was never reached; then nothing was passed on.
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
