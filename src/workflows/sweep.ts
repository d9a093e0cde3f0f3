import {createHash} from 'node:crypto'
import type {DeliveryPage} from '../api/client.ts'
import {Failure, isStop} from '../core/failure.ts'
import {type Delivery, legacyPageLimitMax} from '../core/order.ts'
import {canOverlap, type PageSpan, spanOf, spansBackward, spansForward} from '../core/page-span.ts'
import {createdMs} from '../core/reconcile/list-order.ts'
import {parseInstant} from '../core/time.ts'
import {forEachInOrder} from './bounded.ts'
import {
  type Lister,
  ListReader,
  readFirstPage,
  type Stretch,
  type SweepFilter,
  type Taker,
  type Way,
} from './list-reader.ts'
import {RecordIds} from './record-ids.ts'

/** At most this often is the list read again because what was read of it proves too little (P9). */
const sweepsMax = 4

/** More pages than this are not a list but a fault: a hundred million records (P17). */
const pagesMax = 1_000_000

/**
 * Pages a stream reads ahead, at most: what waits for its turn outlives the young generation, and at 16 pages the
 * peak of memory grows by a third from 10,000 records to 100,000 (test/bench/list.bench.ts).
 */
const readAheadMax = 4

export interface SweepOptions {
  readonly filter: SweepFilter
  /** Calls under way at once; the client may hold them back. */
  readonly width: number
  readonly onPage?: (read: number, total: number) => void
  /** The first page, where somebody has read it already. */
  readonly firstPage?: DeliveryPage
}

/** What is known of a list that was read to its end. Only `complete` proves an absence (P9). */
export interface SweepProof {
  readonly complete: boolean
  /** Why it is not complete; null when it is. */
  readonly because: string | null
}

/** A list read to its end, or what could be read of it. */
export interface Sweep extends SweepProof {
  readonly records: readonly Delivery[]
}

/** Takes the records of a sweep while it is read. */
export interface RecordSink {
  /** Forgets what it has: the list is read again from its beginning. */
  clear(): void
  has(id: string): boolean
  /** False where it has a record of that id already. */
  add(record: Delivery): boolean
}

export interface StreamedSweep extends SweepProof {
  /** How many records were handed on, each id once. */
  readonly records: number
  /** How many of those were not in the list any more when it was read again. */
  readonly gone: number
}

/**
 * Reads the whole list of delivery records, of which neither the order is known (A10) nor that it stands still. It is
 * whole when every record that stood in it as the reading began was seen; what arrives meanwhile is no reason against
 * it. What could not be shown to be whole is read again.
 *
 * Throws only where nothing could be read at all.
 */
export async function sweepDeliveries(client: Lister, options: SweepOptions): Promise<Sweep> {
  const byId = new Map<string, Delivery>()
  const {complete, because} = await sweepInto(client, options, {
    clear: () => byId.clear(),
    has: (id) => byId.has(id),
    add: (record) => {
      const sizeBefore = byId.size
      byId.set(record.id, record)
      return byId.size > sizeBefore
    },
  })
  return {records: [...byId.values()], complete, because}
}

/** The same, the records handed to a sink: in the order of the list, or in none. */
export async function sweepInto(
  client: Lister,
  options: SweepOptions,
  sink: RecordSink,
): Promise<SweepProof> {
  const {complete, because} = await sweepUntilWhole(client, options, () => {
    sink.clear()
    return takerOf(sink)
  })
  return {complete, because}
}

export function takerOf(sink: RecordSink): Taker {
  return {
    has: (id) => sink.has(id),
    take: ({records}) => records.filter((record) => sink.add(record)).length,
  }
}

/**
 * The same for a list of any length: `use` gets the records while they are read, each id once, as it was when it
 * was first read. Kept of a record are 17 bytes, never the record. That the list was whole is known at the end,
 * and then everything in it was handed on.
 */
export async function streamDeliveries(
  client: Lister,
  options: SweepOptions,
  use: (records: readonly Delivery[]) => Promise<void>,
): Promise<StreamedSweep> {
  const ids = new RecordIds()
  const narrow = {...options, width: Math.min(options.width, readAheadMax)}
  const {complete, because, sweeps} = await sweepUntilWhole(client, narrow, (sweep) => ({
    has: (id) => ids.markOf(id) === sweep,
    take: async ({records}) => {
      let given = 0
      const fresh = records.filter(({id}) => {
        const before = ids.mark(id, sweep)
        if (before !== sweep) given += 1
        return before === 0
      })
      await use(fresh)
      return given
    },
  }))
  return {complete, because, records: ids.size, gone: complete ? ids.countOther(sweeps) : 0}
}

/** `begin` is called once a reading has its first page; readings count from 1. */
async function sweepUntilWhole(
  client: Lister,
  options: SweepOptions,
  begin: (sweep: number) => Taker,
): Promise<SweepProof & {readonly sweeps: number}> {
  let before: Reading | null = null
  for (let sweeps = 1; sweeps <= sweepsMax; sweeps++) {
    let first: DeliveryPage
    try {
      first = (sweeps === 1 && options.firstPage) || (await readFirstPage(client, options.filter))
    } catch (error) {
      if (before === null || !(error instanceof Failure) || isStop(error)) throw error
      const because = `${before.because}, and reading it again failed: ${error.clause}`
      return {complete: false, because, sweeps: sweeps - 1}
    }
    // What falls off one end is met by beginning there: which end that is nobody says.
    const way = sweeps % 2 === 1 ? 'forward' : 'backward'
    const reading: Reading = await readOnce(client, options, first, begin(sweeps), {way, before})
    if (reading.because === null) return {complete: true, because: null, sweeps}
    before = reading
  }
  return {complete: false, because: before?.because ?? null, sweeps: sweepsMax}
}

interface Reading {
  /** Null where it was whole. */
  readonly because: string | null
  readonly ignoresLimit: boolean
  /** Of pages that cannot overlap: what they held, one after the other. Null where not all of them were read. */
  readonly print: string | null
}

/** Reads the list once, from the way's one end to the other. */
async function readOnce(
  client: Lister,
  {filter, width, onPage}: SweepOptions,
  first: DeliveryPage,
  target: Taker,
  {way, before}: {readonly way: Way; readonly before: Reading | null},
): Promise<Reading> {
  const {total} = first
  const limitMax = Math.min(first.records.length, legacyPageLimitMax)
  const pages = Math.max(1, Math.ceil(total / Math.max(1, limitMax)))
  let read = 1
  const onRead = () => onPage?.(++read, Math.max(read, pages))
  const arrivals = new Arrivals(target)
  const reader = new ListReader(client, {filter, width, limitMax, taker: arrivals, onRead})
  const ends = (because: string | null): Reading => ({
    because,
    ignoresLimit: reader.ignoresLimit,
    print: null,
  })
  const begin = reader.accept(spanOf(1, Math.max(1, limitMax)), first)
  onPage?.(read, pages)
  if (first.totalPages > pagesMax || pages > pagesMax || first.totalPages > Math.max(1, total)) {
    await reader.take(begin)
    return ends(`the list claims ${first.totalPages} pages of ${total} records`)
  }
  if (pages === 1 || limitMax === 0) {
    await reader.take(begin)
    return ends(whyFewer(reader.seen, total, first.records.length))
  }
  if (!canOverlap(total, limitMax) || before?.ignoresLimit) {
    return await readWithoutOverlap(reader, begin, {pages, limitMax, width}, before)
  }

  // Both ends first: what arrives at either from now on is outside of what is read. What falls off one of them is missed
  // only between these two answers, and only at the end that is read second.
  const end = await reader.readEnd()
  const start = way === 'forward' || end === null ? begin : await reader.tryRead(begin.span)
  if (end === null || start === null || reader.ignoresLimit) {
    await reader.take(begin)
    if (reader.unread) return ends(whyUnread(reader.unread))
    return ends(
      reader.ignoresLimit
        ? 'the service gives pages of one length, whatever limit is asked for'
        : 'the list grew faster than its end could be read',
    )
  }
  const [near, far] = way === 'forward' ? [start, end] : [end, start]
  arrivals.countSince(near.page, far.page)
  const spans =
    way === 'forward'
      ? spansForward(near.span, far.span.start, limitMax)
      : spansBackward(near.span, far.span.end, limitMax)
  await reader.take(near)
  const last = await reader.follow(near, spans, way)
  const isJoined = last !== null && (await reader.join(last, far, way))
  await reader.take(far)
  if (reader.unread) return ends(whyUnread(reader.unread))
  if (!isJoined) return ends('records left the list or changed places while it was read')
  return ends(whyNotAll(reader, near.page.total, arrivals, filter.status !== undefined))
}

/**
 * What the count says of a list that was read from end to end. A record that left before it was read was not seen:
 * then either fewer were seen than there were, or as many arrived and were seen in its place.
 */
function whyNotAll(
  {seen, latestTotal, hasFallen}: ListReader,
  total: number,
  {count: arrived}: Arrivals,
  isFiltered: boolean,
): string | null {
  if (seen < total) return whyFewer(seen, total)
  const haveLeft = hasFallen || latestTotal < seen || latestTotal < total + arrived
  // Those that left were seen before, where all the others make up the number there was. By a status older ones come in.
  if (!haveLeft || (!isFiltered && seen - arrived === total)) return null
  return 'records left the list while it was read'
}

function whyFewer(seen: number, total: number, given = seen): string | null {
  if (seen < given) return 'a page holds a record twice'
  return seen === total ? null : `the service states ${total} records and gave ${seen}`
}

function whyUnread({clause}: Failure): string {
  return `not every page could be read: ${clause}`
}

/**
 * Pages that cannot overlap prove something only where two readings in a row find the same records on each of them.
 */
async function readWithoutOverlap(
  reader: ListReader,
  begin: Stretch,
  {pages, limitMax, width}: {readonly pages: number; readonly limitMax: number; readonly width: number},
  before: Reading | null,
): Promise<Reading> {
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
      await take(stretch)
      return true
    },
  )
  const print = hash.digest('hex')
  const because = reader.unread
    ? whyUnread(reader.unread)
    : (whyFewer(reader.seen, total) ??
      (print === before?.print ? null : 'records changed places while they were read'))
  return {because, ignoresLimit: before?.ignoresLimit ?? false, print}
}

function* spansSideBySide(pages: number, limit: number): Generator<PageSpan> {
  for (let page = 2; page <= pages; page++) yield spanOf(page, limit)
}

/** Counts the records of a reading that were made after it began, by the times the service gives. */
class Arrivals implements Taker {
  count = 0
  private readonly target: Taker
  private sinceMs = Number.POSITIVE_INFINITY
  private readonly atEnds = new Set<string>()

  constructor(target: Taker) {
    this.target = target
  }

  /**
   * The reading began with the answer `near`; `far` is the other end, which was read after it. A service that does not
   * date its answers shows nothing, nor does one that dates records after the answers that hold them.
   */
  countSince(near: DeliveryPage, far: DeliveryPage): void {
    const nearMs = parseInstant(near.answeredAt ?? '')
    const farMs = parseInstant(far.answeredAt ?? '')
    if (nearMs === null || farMs === null) return
    const nearTimes = near.records.map(createdMs).filter(Number.isFinite)
    const farTimes = far.records.map(createdMs).filter(Number.isFinite)
    for (const {id} of [...near.records, ...far.records]) this.atEnds.add(id)
    const isFine = [near.answeredAt, near.records[0]?.createdAt].every((time) => time?.includes('.'))
    const begunMs = isFine ? nearMs + 1 : Math.floor(nearMs / 1_000) * 1_000
    this.sinceMs = Math.max(begunMs, ...nearTimes, ...farTimes)
    const isAhead = Math.max(...nearTimes) >= nearMs + 1_000 || Math.max(...farTimes) >= farMs + 1_000
    const known = new Set(near.records.map(({id}) => id))
    const isNew = (record: Delivery) => createdMs(record) >= begunMs && !known.has(record.id)
    if (!isAhead) this.count += far.records.filter(isNew).length
  }

  has(id: string): boolean {
    return this.target.has(id)
  }

  take(page: DeliveryPage): number | Promise<number> {
    for (const record of page.records) {
      const isNew = createdMs(record) >= this.sinceMs && !this.atEnds.has(record.id) && !this.has(record.id)
      if (isNew) this.count += 1
    }
    return this.target.take(page)
  }
}
