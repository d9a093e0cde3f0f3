import type {DeliveryPage, ServiceClient} from '../../api/client.ts'
import {Failure, unlessStopped} from '../../core/failure.ts'
import {type DeliveryStatus, legacyPageLimitMax} from '../../core/order.ts'
import {type PageSpan, spanBackward, spanForward, spanOf} from '../../core/page-span.ts'
import {forEachInOrder} from '../bounded.ts'

export interface ListFilter {
  readonly status?: DeliveryStatus
  readonly orderId?: string
}

export type Lister = Pick<ServiceClient, 'listDeliveries'>

/** Which way a reading goes: by the service's numbers of pages, or against them. */
export type Way = 'forward' | 'backward'

/** One answer: a stretch of the list as it stood at one moment. */
export interface Stretch {
  readonly span: PageSpan
  readonly page: DeliveryPage
  readonly ids: ReadonlySet<string>
}

/** Where the records of a reading go. */
export interface PageConsumer {
  /** Whether this reading has given that record before. */
  has(id: string): boolean
  /** Takes a page, and answers how many of its records this reading had not given before. */
  take(page: DeliveryPage): number | Promise<number>
}

export interface ReaderOptions {
  readonly filter: ListFilter
  readonly width: number
  readonly limitMax: number
  readonly consumer: PageConsumer
  readonly onRead?: () => void
}

/** Where the list has shifted by more than two pages share, its place is searched for this far to both sides. */
const shiftsTried = [30, 60, 120, 240, 480, 960]
/** So many pages are read in one search beyond those the growth of the list makes likely (P17). */
const stepsMin = 8
const stepsMax = 500

/**
 * Reads a list of unknown order (A10) that may grow and shrink meanwhile, as a chain: each page shares a record with
 * the one before it. Whatever arrives or leaves, the records that stay keep their order; so a record that stays and
 * stands behind one page stands on the next page that shares a record with it, or behind that one as well. A chain
 * from one end of the list to the other has therefore every record that stood in the list all the while.
 */
export class ListReader {
  /** A later answer stated fewer records than an earlier one: records left. */
  hasFallen = false
  latestTotal = 0
  /** The service gives pages of its own length, whatever limit is asked for. */
  ignoresLimit = false
  /** Records given so far, each once. */
  seen = 0
  /** A page that could not be read after all tries: an answer about the list, not the end of the run. */
  unread: Failure | null = null
  private readonly client: Lister
  private readonly options: ReaderOptions
  private highestTotal = 0

  constructor(client: Lister, options: ReaderOptions) {
    this.client = client
    this.options = options
  }

  /** An answer somebody has read already. */
  accept(span: PageSpan, page: DeliveryPage): Stretch {
    this.highestTotal = Math.max(this.highestTotal, page.total)
    this.latestTotal = page.total
    return {span, page, ids: new Set(idsOf(page))}
  }

  async read(span: PageSpan): Promise<Stretch> {
    const {filter, limitMax} = this.options
    const totalBefore = this.highestTotal
    const page = await this.client.listDeliveries({...filter, page: span.page, limit: span.limit})
    if (page.total < totalBefore) this.hasFallen = true
    const given = lengthOf(page)
    this.ignoresLimit ||=
      given !== lengthAt(span, page.total) && given === lengthAt(spanOf(span.page, limitMax), page.total)
    this.options.onRead?.()
    return this.accept(span, page)
  }

  async take({page}: Stretch): Promise<void> {
    this.seen += await this.options.consumer.take(page)
  }

  /** Null if it could not be read; `unread` then says why. */
  async tryRead(span: PageSpan): Promise<Stretch | null> {
    const stretch = await orFailure(() => this.read(span))
    if (!(stretch instanceof Failure)) return stretch
    this.unread ??= stretch
    return null
  }

  /** The page at the end of the list as it is now; null where it grows faster than its end can be read. */
  async readEnd(): Promise<Stretch | null> {
    const {limitMax} = this.options
    for (const part of [0.1, 0.2, 0.4, 0.8]) {
      const room = Math.floor(limitMax * part)
      const end = await this.tryRead(spanBackward(Math.max(0, this.latestTotal - 1), limitMax, room))
      if (end === null || end.span.end >= end.page.total || this.ignoresLimit) return end
    }
    return null
  }

  /**
   * Reads the pages of `spans` on from `near`, several at a time, and takes them in their order, until `isEnough`.
   * Answers the last page of the chain; null where it broke.
   */
  async follow(
    near: Stretch,
    spans: Iterable<PageSpan>,
    way: Way,
    isEnough: (stretch: Stretch) => boolean = () => false,
  ): Promise<Stretch | null> {
    const {width, consumer} = this.options
    let [last, isJoined] = [near, true]
    await forEachInOrder(
      spans,
      width,
      (span) => this.tryRead(span),
      async (stretch) => {
        if (stretch === null) return false
        if (!touches(stretch, last)) {
          // The list shifted by more than pages share, and what this one holds was given before.
          if (idsOf(stretch.page).every((id) => consumer.has(id))) return true
          isJoined &&= await this.join(last, stretch, way)
        }
        last = stretch
        await this.take(stretch)
        return this.unread === null && !isEnough(stretch)
      },
    )
    return isJoined && this.unread === null ? last : null
  }

  /** Reads on from `from` page by page until one shares a record with `goal`. */
  async join(from: Stretch, goal: Stretch, way: Way): Promise<boolean> {
    if (touches(from, goal)) return true
    const grown = Math.abs(from.page.total - goal.page.total)
    const steps = Math.min(stepsMax, stepsMin + Math.ceil(grown / (this.options.limitMax / 2)))
    let last = from
    for (let step = 0; step < steps; step++) {
      const next = await this.readBeyond(last, way)
      if (next === null) return false
      await this.take(next)
      if (touches(next, goal)) return true
      const isAtEdge = way === 'forward' ? next.span.end >= next.page.total : next.span.start === 0
      if (isAtEdge) return false
      last = next
    }
    return false
  }

  /** A page that shares a record with `last` and reaches beyond it, wherever it is by now. */
  private async readBeyond(last: Stretch, way: Way): Promise<Stretch | null> {
    const {limitMax} = this.options
    const shared = Math.ceil(limitMax / 5)
    const {span, page} = last
    const edge = way === 'forward' ? span.start + lengthOf(page) - shared : span.start + shared - 1
    const shifts = [0, this.latestTotal - page.total, ...shiftsTried.flatMap((shift) => [-shift, shift])]
    for (const shift of new Set(shifts)) {
      const position = Math.max(0, edge + shift)
      if (position >= this.latestTotal) continue
      const next = await this.tryRead(
        way === 'forward' ? spanForward(position, limitMax) : spanBackward(position, limitMax),
      )
      if (next === null || touches(next, last)) return next
    }
    return null
  }
}

async function orFailure<T>(read: () => Promise<T>): Promise<T | Failure> {
  try {
    return await read()
  } catch (thrown) {
    return unlessStopped(thrown)
  }
}

/** The first page: it tells how long the list is before deciding to read it. */
export function readFirstPage(client: Lister, filter: ListFilter): Promise<DeliveryPage> {
  return client.listDeliveries({...filter, page: 1, limit: legacyPageLimitMax})
}

/** The records of a page in their order, the odd ones in their places. */
export function idsOf({records, odd}: DeliveryPage): string[] {
  const ids = records.map(({id}) => id)
  for (const {id, at} of odd) ids.splice(at, 0, id)
  return ids
}

export function lengthOf({records, odd}: DeliveryPage): number {
  return records.length + odd.length
}

function touches(one: Stretch, other: Stretch): boolean {
  return !one.ids.isDisjointFrom(other.ids)
}

function lengthAt({start, limit}: PageSpan, total: number): number {
  return Math.max(0, Math.min(limit, total - start))
}
