import type {DeliveryPage} from '../../api/client.ts'
import {legacyPageLimitMax} from '../../core/order.ts'
import {
  canOverlap,
  type PageSpan,
  spanForward,
  spanOf,
  spansBackward,
  spansForward,
} from '../../core/page-span.ts'
import {createdMs, isFromNewest, type ListMark} from '../../core/reconcile/list-order.ts'
import type {Window} from '../../core/reconcile/window.ts'
import type {Records} from '../../staging/records.ts'
import {idsOf, type Lister, ListReader, lengthOf, type PageConsumer, type Stretch} from './list-reader.ts'
import {arrivalsSince} from './read-list-once.ts'

/** The most pages requested at once: those under way when the window's beginning is reached are wasted. */
export const aheadMax = 8
/** A list this short is read completely: that proves more, and costs no more. */
export const notWorthPages = 4

type Sink = Pick<Records, 'clear' | 'has' | 'add' | 'addOdd'>

/** Proves that the sink has every record from the newest end back to before the window. */
export interface IncrementalListRead {
  readonly pagesRead: number
  readonly pagesTotal: number
  readonly mark: ListMark
}

export interface IncrementalReadOptions {
  readonly width: number
  /** Page 1, which was read to learn the length of the list. */
  readonly firstPage: DeliveryPage
  /** Receives the records, in no order. */
  readonly sink: Sink
  readonly onPage?: (read: number, total: number) => void
}

/**
 * Reads only the part of the list that can have records created since the window began. Returns null if it is not
 * proven that the rest has none; then the list must be read to its end.
 *
 * The proof: an earlier run read all records and found them in order (`mark`). From the record that was newest then to
 * the old end, one answer states as many records as then, before and after the rest is read: so none left or was
 * inserted there. The newer records are read from the newest end on, page overlapping page; they must be in order too,
 * and as many as there were at the start. Records that arrive at the newest end meanwhile do not matter.
 */
export async function readListIncrementally(
  client: Lister,
  mark: ListMark,
  window: Window,
  {width, firstPage, sink, onPage}: IncrementalReadOptions,
): Promise<IncrementalListRead | null> {
  const limitMax = Math.min(lengthOf(firstPage), legacyPageLimitMax)
  if (!canOverlap(firstPage.total, limitMax) || firstPage.total < mark.records) return null
  sink.clear()
  const pagesTotal = Math.ceil(firstPage.total / limitMax)
  let pagesRead = 1
  const onRead = () => onPage?.(++pagesRead, Math.max(pagesRead, pagesTotal))
  const hasArrived = arrivalsSince(firstPage)
  let arrived = 0
  const consumer: PageConsumer = {
    has: (id) => sink.has(id),
    take: ({records, odd}) => {
      const fresh = records.filter((record) => sink.add(record))
      arrived += fresh.filter(hasArrived).length
      return fresh.length + odd.filter((one) => sink.addOdd(one)).length
    },
  }
  const options = {filter: {}, width: Math.min(width, aheadMax), limitMax, consumer, onRead}
  const reader = new ListReader(client, options)
  const part = new ListPart(mark, window, () => reader.seen)
  const isForward = mark.direction === 'newest_first'
  const begin = reader.accept(spanOf(1, limitMax), firstPage)
  const newEnd = isForward ? begin : await reader.readEnd()
  if (newEnd === null) return null
  await reader.take(newEnd)
  if (!part.sees(newEnd)) {
    const spans = isForward
      ? spansForward(newEnd.span, firstPage.total, limitMax)
      : spansBackward(newEnd.span, 0, limitMax)
    const last = await reader.follow(newEnd, spans, isForward ? 'forward' : 'backward', (one) =>
      part.sees(one),
    )
    if (last === null) return null
  }
  const standsAt = part.positionNow(reader.latestTotal)
  if (!part.isProven || standsAt === null) return null
  const again = await reader.tryRead(spanForward(standsAt, limitMax))
  if (again === null || reader.hasFallen || reader.ignoresLimit || part.behindMark(again) !== mark.records) {
    return null
  }
  // A record that moved was not among those seen since then, nor was one that left before the new end was read.
  if (part.seenSince !== newEnd.page.total - mark.records) return null
  if (part.seenSince - arrived < firstPage.total - mark.records) return null
  const newestId = idsOf(newEnd.page).at(isForward ? 0 : -1) ?? mark.newestId
  return {pagesRead, pagesTotal, mark: {...mark, records: newEnd.page.total, newestId}}
}

/** What the pages read so far, from the newest end on, show about the list. */
class ListPart {
  private readonly mark: ListMark
  private readonly window: Window
  private isInOrder = true
  private behind: number | null = null
  private hasWindow = false
  /** How many records are older than the last page, by its own answer. */
  private unread = 0
  private readonly seen: () => number
  /** How many records were seen that are newer than the newest one at the mark. */
  seenSince: number | null = null
  /** Position of the newest record at the mark, and the number of records then. */
  private found: {readonly position: number; readonly total: number} | null = null

  constructor(mark: ListMark, window: Window, seen: () => number) {
    this.mark = mark
    this.seen = seen
    this.window = window
  }

  get isProven(): boolean {
    const {seenSince, mark, unread} = this
    if (!this.isInOrder || !this.hasWindow || this.behind !== mark.records || seenSince === null) return false
    // A record between the mark and the last page that this chain missed, from a copy of the list without it, say.
    return unread === mark.records - (this.seen() - seenSince)
  }

  /** Adds a page. Returns true if no more is needed: the proof is complete, or no longer possible. */
  sees(stretch: Stretch): boolean {
    const {span, page} = stretch
    const isForward = this.mark.direction === 'newest_first'
    const fromNewest = isForward ? page.records : page.records.toReversed()
    this.isInOrder &&= isFromNewest(fromNewest)
    if (this.found === null) {
      const index = idsOf(page).indexOf(this.mark.newestId)
      if (index >= 0) {
        this.found = {position: span.start + index, total: page.total}
        this.seenSince = this.seen() - (isForward ? lengthOf(page) - index : index + 1)
      }
      this.behind = this.behindMark(stretch)
    }
    this.unread = isForward ? page.total - span.start - lengthOf(page) : span.start
    const oldest = fromNewest.at(-1)
    const isAtOldEnd = isForward ? span.end >= page.total : span.start === 0
    this.hasWindow ||= isAtOldEnd || (oldest !== undefined && createdMs(oldest) < this.window.fromMs)
    const isLost = !this.isInOrder || (this.found !== null && this.behind !== this.mark.records)
    return isLost || (this.found !== null && this.hasWindow)
  }

  /** The number of records from the newest one at the mark to the old end; null if the page does not have it. */
  behindMark({span, page}: {readonly span: PageSpan; readonly page: DeliveryPage}): number | null {
    const index = idsOf(page).indexOf(this.mark.newestId)
    if (index < 0) return null
    const position = span.start + index
    return this.mark.direction === 'newest_first' ? page.total - position : position + 1
  }

  /** The present position of the newest record at the mark, if the list has only grown at its newest end. */
  positionNow(total: number): number | null {
    if (this.found === null) return null
    const {position, total: totalThen} = this.found
    return this.mark.direction === 'newest_first' ? position + total - totalThen : position
  }
}
