import type {DeliveryPage} from '../../api/client.ts'
import type {Dialect} from '../../core/dialect.ts'
import {asFailure, type Failure, isStop, unlessStopped} from '../../core/failure.ts'
import {
  completedEvent,
  type Delivery,
  type OddDelivery,
  orderKinds,
  type ServiceOrder,
} from '../../core/order.ts'
import {type DeliveryEvidence, newestOf} from '../../core/reconcile/evidence.ts'
import {createdMs} from '../../core/reconcile/list-order.ts'
import type {MaybeWindow, Window} from '../../core/reconcile/window.ts'
import {escapeInvisible} from '../../core/text.ts'
import {parseInstant} from '../../core/time.ts'
import {forEachBounded} from '../bounded.ts'
import {describeOdd, readFullList, readFullListInto} from '../records/full-list-read.ts'
import {notWorthPages, readListIncrementally} from '../records/incremental-list-read.ts'
import {type Lister, readFirstPage} from '../records/list-reader.ts'
import {readSince, shortListPages} from '../records/read-since.ts'
import type {Asked} from '../resend/against.ts'
import type {ResendJob} from '../resend/job.ts'
import {type DeliveryReading, type DeliveryRequest, nothingRead} from './delivery-reading.ts'
import {JoinedRecords, type StagedRecords} from './joined-records.ts'
import {
  type CompletionOfOther,
  completionsOfOthers,
  creditsOfOthers,
  ObservedRecords,
  whyOdd,
} from './record-facts.ts'

const interrupted = 'the run was interrupted'
const unprovenKey =
  'no record with an order_id of this service was seen, so an empty look-up proves nothing (A9), and the whole list could not be read'

/**
 * The delivery records of a reconciliation, read in the way that takes fewer calls: a full or incremental read of the
 * list for the window, or one look-up for each candidate. All are read before anything is resent (P10).
 */
export class Deliveries {
  reading: DeliveryReading = nothingRead
  private readonly client: Lister
  private readonly staging: StagedRecords
  private readonly request: DeliveryRequest
  private readonly lookedUp = new Set<string>()
  private oldestMs: number | undefined
  private readonly usual = new Map<string, boolean>()
  private readonly foundByLookUp: Delivery[] = []
  /** Whether any record's order_id is a platformOrderNo of this service (A9). */
  private hasProvenKey = false
  private readonly failures = new Map<string, string>()
  private readonly joined: JoinedRecords
  private isListTried = false
  /** The records that were read include the newest ones without a gap. */
  private reachesNewest = false

  private constructor(client: Lister, staging: StagedRecords, request: DeliveryRequest) {
    this.client = client
    this.staging = staging
    this.request = request
    this.joined = new JoinedRecords(staging, request.join)
  }

  /** Candidates are the staged orders whose next step is `records`. */
  static async read(client: Lister, staging: StagedRecords, request: DeliveryRequest): Promise<Deliveries> {
    const deliveries = new Deliveries(client, staging, request)
    const none = (because: string | null, unavailable: boolean, isRejected = false) => {
      deliveries.reading = {...nothingRead, because, unavailable, isRejected}
      return deliveries
    }
    const {skip, window, signal} = request
    if (skip) return none('they were not read (--no-deliveries)', true)
    if (!window && staging.answers.countCandidates() === 0) return none(null, false)
    if (signal?.aborted) return none(interrupted, false)
    try {
      await deliveries.readRecords()
      return deliveries
    } catch (thrown) {
      const error = asFailure(thrown)
      if (isStop(error)) return none(interrupted, false)
      return none(whyNone(error), error.code === 'legacy_unavailable', error.code === 'credentials_rejected')
    }
  }

  /**
   * Adds orders that were queried after the records were read, and looks up their records if needed. `shared`: numbers
   * that other orders with unknown platform IDs may have, too.
   */
  async addOrders(orders: readonly ServiceOrder[], shared: readonly string[]): Promise<void> {
    for (const orderNo of shared) this.joined.share(orderNo)
    for (const order of orders) this.joined.addOrder(order)
    if (!this.reading.isReadWhole) await this.lookUp(orders)
  }

  /** Whether the newest record of an order is known without another look-up. */
  hasRead(order: ServiceOrder): boolean {
    return this.reading.unavailable || this.isDecided(order, newestOf(this.completionsRead(order)))
  }

  /** Registers an unreported order, so that its records are not attributed to another. */
  know(order: ServiceOrder): void {
    this.joined.addOrder(order)
  }

  evidenceFor(order: ServiceOrder): {evidence: DeliveryEvidence; disagreements: readonly string[]} {
    const {because, unavailable} = this.reading
    if (unavailable) return {evidence: {is: 'unavailable', because: because ?? ''}, disagreements: []}
    const {records, disagreements} = this.joined.of(order)
    const newest = newestOf(records.filter(({event}) => event === completedEvent))
    const odd = whyOdd(this.joined, this.staging.records, order, newest)
    if (odd !== null || !this.isDecided(order, newest)) {
      return {evidence: {is: 'unread', because: odd ?? this.whyUnread(order)}, disagreements: []}
    }
    const events = newest === null ? this.eventsOf(order) : []
    const others = events.filter((event) => event !== completedEvent)
    const notes = others.map((event) => `It has a record of ${escapeInvisible(event, 40)}.`)
    return {evidence: {is: 'read', newest}, disagreements: [...disagreements, ...notes]}
  }

  /** The events of all records that may be this order's, because any may have told the merchant's server of the payment. */
  eventsOf(order: ServiceOrder): readonly string[] {
    return [...new Set(this.joined.anyOf(order).map(({event}) => event))]
  }

  /** Records of any event that belong to no known order. */
  *ofNobody(window: Window): Generator<Delivery> {
    for (const record of this.staging.records.ofUnknownOrders(null, window))
      if (this.isOfNobody(record)) yield record
  }

  countNumbered(): number {
    return this.staging.records.countNumbered()
  }

  /** The same of those that are not as documented, of any time. */
  *oddOfNobody(): Generator<Omit<OddDelivery, 'at'>> {
    for (const {createdMs: atMs, ...odd} of this.staging.records.allOdd())
      if (this.isOfNobody(odd)) yield {...odd, createdAt: atMs === null ? null : new Date(atMs).toISOString()}
  }

  private isOfNobody({orderId, merchantOrderId: orderNo}: Pick<OddDelivery, 'orderId' | 'merchantOrderId'>) {
    const isNamed = orderNo !== null && orderKinds.some((kind) => this.staging.ledger.names({kind, orderNo}))
    return !isNamed && (orderId === null || !this.joined.isKnown(orderId))
  }

  /** All records that may be the order's, and those with the `order_id` of one of them. */
  around(order: ServiceOrder, record: Delivery | null): Pick<Asked, 'records' | 'sharing'> {
    const sharing = record ? this.staging.records.byOrderId(record.orderId) : []
    return {records: this.joined.anyOf(order), sharing}
  }

  /** What a resend of the order's webhook is compared with just before it is sent. */
  whenPlanned({platformOrderNo}: ServiceOrder): Pick<ResendJob, 'records' | 'isLookedUp' | 'isUsual'> {
    const records = this.staging.records.byOrderId(platformOrderNo).map(({id, status}) => ({id, status}))
    return {records, isLookedUp: this.lookedUp.has(platformOrderNo), isUsual: this.isUsual}
  }

  /** Counted once for each event, because every lost order may have it. */
  readonly isUsual = (event: string): boolean => {
    const isUsual = this.usual.get(event) ?? this.staging.records.isUsual(event)
    this.usual.set(event, isUsual)
    return isUsual
  }

  /**
   * When the list begins, if that is after the order was made and the order was not looked up: its record may have left
   * the list. Else null.
   */
  startsAfter({platformOrderNo}: ServiceOrder, orderedAtMs: number | null | undefined): number | null {
    if (!this.reading.isReadWhole || this.lookedUp.has(platformOrderNo) || orderedAtMs == null) return null
    this.oldestMs ??= this.staging.records.oldestMs() ?? Number.MIN_SAFE_INTEGER
    return orderedAtMs < this.oldestMs ? this.oldestMs : null
  }

  /** The completion records that were read, for uses that need no proof. */
  completionsRead(order: ServiceOrder): readonly Delivery[] {
    return this.joined.of(order).records.filter(({event}) => event === completedEvent)
  }

  /** Whether an order has no `order.completed` that was read, or one of the window. */
  mayBeOf(order: ServiceOrder, window: MaybeWindow): boolean {
    const times = this.completionsRead(order).map(({createdAt}) => parseInstant(createdAt) ?? 0)
    return !window.ok || times.length === 0 || times.some((ms) => window.fromMs <= ms && ms <= window.toMs)
  }

  /**
   * The window's `order.completed` records that belong to none of the ledger's orders; empty after a partial reading,
   * which proves nothing.
   */
  completionsOfOthers(window: Window): Iterable<CompletionOfOther> {
    return this.reading.coversWindow ? completionsOfOthers(this.staging.records, window) : []
  }

  /** The same of other events, for orders without any `order.completed`. */
  creditsOfOthers(window: Window, dialect: Pick<Dialect, 'status'>): Iterable<CompletionOfOther> {
    return this.reading.coversWindow ? creditsOfOthers(this.staging.records, window, dialect) : []
  }

  /** The numbers of such orders with a record of any other event in the window. */
  othersWithEvents(window: Window): ReadonlySet<string> {
    if (!this.reading.coversWindow) return new Set()
    const records = this.staging.records.ofUnknownOrders(completedEvent, window, 'is not')
    return new Set([...records].map(({merchantOrderId}) => merchantOrderId))
  }

  // If the reading reached the newest end of the list, it includes any newer record of an order.
  private isDecided({platformOrderNo}: ServiceOrder, newest: Delivery | null): boolean {
    const {isReadWhole} = this.reading
    return isReadWhole || this.lookedUp.has(platformOrderNo) || (this.reachesNewest && newest !== null)
  }

  private whyUnread({platformOrderNo}: ServiceOrder): string {
    if (this.request.signal?.aborted) return interrupted
    const {way, because} = this.reading
    return (
      this.failures.get(platformOrderNo) ??
      (way === 'incremental-list' ? null : because) ??
      'they were not read'
    )
  }

  private async readRecords(): Promise<void> {
    const {client, staging} = this
    const {window} = this.request
    const candidates = staging.answers.countCandidates()
    const firstPage = await readFirstPage(client, {})
    this.reading = {...this.reading, pagesRead: 1, pagesTotal: firstPage.totalPages}
    if (window && (await this.readWindow(firstPage, window))) {
      await this.lookUp(staging.answers.candidates())
      return
    }
    if (window || firstPage.totalPages <= Math.max(candidates, shortListPages)) {
      if (await this.readWhole(firstPage)) return
    }
    if (candidates === 0) return
    this.reading = {...this.reading, way: 'look-ups'}
    await this.lookUp(staging.answers.candidates())
    await this.readYounger(firstPage)
  }

  /** What a look-up does not find: a record with an order's number and another `order_id`, which is younger than its own. */
  private async readYounger(firstPage: DeliveryPage): Promise<void> {
    const {client, foundByLookUp} = this
    const {width, signal, onProgress} = this.request
    const sink = this.staging.records
    if (this.reading.isReadWhole || signal?.aborted || foundByLookUp.length === 0) return
    const onPage = (done: number, total: number) => onProgress('pages', done, total)
    const oldestMs = Math.min(...foundByLookUp.map(createdMs))
    const why = await orWhy(() => readSince(client, oldestMs, {width, firstPage, sink, onPage}))
    if (why !== null) this.reading = {...this.reading, because: this.reading.because ?? why}
  }

  private async readWindow(firstPage: DeliveryPage, window: Window): Promise<boolean> {
    const {mark: before, width, onProgress} = this.request
    if (!before || firstPage.totalPages < notWorthPages) return false
    const onPage = (done: number, total: number) => onProgress('pages', done, total)
    const sink = this.staging.records
    const options = {width, firstPage, sink, onPage}
    const part = await orWhy(() => readListIncrementally(this.client, before, window, options))
    if (part === null || typeof part === 'string') {
      sink.clear()
      return false
    }
    const {pagesRead, pagesTotal} = part
    this.reachesNewest = true
    // At equal cost, read the whole list: it proves more.
    if (this.undecided(this.staging.answers.candidates()).length >= pagesTotal) {
      this.reachesNewest = false
      return false
    }
    const because = `run ${before.runId} found the whole list sorted, and only new records were added since`
    const mark = {...part.mark, runId: this.request.runId}
    const odd = describeOdd(sink.allOdd())
    const read = {pagesRead, pagesTotal, mark, coversWindow: true}
    this.reading = {
      ...this.reading,
      way: 'incremental-list',
      because: odd ? `${because}; ${odd}` : because,
      ...read,
    }
    return true
  }

  private async readWhole(firstPage: DeliveryPage): Promise<boolean> {
    this.isListTried = true
    this.reachesNewest = false
    const {width, onProgress, window} = this.request
    const onPage = (done: number, total: number) => onProgress('pages', done, total)
    const {records} = this.staging
    const sink = new ObservedRecords(records)
    const options = {filter: {}, ...{width, firstPage, onPage}}
    const {complete, because} = await readFullListInto(this.client, options, sink)
    const {totalPages} = firstPage
    if (!complete) {
      records.clear()
      const why = `the list could not be read whole: ${because}`
      this.reading = {...this.reading, way: 'full-list', because: why, pagesRead: totalPages, mark: null}
      this.reading = {...this.reading, coversWindow: false}
      return false
    }
    const pages = {pagesRead: totalPages, pagesTotal: totalPages}
    // What an earlier run saw in an empty list is gone from it, also in the next runs.
    const mark = sink.list.count === 0 ? 'unchanged' : sink.list.mark(this.request.runId)
    const odd = describeOdd(records.allOdd())
    this.reading = {...this.reading, way: 'full-list', because: odd, ...pages, mark}
    this.reading = {...this.reading, isReadWhole: true, coversWindow: window !== null}
    return true
  }

  private undecided(orders: Iterable<ServiceOrder>): readonly ServiceOrder[] {
    return [...orders].filter((order) => !this.isDecided(order, newestOf(this.completionsRead(order))))
  }

  private async lookUp(orders: Iterable<ServiceOrder>): Promise<void> {
    const {width, signal, onProgress} = this.request
    if (this.reading.unavailable) return
    const missing = this.undecided(orders)
    let done = 0
    const lookUpOne = async ({platformOrderNo}: ServiceOrder) => {
      const found = await lookUpRecords(this.client, platformOrderNo)
      if (typeof found === 'string') this.failures.set(platformOrderNo, found)
      else {
        this.lookedUp.add(platformOrderNo)
        this.hasProvenKey ||= found.some(({orderId}) => orderId === platformOrderNo)
        this.foundByLookUp.push(...found)
        for (const record of found) this.staging.records.replace(record)
      }
      onProgress('look-ups', ++done, missing.length)
    }
    try {
      await forEachBounded(missing, width, lookUpOne, signal)
    } catch (thrown) {
      // After a stop, finished look-ups count and the rest stays undecided.
      const error = asFailure(thrown)
      if (!isStop(error)) throw error
    }
    this.reading = {...this.reading, lookUps: this.reading.lookUps + done}
    await this.proveAbsences(missing)
  }

  /**
   * An empty look-up proves something only if order_id is known to be the key (A9). Else the whole list is read, where
   * the merchant's number finds records as well; if that is no proof either, nothing is known.
   */
  private async proveAbsences(orders: readonly ServiceOrder[]): Promise<void> {
    const {join, signal} = this.request
    const {records} = this.staging
    const unfound = orders.filter(
      ({platformOrderNo}) =>
        this.lookedUp.has(platformOrderNo) && records.byOrderId(platformOrderNo).length === 0,
    )
    if (unfound.length === 0 || signal?.aborted) return
    this.hasProvenKey ||= records.hasOfKnownOrder()
    if (this.hasProvenKey && join.includes('order_id')) return
    if (!this.isListTried && (await this.readWholeInstead())) return
    for (const record of this.foundByLookUp) records.replace(record)
    for (const {platformOrderNo} of unfound) {
      this.lookedUp.delete(platformOrderNo)
      this.failures.set(platformOrderNo, unprovenKey)
    }
  }

  private async readWholeInstead(): Promise<boolean> {
    return (await orWhy(async () => this.readWhole(await readFirstPage(this.client, {})))) === true
  }
}

/** The records of one order, or why they could not be read. */
async function lookUpRecords(client: Lister, orderId: string): Promise<readonly Delivery[] | string> {
  const list = await orWhy(() => readFullList(client, {filter: {orderId}, width: 1}))
  if (typeof list === 'string') return list
  return list.complete ? list.records : (list.because ?? '')
}

/** The result, or why it failed; a stop is thrown. */
async function orWhy<T>(read: () => Promise<T>): Promise<T | string> {
  try {
    return await read()
  } catch (thrown) {
    return unlessStopped(thrown).clause
  }
}

/** A clause for a report without another place for the next step. */
function whyNone({code, clause, hint}: Failure): string {
  if (code === 'legacy_unavailable') return `the legacy API is not there: ${clause}`
  return code === 'credentials_rejected' ? `${clause}. ${hint.replace(/\.$/, '')}` : clause
}
