import {createHash} from 'node:crypto'
import type {DeliveryPage} from '../../api/client.ts'
import type {Failure} from '../../core/failure.ts'
import {type Delivery, legacyPageLimitMax} from '../../core/order.ts'
import {canOverlap, type PageSpan, spanOf, spansBackward, spansForward} from '../../core/page-span.ts'
import {createdMs} from '../../core/reconcile/list-order.ts'
import {parseInstant} from '../../core/time.ts'
import {forEachInOrder} from '../bounded.ts'
import {
  idsOf,
  type Lister,
  type ListFilter,
  ListReader,
  lengthOf,
  type PageConsumer,
  type Stretch,
  type Way,
} from './list-reader.ts'

/** A list with more pages is a fault: it would have a hundred million records (P17). */
const pagesMax = 1_000_000

export interface ReadingOptions {
  readonly filter: ListFilter
  /** The most calls at once; the client may allow fewer. */
  readonly width: number
  readonly onPage?: (read: number, total: number) => void
}

export interface ListReading {
  /** Null if the reading was complete. */
  readonly because: string | null
  readonly ignoresLimit: boolean
  /** A hash of the pages' content if they cannot overlap; null if not all of them were read. */
  readonly print: string | null
  /** The largest number of records that was stated, in this reading or before. */
  readonly highest: number
}

/** Reads the list once from end to end, and returns whether the reading was complete. */
export async function readOnce(
  client: Lister,
  {filter, width, onPage}: ReadingOptions,
  first: DeliveryPage,
  target: PageConsumer,
  {way, before}: {readonly way: Way; readonly before: ListReading | null},
): Promise<ListReading> {
  const {total} = first
  const limitMax = Math.min(lengthOf(first), legacyPageLimitMax)
  const pages = Math.max(1, Math.ceil(total / Math.max(1, limitMax)))
  let read = 1
  const onRead = () => onPage?.(++read, Math.max(read, pages))
  const aged = new AgingConsumer(target, filter)
  const reader = new ListReader(client, {filter, width, limitMax, consumer: aged, onRead})
  const ends = (because: string | null): ListReading => ({
    because,
    ignoresLimit: reader.ignoresLimit,
    print: null,
    highest: Math.max(before?.highest ?? 0, reader.highestTotal),
  })
  const begin = reader.accept(spanOf(1, Math.max(1, limitMax)), first)
  onPage?.(read, pages)
  if (first.totalPages > pagesMax || pages > pagesMax || first.totalPages > Math.max(1, total)) {
    await reader.take(begin)
    return ends(`the list claims ${first.totalPages} pages of ${total} records`)
  }
  if (pages === 1 || limitMax === 0) {
    await reader.take(begin)
    // One order has too few records to fill a page by chance.
    const isFull = filter.orderId === undefined && limitMax >= Math.min(first.limit, legacyPageLimitMax)
    const why = whyFewer(reader.seen, total, lengthOf(first)) ?? (await whyMore(reader, first, isFull))
    return ends(why ?? ((await reader.catchUp(begin, begin)) ? null : whyUncounted(reader)))
  }
  if (!canOverlap(total, limitMax) || before?.ignoresLimit) {
    return await readWithoutOverlap(reader, begin, {pages, limitMax, width}, before)
  }

  // Both ends first: whatever arrives later is outside of what is read. Records that leave an end are missed only
  // between these two answers, and only at the end that is read second.
  const end = await reader.readEnd()
  const start = way === 'forward' || end === null ? begin : await reader.tryRead(begin.span)
  if (end === null || start === null || reader.ignoresLimit) {
    await reader.take(begin)
    if (reader.unread) return ends(whyUnread(reader.unread))
    return ends(
      reader.ignoresLimit
        ? 'the service ignores the page length that hisab asks for'
        : 'the list grew faster than it could be read',
    )
  }
  const [near, far] = way === 'forward' ? [start, end] : [end, start]
  aged.begins(near.page, far.page, first)
  const spans =
    way === 'forward'
      ? spansForward(near.span, far.span.start, limitMax)
      : spansBackward(near.span, far.span.end, limitMax)
  await reader.take(near)
  const last = await reader.follow(near, spans, way)
  const isJoined = last !== null && (await reader.join(last, far, way))
  await reader.take(far)
  if (reader.unread) return ends(whyUnread(reader.unread))
  if (!isJoined) return ends('records left the list or moved while it was read')
  const why = whyNotAll(reader, near.page.total, aged, filter.status !== undefined)
  // Arrivals in the midst of an unordered list are seen by the next reading, if it begins with as many as were ever stated.
  const isNext = aged.isMixed && before !== null && near.page.total >= before.highest
  if (why === null && !isNext && !(await reader.catchUp(start, end))) return ends(whyUncounted(reader))
  return ends(why ?? (await whyMore(reader, first, end.span.end <= end.page.total)))
}

/**
 * If the last page is full, or more pages are stated than the records fill, the page after the end is requested: only
 * it shows whether the list ends there or was counted too short.
 */
async function whyMore(reader: ListReader, first: DeliveryPage, isLastFull: boolean): Promise<string | null> {
  const limit = Math.min(lengthOf(first), legacyPageLimitMax)
  const pages = Math.ceil(first.total / Math.max(1, limit))
  if (limit === 0 || (!isLastFull && first.totalPages <= pages)) return null
  const beyond = await reader.tryRead(spanOf(pages + 1, limit))
  if (beyond === null) return reader.unread && whyUnread(reader.unread)
  const {span, page} = beyond
  const seenBefore = reader.seen
  await reader.take(beyond)
  // The list may have grown since, or the service repeats a page: neither is more than it counts.
  if (reader.seen === seenBefore || span.start + lengthOf(page) <= page.total) return null
  return `the service states ${first.total} records, and page ${span.page} behind them holds ${lengthOf(page)}`
}

/**
 * Why a list that was read from end to end may be incomplete, by its counts. A record that left or moved before it was
 * read was missed, and one that arrived since may stand in for it. So as many records older than the reading must be
 * seen as the list had at the start. If times do not show this, and in a list by status, which old records may join, as
 * many must be seen as the last answer states, and none may have left.
 */
function whyNotAll(
  {seen, latestTotal, highestTotal, hasFallen}: ListReader,
  total: number,
  {older, newer}: AgingConsumer,
  isFiltered: boolean,
): string | null {
  if (seen < total) return whyFewer(seen, total)
  // Arrivals that were not read do not make the total fall again: a copy of the list without some of its records does.
  if (hasFallen && seen < highestTotal) return whyFewer(seen, highestTotal)
  const cameIn = isFiltered ? latestTotal - total : 0
  const isAllThere = !hasFallen && seen === latestTotal && (newer ?? 0) <= cameIn
  return isAllThere || (!isFiltered && older === total)
    ? null
    : 'records left the list or moved while it was read'
}

function isMixed({records}: DeliveryPage): boolean {
  const times = records.map(createdMs)
  const isSorted = (sign: 1 | -1) =>
    times.every((ms, at) => at === 0 || sign * (ms - (times[at - 1] ?? ms)) >= 0)
  return !isSorted(1) && !isSorted(-1)
}

function whyFewer(seen: number, total: number, given = seen): string | null {
  if (seen < given) return 'a page holds a record twice'
  return seen === total ? null : `the service states ${total} records and gave ${seen}`
}

function whyUncounted({unread, seen, highestTotal}: ListReader): string {
  return unread ? whyUnread(unread) : `the service states ${highestTotal} records and gave ${seen}`
}

function whyUnread({clause}: Failure): string {
  return `not every page could be read: ${clause}`
}

/** If pages cannot overlap, only two consecutive readings with the same records on each page prove anything. */
async function readWithoutOverlap(
  reader: ListReader,
  begin: Stretch,
  {pages, limitMax, width}: {readonly pages: number; readonly limitMax: number; readonly width: number},
  before: ListReading | null,
): Promise<ListReading> {
  const {total} = begin.page
  const hash = createHash('sha256')
  const take = async (stretch: Stretch) => {
    hash.update(`${stretch.page.total} ${[...stretch.ids].join(' ')}\n`)
    await reader.take(stretch)
  }
  await take(begin)
  await forEachInOrder(
    spansSideBySide(pages, limitMax),
    width,
    (span) => reader.tryRead(span),
    async (stretch) => {
      if (stretch === null) return false
      const seenBefore = reader.seen
      await take(stretch)
      // A page without new records shows that the count is wrong or the list moved: reading on proves nothing (P17).
      return reader.seen > seenBefore
    },
  )
  const print = hash.digest('hex')
  const because = reader.unread
    ? whyUnread(reader.unread)
    : (whyFewer(reader.seen, total) ??
      (print === before?.print ? null : 'records changed places while they were read') ??
      (await whyMore(reader, begin.page, total % limitMax === 0)))
  return {
    because,
    ignoresLimit: before?.ignoresLimit ?? false,
    print,
    highest: Math.max(before?.highest ?? 0, reader.highestTotal),
  }
}

function* spansSideBySide(pages: number, limit: number): Generator<PageSpan> {
  for (let page = 2; page <= pages; page++) yield spanOf(page, limit)
}

/** Counts, by their times, the records that were in the list at the start and those that arrived since. */
class AgingConsumer implements PageConsumer {
  /** Records older than the reading; none that arrived since is among them. */
  older = 0
  /** Records made or sent since; null if their times do not show it. */
  newer: number | null = null
  /** Whether the records of a page are in no order of their times. */
  isMixed = false
  private readonly target: PageConsumer
  private beganMs = Number.NEGATIVE_INFINITY
  private readonly atBegin = new Set<string>()
  private readonly isByStatus: boolean

  constructor(target: PageConsumer, {status}: ListFilter) {
    this.target = target
    this.isByStatus = status !== undefined
  }

  /**
   * `near` is the answer at the start of the reading, `far` the other end, read after it, and `first` the page before
   * both. Times prove nothing if the service does not date its answers, or dates records after the answers that have
   * them.
   */
  begins(near: DeliveryPage, far: DeliveryPage, first: DeliveryPage): void {
    for (const id of [...idsOf(near), ...idsOf(first)]) this.atBegin.add(id)
    const began = beganAt(near)
    if (began === null || isAhead(far)) return
    this.newer = 0
    this.beganMs = began.ms
  }

  has(id: string): boolean {
    return this.target.has(id)
  }

  take(page: DeliveryPage): number | Promise<number> {
    this.isMixed ||= isMixed(page)
    const byId = new Map(page.records.map((record) => [record.id, record]))
    const answeredMs = parseInstant(page.answeredAt ?? '') ?? Number.NEGATIVE_INFINITY
    for (const id of new Set(idsOf(page))) {
      if (this.has(id)) continue
      const isOfBegin = this.atBegin.has(id)
      const record = byId.get(id)
      if (isOfBegin || (record && createdMs(record) < this.beganMs)) this.older += 1
      if (this.newer === null || isOfBegin || !record) continue
      // A time later than the answer that has it proves nothing.
      const isSent = sentMs(record) < answeredMs + 1_000 && sentMs(record) >= this.beganMs
      if (createdMs(record) >= this.beganMs || (this.isByStatus ? mayEnter(record, this.beganMs) : isSent))
        this.newer += 1
    }
    return this.target.take(page)
  }
}

/** From when on records are made after this answer, unless they are on it; null if the service's times do not tell. */
function beganAt(page: DeliveryPage): {readonly ms: number; readonly isFine: boolean} | null {
  const answeredMs = parseInstant(page.answeredAt ?? '')
  if (answeredMs === null || isAhead(page)) return null
  const isFine = [page.answeredAt, page.records[0]?.createdAt].every((time) => time?.includes('.'))
  return {ms: isFine ? answeredMs + 1 : Math.floor(answeredMs / 1_000) * 1_000, isFine}
}

/** An attempt may last this long: at its end its record enters or leaves a list by status. */
const attemptMs = 30_000

function mayEnter(record: Delivery, sinceMs: number): boolean {
  return sentMs(record) >= sinceMs - attemptMs
}

function sentMs({sentAt}: Delivery): number {
  return parseInstant(sentAt ?? '') ?? 0
}

/**
 * Whether a record was certainly made after this first page, or may have entered a list by status since. One of the same
 * second was made since only if the page has the newest.
 */
export function arrivalsSince(first: DeliveryPage, {status}: ListFilter = {}): (record: Delivery) => boolean {
  const began = beganAt(first)
  if (began === null) return () => false
  const onPage = new Set(idsOf(first))
  const times = first.records.map(createdMs)
  const hasNewest = (times[0] ?? 0) > (times.at(-1) ?? 0)
  const sinceMs = began.isFine || hasNewest ? began.ms : began.ms + 1_000
  return (record) =>
    !onPage.has(record.id) &&
    (createdMs(record) >= sinceMs || (status !== undefined && mayEnter(record, sinceMs)))
}

function isAhead({answeredAt, records}: DeliveryPage): boolean {
  const answeredMs = parseInstant(answeredAt ?? '') ?? Number.NaN
  return !(Math.max(...records.map(createdMs).filter(Number.isFinite)) < answeredMs + 1_000)
}
