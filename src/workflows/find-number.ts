import type {ServiceClient} from '../api/client.ts'
import {asFailure, isStop} from '../core/failure.ts'
import {type Delivery, isUuid, type OrderKind, orderKinds} from '../core/order.ts'
import type {ServiceSide} from '../core/reconcile/classify.ts'
import type {RememberedFinding} from '../core/reconcile/history.ts'
import type {ItemEvent} from '../core/reconcile/item.ts'
import {parseInstant} from '../core/time.ts'
import type {Journal} from '../journal/journal.ts'
import type {FinalOrder} from '../journal/memory-rows.ts'
import type {RequestRow, ResendRow} from '../journal/rows.ts'
import type {StoredEvent} from '../receiver/stored-events.ts'
import {askOrders, noAnswer} from './orders/ask.ts'
import {type OpenDoubt, openDoubts} from './orders/doubts.ts'
import {madeAfterAll} from './orders/made-after-all.ts'
import {type PaidTwice, paidTwiceBy} from './orders/paid-after-all.ts'
import {madeSince, paidAnewBy} from './orders/paid-anew.ts'
import {readRecordsOf} from './resend/order-records.ts'

type FindClient = Pick<ServiceClient, 'queryOrder' | 'listDeliveries' | 'getDelivery'>

export interface FindPorts {
  readonly client: FindClient
  readonly width: number
  readonly profileName: string
  /** Null if this machine has none. */
  readonly journal: Pick<
    Journal,
    | 'trace'
    | 'findRun'
    | 'findingsOf'
    | 'findFinalOrders'
    | 'findFinalOrdersOf'
    | 'requestsInDoubt'
    | 'resendsInDoubt'
    | 'itemEvents'
    | 'findRequest'
    | 'replacedPayouts'
    | 'payoutsOfPayee'
    | 'listRequests'
    | 'fingerprint'
    | 'numberWithPlatformOrder'
    | 'recordLook'
  > | null
  readonly received: (number: string) => readonly StoredEvent[]
  readonly onProgress: (stage: string, done: number, total: number) => void
}

/** A row that a run saw. `isCompared`: the run came to a result, which did not end the order as agreed. */
interface FoundRow {
  readonly runId: string
  readonly line: number
  readonly isCompared: boolean
}

/** Everything that the service and this machine know of an order number. */
export interface FoundOrder {
  readonly orderNo: string
  readonly sides: Readonly<Record<OrderKind, ServiceSide>>
  /** The delivery records, or why they could not all be read. */
  readonly records: readonly Delivery[] | string
  readonly requests: readonly RequestRow[]
  readonly resends: readonly ResendRow[]
  readonly received: readonly StoredEvent[]
  /** Findings of runs of reconcile; `agreed` and `rows`: orders that agreed, and rows that runs saw. */
  readonly findings: readonly RememberedFinding[]
  readonly agreed: readonly FinalOrder[]
  readonly rows: readonly FoundRow[]
  readonly doubts: readonly OpenDoubt[]
  /** Of a payout that failed: why its money may have gone out otherwise, as a clause. */
  readonly whyPaidAnew: string | null
  /** Of a payout that was replaced or took another's place: why both may be paid. */
  readonly paidTwice: PaidTwice | null
  /** That the service has one which a person recorded as not made, as sentences. */
  readonly madeAfterAll: Readonly<Record<OrderKind, string | null>>
  /** What people wrote on its items. */
  readonly said: Readonly<Record<OrderKind, readonly ItemEvent[]>>
}

/** The most orders of one wallet that are looked at. */
const ordersMax = 10

/** Finds everything for an order number, a platform number, the ID of a delivery record or a wallet. Changes nothing. */
export async function findNumber(number: string, ports: FindPorts) {
  const incompleteBecause: string[] = []
  const named = isUuid(number) ? await numbersOfId(number, ports, incompleteBecause) : [number]
  const trace = await ports.journal?.trace(number)
  const here = [
    ...(trace?.requests ?? []),
    ...(trace?.resends ?? []),
    ...ports.received(number),
    ...((await ports.journal?.findFinalOrdersOf([number])) ?? []),
  ].flatMap(({orderNo}) => orderNo ?? [])
  const orderNos = [...new Set([...named, ...here])]
  if (orderNos.length > ordersMax) {
    incompleteBecause.push(`${orderNos.length - ordersMax} more orders are not shown`)
  }
  const orders: FoundOrder[] = []
  for (const orderNo of orderNos.slice(0, ordersMax)) orders.push(await findOrder(orderNo, ports))
  for (const {orderNo, sides, records, paidTwice} of orders) {
    if (paidTwice?.isKnown === false) incompleteBecause.push(paidTwice.why)
    if (typeof records === 'string')
      incompleteBecause.push(`the delivery records of ${orderNo} could not be read: ${records}`)
    // Once one address found it, a missing answer of the other does not matter.
    if (orderKinds.some((kind) => sides[kind].is === 'found')) continue
    for (const kind of orderKinds) {
      const side = sides[kind]
      if (side.is === 'no_answer') incompleteBecause.push(`the ${kind} query got no answer: ${side.because}`)
    }
  }
  const isUnanswered = orders.some(({sides}) =>
    orderKinds.every((kind) => sides[kind].is === 'no_answer' && sides[kind].code === 'service_unreachable'),
  )
  return {orders: orders.filter(isKnown), incompleteBecause, isUnanswered}
}

/** The merchant's numbers for the ID of a delivery record or the platform's ID of an order. */
async function numbersOfId(
  id: string,
  {client, width, onProgress}: FindPorts,
  incompleteBecause: string[],
): Promise<string[]> {
  const records = await orWhy(async () => {
    const detail = await client.getDelivery(id)
    return detail ? [detail.delivery] : await readRecordsOf('', {client, width, onProgress}, id)
  })
  if (typeof records !== 'string') return records.map(({merchantOrderId}) => merchantOrderId)
  incompleteBecause.push(`the delivery records could not be read: ${records}`)
  return []
}

async function findOrder(orderNo: string, ports: FindPorts): Promise<FoundOrder> {
  const {client, width, journal, profileName, onProgress} = ports
  const sides = await askBoth(orderNo, client)
  const trace = await journal?.trace(orderNo)
  const records = await orWhy(() => readRecordsOf(orderNo, {client, width, onProgress}))
  const resends: FoundOrder['resends'][number][] = []
  for (const row of trace?.resends ?? [])
    resends.push({...row, by: row.by ?? (await journal?.findRun(row.runId))?.by ?? null})
  const agreed: FinalOrder[] = []
  for (const kind of orderKinds) agreed.push(...((await journal?.findFinalOrders(kind, [orderNo])) ?? []))
  const saidOf = async (kind: OrderKind) => (await journal?.itemEvents(kind, orderNo)) ?? []
  const recordIds = new Set(typeof records === 'string' ? [] : records.map(({id}) => id.toLowerCase()))
  const {payout} = sides
  const madeOf = async (kind: OrderKind) => {
    const {[kind]: side} = sides
    return side.is === 'found'
      ? madeAfterAll(await journal?.findRequest(kind, orderNo), side.order, profileName)
      : null
  }
  const isPayouts = ({orderId}: Delivery) => payout.is === 'found' && orderId === payout.order.platformOrderNo
  const all = typeof records === 'string' ? [] : records
  const record = all.find(isPayouts) ?? all[0]
  return {
    orderNo,
    sides,
    records,
    whyPaidAnew:
      journal && payout.is === 'found' && payout.order.status === 'failed'
        ? await paidAnewBy(journal, client)(
            payout.order,
            record ? madeSince(parseInstant(record.createdAt)) : null,
          )
        : null,
    paidTwice: journal && payout.is === 'found' ? await paidTwiceBy(journal, client)(payout.order) : null,
    requests: (trace?.requests ?? []).filter((row) => row.orderNo === orderNo),
    resends,
    received: ports.received(orderNo),
    findings: (await journal?.findingsOf(orderKinds.map((kind) => ({kind, orderNo})))) ?? [],
    agreed,
    rows: journal ? await rowsOf(trace?.rows ?? [], journal) : [],
    madeAfterAll: {deposit: await madeOf('deposit'), payout: await madeOf('payout')},
    said: {deposit: await saidOf('deposit'), payout: await saidOf('payout')},
    doubts: (journal ? await openDoubts(journal, profileName) : []).filter(
      (doubt) => doubt.orderNo === orderNo || recordIds.has(doubt.recordId?.toLowerCase() ?? ''),
    ),
  }
}

/** The plan of a run (`--plan`) is no run, and its rows are not named. */
async function rowsOf(
  rows: readonly Omit<FoundRow, 'isCompared'>[],
  journal: Pick<Journal, 'findRun'>,
): Promise<FoundRow[]> {
  const known: FoundRow[] = []
  for (const row of rows) {
    const run = await journal.findRun(row.runId)
    if (run) known.push({...row, isCompared: comparedStatuses.includes(run.exitStatus ?? -1)})
  }
  return known
}

const comparedStatuses: readonly number[] = [0, 6, 7, 8]

async function askBoth(orderNo: string, client: FindClient): Promise<FoundOrder['sides']> {
  const sides: Record<OrderKind, ServiceSide> = {deposit: {is: 'absent'}, payout: {is: 'absent'}}
  try {
    const asked = orderKinds.map((kind) => ({kind, orderNo}))
    const onAnswer = ({kind}: {readonly kind: OrderKind}, side: ServiceSide) => {
      sides[kind] = side
    }
    await askOrders(client, asked, {width: 2, onAnswer})
  } catch (thrown) {
    // If the service cannot be reached, what this machine knows is still shown.
    const error = asFailure(thrown)
    if (error.code !== 'service_unreachable') throw error
    // Each kind has its own reason already, where it was asked for.
    for (const kind of orderKinds) if (sides[kind].is !== 'no_answer') sides[kind] = noAnswer(error)
  }
  return sides
}

async function orWhy<T>(read: () => Promise<T>): Promise<T | string> {
  try {
    return await read()
  } catch (thrown) {
    const error = asFailure(thrown)
    if (isStop(error) || error.exitStatus === 3) throw error
    return error.clause
  }
}

function isKnown({sides, records, ...here}: FoundOrder): boolean {
  const {requests, resends, received, findings, agreed, rows} = here
  return (
    orderKinds.some((kind) => sides[kind].is === 'found') ||
    (typeof records !== 'string' && records.length > 0) ||
    [requests, resends, received, findings, agreed, rows].some((list) => list.length > 0)
  )
}
