import type {DeliveryPage, ServiceClient} from '../../api/client.ts'
import {type DeliveryFilter, passes} from '../../core/delivery-filter.ts'
import {asFailure, Failure} from '../../core/failure.ts'
import {type Delivery, isSameId, type OddDelivery, type OrderKind, orderKinds} from '../../core/order.ts'
import {parseInstant} from '../../core/time.ts'
import {forEachBounded} from '../bounded.ts'
import type {FoundOrder} from '../orders/as-sent.ts'
import {askQuietly} from '../orders/confirm.ts'
import {describeOdd, type RecordSink, readFullList, readFullListInto} from '../records/full-list-read.ts'
import type {ListEnd} from '../records/list.ts'
import {type ListFilter, readFirstPage} from '../records/list-reader.ts'
import {partPagesMax, readSince, shortListPages} from '../records/read-since.ts'

interface OrderRecordPorts {
  readonly client: Pick<ServiceClient, 'listDeliveries' | 'queryOrder'>
  readonly width: number
  readonly onProgress: (stage: 'pages' | 'look-ups', done: number, total: number) => void
  /** Takes all that is read of the list. */
  readonly onRecord?: (record: Delivery) => void
  readonly onOdd?: (odd: OddDelivery) => void
  /** What this command read of the list before. */
  readonly readBefore?: {readonly records: readonly Delivery[]; readonly isWhole: boolean}
  /** Called if records of an order may be unread that have its number and another `order_id`. */
  readonly onPart?: (why: string) => void
}

interface OrderRecords {
  /** The records of an order, or why they could not be read to their end. */
  readonly of: (record: Named) => readonly Delivery[] | string
  /** By `order_id`, each alone. */
  readonly isLookedUp: boolean
}

type Named = Pick<Delivery, 'orderId' | 'merchantOrderId'>

/**
 * Every record of the orders of `selected`, under any `order_id`: a newer success of the same number speaks
 * against a resend. The whole list tells, and at equal cost it is read. A look-up by `order_id` tells only where that is
 * known to be the platform's order ID at this service (A9), and what is younger than the orders is read beside it.
 */
export async function readOrderRecords(
  selected: readonly (Named & Pick<Delivery, 'createdAt'>)[],
  ports: OrderRecordPorts,
): Promise<OrderRecords> {
  const orderIds = [...new Set(selected.map(({orderId}) => orderId))]
  if (orderIds.length === 0) return {of: () => [], isLookedUp: false}
  const {readBefore, onPart} = ports
  const read = new RecordsOfOrders(selected, ports)
  const firstPage = await readOrWhy(() => readFirstPage(ports.client, {}))
  const isShort =
    typeof firstPage !== 'string' && firstPage.totalPages <= Math.max(orderIds.length, shortListPages)
  if (!isShort && (await isKeyProven(selected, ports))) {
    for (const record of readBefore?.records ?? []) read.add(record)
    const why = readBefore?.isWhole ? null : await readPart(selected, firstPage, read, ports)
    if (why !== null) onPart?.(why)
    return await lookUpEach(orderIds, read, ports)
  }
  const why = typeof firstPage === 'string' ? firstPage : await readWhole(read, firstPage, ports)
  if (why === null) return {of: (record) => read.of(record), isLookedUp: false}
  if (!isShort || !(await isKeyProven(selected, ports))) return {of: () => why, isLookedUp: false}
  onPart?.(why)
  return await lookUpEach(orderIds, read, ports)
}

/** Reads what is younger than the oldest of `selected`; the whole list where it is in no order. Returns why not all was read. */
async function readPart(
  selected: readonly Pick<Delivery, 'createdAt'>[],
  firstPage: DeliveryPage | string,
  read: RecordsOfOrders,
  ports: OrderRecordPorts,
): Promise<string | null> {
  if (typeof firstPage === 'string') return firstPage
  const oldestMs = Math.min(...selected.map(({createdAt}) => parseInstant(createdAt) ?? 0))
  const {client, width, onProgress} = ports
  const onPage = (done: number, total: number) => onProgress('pages', done, total)
  const options = {width, firstPage, sink: read, onPage}
  const why = await readOrWhy(() => readSince(client, oldestMs, options))
  return why === null || firstPage.totalPages > partPagesMax ? why : await readWhole(read, firstPage, ports)
}

/**
 * Every record of an order number, or why they could not be read to their end: from the whole list where that is one page,
 * or where no record of the order is under its own ID (A9). `orderId`: the platform's ID alone is known.
 */
export async function readRecordsOf(
  orderNo: string,
  ports: OrderRecordPorts,
  orderId = '',
): Promise<readonly Delivery[] | string> {
  const named = {orderId, merchantOrderId: orderNo}
  const firstPage = await readFirstPage(ports.client, {})
  const known = firstPage.totalPages > 1 ? await lookUpNumber(named, ports) : null
  if (known !== null) return known
  const read = new RecordsOfOrders([named], ports)
  return (await readWhole(read, firstPage, ports)) ?? read.of(named)
}

/**
 * What the service has under the number of a record, which does not say whether its order is a deposit or a payout. `kind`:
 * that of the one order with its `order_id`, null in any doubt.
 */
export async function askBothKinds(
  {orderId, merchantOrderId}: Named,
  client: Pick<ServiceClient, 'queryOrder'>,
) {
  const found: FoundOrder[] = []
  const unanswered: Failure[] = []
  for (const kind of merchantOrderId === '' ? [] : orderKinds) {
    const answer = await askQuietly(client, kind, merchantOrderId)
    if (answer instanceof Failure) unanswered.push(answer)
    else if (answer.found) found.push(answer)
  }
  const own = found.filter(({order}) => isSameId(order.platformOrderNo, orderId))
  const kind = own.length === 1 && unanswered.length === 0 ? (own[0]?.order.kind ?? null) : null
  return {found, unanswered, own, kind}
}

/**
 * The records without those of the order of the other kind: deposits and payouts are numbered apart, so one number may be of
 * both. Only two orders that the service knows are told apart; `kind` is null where they are not.
 */
export async function withoutOtherKind(
  record: Named,
  records: readonly Delivery[],
  client: Pick<ServiceClient, 'queryOrder'>,
): Promise<{readonly records: readonly Delivery[]; readonly kind: OrderKind | null}> {
  const {orderId, merchantOrderId: orderNo} = record
  const isRival = (one: Named) => one.merchantOrderId === orderNo && !isSameId(one.orderId, orderId)
  if (orderNo === '' || !records.some(isRival)) return {records, kind: null}
  const {found, kind} = await askBothKinds(record, client)
  if (kind === null || found.length < 2) return {records, kind: null}
  const isKnown = (one: Named) => found.some(({order}) => isSameId(order.platformOrderNo, one.orderId))
  return {records: records.filter((one) => !isRival(one) || !isKnown(one)), kind}
}

/** The records of one order number that pass the filters: one look-up where that proves something, else the whole list. */
export async function listOrder(
  {status, orderId}: ListFilter,
  local: DeliveryFilter & {readonly merchantOrderId: string},
  ports: OrderRecordPorts,
): Promise<ListEnd> {
  const read = await readRecordsOf(local.merchantOrderId, ports)
  const isWhole = typeof read !== 'string'
  const isAsked = (record: Delivery) =>
    (status === undefined || record.status === status) &&
    (orderId === undefined || isSameId(record.orderId, orderId)) &&
    passes(record, local)
  const records = isWhole ? read.filter(isAsked) : []
  return {
    records,
    pagination: {page: 1, limit: records.length, total: records.length, total_pages: 1},
    complete: isWhole,
    because: isWhole ? null : read,
    isCut: !isWhole,
  }
}

/** Null where a look-up proves nothing. */
async function lookUpNumber(
  {orderId: asked, merchantOrderId: orderNo}: Named,
  ports: OrderRecordPorts,
): Promise<readonly Delivery[] | null> {
  const known = new Set(asked === '' ? [] : [asked])
  const {found: orders, unanswered} = await askBothKinds(
    {orderId: asked, merchantOrderId: orderNo},
    ports.client,
  )
  if (unanswered.length > 0) return null
  for (const {order} of orders) known.add(order.platformOrderNo)
  const orderIds = [...known]
  const named = orderIds.map((orderId) => ({orderId, merchantOrderId: ''}))
  const found = named.map((await lookUpEach(orderIds, new RecordsOfOrders(named), ports)).of)
  const isProven = found.some((records) => typeof records !== 'string' && records.length > 0)
  const isWhole = found.every((records) => typeof records !== 'string')
  return isProven && isWhole ? found.flatMap((records) => (typeof records === 'string' ? [] : records)) : null
}

/** So many orders are asked for, at most, to see one whose record is under its own ID. */
const askedMax = 3

async function isKeyProven(selected: readonly Named[], {client}: OrderRecordPorts): Promise<boolean> {
  for (const {orderId, merchantOrderId: orderNo} of selected.slice(0, askedMax)) {
    for (const kind of orderNo === '' ? [] : orderKinds) {
      const answer = await askQuietly(client, kind, orderNo)
      if (!(answer instanceof Failure) && answer.found && answer.order.platformOrderNo === orderId)
        return true
    }
  }
  return false
}

/** Returns why it could not be read whole, or null. */
async function readWhole(
  read: RecordsOfOrders,
  firstPage: DeliveryPage,
  {client, width, onProgress}: OrderRecordPorts,
): Promise<string | null> {
  const onPage = (done: number, total: number) => onProgress('pages', done, total)
  const proof = await readOrWhy(() => readFullListInto(client, {filter: {}, width, firstPage, onPage}, read))
  if (typeof proof === 'string') return proof
  return proof.complete ? null : (proof.because ?? 'no reason known')
}

/** Collects the records of some orders, by `order_id` and by number, from all that is read. */
class RecordsOfOrders implements RecordSink {
  private readonly keys: ReadonlySet<string>
  private readonly told: Pick<OrderRecordPorts, 'onRecord' | 'onOdd'>
  private readonly records = new Map<string, Delivery>()
  private readonly odd = new Map<string, OddDelivery>()
  private byKey: ReadonlyMap<string, readonly Delivery[]> | null = null
  private oddByKey: ReadonlyMap<string, readonly OddDelivery[]> | null = null

  constructor(orders: readonly Named[], told: Pick<OrderRecordPorts, 'onRecord' | 'onOdd'> = {}) {
    this.keys = new Set(orders.flatMap(keysOf))
    this.told = told
  }

  again(): void {
    this.oddByKey = null
    this.odd.clear()
  }

  add(record: Delivery): void {
    this.byKey = null
    if (this.isWanted(record)) this.records.set(record.id, record)
    this.told.onRecord?.(record)
  }

  /** What a look-up by `order_id` has not has left the list. */
  replaceOf(orderId: string, records: readonly Delivery[]): void {
    this.byKey = null
    for (const [id, one] of this.records) if (one.orderId === orderId) this.records.delete(id)
    for (const record of records) this.add(record)
  }

  addOdd(one: OddDelivery): void {
    this.oddByKey = null
    if (this.isWanted(one)) this.odd.set(one.id, one)
    this.told.onOdd?.(one)
  }

  of(order: Named): readonly Delivery[] | string {
    this.byKey ??= groupByKey([...this.records.values()])
    this.oddByKey ??= groupByKey([...this.odd.values()])
    return describeOdd(ofKeys(order, this.oddByKey)) ?? ofKeys(order, this.byKey)
  }

  private isWanted(one: Parameters<typeof keysOf>[0]): boolean {
    return keysOf(one).some((key) => this.keys.has(key))
  }
}

/** A record may be of the order of its `order_id` and of the order of its number, each in any case: it only speaks against. */
function keysOf({orderId, merchantOrderId}: {[name in keyof Named]: string | null}): string[] {
  return [
    ...(orderId ? [`id\0${orderId.toLowerCase()}`] : []),
    ...(merchantOrderId ? [`number\0${merchantOrderId.toLowerCase()}`] : []),
  ]
}

/** Each record once, whichever key it is found by. */
function ofKeys<T>(record: Parameters<typeof keysOf>[0], byKey: ReadonlyMap<string, readonly T[]>): T[] {
  return [...new Set(keysOf(record).flatMap((key) => byKey.get(key) ?? []))]
}

function groupByKey<T extends Parameters<typeof keysOf>[0]>(records: readonly T[]): Map<string, T[]> {
  const byKey = new Map<string, T[]>()
  for (const record of records) {
    for (const key of keysOf(record)) {
      const known = byKey.get(key)
      if (known) known.push(record)
      else byKey.set(key, [record])
    }
  }
  return byKey
}

async function lookUpEach(
  orderIds: readonly string[],
  read: RecordsOfOrders,
  {client, width, onProgress}: OrderRecordPorts,
): Promise<OrderRecords> {
  const unread = new Map(orderIds.map((orderId) => [orderId, '']))
  let done = 0
  await forEachBounded(orderIds, width, async (orderId) => {
    const list = await readOrWhy(() => readFullList(client, {filter: {orderId}, width: 1}))
    if (typeof list === 'string') unread.set(orderId, list)
    else if (!list.complete) unread.set(orderId, list.because ?? 'no reason known')
    else {
      read.replaceOf(orderId, list.records)
      unread.delete(orderId)
    }
    onProgress('look-ups', ++done, orderIds.length)
  })
  return {of: (record) => unread.get(record.orderId) ?? read.of(record), isLookedUp: true}
}

/** A failure that concerns this one record becomes its reason; one that concerns them all goes on up. */
export async function readOrWhy<T>(read: () => Promise<T>): Promise<T | string> {
  try {
    return await read()
  } catch (thrown) {
    const error = asFailure(thrown)
    if (['service_busy', 'answer_untrusted', 'service_refused'].includes(error.code)) return error.clause
    throw error
  }
}
