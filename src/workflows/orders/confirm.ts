import {isUnprovenAbsence} from '../../api/call-error.ts'
import type {OrderAnswer, ServiceClient} from '../../api/client.ts'
import {asFailure, Failure} from '../../core/failure.ts'
import {formatTaka, type Paisa} from '../../core/money.ts'
import {namesAnOrder, type OrderKind} from '../../core/order.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {Journal} from '../../journal/journal.ts'
import type {RequestLook, RequestRow} from '../../journal/rows.ts'
import type {ReadEcho} from './echo.ts'

/** What was sent, for comparison with an answer. */
export interface AskedOrder {
  readonly kind: OrderKind
  readonly orderNo: string
  /** The ID in the answer to the create; null if only a query showed the order. */
  readonly platformOrderNo: string | null
  /** Null for a deposit, whose channel the player picks. */
  readonly amount: Paisa | null
  /** The service did not know this number before the first send. */
  readonly absentBefore: boolean
  readonly readEcho: ReadEcho
  readonly journal: Pick<Journal, 'numberWithPlatformOrder'>
}

/** The result of earlier queries; null for a new number. */
export type EarlierLook = Pick<RequestRow, 'platformOrderNo' | 'confirmation' | 'confirmationWhy'> | null

/**
 * `unanswered`: no query showed yet whether it is this order, so asking again makes sense. `not_shown`: it is this
 * order, but the service does not show its amount. `contradicted`: the service shows other values. A person must say
 * whether it was made, because a service may write values in a form of its own.
 */
export type Confirmation =
  | {readonly confirmed: true}
  | {
      readonly confirmed: false
      readonly because: 'unanswered' | 'not_shown' | 'contradicted'
      readonly why: string
    }

/**
 * Whether an answer shows the order that was sent: the service answers a number used before with the old order (P2).
 * `mayHaveEnded`: it need not be open any more. An earlier contradiction stays until a person resolves it.
 */
export async function compareOrder(
  answer: OrderAnswer | Failure,
  asked: AskedOrder,
  earlier: EarlierLook,
  mayHaveEnded: boolean,
): Promise<Confirmation> {
  const {kind, orderNo, platformOrderNo, amount, absentBefore, readEcho, journal} = asked
  const contradicted = (why: string) => ({confirmed: false, because: 'contradicted', why}) as const
  const unanswered = (why: string) => ({confirmed: false, because: 'unanswered', why}) as const
  if (earlier?.confirmation === 'contradicted')
    return contradicted(earlier.confirmationWhy ?? 'an earlier query contradicted it')
  if (platformOrderNo !== null && earlier?.platformOrderNo && earlier.platformOrderNo !== platformOrderNo)
    return contradicted('an earlier try got another platformOrderNo')
  const shownNo = answer instanceof Failure || !answer.found ? null : answer.order.platformOrderNo
  for (const no of [platformOrderNo, shownNo]) {
    const other =
      no !== null && namesAnOrder(no) ? await journal.numberWithPlatformOrder(kind, orderNo, no) : null
    if (other !== null)
      return contradicted(
        `the service gave it the platformOrderNo of the ${kind} ${escapeInvisible(other, 80)}, so that there may be one order for both`,
      )
  }
  if (answer instanceof Failure) return unanswered(`the ${kind} could not be queried: ${answer.message}`)
  if (!answer.found) return unanswered(`a query does not find the ${kind} yet`)

  const {order, raw} = answer
  const {differs, identifies} = readEcho(raw)
  const whose = absentBefore
    ? `the number was free before, so it may be this ${kind} in another form`
    : `the number may belong to an older ${kind}`
  if (amount !== null && order.amount !== null && order.amount !== amount) {
    return contradicted(`${otherAmount(order.amount, amount)}; ${whose}`)
  }
  if (differs !== null)
    return contradicted(`the service shows another ${escapeInvisible(differs, 40)} than was sent; ${whose}`)
  if (platformOrderNo !== null && order.platformOrderNo !== platformOrderNo)
    return contradicted('a query shows another platformOrderNo under this number')
  if (earlier?.platformOrderNo != null && earlier.platformOrderNo !== order.platformOrderNo)
    return contradicted('an earlier try got another platformOrderNo')

  const isNew = absentBefore || earlier?.confirmation === 'confirmed'
  // No player pays within the second: what a slow copy of the service did not find before may be an older deposit.
  const isProven = isNew && (kind === 'payout' || identifies || earlier !== null)
  if (order.status !== 'open' && order.status !== 'unknown_status' && !mayHaveEnded && !isProven) {
    return contradicted(
      `it is already ${order.status}, which a new ${kind} cannot be: the number may belong to an older one`,
    )
  }
  if (!isNew && !identifies) {
    const why = `the service shows nothing that distinguishes it from an older ${kind} under this number`
    // The create may not have been accepted, and the order found may be older.
    return platformOrderNo === null && earlier?.platformOrderNo == null ? contradicted(why) : unanswered(why)
  }
  if (order.status === 'unknown_status')
    return unanswered(
      `its status at the service is "${escapeInvisible(order.rawStatus, 60)}", which the profile does not know`,
    )
  if (amount !== null && order.amount === null) {
    const why = 'the service does not show its amount'
    return isNew ? {confirmed: false, because: 'not_shown', why} : unanswered(why)
  }
  return {confirmed: true}
}

/** The journal's text of such a contradiction begins with this. */
export function otherAmount(shown: Paisa, sent: Paisa): string {
  return `it is BDT ${formatTaka(shown)} at the service, but BDT ${formatTaka(sent)} was sent`
}

/** The result as the journal stores it. A 404 that proves nothing (A5) does not count as found either. */
export function lookOf(confirmation: Confirmation, answer: OrderAnswer | Failure): RequestLook {
  const isFound = !(answer instanceof Failure) ? answer.found : isUnprovenAbsence(answer) ? false : null
  if (confirmation.confirmed) return {confirmation: 'confirmed', why: null, isFound}
  return {confirmation: confirmation.because, why: confirmation.why, isFound}
}

/** Returns a failure as a value: a failed query after an accepted create takes nothing back. */
export async function askQuietly(
  client: Pick<ServiceClient, 'queryOrder'>,
  kind: OrderKind,
  orderNo: string,
): Promise<OrderAnswer | Failure> {
  try {
    return await client.queryOrder(kind, orderNo)
  } catch (error) {
    return asFailure(error)
  }
}
