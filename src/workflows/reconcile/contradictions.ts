import {completedEvent, type OrderKind, orderKinds} from '../../core/order.ts'
import type {LedgerSide, ServiceSide} from '../../core/reconcile/classify.ts'
import type {BookedRow} from '../../core/reconcile/entry.ts'
import {orderKey} from '../../core/reconcile/orders.ts'
import {snapshotOf} from '../../core/reconcile/snapshot.ts'
import {escapeInvisible, firstOf} from '../../core/text.ts'
import type {SeenFinding} from '../../journal/memory-rows.ts'
import {counted} from '../../report/figures.ts'
import type {Staging} from '../../staging/staging.ts'
import {askOrders} from '../orders/ask.ts'
import {finish} from './decide.ts'
import type {Deliveries} from './deliveries.ts'
import {type FinalOrderRecorder, isFinal} from './final-orders.ts'
import type {FollowedUp} from './follow-up.ts'
import type {MissingOrder} from './query-missing.ts'
import type {ReconcileOptions, ReconcilePorts} from './types.ts'

/** An order with a completed webhook that the service shows as open, failed or absent. */
interface Contradicted extends MissingOrder {
  readonly row: (LedgerSide & Pick<BookedRow, 'createdMs'>) | null
}

export interface ContradictedOrders {
  /** A sentence for the report; null without contradictions. */
  readonly note: string | null
  /** Why orders of this window may be paid and not booked, as clauses: nobody knows the numbers of their webhooks. */
  readonly incompleteBecause: readonly string[]
  readonly has: (order: {readonly kind: OrderKind; readonly orderNo: string}) => boolean
  /** Remembered as open, so that later runs ask again until both agree. */
  readonly seen: readonly SeenFinding[]
}

/**
 * Orders that agree or need no report, but have an `order.completed` record: the answer may lag behind, and nobody
 * would look again (P18). The journal no longer counts them as final.
 */
export async function findContradicted(
  staging: Staging,
  deliveries: Pick<Deliveries, 'completionsRead'>,
  {missing, followed}: {readonly missing: readonly MissingOrder[]; readonly followed: readonly FollowedUp[]},
  {concurrency: width}: Pick<ReconcileOptions, 'concurrency'>,
  {client, signal}: Pick<ReconcilePorts, 'client' | 'signal'>,
  finals: Pick<FinalOrderRecorder, 'revoke' | 'flush'>,
): Promise<ContradictedOrders> {
  const named = [...staging.records.ofNotCompleted(completedEvent)].flatMap((order) => {
    const [entry] = staging.ledger.entriesOf(order)
    const side = staging.answers.sideOf(order)
    return entry && side ? [{order, side, row: entry}] : []
  })
  for (const {order, side, row} of named) {
    if (side.is !== 'found' || !isFinal(row, side.order)) continue
    await finals.revoke(order)
    // Its final order is revoked, so the statement must not use what an earlier run saw.
    staging.balances.putNone(order)
  }
  await finals.flush()
  const unsaid = [...missing.map((one) => ({...one, row: null})), ...followed].filter(({side}) =>
    isNotCompleted(side),
  )
  const isOpen = (one: (typeof unsaid)[number]) =>
    ('remembered' in one && one.remembered.verdict === 'in_flight' && one.remembered.severity !== 'none') ||
    (one.side.is === 'found' && deliveries.completionsRead(one.side.order).length > 0)
  const open = unsaid.filter(isOpen)
  const found = [...missing, ...followed].flatMap(({side}) => (side.is === 'found' ? side.order : []))
  const known = {
    orderNos: new Set(found.map(({orderNo}) => orderNo)),
    platformOrderNos: new Set(found.map(({platformOrderNo}) => platformOrderNo)),
  }
  const absent = unsaid.filter(
    (one) => one.side.is === 'absent' && !isOpen(one) && isLost(one.order.orderNo, known, staging),
  )
  // A record does not show its kind, so an order missing here may be one of the other kind.
  const others = absent.flatMap(({order: {kind, orderNo}}) =>
    orderKinds.filter((other) => other !== kind).map((other) => ({kind: other, orderNo})),
  )
  const ofOtherKind = new Set<string>()
  await askOrders(client, others, {
    ...{width, signal, reachedBefore: true},
    onAnswer: ({orderNo}, side) => {
      if (side.is === 'found') ofOtherKind.add(orderNo)
    },
  })
  const unknown = absent.filter(({order}) => !ofOtherKind.has(order.orderNo))
  const all = [...named, ...open, ...unknown]
  const keys = new Set(all.map(({order}) => orderKey(order)))
  return {
    note: noteOn(all),
    incompleteBecause: whyUnknown(
      unknown.filter((one) => !('remembered' in one)).map(({order}) => order.orderNo),
      new Set(missing.flatMap(({order, side}) => (side.is === 'absent' ? [] : order.orderNo))),
    ),
    has: (order) => keys.has(orderKey(order)),
    seen: all.map((one) => seenOpen(one, 'low')),
  }
}

function isNotCompleted(side: ServiceSide): boolean {
  if (side.is !== 'found') return side.is === 'absent'
  return side.order.status === 'open' || side.order.status === 'failed'
}

/** Whether a record of the number was not delivered and belongs to no known order. */
function isLost(
  orderNo: string,
  known: Readonly<Record<'orderNos' | 'platformOrderNos', ReadonlySet<string>>>,
  {records, answers}: Staging,
): boolean {
  if (known.orderNos.has(orderNo)) return false
  return records
    .byNumber(orderNo)
    .some(
      ({event, status, orderId}) =>
        event === completedEvent &&
        status !== 'success' &&
        !answers.isKnown(orderId) &&
        !known.platformOrderNos.has(orderId),
    )
}

const namedMax = 5

/** `others`: numbers that the other kind may have. */
function whyUnknown(absent: readonly string[], others: ReadonlySet<string>): string[] {
  const orderNos = [...new Set(absent)].filter((orderNo) => !others.has(orderNo))
  if (orderNos.length === 0) return []
  const named = firstOf(orderNos, namedMax, (orderNo) => `"${escapeInvisible(orderNo, 80)}"`)
  return [
    `the webhooks of ${named} were not delivered, and the service knows no such order: another order may be paid and not booked. Ask the service`,
  ]
}

function noteOn(all: readonly Contradicted[]): string | null {
  if (all.length === 0) return null
  const some = firstOf(all, namedMax, ({order, side}) => {
    const word = side.is === 'found' ? `"${escapeInvisible(side.order.rawStatus, 60)}"` : 'no such order'
    return `${escapeInvisible(order.orderNo, 80)} (${word})`
  })
  const have = counted(all.length, 'order has', 'orders have')
  return `${have} a webhook with status completed, but another status at the service: ${some}. Ask the service which is right. Later runs query them until both agree.`
}

/** An order that is open on both sides; severity `none` if nothing contradicts that. */
export function seenOpen(
  {order: {kind, orderNo}, side, row}: Contradicted,
  severity: 'low' | 'none',
): SeenFinding {
  const order = {kind, orderNo}
  const service = side.is === 'found' ? side.order : null
  const draft = {...({verdict: 'in_flight', cause: null, action: 'wait'} as const), ledger: row, service}
  const finding = finish(
    {...order, line: null, file: null},
    {...draft, delivery: null, detail: null, notes: []},
  )
  const atRisk = service?.amount ?? row?.amount ?? null
  return {
    ...order,
    verdict: 'in_flight',
    cause: null,
    severity,
    orderedAtMs: row?.createdMs ?? null,
    snapshot: snapshotOf([finding]),
    atRisk,
  }
}
