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

/** The direction of a reading: by ascending page numbers, or descending. */
export type Way = 'forward' | 'backward'

/** One answer: a part of the list at one moment. */
export interface Stretch {
  readonly span: PageSpan
  readonly page: DeliveryPage
  /** Each record's ID with its order: an ID that is given to another record joins no pages. */
  readonly ids: ReadonlySet<string>
}

/** Receives the pages of a reading. */
export interface PageConsumer {
  /** Whether it got this record in this reading already. */
  has(id: string): boolean
  /** Returns how many of the page's records are new in this reading. */
  take(page: DeliveryPage): number | Promise<number>
}

export interface ReaderOptions {
  readonly filter: ListFilter
  readonly width: number
  readonly limitMax: number
  readonly consumer: PageConsumer
  readonly onRead?: () => void
}

/** If the list shifted by more than two pages share, its place is searched this far in both directions. */
const shiftsTried = [30, 60, 120, 240, 480, 960]
/** Pages of one search beyond those that the growth of the list makes likely (P17). */
const stepsMin = 8
const stepsMax = 500

/**
 * Reads a list of unknown order (A10) that may change meanwhile, as a chain: each page shares a record with the one
 * before it. Records that stay keep their order, so a staying record behind one page is on the next page of the chain
 * or behind that one. So a chain from one end to the other has every record that was in the list all the time.
 */
export class ListReader {
  /** A later answer stated fewer records than an earlier one, so records left. */
  hasFallen = false
  latestTotal = 0
  /** The service ignores the requested page length. */
  ignoresLimit = false
  /** Number of different records so far. */
  seen = 0
  /** Why a page could not be read after all tries: the list is incomplete, but the run goes on. */
  unread: Failure | null = null
  private readonly client: Lister
  private readonly options: ReaderOptions
  highestTotal = 0

  constructor(client: Lister, options: ReaderOptions) {
    this.client = client
    this.options = options
  }

  /** For an answer that was read before. */
  accept(span: PageSpan, page: DeliveryPage): Stretch {
    this.highestTotal = Math.max(this.highestTotal, page.total)
    this.latestTotal = page.total
    return {
      span,
      page,
      ids: new Set([
        ...page.records.map(({id, orderId}) => `${id} ${orderId}`),
        ...page.odd.map(({id}) => id),
      ]),
    }
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

  /** Returns null if it could not be read; `unread` has the reason. */
  async tryRead(span: PageSpan): Promise<Stretch | null> {
    const stretch = await orFailure(() => this.read(span))
    if (!(stretch instanceof Failure)) return stretch
    this.unread ??= stretch
    return null
  }

  /** The present last page; null if the list grows faster than it can be read. */
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
   * Reads the pages of `spans`, several at a time, and takes them in order, until `isEnough`. Returns the last page of
   * the chain; null if it broke.
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
          // The list shifted by more than pages share, but all records of this page were passed on before.
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

  /** Reads page by page from `from` until one shares a record with `goal`. */
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

  /**
   * Reads what arrived at either end since, until the records seen are as many as the largest number that was stated: that
   * number may be another copy's, which has a record that this chain missed.
   */
  async catchUp(start: Stretch, end: Stretch): Promise<boolean> {
    if (this.seen >= this.highestTotal) return true
    for (const edge of ['start', 'end'] as const) {
      const now = edge === 'start' ? await this.tryRead(start.span) : await this.readEnd()
      if (now === null) return false
      const stated = this.highestTotal
      await this.take(now)
      const isJoined =
        edge === 'start' ? await this.join(now, start, 'forward') : await this.join(end, now, 'forward')
      if (isJoined && this.seen >= stated) return true
    }
    return false
  }

  /** A page that shares a record with `last` and continues it, wherever it is now. */
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

/** Read first, to learn the length of the list before deciding to read it. */
export function readFirstPage(client: Lister, filter: ListFilter): Promise<DeliveryPage> {
  return client.listDeliveries({...filter, page: 1, limit: legacyPageLimitMax})
}

/** The IDs of a page's records in order, with malformed records in their places. */
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
