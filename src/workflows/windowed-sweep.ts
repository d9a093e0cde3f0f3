import type {DeliveryPage, ServiceClient} from '../api/client.ts'
import {type Delivery, legacyPageLimitMax} from '../core/order.ts'
import {createdMs, isFromNewest, type ListMark} from '../core/reconcile/list-order.ts'
import type {Window} from '../core/reconcile/window.ts'
import {forEachBounded} from './bounded.ts'
import type {RecordSink} from './sweep.ts'

type Lister = Pick<ServiceClient, 'listDeliveries'>

/** A record that arrives while we read moves every page: then it is read again, at most this often (P9). */
const triesMax = 4
/** Pages asked for together, past what has to be read: reading on to find the window's beginning wastes fewer. */
const aheadMax = 8
/** A list this short is read whole: that is the better proof, and costs no more. */
export const shortListPages = 4

/** What is proven of a part of the list; its records went to the sink. */
export interface WindowedSweep {
  readonly pagesRead: number
  readonly pagesTotal: number
  /** Whether the records in the sink reach without a gap to the new end of the list. */
  readonly reachesNewest: boolean
  /** Every record there is was read: the calls it took were fewer than look-ups (`lookUpsLeft`). */
  readonly isWhole: boolean
  readonly mark: ListMark
}

export interface WindowedSweepOptions {
  readonly width: number
  /** Page 1, read already: it says how long the list is. */
  readonly firstPage: DeliveryPage
  /** Takes the records, in no order. */
  readonly sink: RecordSink
  readonly onPage?: (read: number, total: number) => void
  /** How many orders what is read leaves to look up, one call each; `reachesNewest` as in what is read. */
  readonly lookUpsLeft?: (reachesNewest: boolean) => number
}

/**
 * Reads only the part of the list that can hold records created in `window`, or gives null where it is not proven that
 * the rest cannot; then it has to be read to its end.
 *
 * The proof: an earlier run read every record there was and found them in order (`mark`). If the list has grown by g
 * records since, and exactly g stand before the one that was newest then, nothing was put in or taken out anywhere
 * else: the rest is what was read then. What is read now has to be in order too, page for page as long as it should be,
 * and the new end has to stand at the end of reading as it stood at the beginning.
 */
export async function sweepWindow(
  client: Lister,
  mark: ListMark,
  window: Window,
  options: WindowedSweepOptions,
): Promise<WindowedSweep | null> {
  let first = options.firstPage
  for (let attempt = 0; attempt < triesMax; attempt++) {
    options.sink.clear()
    const list = new ListFromNewest(client, mark, first, options)
    // What moved once is read no longer than it must be: a long reading is moved again more easily.
    const gap = await readWindow(list, window, attempt === 0 ? options.lookUpsLeft : undefined)
    if (gap === 'unproven') break
    if (gap !== 'moved' && (await list.standsStill())) {
      const newestId = list.newestId ?? mark.newestId
      const {pagesRead, pagesTotal} = list
      const read = {pagesRead, pagesTotal, reachesNewest: !gap, isWhole: pagesRead === pagesTotal}
      return {...read, mark: {...mark, records: first.total, newestId}}
    }
    first = await client.listDeliveries({page: 1, limit: legacyPageLimitMax})
  }
  options.sink.clear()
  return null
}

/** Whether a gap was left before the window; or why what was read proves nothing. */
async function readWindow(
  list: ListFromNewest,
  window: Window,
  lookUpsLeft: WindowedSweepOptions['lookUpsLeft'],
): Promise<boolean | 'unproven' | 'moved'> {
  if (list.grown < 0 || !list.isPlain) return 'unproven'
  let next = list.pageOf(list.grown) + 1
  await list.load(0, next)
  if (!list.isMoved && !list.hasMark) return 'unproven'
  let gap = false
  // What follows is known to be in order, so that the window's end may be looked for by halving.
  if (list.oldestMs(next - 1) > window.toMs) {
    const found = await findPage(list, next, window.toMs)
    gap = found > next
    next = found
  }
  for (let ahead = 1; next < list.pagesTotal && list.oldestMs(next - 1) >= window.fromMs; ahead *= 2) {
    const until = Math.min(next + Math.min(ahead, aheadMax), list.pagesTotal)
    await list.load(next, until)
    next = until
  }
  // Of as many calls the list is the better proof.
  const pagesLeft = list.pagesTotal - list.pagesRead
  if (!list.isMoved && pagesLeft > 0 && lookUpsLeft && lookUpsLeft(!gap) >= pagesLeft) {
    await list.load(0, list.pagesTotal)
    gap = false
  }
  if (list.isMoved) return 'moved'
  return list.isInOrder() ? gap : 'unproven'
}

/** The first page from `low` on with a record at or before `ms`, else the last page. */
async function findPage(list: ListFromNewest, low: number, ms: number): Promise<number> {
  let from = low
  let to = list.pagesTotal - 1
  while (from < to && !list.isMoved) {
    const middle = Math.floor((from + to) / 2)
    await list.load(middle, middle + 1)
    if (list.oldestMs(middle) <= ms) to = middle
    else from = middle + 1
  }
  return from
}

/** What is kept of a page; its records are the sink's. */
interface PageSummary {
  readonly records: number
  readonly newestMs: number
  readonly oldestMs: number
  readonly isInOrder: boolean
}

/** The list counted from its new end, whichever end that is: page 0 holds the newest records, newest first. */
class ListFromNewest {
  readonly total: number
  readonly pagesTotal: number
  /** Records put in at the new end since the mark. */
  readonly grown: number
  /** The number of records changed while they were read. */
  isMoved = false
  /** The record that was newest then stands behind those that were put in. */
  hasMark = false
  private hasRepeats = false
  private newestPage: readonly Delivery[] = []
  /** Records of the old end, which was read first and out of turn: not handed on before all newer ones are. */
  private readonly heldBack: Delivery[] = []
  private readonly pages = new Map<number, PageSummary>()
  private readonly client: Lister
  private readonly mark: ListMark
  private readonly options: WindowedSweepOptions
  private readonly size: number

  constructor(client: Lister, mark: ListMark, first: DeliveryPage, options: WindowedSweepOptions) {
    this.client = client
    this.mark = mark
    this.options = options
    this.total = first.total
    this.pagesTotal = first.totalPages
    this.size = first.limit
    this.grown = first.total - mark.records
    this.keep(mark.direction === 'newest_first' ? 0 : first.totalPages - 1, first)
  }

  get newestId(): string | undefined {
    return this.newestPage[0]?.id
  }

  /** Whether the list has the pages that so many records make. */
  get isPlain(): boolean {
    return this.pagesTotal === Math.ceil(this.total / this.size)
  }

  get pagesRead(): number {
    return this.pages.size
  }

  /** Pages `from` to `until`, without those that were read. */
  async load(from: number, until: number): Promise<void> {
    const wanted: number[] = []
    for (let page = from; page < until; page++) if (!this.pages.has(page)) wanted.push(page)
    await forEachBounded(wanted, this.options.width, async (page) => {
      this.keep(page, await this.read(page))
      this.options.onPage?.(this.pages.size, this.pagesTotal)
    })
    if (until === this.pagesTotal || this.pagesRead === this.pagesTotal) this.handOn(this.heldBack.splice(0))
  }

  oldestMs(page: number): number {
    return this.pages.get(page)?.oldestMs ?? Number.NEGATIVE_INFINITY
  }

  /** Whether every page that was read is as long as it should be, and no record newer than the one before it. */
  isInOrder(): boolean {
    let beforeMs = Number.POSITIVE_INFINITY
    for (const page of [...this.pages.keys()].sort((a, b) => a - b)) {
      const {records, newestMs, oldestMs, isInOrder} = this.pages.get(page) as PageSummary
      if (records !== this.lengthOf(page) || !isInOrder || !(newestMs <= beforeMs)) return false
      beforeMs = oldestMs
    }
    return !this.hasRepeats
  }

  /** Reads the new end again: nothing came in while we read. */
  async standsStill(): Promise<boolean> {
    const {records, total} = await this.read(0)
    const now = this.fromNewest(records)
    return total === this.total && now.every(({id}, index) => this.newestPage[index]?.id === id)
  }

  /** The page that holds the record with so many newer ones. The new end of an oldest-first list may be short. */
  pageOf(newer: number): number {
    const newest = this.lengthOf(0)
    return newer < newest ? 0 : 1 + Math.floor((newer - newest) / this.size)
  }

  private lengthOf(page: number): number {
    return Math.min(this.size, this.total - (this.numberOf(page) - 1) * this.size)
  }

  /** The service's number of a page of ours. */
  private numberOf(page: number): number {
    return this.mark.direction === 'newest_first' ? page + 1 : this.pagesTotal - page
  }

  private async read(page: number): Promise<DeliveryPage> {
    return await this.client.listDeliveries({page: this.numberOf(page), limit: legacyPageLimitMax})
  }

  private keep(page: number, {records, total}: DeliveryPage): void {
    if (total !== this.total) this.isMoved = true
    const kept = this.fromNewest(records)
    const [newest] = kept
    const oldest = kept.at(-1)
    if (page === 0) this.newestPage = kept
    const isOutOfTurn = page > 0 && this.pages.size === 0
    if (isOutOfTurn) this.heldBack.push(...kept)
    else this.handOn(kept)
    if (page === this.pageOf(this.grown)) {
      const newer = page === 0 ? 0 : this.lengthOf(0) + (page - 1) * this.size
      this.hasMark = kept[this.grown - newer]?.id === this.mark.newestId
    }
    this.pages.set(page, {
      records: kept.length,
      newestMs: newest ? createdMs(newest) : Number.NaN,
      oldestMs: oldest ? createdMs(oldest) : Number.NEGATIVE_INFINITY,
      isInOrder: isFromNewest(kept),
    })
  }

  private handOn(records: readonly Delivery[]): void {
    for (const record of records) if (!this.options.sink.add(record)) this.hasRepeats = true
  }

  private fromNewest(records: readonly Delivery[]): readonly Delivery[] {
    return this.mark.direction === 'newest_first' ? records : records.toReversed()
  }
}
