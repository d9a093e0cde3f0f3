import type {ServiceClient} from '../../api/client.ts'
import type {MeasuredTime} from '../../core/clocks.ts'
import {type DeliveryFilter, passes} from '../../core/delivery-filter.ts'
import type {Dialect} from '../../core/dialect.ts'
import {mayBeSameEvent, stateOfEvent} from '../../core/event-state.ts'
import {Failure} from '../../core/failure.ts'
import {type Delivery, type DeliveryStatus, isSameId, isUuid, type OrderKind} from '../../core/order.ts'
import {findOutages, type Outage} from '../../core/outages.ts'
import {
  type EarlierResend,
  newestOf,
  type ResendOverrides,
  weighDelivery,
  weighWait,
} from '../../core/reconcile/evidence.ts'
import {reasonAgainst, whyWaitIsOpen} from '../../core/reconcile/reason-against.ts'
import type {DeliveryCause} from '../../core/reconcile/verdict.ts'
import {quoteForShell} from '../../core/shell.ts'
import {escapeInvisible} from '../../core/text.ts'
import {parseInstant} from '../../core/time.ts'
import {counted} from '../../report/figures.ts'
import {forEachBounded} from '../bounded.ts'
import {readFullList} from '../records/full-list-read.ts'
import {overridable, whatIsAgainst, whySending} from './against.ts'
import {listOrder, readOrderRecords, readOrWhy, withoutOtherKind} from './order-records.ts'
import {Orphans} from './orphans.ts'
import type {WhyReceived} from './received.ts'
import {override, type Reconciled} from './seen.ts'

/** Which records are to be resent: named one by one, or all that match. */
export type ResendSelection =
  | {readonly by: 'ids'; readonly ids: readonly string[]}
  /** Null: of any status, which only an order number goes with. */
  | {
      readonly by: 'filter'
      readonly status: DeliveryStatus | null
      readonly local: DeliveryFilter
      /** The id of one, or `all`: only failed records that are in it. */
      readonly outage?: string | undefined
    }

/** One selected record: to be resent, or left out with the reason. */
export type ResendDecision =
  | {
      readonly id: string
      readonly delivery: Delivery
      readonly resend: true
      readonly cause: DeliveryCause
      /** All of its order. */
      readonly records?: readonly Delivery[]
      readonly isLookedUp?: boolean
    }
  | {
      readonly id: string
      readonly delivery: Delivery | null
      readonly resend: false
      readonly why: string
      readonly isOpen: boolean
    }

type MaybeLater<T> = T | Promise<T>
type ReconciledOf = (record: Delivery) => MaybeLater<Reconciled | null>

export interface ResendPlanPorts {
  readonly client: Pick<ServiceClient, 'listDeliveries' | 'getDelivery' | 'queryOrder' | 'clockSkewMs'>
  /** `kind`: that of the record's order, null where it is not known. */
  readonly earlierResend: (record: Delivery, kind: OrderKind | null) => MaybeLater<EarlierResend | null>
  /** What `reconcile` saw of the record's order, where that speaks against its resend. */
  readonly reconciled: (selected: readonly Delivery[]) => MaybeLater<ReconciledOf>
  /** Since when `reconcile` sees the record's order wait; null where it does not. */
  readonly waitsSince: (record: Delivery) => MaybeLater<number | null>
  readonly received?: WhyReceived
  readonly overrides: ResendOverrides
  /** State of an order by its status word. */
  readonly dialect: Dialect
  readonly timeZone: string
  readonly now: () => number
  /** Calls on their way at once. */
  readonly width: number
  readonly onProgress: (stage: 'pages' | 'records' | 'look-ups', done: number, total: number) => void
}

export type ResendPlan = Awaited<ReturnType<typeof planResends>>

/**
 * Reads everything first and decides after (P10): the selected records, then for each of their orders every
 * record there is, because only the newest of an order's event may be sent again (P4).
 *
 * Throws `usage` for an id that is none, before any call; what makes going on pointless (credentials, no legacy
 * API) as it comes.
 */
export async function planResends(selection: ResendSelection, ports: ResendPlanPorts) {
  const {selected, unread, incompleteBecause, readBefore} =
    selection.by === 'ids' ? await readNamed(selection.ids, ports) : await readMatching(selection, ports)
  const orphans = new Orphans(selected.map(named), ports)
  const unseen: string[] = []
  const {of: recordsOf, isLookedUp} = await readOrderRecords(selected, {
    ...{...ports, ...(readBefore && {readBefore})},
    onRecord: (record) => orphans.see(record),
    onOdd: (odd) => orphans.seeOdd(odd),
    onPart: (why) => unseen.push(`records with an order's number and another order_id may be unread: ${why}`),
  })
  const time = {nowMs: ports.now(), skewMs: ports.client.clockSkewMs}
  const reconciled = await ports.reconciled(selected)
  const isAskedFor = selection.by === 'ids' || selection.local.event !== null
  const decisions: ResendDecision[] = []
  for (const record of selected) {
    const read = recordsOf(record)
    const own = typeof read === 'string' ? null : await withoutOtherKind(record, read, ports.client)
    const known = own?.records ?? read
    const earlierResend = () => ports.earlierResend(record, own?.kind ?? null)
    const decision = await decide(record, known, time, {...ports, earlierResend, reconciled, orphans})
    const isUntold = !isAskedFor && stateOfEvent(record.event, ports.dialect) === null
    if (!decision.resend) decisions.push(decision)
    else decisions.push(isUntold ? leaveUntoldOut(decision) : {...decision, isLookedUp})
  }
  const unreadOrders = selected.filter((record) => typeof recordsOf(record) === 'string')
  const gone = selected.filter((record) => {
    const known = recordsOf(record)
    return typeof known !== 'string' && !isAmong(record, known)
  }).length
  const failed = new Set(unreadOrders.map(({orderId}) => orderId)).size
  return {
    selectedBy: selection.by,
    decisions: [...decisions, ...unread],
    /** What could not be read; empty when everything was. */
    incompleteBecause: [
      ...incompleteBecause,
      ...unseen,
      ...(failed > 0 ? [`not all records of ${counted(failed, 'order', 'orders')} could be read`] : []),
      ...(gone > 0 ? [`${counted(gone, 'record', 'records')} left the list while it was read`] : []),
    ],
  }
}

function isAmong(record: Delivery, records: readonly Delivery[]): boolean {
  return records.some(({id}) => isSameId(id, record.id))
}

function named({merchantOrderId: orderNo, orderId: platformOrderNo}: Delivery) {
  return {orderNo, platformOrderNo}
}

interface Selected {
  readonly selected: readonly Delivery[]
  readonly unread: readonly ResendDecision[]
  readonly incompleteBecause: readonly string[]
  /** What was read of the list to find them. */
  readonly readBefore?: {readonly records: readonly Delivery[]; readonly isWhole: boolean}
}

async function readNamed(
  ids: readonly string[],
  {client, width, onProgress}: ResendPlanPorts,
): Promise<Selected> {
  const wrong = ids.find((id) => !isUuid(id))
  if (wrong !== undefined) {
    throw new Failure(
      'usage',
      `"${escapeInvisible(wrong, 80)}" is not the id of a delivery record.`,
      'Ids are UUIDs. `hisab webhooks list` shows them.',
    )
  }
  const wanted = [...new Set(ids.map((id) => id.toLowerCase()))]
  const found: (Delivery | null)[] = []
  const unread: ResendDecision[] = []
  const incompleteBecause: string[] = []
  let done = 0
  await forEachBounded(wanted, width, async (id, index) => {
    const record = await readOrWhy(async () => (await client.getDelivery(id))?.delivery ?? null)
    if (record === null || typeof record === 'string') {
      const why = record === null ? 'The service has no such record.' : `It could not be read: ${record}.`
      unread.push({id, delivery: null, resend: false, why, isOpen: false})
      if (record !== null) incompleteBecause.push(`the record ${id} could not be read`)
    } else found[index] = record
    onProgress('records', ++done, wanted.length)
  })
  return {selected: found.filter((record) => record != null), unread, incompleteBecause}
}

async function readMatching(
  {status, local, outage}: Extract<ResendSelection, {by: 'filter'}>,
  {client, width, now, onProgress}: ResendPlanPorts,
): Promise<Selected> {
  const onPage = (read: number, total: number) => onProgress('pages', read, total)
  if (outage !== undefined) {
    const {records, because} = await readFullList(client, {filter: {}, width, onPage})
    const outages = findOutages(records, local, now())
    const meant = outages.filter(({id}) => outage === 'all' || id === outage.toLowerCase())
    if (meant.length === 0 && outage !== 'all') throw noOutage(outage, outages)
    const selected = meant.flatMap(({records: ofOutage}) => ofOutage)
    const incompleteBecause = because === null ? [] : [unreadList(because)]
    return {selected, unread: [], incompleteBecause, readBefore: {records, isWhole: because === null}}
  }
  const {merchantOrderId} = local
  if (merchantOrderId !== null || status === null) {
    const named = {...local, merchantOrderId: merchantOrderId ?? ''}
    const {records, because} = await listOrder(status === null ? {} : {status}, named, {
      ...{client, width, onProgress},
    })
    if (because === null && records.length === 0) throw noRecordOf(named.merchantOrderId, status)
    return {selected: records, unread: [], incompleteBecause: because === null ? [] : [unreadList(because)]}
  }
  const {records, because} = await readFullList(client, {filter: {status}, width, onPage})
  return {
    // The service may ignore the filter, which must not widen the plan.
    selected: records.filter((record) => record.status === status && passes(record, local)),
    unread: [],
    incompleteBecause: because === null ? [] : [unreadList(because)],
    readBefore: {records, isWhole: false},
  }
}

function unreadList(because: string): string {
  return `the list could not be read whole: ${because}`
}

function noOutage(outage: string, outages: readonly Outage[]): Failure {
  const known = outages.map(({id}) => id).join(', ')
  return new Failure(
    'not_found',
    `There is no outage ${escapeInvisible(outage, 60)} any more, or the filters exclude all of it. Nothing was sent.`,
    known === '' ? 'No webhook is failed.' : `Run \`hisab webhooks list --outages\`. Outages: ${known}.`,
  )
}

function noRecordOf(orderNo: string, status: DeliveryStatus | null): Failure {
  const number = escapeInvisible(orderNo, 80)
  return new Failure(
    'not_found',
    `The service has no ${status ?? 'delivery'} record of ${number} that passes the filters. Nothing was sent.`,
    `Run \`hisab find ${quoteForShell(number)}\` to see the order.`,
  )
}

/** Whether an event is true now that says nothing of its order's state, asking for the order does not tell. */
function leaveUntoldOut({id, delivery}: Extract<ResendDecision, {resend: true}>): ResendDecision {
  const event = escapeInvisible(delivery.event, 60)
  const why = `hisab does not know the event "${event}", so it cannot check whether it still applies. To send it, give its id, or add --event.`
  return {id, delivery, resend: false, why, isOpen: true}
}

async function decide(
  record: Delivery,
  known: readonly Delivery[] | string,
  time: MeasuredTime,
  {
    earlierResend,
    reconciled,
    received,
    waitsSince,
    overrides,
    dialect,
    timeZone,
    orphans,
  }: Omit<ResendPlanPorts, 'reconciled' | 'earlierResend'> & {
    readonly earlierResend: () => MaybeLater<EarlierResend | null>
    readonly reconciled: ReconciledOf
    readonly orphans: Orphans
  },
): Promise<ResendDecision> {
  const {id, event} = record
  const leaveOut = (delivery: Delivery, why: string, isOpen = false): ResendDecision => ({
    ...{id, delivery, resend: false, why, isOpen},
  })
  if (typeof known === 'string') {
    return leaveOut(record, `It may not be its order's newest record: ${known}.`)
  }
  const ofEvent = known.filter((other) => mayBeSameEvent(other.event, event, dialect))
  const newest = newestOf(ofEvent)
  if (newest === null || !isAmong(record, known))
    return leaveOut(record, 'It was not among the records of its order when they were read.')
  if (!isSameId(newest.id, id)) {
    return leaveOut(record, `A newer record of the same event decides: ${newest.id}.`)
  }
  const earlier = await earlierResend()
  const weighed = weighDelivery({is: 'read', newest}, earlier, overrides, time)
  const waitsSinceMs = await waitsSince(newest)
  const waited = weighWait(weighed, () => waitsSinceMs, overrides, time)
  const {cause, action} = waited
  if (action === 'resend') {
    const {includeDelivered} = overrides
    const about = {names: [event], record: newest, records: known, sharing: known} as const
    const against = await whatIsAgainst(
      {...about, order: {...named(newest), kind: null}, sinceMs: parseInstant(newest.createdAt)},
      {
        ...{dialect, received, orphans: () => orphans},
        // No ledger here shows that the event was not booked.
        whyOther: (other) =>
          other.status === 'success' && !includeDelivered
            ? `Another record of the same event succeeded: ${other.id}.`
            : whySending(other, time),
      },
      includeDelivered ? overridable : [],
    )
    if (against !== null) {
      const {by, why} = against
      return leaveOut(
        newest,
        overridable.includes(by) ? `${why} ${override}` : why,
        by !== 'other' && by !== 'handedOn',
      )
    }
    const resend = {id, delivery: newest, resend: true, cause, records: known} as const
    if (includeDelivered) return resend
    const seen = await reconciled(newest)
    return seen ? leaveOut(newest, seen.why, seen.isOpen) : resend
  }
  // Its record failed again after your server had taken it; a ledger or a person may have ended that.
  const isAgain = cause === 'delivered_not_booked' && newest.status !== 'success'
  const seen = isAgain ? await reconciled(newest) : null
  if (seen) return leaveOut(newest, seen.why, seen.isOpen)
  const [whyOpen] = whyWaitIsOpen(waited, timeZone)
  if (whyOpen !== undefined) return leaveOut(newest, whyOpen, true)
  // What was resent and is not delivered is open until it is, and a time that decides nothing does not pass by itself.
  const isOpen =
    cause === 'recently_resent' ||
    cause === 'resend_in_doubt' ||
    isAgain ||
    (cause === 'delivery_stuck' && action === 'review')
  return leaveOut(newest, reasonAgainst(cause, newest, earlier, overrides, timeZone, time), isOpen)
}
