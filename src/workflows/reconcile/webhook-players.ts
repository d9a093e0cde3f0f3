import {inBatches} from '../../core/batches.ts'
import type {ServiceOrder} from '../../core/order.ts'
import {playerOfPayload} from '../../core/payload.ts'
import {newestOf} from '../../core/reconcile/evidence.ts'
import type {AskPlayers} from '../../ledger/payer-lines.ts'
import {readQuietly} from '../resend/watch.ts'
import type {Deliveries} from './deliveries.ts'
import type {ReconcilePorts} from './types.ts'

/** The player of a webhook; undefined if it has none, or could not be read. */
export type ReadPlayer = (deliveryId: string) => Promise<string | undefined>

/** Reads each webhook once. */
export function playersOfWebhooks(client: Pick<ReconcilePorts['client'], 'getDelivery'>): ReadPlayer {
  const read = new Map<string, Promise<string | undefined>>()
  return (id) => {
    const player = read.get(id) ?? readQuietly(id, client).then((detail) => playerOfPayload(detail?.payload))
    read.set(id, player)
    return player
  }
}

/** The players of orders that may be resent, by the newest webhook of each; one that was taken is not sent again. */
export function askedPlayers(
  readPlayer: ReadPlayer,
  orders: () => Iterable<ServiceOrder>,
  deliveries: Pick<Deliveries, 'completionsRead'>,
  atOnce: number,
): AskPlayers {
  return async (orderNos) => {
    const [asked, players] = [new Set(orderNos), new Map<string, string>()]
    const ofAsked = function* () {
      for (const order of orders()) {
        const record = asked.has(order.orderNo) ? newestOf(deliveries.completionsRead(order)) : null
        if (record && record.status !== 'success') yield {orderNo: order.orderNo, id: record.id}
      }
    }
    for (const some of inBatches(ofAsked(), atOnce))
      await Promise.all(
        some.map(async ({orderNo, id}) => {
          const player = await readPlayer(id)
          if (player !== undefined) players.set(orderNo, player)
        }),
      )
    return players
  }
}
