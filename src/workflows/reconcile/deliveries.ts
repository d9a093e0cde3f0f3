import type {DeliveryPage, ServiceClient} from '../../api/client.ts'
import type {Dialect} from '../../core/dialect.ts'
import {Failure, isStop} from '../../core/failure.ts'
import {completedEvent, type Delivery, type ServiceOrder} from '../../core/order.ts'
import {type DeliveryEvidence, newestOf} from '../../core/reconcile/evidence.ts'
import {DeliveryIndex} from '../../core/reconcile/join.ts'
import {type ListMark, observeDirection} from '../../core/reconcile/list-order.ts'
import type {RecordsRead} from '../../core/reconcile/records-read.ts'
import type {Window} from '../../core/reconcile/window.ts'
import {forEachBounded} from '../bounded.ts'
import {readFirstPage, sweepDeliveries} from '../sweep.ts'
import {shortListPages, sweepWindow} from '../windowed-sweep.ts'

type Lister = Pick<ServiceClient, 'listDeliveries'>

/** How the records were read, and what that proves. */
export interface DeliveryReading extends RecordsRead {
  /** Every record was seen, so that what is not there is proven absent (P9). */
  readonly sweptWhole: boolean
  /** Every record of the window was seen. */
  readonly coversWindow: boolean
  readonly unavailable: boolean
  /** The service turned the credentials down: another run would end the same way. */
  readonly isRejected?: boolean
  /** What is now known of the list's order, for the next run. */
  readonly mark: ListMark | null | 'unchanged'
}

export interface DeliveryRequest {
  /** Orders whose finding their newest record decides. */
  readonly candidates: readonly ServiceOrder[]
  /** Every order the service answered for, so that no record is given to the wrong one. */
  readonly known: readonly ServiceOrder[]
  /** Numbers that a deposit and a payout of the ledger share, whether the service answered for both or not. */
  readonly shared: readonly string[]
  /** Where what no row names is to be found as well, which takes the list; null: not looked for. */
  readonly window: Window | null
  /** What an earlier run proved of the list's order; null: nothing, or a person wants it read to its end. */
  readonly mark: ListMark | null
  readonly runId: string
  /** The person said not to read them. */
  readonly skip: boolean
  readonly width: number
  /** Once aborted nothing more is read, and nothing is concluded from what was. */
  readonly signal?: AbortSignal
  readonly onProgress?: (stage: 'sweep' | 'look-ups', done: number, total: number) => void
}

const nothingRead: DeliveryReading = {
  way: 'none',
  because: null,
  pagesRead: 0,
  pagesTotal: null,
  lookUps: 0,
  ...{sweptWhole: false, coversWindow: false, unavailable: false, mark: 'unchanged'},
}
const interrupted = 'the run was interrupted'

/**
 * The delivery records a reconciliation needs, by whichever way takes fewer calls: a sweep of the list or of its part
 * that holds the window, or one look-up for each candidate. All of it is read before anything is resent (P10).
 */
export class Deliveries {
  reading: DeliveryReading = nothingRead
  private readonly client: Lister
  private readonly index: DeliveryIndex
  private readonly request: DeliveryRequest
  private readonly lookedUp = new Set<string>()
  private readonly failures = new Map<string, string>()
  private records: readonly Delivery[] = []
  /** What was swept holds the newest records without a gap. */
  private reachesNewest = false

  private constructor(client: Lister, join: Dialect['deliveryJoin'], request: DeliveryRequest) {
    this.client = client
    this.index = new DeliveryIndex(join)
    this.request = request
    for (const order of request.known) this.index.addOrder(order)
    for (const orderNo of request.shared) this.index.share(orderNo)
  }

  static async read(
    client: Lister,
    join: Dialect['deliveryJoin'],
    request: DeliveryRequest,
  ): Promise<Deliveries> {
    const deliveries = new Deliveries(client, join, request)
    const none = (because: string | null, unavailable: boolean, isRejected = false) => {
      deliveries.reading = {...nothingRead, because, unavailable, isRejected}
      return deliveries
    }
    const {skip, window, candidates, signal} = request
    if (skip) return none('they were not read (--no-deliveries)', true)
    if (!window && candidates.length === 0) return none(null, false)
    if (signal?.aborted) return none(interrupted, false)
    try {
      await deliveries.readRecords()
      return deliveries
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      if (isStop(error)) return none(interrupted, false)
      return none(error.clause, error.code === 'legacy_unavailable', error.code === 'credentials_rejected')
    }
  }

  /**
   * Orders the service answered for after the records were read; their records are looked up where not read yet.
   * `shared` are numbers that other orders may have, too, whose platform ids are not known.
   */
  async addOrders(orders: readonly ServiceOrder[], shared: readonly string[]): Promise<void> {
    for (const orderNo of shared) this.index.share(orderNo)
    for (const order of orders) this.index.addOrder(order)
    if (!this.reading.sweptWhole) await this.lookUp(orders)
  }

  evidenceFor(order: ServiceOrder): {evidence: DeliveryEvidence; disagreements: readonly string[]} {
    const {because, unavailable} = this.reading
    if (unavailable) return {evidence: {is: 'unavailable', because: because ?? ''}, disagreements: []}
    const {records, disagreements} = this.index.recordsOf(order)
    const newest = newestOf(records.filter(({event}) => event === completedEvent))
    if (!this.isDecided(order, newest)) {
      return {evidence: {is: 'unread', because: this.whyUnread(order)}, disagreements: []}
    }
    return {evidence: {is: 'read', newest}, disagreements}
  }

  /** The newest completion record among those read, whatever they prove: for what needs no proof. */
  newestRead(order: ServiceOrder): Delivery | null {
    return newestOf(this.index.recordsOf(order).records.filter(({event}) => event === completedEvent))
  }

  /** Every `order.completed` record of the window; nothing of a partial reading, which proves nothing. */
  completions(): readonly Delivery[] {
    return this.reading.coversWindow ? this.records.filter(({event}) => event === completedEvent) : []
  }

  // A newer record than one that was read is read too, where the reading reaches the new end of the list.
  private isDecided({platformOrderNo}: ServiceOrder, newest: Delivery | null): boolean {
    const {sweptWhole} = this.reading
    return sweptWhole || this.lookedUp.has(platformOrderNo) || (this.reachesNewest && newest !== null)
  }

  private whyUnread({platformOrderNo}: ServiceOrder): string {
    if (this.request.signal?.aborted) return interrupted
    const {way, because} = this.reading
    return this.failures.get(platformOrderNo) ?? (way === 'window' ? null : because) ?? 'they were not read'
  }

  private async readRecords(): Promise<void> {
    const {client, request} = this
    const {candidates, window} = request
    const firstPage = await readFirstPage(client, {})
    this.reading = {...this.reading, pagesRead: 1, pagesTotal: firstPage.totalPages}
    if (window && (await this.readWindow(firstPage, window))) return await this.lookUp(candidates)
    if (window || firstPage.totalPages <= candidates.length) {
      if (await this.readWhole(firstPage)) return
    }
    if (candidates.length === 0) return
    this.reading = {...this.reading, way: 'look-ups'}
    await this.lookUp(candidates)
  }

  private async readWindow(firstPage: DeliveryPage, window: Window): Promise<boolean> {
    const {mark, width, onProgress} = this.request
    if (!mark || firstPage.totalPages < shortListPages) return false
    const onPage = (done: number, total: number) => onProgress?.('sweep', done, total)
    const part = await orWhy(() => sweepWindow(this.client, mark, window, {width, firstPage, onPage}))
    if (part === null || typeof part === 'string') return false
    const {pagesRead, pagesTotal} = part
    const because = `run ${mark.runId} found the whole list in order, and it has only grown at its new end since`
    this.take(part.records, {way: 'window', because, pagesRead, pagesTotal})
    this.reading = {...this.reading, coversWindow: true, mark: {...part.mark, runId: this.request.runId}}
    this.reachesNewest = part.reachesNewest
    return true
  }

  private async readWhole(firstPage: DeliveryPage): Promise<boolean> {
    const {width, onProgress, window} = this.request
    const onPage = (done: number, total: number) => onProgress?.('sweep', done, total)
    const {records, complete, because} = await sweepDeliveries(this.client, {
      filter: {},
      ...{width, firstPage, onPage},
    })
    const {totalPages} = firstPage
    if (!complete) {
      const why = `the list could not be read as one whole: ${because}`
      this.reading = {...this.reading, way: 'sweep', because: why, pagesRead: totalPages, mark: null}
      return false
    }
    this.take(records, {way: 'sweep', because: null, pagesRead: totalPages, pagesTotal: totalPages})
    const mark = this.markOf(records)
    this.reading = {...this.reading, sweptWhole: true, coversWindow: window !== null, mark}
    return true
  }

  private markOf(records: readonly Delivery[]): ListMark | null {
    const direction = observeDirection(records)
    const newest = direction === 'newest_first' ? records[0] : records.at(-1)
    if (!direction || !newest) return null
    return {direction, records: records.length, newestId: newest.id, runId: this.request.runId}
  }

  private take(
    records: readonly Delivery[],
    read: Pick<RecordsRead, 'way' | 'because' | 'pagesRead' | 'pagesTotal'>,
  ): void {
    for (const record of records) this.index.add(record)
    this.records = records
    this.reading = {...this.reading, ...read}
  }

  private async lookUp(orders: readonly ServiceOrder[]): Promise<void> {
    const {width, signal, onProgress} = this.request
    if (this.reading.unavailable) return
    const missing = orders.filter((order) => !this.isDecided(order, this.newestRead(order)))
    let done = 0
    const lookUpOne = async ({platformOrderNo}: ServiceOrder) => {
      const found = await lookUpRecords(this.client, platformOrderNo)
      if (typeof found === 'string') this.failures.set(platformOrderNo, found)
      else {
        this.lookedUp.add(platformOrderNo)
        for (const record of found) this.index.add(record)
      }
      onProgress?.('look-ups', ++done, missing.length)
    }
    try {
      await forEachBounded(missing, width, lookUpOne, signal)
    } catch (error) {
      // Stopped: what was looked up stands, and the rest is undecided.
      if (!(error instanceof Failure) || !isStop(error)) throw error
    }
    this.reading = {...this.reading, lookUps: this.reading.lookUps + done}
  }
}

async function lookUpRecords(client: Lister, orderId: string): Promise<readonly Delivery[] | string> {
  const sweep = await orWhy(() => sweepDeliveries(client, {filter: {orderId}, width: 1}))
  if (typeof sweep === 'string') return sweep
  return sweep.complete ? sweep.records : (sweep.because ?? '')
}

async function orWhy<T>(read: () => Promise<T>): Promise<T | string> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof Failure) || isStop(error)) throw error
    return error.clause
  }
}
