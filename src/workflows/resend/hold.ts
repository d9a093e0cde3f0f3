import type {QuotedDelivery, ServiceClient} from '../../api/client.ts'
import {type Dialect, defaultDialect} from '../../core/dialect.ts'
import {stateOfEvent} from '../../core/event-state.ts'
import {asFailure, Failure, type FailureCode} from '../../core/failure.ts'
import type {JsonValue} from '../../core/json.ts'
import {formatTaka} from '../../core/money.ts'
import {type Delivery, isSameId, type OrderKind, type ServiceOrder} from '../../core/order.ts'
import {playerOfPayload} from '../../core/payload.ts'
import {whyAnotherPlayer, whyAnotherWebhook} from '../../core/reconcile/delivered.ts'
import type {ResendOutcome} from '../../core/reconcile/finding.ts'
import {escapeInvisible} from '../../core/text.ts'
import {parseInstant} from '../../core/time.ts'
import type {FoundOrder} from '../orders/as-sent.ts'
import {askQuietly} from '../orders/confirm.ts'
import {madeSince, type WhyPaidAnew} from '../orders/paid-anew.ts'
import {readFirstPage} from '../records/list-reader.ts'
import type {ResendJob} from './job.ts'
import {askBothKinds} from './order-records.ts'
import type {Ledgers} from './seen.ts'
import {isUnmoved} from './watch.ts'

type Reader = Pick<ServiceClient, 'getDelivery' | 'queryOrder'>

/** What an order is weighed by that nobody asked for before. */
export interface Unasked {
  readonly dialect: Dialect
  readonly ledgers: Ledgers
}

/** What the journal knows of an order that this machine sent; null where nothing speaks against the resend. */
export interface SentHere {
  readonly whyNotAsSent: (
    kind: OrderKind,
    answer: FoundOrder,
    payload: JsonValue | undefined,
  ) => Promise<string | null>
  /** Of a failed payout. */
  readonly whyPaidAnew: WhyPaidAnew
  /** What was said or came here since it was planned, and holds it too. */
  readonly whyHeld?: (job: ResendJob, kind: OrderKind | null) => Promise<string | null>
}

/** Nothing holds a resend back; `kind` of its order, null where it is not known. */
interface Cleared {
  readonly state: 'cleared'
  readonly kind: OrderKind | null
}

/**
 * Why a resend is not sent now, if it is not. The evidence may be as old as the question on the screen: a record or an order
 * that moved since is not ours to send.
 */
export async function holdBack(
  {delivery: known, refusePayload, order, kind}: ResendJob,
  client: Reader,
  sentHere: SentHere,
  unasked?: Unasked,
): Promise<ResendOutcome | Cleared> {
  let detail: QuotedDelivery | null
  try {
    detail = await client.getDelivery(known.id)
  } catch (thrown) {
    const {message} = asFailure(thrown)
    return skippedOutcome(`Not sent: its record could not be read just before (${message}).`)
  }
  if (!detail) return skippedOutcome('Not sent: the service no longer has its record.')
  const {delivery: fresh, payload} = detail
  const moved = whyMoved(fresh, known)
  if (moved !== null) return skippedOutcome(moved)
  const refusal = refusePayload?.(payload) ?? null
  if (refusal !== null) return {...skippedOutcome(refusal), needsPerson: true}
  const cleared: Cleared = {state: 'cleared', kind}
  if (order === null)
    return unasked ? await weighUnknownOrder(fresh, payload, client, sentHere, unasked) : cleared
  return (await whyOrderMoved(order, payload, client, sentHere)) ?? cleared
}

function whyMoved(now: Delivery, known: Delivery): string | null {
  if (isUnmoved(known, now)) return null
  return `Not sent: its record moved since it was read (now ${now.status}, ${now.attempts} tries).`
}

/**
 * Asks just before each send whether the records of its order are as they were when it was planned; last, because queries may take
 * long. A record that is new, or was delivered since, is for a new plan to weigh.
 */
export class LastLookUps {
  private readonly client: Pick<ServiceClient, 'listDeliveries'>
  private readonly onNote: (note: string) => void
  /** Whether a look-up by `order_id` has found its record at this service, and nothing else. */
  private isProven = false
  private isSaid = false

  constructor(
    client: Pick<ServiceClient, 'listDeliveries'>,
    onNote: (note: string) => void = () => undefined,
  ) {
    this.client = client
    this.onNote = onNote
  }

  async whyMoved(job: ResendJob): Promise<string | null> {
    const {delivery: known, records = []} = job
    if (stateOfEvent(known.event, defaultDialect) === 'open') return null
    let read: readonly Delivery[] | null
    try {
      read = await this.read(job)
    } catch (thrown) {
      return `Not sent: the records of its order could not be read just before (${asFailure(thrown).message}).`
    }
    if (read === null) return 'Not sent: its record is no longer among those of its order. Run it again.'
    const seen = new Map(records.map(({id, status}) => [id, status]))
    for (const one of read) {
      const isOwn = isSameId(one.id, known.id)
      const why = isOwn ? whyMoved(one, known) : null
      if (why !== null) return why
      if (isOwn || !isSameId(one.orderId, known.orderId)) continue
      const before = seen.get(one.id)
      // An older one that the plan did not read was not in its part of the list.
      const isNew =
        before === undefined
          ? (parseInstant(one.createdAt) ?? Number.POSITIVE_INFINITY) >= (parseInstant(known.createdAt) ?? 0)
          : before !== one.status && one.status === 'success'
      if (isNew && stateOfEvent(one.event, defaultDialect) !== 'open')
        return `Not sent: its order has a new record of ${escapeInvisible(one.event, 40)} (${one.status}). Run it again.`
    }
    return null
  }

  /**
   * The records with its `order_id`; null if its own is not there any more. A service that never finds one by it (A9), or refuses
   * to, is asked for its list's first page instead: what the list showed when it was planned counts.
   */
  private async read({delivery: {id, orderId}, isLookedUp}: ResendJob): Promise<readonly Delivery[] | null> {
    let found: readonly Delivery[] = []
    try {
      found = (await readFirstPage(this.client, {orderId})).records
    } catch (thrown) {
      if (asFailure(thrown).code !== 'service_refused' || isLookedUp || this.isProven) throw thrown
    }
    const isAlone = found.every((one) => isSameId(one.orderId, orderId))
    if (found.some((one) => isSameId(one.id, id))) {
      this.isProven ||= isAlone
      return found
    }
    if (isLookedUp || this.isProven) return null
    if (!this.isSaid) this.onNote(unprovenNote)
    this.isSaid = true
    return isAlone ? (await readFirstPage(this.client, {})).records : found
  }
}

const unprovenNote =
  'the service does not find a record by its order_id. So a record that is made after the list was read may be missed.'

/** Failures of a query that is set up and may be answered later; with any other the record alone decides. */
const isAnsweredLater: readonly FailureCode[] = [
  'service_busy',
  'service_unreachable',
  'credentials_rejected',
]

/**
 * Asks for the order of a record, whose kind the record does not say: the order of its `order_id`, else any of its
 * number. A query without an answer is no "no".
 */
async function weighUnknownOrder(
  record: Delivery,
  payload: JsonValue | undefined,
  client: Reader,
  {whyNotAsSent, whyPaidAnew}: SentHere,
  {dialect, ledgers}: Unasked,
): Promise<ResendOutcome | Cleared> {
  const {event, merchantOrderId: orderNo, createdAt} = record
  if (orderNo === '') return {state: 'cleared', kind: null}
  const {found, unanswered, own, kind} = await askBothKinds(record, client)
  const says = stateOfEvent(event, dialect)
  const whyDone = async (order: ServiceOrder) => {
    // Also of an event or a status that the profile does not know, as `payout.refunded`.
    const isFailure = order.kind === 'payout' && order.status !== 'completed' && order.status !== 'open'
    const why = isFailure ? await whyPaidAnew(order, madeSince(parseInstant(createdAt))) : null
    if (why !== null || says === 'failed') return why
    const {playerRef = playerOfPayload(payload)} = order
    return await ledgers.whyBooked({...order, ...(playerRef && {playerRef})}, createdAt)
  }
  const objectionTo = async (answer: FoundOrder) => {
    const {order} = answer
    return says !== null && order.status !== says
      ? `Not sent: the webhook has the status ${says}, but the service now has "${escapeInvisible(order.rawStatus, 60)}". Ask the service which is right.`
      : (whyAnotherWebhook(payload, order, dialect, await ledgers.amountOf(order)) ??
          prefixed(await whyNotAsSent(order.kind, answer, payload)) ??
          prefixed(await whyDone(order)))
  }
  const objections: (string | null)[] = []
  for (const answer of own.length > 0 ? own : found) objections.push(await objectionTo(answer))
  const [objection = null] = objections
  if (objections.length > 0) {
    return objection === null || objections.includes(null)
      ? {state: 'cleared', kind}
      : {...skippedOutcome(objection), needsPerson: true}
  }
  const later = unanswered.find(({code}) => isAnsweredLater.includes(code))
  if (later) {
    return skippedOutcome(
      `Not sent: its order could not be queried just before (${later.clause}). Run it again.`,
    )
  }
  if (unanswered.length > 0) return {state: 'cleared', kind}
  const why = `Not sent: the service no longer has the order ${escapeInvisible(orderNo, 80)}. Ask the service why.`
  return {...skippedOutcome(why), needsPerson: true}
}

function prefixed(why: string | null): string | null {
  return why && `Not sent: ${why}`
}

/** Why the order as it is now is not the one that was decided on, or the webhook is another player's; null where all is the same. */
async function whyOrderMoved(
  known: ServiceOrder,
  payload: JsonValue | undefined,
  client: Reader,
  {whyNotAsSent}: SentHere,
): Promise<ResendOutcome | null> {
  const {kind, orderNo} = known
  const answer = await askQuietly(client, kind, orderNo)
  const again = 'Run it again.'
  if (answer instanceof Failure) {
    return skippedOutcome(
      `Not sent: the order could not be queried just before (${answer.clause}). Run it again.`,
    )
  }
  if (!answer.found) return skippedOutcome(`Not sent: the service no longer knows the order. ${again}`)
  const {order} = answer
  if (order.status !== known.status || order.platformOrderNo !== known.platformOrderNo) {
    const now = `now "${escapeInvisible(order.rawStatus, 60)}"`
    return skippedOutcome(`Not sent: the order changed since it was queried (${now}). ${again}`)
  }
  if (order.amount !== known.amount) {
    const now = order.amount === null ? 'now not stated' : `now BDT ${formatTaka(order.amount)}`
    return skippedOutcome(`Not sent: the amount of the order changed since it was queried (${now}). ${again}`)
  }
  const other = whyAnotherPlayer(payload, order) ?? prefixed(await whyNotAsSent(kind, answer, payload))
  return other === null ? null : {...skippedOutcome(other), needsPerson: true}
}

export function skippedOutcome(why: string): ResendOutcome {
  return {state: 'skipped', sentAtMs: null, responseCode: null, why}
}
