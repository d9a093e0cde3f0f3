import type {DeliveryPage, ServiceClient} from '../api/client.ts'
import {Failure, isStop} from '../core/failure.ts'
import {type Delivery, type DeliveryStatus, legacyPageLimitMax} from '../core/order.ts'
import {forEachInOrder} from './bounded.ts'
import {RecordIds} from './record-ids.ts'

/** At most this often is the list read again because something moved while it was read (P9). */
const sweepsMax = 4

/** More pages than this are not a list but a fault: a hundred million records (P17). */
const pagesMax = 1_000_000

/**
 * Pages a stream reads ahead, at most: what waits for its turn outlives the young generation, and at 16 pages the
 * peak of memory grows by a third from 10,000 records to 100,000 (test/bench/list.bench.ts).
 */
const readAheadMax = 4

export interface SweepFilter {
  readonly status?: DeliveryStatus
  readonly orderId?: string
}

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
  /** False where it has a record of that id already. */
  add(record: Delivery): boolean
}

export interface StreamedSweep extends SweepProof {
  /** How many records were handed on, each id once. */
  readonly records: number
  /** How many of those were not in the list any more when it was read again. */
  readonly gone: number
}

type Lister = Pick<ServiceClient, 'listDeliveries'>

/** Takes a page of one reading of the list, and answers how many of its records this reading has given before. */
type TakePage = (records: readonly Delivery[]) => number | Promise<number>

/**
 * Reads every page of the delivery records. The order of the list is unknown (A10), so a record that arrives
 * while we read can push another one over a page's edge unseen: unless ids are unique, their number is the
 * stated total, and that total stood still, the whole list is read again.
 *
 * Throws only where nothing could be read at all.
 */
export async function sweepDeliveries(client: Lister, options: SweepOptions): Promise<Sweep> {
  const byId = new Map<string, Delivery>()
  const {complete, because} = await sweepInto(client, options, {
    clear: () => byId.clear(),
    add: (record) => {
      const sizeBefore = byId.size
      byId.set(record.id, record)
      return byId.size > sizeBefore
    },
  })
  return {records: [...byId.values()], complete, because}
}

/** The same, the records handed to a sink in the order of the list. */
export async function sweepInto(
  client: Lister,
  options: SweepOptions,
  sink: RecordSink,
): Promise<SweepProof> {
  const {complete, because} = await sweepUntilWhole(client, options, () => {
    sink.clear()
    return (records) => records.filter((record) => !sink.add(record)).length
  })
  return {complete, because}
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
  const {complete, because, sweeps} = await sweepUntilWhole(client, narrow, (sweep) => async (records) => {
    let repeated = 0
    const fresh = records.filter(({id}) => {
      const before = ids.mark(id, sweep)
      if (before === sweep) repeated += 1
      return before === 0
    })
    await use(fresh)
    return repeated
  })
  return {complete, because, records: ids.size, gone: complete ? ids.countOther(sweeps) : 0}
}

/** The first page of a sweep: it tells how many pages there are before deciding to read them. */
export function readFirstPage(client: Lister, filter: SweepFilter): Promise<DeliveryPage> {
  return client.listDeliveries({...filter, page: 1, limit: legacyPageLimitMax})
}

/** `begin` is called once a reading has its first page; readings count from 1. */
async function sweepUntilWhole(
  client: Lister,
  options: SweepOptions,
  begin: (sweep: number) => TakePage,
): Promise<SweepProof & {readonly sweeps: number}> {
  let because: string | null = null
  for (let sweeps = 1; sweeps <= sweepsMax; sweeps++) {
    let first: DeliveryPage
    try {
      first = (sweeps === 1 && options.firstPage) || (await readFirstPage(client, options.filter))
    } catch (error) {
      if (because === null || !(error instanceof Failure) || isStop(error)) throw error
      const both = `${because}, and reading it again failed: ${error.clause}`
      return {complete: false, because: both, sweeps: sweeps - 1}
    }
    because = await sweepOnce(client, options, first, begin(sweeps))
    if (because === null) return {complete: true, because, sweeps}
  }
  return {complete: false, because, sweeps: sweepsMax}
}

/** Reads the list once; null where it was whole, else why it was not. */
async function sweepOnce(
  client: Lister,
  {filter, width, onPage}: SweepOptions,
  first: DeliveryPage,
  take: TakePage,
): Promise<string | null> {
  let given = 0
  let repeated = 0
  let read = 0
  let hasMoved = false
  const takePage = async ({records, total}: DeliveryPage) => {
    given += records.length
    hasMoved ||= total !== first.total
    repeated += await take(records)
    read += 1
    onPage?.(read, Math.max(1, first.totalPages))
  }
  if (first.totalPages > pagesMax || first.totalPages > Math.max(1, first.total)) {
    await take(first.records)
    return `the list claims ${first.totalPages} pages of ${first.total} records`
  }
  // A page that cannot be read is an answer; what fails in taking one is not ours to judge.
  const readPage = async (page: number) => {
    try {
      return await client.listDeliveries({...filter, page, limit: legacyPageLimitMax})
    } catch (error) {
      if (!(error instanceof Failure) || isStop(error)) throw error
      return error
    }
  }
  await takePage(first)
  const pages = pagesFrom(2, first.totalPages)
  const unread: Failure[] = []
  await forEachInOrder(pages, width, readPage, async (page) => {
    if (page instanceof Failure) unread.push(page)
    else await takePage(page)
    return unread.length === 0
  })
  const [failed] = unread
  if (failed) return `${first.totalPages - read} of ${first.totalPages} pages were not read: ${failed.clause}`
  if (hasMoved) return 'the number of records changed while they were read'
  if (repeated > 0) return 'records moved between pages while they were read'
  return given === first.total ? null : `the service states ${first.total} records and gave ${given}`
}

function* pagesFrom(first: number, last: number): Generator<number> {
  for (let page = first; page <= last; page++) yield page
}
