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
import {consumerOf, type RecordSink} from './full-list-read.ts'
import {idsOf, type Lister, ListReader, lengthOf, type Stretch} from './list-reader.ts'

/** Pages asked for together, at most: those on their way where the window begins are read for nothing. */
const aheadMax = 8
/** A list this short is read whole: that is the better proof, and costs no more. */
export const shortListPages = 4

/** What is proven of a part of the list: the sink has every record from the new end to before the window. */
export interface IncrementalListRead {
  readonly pagesRead: number
  readonly pagesTotal: number
  readonly mark: ListMark
}

export interface IncrementalReadOptions {
  readonly width: number
  /** Page 1, already read: it shows the length of the list. */
  readonly firstPage: DeliveryPage
  /** Takes the records, in no order. */
  readonly sink: RecordSink
  readonly onPage?: (read: number, total: number) => void
}

/**
 * Reads only the part of the list that can hold records created since the window began, or gives null where it is not
 * proven that the rest cannot; then it has to be read to its end.
 *
 * The proof: an earlier run read every record there was and found them in order (`mark`). From the record that was
 * newest then to the old end there are as many now, stated by one answer, before and after the rest is read: so nothing
 * left there, and nothing was put in. The records before it are read from the new end on, page overlapping page, and have
 * to be in order too, and as many as were there when that began. Records that arrive at the new end meanwhile change none
 * of this.
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
  const options = {filter: {}, width: Math.min(width, aheadMax), limitMax, consumer: consumerOf(sink), onRead}
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
  // One that changed its place was not seen among those that came since then.
  if (part.seenSince !== newEnd.page.total - mark.records) return null
  const newestId = idsOf(newEnd.page).at(isForward ? 0 : -1) ?? mark.newestId
  return {pagesRead, pagesTotal, mark: {...mark, records: newEnd.page.total, newestId}}
}

/** What the pages that were read, from the new end on, show of the list. */
class ListPart {
  private readonly mark: ListMark
  private readonly window: Window
  private isInOrder = true
  private behind: number | null = null
  private hasWindow = false
  private readonly seen: () => number
  /** How many records were seen that are newer than the newest of then. */
  seenSince: number | null = null
  /** Position of the newest record of that time, and the number of records. */
  private found: {readonly position: number; readonly total: number} | null = null

  constructor(mark: ListMark, window: Window, seen: () => number) {
    this.mark = mark
    this.seen = seen
    this.window = window
  }

  get isProven(): boolean {
    return this.isInOrder && this.hasWindow && this.behind === this.mark.records
  }

  /** Whether nothing more needs to be read: the proof is complete, or no longer possible. */
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
    const oldest = fromNewest.at(-1)
    const isAtOldEnd = isForward ? span.end >= page.total : span.start === 0
    this.hasWindow ||= isAtOldEnd || (oldest !== undefined && createdMs(oldest) < this.window.fromMs)
    const isLost = !this.isInOrder || (this.found !== null && this.behind !== this.mark.records)
    return isLost || (this.found !== null && this.hasWindow)
  }

  /** How many records there are from the newest one of then to the old end; null where the page does not hold it. */
  behindMark({span, page}: {readonly span: PageSpan; readonly page: DeliveryPage}): number | null {
    const index = idsOf(page).indexOf(this.mark.newestId)
    if (index < 0) return null
    const position = span.start + index
    return this.mark.direction === 'newest_first' ? page.total - position : position + 1
  }

  /** Current position of the newest record of that time, if the list has only grown at its new end. */
  positionNow(total: number): number | null {
    if (this.found === null) return null
    const {position, total: totalThen} = this.found
    return this.mark.direction === 'newest_first' ? position + total - totalThen : position
  }
}
