import {Failure} from '../../core/failure.ts'
import {isSameId} from '../../core/order.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {Inbox} from '../../receiver/inbox.ts'
import type {StoredEvent} from '../../receiver/stored-events.ts'

/**
 * Closes what no server has acknowledged of an order, the newest version first: it counts, and what it contradicts is closed as
 * a contradiction. Returns them as they are now. Throws `not_found`, and `locked` while one is being forwarded.
 */
export async function closeWaiting(
  inbox: Inbox,
  orderNo: string,
  {by, reason, nowMs}: {readonly by: string; readonly reason: string; readonly nowMs: number},
): Promise<StoredEvent[]> {
  const closed = new Set<number>()
  const isOf = ({id, orderId, orderNo: number}: StoredEvent) =>
    !closed.has(id) && (number === orderNo || isSameId(orderId, orderNo))
  const waiting = () => inbox.list({about: orderNo, pending: 'waiting', rowsMax: -1}).filter(isOf)
  for (let [next] = waiting(); next; [next] = waiting()) {
    if (!(await inbox.closeEvent(next, by, reason, nowMs)))
      throw new Failure(
        'locked',
        `An event of ${escapeInvisible(orderNo, 80)} is being forwarded. It was not closed.`,
        'Run this again in a few seconds, and look whether your server took it.',
      )
    closed.add(next.id)
  }
  if (closed.size === 0)
    throw new Failure(
      'not_found',
      `No event of ${escapeInvisible(orderNo, 80)} waits here for an acknowledgement. Nothing was closed.`,
      'List those that wait: hisab events list --pending.',
    )
  return inbox.list({about: orderNo, rowsMax: -1}).filter(({id}) => closed.has(id))
}
