import type {DeliveryPage, ServiceClient} from '../api/client.ts'
import {type Delivery, legacyPageLimitMax} from '../core/order.ts'
import {createdMs, isFromNewest, type ListMark} from '../core/reconcile/list-order.ts'
import type {Window} from '../core/reconcile/window.ts'
import {forEachBounded} from './bounded.ts'

type Lister = Pick<ServiceClient, 'listDeliveries'>

/** A record that arrives while we read moves every page: then it is read again, at most this often (P9). */
const triesMax = 4
/** Pages asked for together, past what has to be read: reading on to find the window's beginning wastes fewer. */
const aheadMax = 8
/** A list this short is read whole: that is the better proof, and costs no more. */
export const shortListPages = 4

export interface WindowedSweep {
  readonly records: readonly Delivery[]
  readonly pagesRead: number
  readonly pagesTotal: number
  /** Whether what was read reaches without a gap to the new end of the list. */
  readonly reachesNewest: boolean
  readonly mark: ListMark
}

export interface WindowedSweepOptions {
  readonly width: number
  /** Page 1, read already: it says how long the list is. */
  readonly firstPage: DeliveryPage
  readonly onPage?: (read: number, total: number) => void
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
    const list = new ListFromNewest(client, mark.direction, first, options)
    const gap = await readWindow(list, mark, window)
    if (gap === 'unproven') return null
    if (gap !== 'moved' && (await list.standsStill())) {
      const records = list.records()
      const newestId = records[0]?.id ?? mark.newestId
      const pages = {pagesRead: list.pagesRead, pagesTotal: first.totalPages}
      return {records, ...pages, reachesNewest: !gap, mark: {...mark, records: first.total, newestId}}
    }
    first = await client.listDeliveries({page: 1, limit: legacyPageLimitMax})
  }
  return null
}

/** Whether a gap was left before the window; or why what was read proves nothing. */
async function readWindow(
  list: ListFromNewest,
  mark: ListMark,
  window: Window,
): Promise<boolean | 'unproven' | 'moved'> {
  const grown = list.total - mark.records
  if (grown < 0 || !list.isPlain) return 'unproven'
  let next = list.pageOf(grown) + 1
  await list.load(0, next)
  if (!list.isMoved && list.records()[grown]?.id !== mark.newestId) return 'unproven'
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

/** The list counted from its new end, whichever end that is: page 0 holds the newest records, newest first. */
class ListFromNewest {
  readonly total: number
  readonly pagesTotal: number
  /** The number of records changed while they were read. */
  isMoved = false
  private readonly pages = new Map<number, readonly Delivery[]>()
  private readonly client: Lister
  private readonly direction: ListMark['direction']
  private readonly options: WindowedSweepOptions
  private readonly size: number

  constructor(
    client: Lister,
    direction: ListMark['direction'],
    first: DeliveryPage,
    options: WindowedSweepOptions,
  ) {
    this.client = client
    this.direction = direction
    this.options = options
    this.total = first.total
    this.pagesTotal = first.totalPages
    this.size = first.limit
    this.keep(direction === 'newest_first' ? 0 : first.totalPages - 1, first)
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
  }

  /** All that was read, newest first. */
  records(): Delivery[] {
    return [...this.pages.keys()].sort((a, b) => a - b).flatMap((page) => this.pages.get(page) ?? [])
  }

  oldestMs(page: number): number {
    const oldest = this.pages.get(page)?.at(-1)
    return oldest ? createdMs(oldest) : Number.NEGATIVE_INFINITY
  }

  isInOrder(): boolean {
    const records = this.records()
    const isWhole = [...this.pages].every(([page, read]) => read.length === this.lengthOf(page))
    return isWhole && isFromNewest(records) && new Set(records.map(({id}) => id)).size === records.length
  }

  /** Reads the new end again: nothing came in while we read. */
  async standsStill(): Promise<boolean> {
    const before = this.pages.get(0) ?? []
    const {records, total} = await this.read(0)
    const now = this.fromNewest(records)
    return total === this.total && now.every(({id}, index) => before[index]?.id === id)
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
    return this.direction === 'newest_first' ? page + 1 : this.pagesTotal - page
  }

  private async read(page: number): Promise<DeliveryPage> {
    return await this.client.listDeliveries({page: this.numberOf(page), limit: legacyPageLimitMax})
  }

  private keep(page: number, {records, total}: DeliveryPage): void {
    if (total !== this.total) this.isMoved = true
    this.pages.set(page, this.fromNewest(records))
  }

  private fromNewest(records: readonly Delivery[]): readonly Delivery[] {
    return this.direction === 'newest_first' ? records : records.toReversed()
  }
}
