import type {ServiceClient} from '../../api/client.ts'
import type {Dialect} from '../../core/dialect.ts'
import {Failure, isStop} from '../../core/failure.ts'
import {completedEvent, type Delivery, type ServiceOrder} from '../../core/order.ts'
import {type DeliveryEvidence, newestOf} from '../../core/reconcile/evidence.ts'
import {DeliveryIndex} from '../../core/reconcile/join.ts'
import {forEachBounded} from '../bounded.ts'
import {readFirstPage, sweepDeliveries} from '../sweep.ts'

type Lister = Pick<ServiceClient, 'listDeliveries'>

export interface DeliveryReading {
  /** How the records were read: not at all, page by page, or order by order. */
  readonly how: 'none' | 'sweep' | 'look-ups'
  /** True only where every record was seen, so that what is not there is proven absent (P9). */
  readonly sweptWhole: boolean
  /** Why nothing, or not everything, could be read; null when all is well. */
  readonly because: string | null
  readonly unavailable: boolean
  readonly recordsRead: number
}

export interface DeliveryRequest {
  /** Orders whose completion the ledger lacks. */
  readonly candidates: readonly ServiceOrder[]
  /** Every order the service answered for, so that no record is given to the wrong one. */
  readonly known: readonly ServiceOrder[]
  /** Whether what no row names is to be found as well, which takes the whole list. */
  readonly wantWhole: boolean
  /** The person said not to read them. */
  readonly skip: boolean
  readonly width: number
  /** Once aborted nothing more is read, and nothing is concluded from what was. */
  readonly signal?: AbortSignal
  readonly onProgress?: (stage: 'sweep' | 'look-ups', done: number, total: number) => void
}

/**
 * The delivery records a reconciliation needs, by whichever way takes fewer calls: one sweep of the list, or
 * one look-up for each candidate. All of it is read before anything is resent (P10).
 */
export class Deliveries {
  readonly reading: DeliveryReading
  private readonly index: DeliveryIndex
  private readonly lookedUp: ReadonlySet<string>
  private readonly failures: ReadonlyMap<string, string>
  private readonly records: readonly Delivery[]

  private constructor(
    reading: DeliveryReading,
    index: DeliveryIndex,
    records: readonly Delivery[],
    lookedUp: ReadonlySet<string>,
    failures: ReadonlyMap<string, string>,
  ) {
    this.reading = reading
    this.index = index
    this.records = records
    this.lookedUp = lookedUp
    this.failures = failures
  }

  static async read(
    client: Lister,
    join: Dialect['deliveryJoin'],
    request: DeliveryRequest,
  ): Promise<Deliveries> {
    const index = new DeliveryIndex(join)
    for (const order of request.known) index.addOrder(order)
    const none = (because: string | null, unavailable: boolean) =>
      new Deliveries(
        {how: 'none', sweptWhole: false, because, unavailable, recordsRead: 0},
        index,
        [],
        new Set(),
        new Map(),
      )
    if (request.skip) return none('they were not read (--no-deliveries)', true)
    if (!request.wantWhole && request.candidates.length === 0) return none(null, false)
    if (request.signal?.aborted) return none(interrupted, false)
    try {
      return await readRecords(client, index, request, (...parts) => new Deliveries(...parts))
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      if (isStop(error)) return none(interrupted, false)
      return none(error.clause, error.code === 'legacy_unavailable')
    }
  }

  /** An order the service answered for after the records were read. */
  addOrder(order: ServiceOrder): void {
    this.index.addOrder(order)
  }

  evidenceFor(order: ServiceOrder): {evidence: DeliveryEvidence; disagreements: readonly string[]} {
    const {because, unavailable, sweptWhole} = this.reading
    if (unavailable) return {evidence: {is: 'unavailable', because: because ?? ''}, disagreements: []}
    if (!sweptWhole && !this.lookedUp.has(order.platformOrderNo)) {
      const why = this.failures.get(order.platformOrderNo) ?? because ?? 'they were not read'
      return {evidence: {is: 'unread', because: why}, disagreements: []}
    }
    const {records, disagreements} = this.index.recordsOf(order)
    const newest = newestOf(records.filter(({event}) => event === completedEvent))
    return {evidence: {is: 'read', newest}, disagreements}
  }

  /** Every `order.completed` record of a whole sweep; nothing of a partial one, which proves nothing. */
  completions(): readonly Delivery[] {
    return this.reading.sweptWhole ? this.records.filter(({event}) => event === completedEvent) : []
  }
}

const interrupted = 'the run was interrupted'

type Build = (
  ...parts: [DeliveryReading, DeliveryIndex, Delivery[], Set<string>, Map<string, string>]
) => Deliveries

async function readRecords(
  client: Lister,
  index: DeliveryIndex,
  request: DeliveryRequest,
  build: Build,
): Promise<Deliveries> {
  const {candidates, wantWhole, width, onProgress} = request
  const firstPage = await readFirstPage(client, {})
  let because: string | null = null
  if (wantWhole || firstPage.totalPages <= candidates.length) {
    const onPage = (done: number, total: number) => onProgress?.('sweep', done, total)
    const sweep = await sweepDeliveries(client, {filter: {}, width, firstPage, onPage})
    if (sweep.complete) {
      for (const record of sweep.records) index.add(record)
      const reading = {how: 'sweep', sweptWhole: true, because, unavailable: false} as const
      const records = [...sweep.records]
      return build({...reading, recordsRead: records.length}, index, records, new Set(), new Map())
    }
    because = `the list could not be read as one whole: ${sweep.because}`
  }
  const lookedUp = new Set<string>()
  const failures = new Map<string, string>()
  let recordsRead = 0
  await forEachBounded(candidates, width, async ({platformOrderNo}) => {
    const found = await lookUp(client, platformOrderNo)
    if (typeof found === 'string') failures.set(platformOrderNo, found)
    else {
      lookedUp.add(platformOrderNo)
      recordsRead += found.length
      for (const record of found) index.add(record)
    }
    onProgress?.('look-ups', lookedUp.size + failures.size, candidates.length)
  })
  const how = candidates.length > 0 ? 'look-ups' : 'sweep'
  return build(
    {how, sweptWhole: false, because, unavailable: false, recordsRead},
    index,
    [],
    lookedUp,
    failures,
  )
}

async function lookUp(client: Lister, orderId: string): Promise<readonly Delivery[] | string> {
  try {
    const sweep = await sweepDeliveries(client, {filter: {orderId}, width: 1})
    return sweep.complete ? sweep.records : (sweep.because ?? '')
  } catch (error) {
    if (!(error instanceof Failure) || isStop(error)) throw error
    return error.clause
  }
}
