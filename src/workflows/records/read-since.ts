import type {DeliveryPage} from '../../api/client.ts'
import {legacyPageLimitMax} from '../../core/order.ts'
import {canOverlap, spanOf, spansBackward, spansForward} from '../../core/page-span.ts'
import {createdMs, isFromNewest} from '../../core/reconcile/list-order.ts'
import type {RecordSink} from './full-list-read.ts'
import {aheadMax} from './incremental-list-read.ts'
import {idsOf, type Lister, ListReader, lengthOf, type PageConsumer, type Stretch} from './list-reader.ts'

/** So few pages are read whole, because a record in them may be of an order whose number or `order_id` it does not have. */
export const shortListPages = 10
/** So many are read, at most, of a longer list, beside the look-ups of its orders. */
export const partPagesMax = 100

interface SinceOptions {
  readonly width: number
  readonly firstPage: DeliveryPage
  readonly sink: Pick<RecordSink, 'add' | 'addOdd'>
  readonly onPage: (read: number, total: number) => void
}

/** A record of the same order may be this much older than the one that is to be sent again. */
const beforeMs = 60 * 60_000

const unordered = 'the list is in no order of time'

/**
 * Reads a list that is in order of time from its newest end back to an hour before `orderMs`. Returns why not all of that was read, or
 * null. The order is that of both ends and of every page that was read.
 */
export async function readSince(
  client: Lister,
  orderMs: number,
  {width, firstPage, sink, onPage}: SinceOptions,
): Promise<string | null> {
  const {total, totalPages} = firstPage
  const limitMax = Math.min(lengthOf(firstPage), legacyPageLimitMax)
  if (!canOverlap(total, limitMax)) return unordered
  let pagesRead = 1
  const seen = new Set<string>()
  const consumer: PageConsumer = {
    has: (id) => seen.has(id),
    take: (page) => {
      for (const record of page.records) sink.add(record)
      for (const one of page.odd) sink.addOdd(one)
      const before = seen.size
      for (const id of idsOf(page)) seen.add(id)
      return seen.size - before
    },
  }
  const onRead = () => onPage(++pagesRead, Math.max(pagesRead, Math.min(totalPages, partPagesMax)))
  const reader = new ListReader(client, {
    filter: {},
    width: Math.min(width, aheadMax),
    limitMax,
    consumer,
    onRead,
  })
  const begin = reader.accept(spanOf(1, limitMax), firstPage)
  const end = await reader.readEnd()
  await reader.take(begin)
  if (end === null || reader.ignoresLimit) return reader.unread?.clause ?? unordered
  await reader.take(end)
  const [first, last] = [begin.page.records[0], end.page.records.at(-1)]
  const isForward = first !== undefined && last !== undefined && createdMs(first) > createdMs(last)
  let isInOrder = true
  let backToMs = Number.POSITIVE_INFINITY
  const isEnough = ({page}: Stretch) => {
    const fromNewest = isForward ? page.records : page.records.toReversed()
    isInOrder &&= isFromNewest(fromNewest)
    const oldest = fromNewest.at(-1)
    if (oldest) backToMs = createdMs(oldest)
    return !isInOrder || backToMs < orderMs - beforeMs
  }
  const near = isForward ? begin : end
  const spans = isForward ? spansForward(near.span, total, limitMax) : spansBackward(near.span, 0, limitMax)
  const far = isEnough(near)
    ? near
    : await reader.follow(near, spans.take(partPagesMax), isForward ? 'forward' : 'backward', isEnough)
  onPage(pagesRead, pagesRead)
  if (far === null) return reader.unread?.clause ?? 'records moved while the list was read'
  if (!isInOrder) return unordered
  const isAtOldEnd = isForward ? far.span.end >= far.page.total : far.span.start === 0
  return isAtOldEnd || backToMs < orderMs - beforeMs
    ? null
    : `the list has ${totalPages} pages, and only the newest ${partPagesMax} were read`
}
