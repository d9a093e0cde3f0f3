import type {OrderAnswer, PreparedRequest, ServiceClient} from '../api/client.ts'
import {Failure} from '../core/failure.ts'
import {JsonNumber, type JsonObject, type JsonValue} from '../core/json.ts'
import {formatTaka, type Paisa} from '../core/money.ts'
import type {OrderKind} from '../core/order.ts'
import {maskPhone, visible} from '../core/text.ts'
import {keyIdLength} from '../journal/payee-key.ts'
import type {RequestLook, RequestRow} from '../journal/rows.ts'

/** What was sent, as an answer can be compared with it. */
export interface AskedOrder {
  readonly kind: OrderKind
  readonly orderNo: string
  /** The id a create was answered with; null where only a query told of the order. */
  readonly platformOrderNo: string | null
  /** Null for a deposit: the player picks it. */
  readonly amount: Paisa | null
  /** The first field of an order's data that says something else than was sent, or null. */
  readonly differingField: (data: JsonObject) => string | null
}

/** What was known before this look; null where the number is new. */
export type EarlierLook = Pick<
  RequestRow,
  'platformOrderNo' | 'absentBefore' | 'confirmation' | 'confirmationWhy'
> | null

/**
 * `unanswered`: the query itself failed, so asking again makes sense. `not_shown`: the service does not show
 * enough to tell. `contradicted`: what it shows is not what a new order looks like; `isAnother` where it shows
 * other parameters than were sent, so that this order was not made.
 */
export type Confirmation =
  | {readonly confirmed: true}
  | {readonly confirmed: false; readonly because: 'unanswered' | 'not_shown'; readonly why: string}
  | {
      readonly confirmed: false
      readonly because: 'contradicted'
      readonly isAnother: boolean
      readonly why: string
    }

/**
 * Whether an answer shows the order that was asked for: one just created is asked for and compared, because a number
 * that was used before is answered with the old order (P2). `mayHaveEnded`: it need not be open any more. What an
 * earlier look contradicted stays contradicted, until a person says what it is.
 */
export function compareOrder(
  answer: OrderAnswer | Failure,
  asked: AskedOrder,
  earlier: EarlierLook,
  mayHaveEnded: boolean,
): Confirmation {
  const {kind, platformOrderNo, amount, differingField} = asked
  const contradicted = (why: string, isAnother = false) =>
    ({confirmed: false, because: 'contradicted', isAnother, why}) as const
  if (earlier?.confirmation === 'another_order' || earlier?.confirmation === 'contradicted') {
    const why = earlier.confirmationWhy ?? 'an earlier look contradicted it'
    return contradicted(why, earlier.confirmation === 'another_order')
  }
  if (answer instanceof Failure) {
    return {
      confirmed: false,
      because: 'unanswered',
      why: `the ${kind} could not be queried: ${answer.message}`,
    }
  }
  if (!answer.found) {
    return {confirmed: false, because: 'unanswered', why: `a query does not find the ${kind} yet`}
  }
  const {order, raw} = answer
  if (amount !== null && order.amount !== null && order.amount !== amount) {
    const said = `BDT ${formatTaka(order.amount)} at the service, and BDT ${formatTaka(amount)} was asked`
    return contradicted(`it is ${said}: the number belongs to an older ${kind}; this one was not made`, true)
  }
  const field = differingField(raw)
  if (field !== null) {
    return contradicted(
      `the service shows another ${visible(field, 40)} than was sent: the number belongs to an older ${kind}; this one was not made`,
      true,
    )
  }
  if (platformOrderNo !== null && order.platformOrderNo !== platformOrderNo) {
    return contradicted('a query shows another platformOrderNo under this number')
  }
  if (earlier?.platformOrderNo != null && earlier.platformOrderNo !== order.platformOrderNo) {
    return contradicted('an earlier try was answered with another platformOrderNo')
  }
  if (order.status === 'unknown_status') {
    const why = `the service calls it "${visible(order.rawStatus, 60)}", a word the profile does not know`
    return {confirmed: false, because: 'not_shown', why}
  }
  const isNewForSure = mayHaveEnded || earlier?.absentBefore || earlier?.confirmation === 'confirmed'
  if (order.status !== 'open' && !isNewForSure) {
    return contradicted(
      `it is already ${order.status}, which a new ${kind} is not: the number may belong to an older one`,
    )
  }
  if (amount !== null && order.amount === null) {
    return {confirmed: false, because: 'not_shown', why: 'the service does not show its amount'}
  }
  return {confirmed: true}
}

/** The look as the journal keeps it. */
export function lookOf(confirmation: Confirmation, absentBefore: boolean): RequestLook {
  if (confirmation.confirmed) return {confirmation: 'confirmed', why: null, absentBefore}
  const {because, why} = confirmation
  const isAnother = because === 'contradicted' && confirmation.isAnother
  return {confirmation: isAnother ? 'another_order' : because, why, absentBefore}
}

/** Compares an answer with every field of a request, the amount excepted, which the profile names. */
export function differsFromRequest({bodyText}: PreparedRequest): AskedOrder['differingField'] {
  const sent = JSON.parse(bodyText) as Record<string, string | boolean>
  return (data) =>
    echoedFields.find((name) => typeof sent[name] === 'string' && !isEcho(data[name], sent[name])) ?? null
}

/** The same with what the journal keeps of a request: the channel, and the account by its fingerprint. */
export function differsFromRow(
  {channel, amount, maskedAccount, payeeFingerprint}: RequestRow,
  fingerprintPayee: (account: string, amount: Paisa) => string,
): AskedOrder['differingField'] {
  const isAccount = (value: string) => {
    if (value.includes('*')) return isEcho(value, maskedAccount ?? value)
    if (maskPhone(value) !== maskedAccount) return false
    if (amount === null || payeeFingerprint === null) return true
    const fingerprint = fingerprintPayee(value, amount)
    const isOfOneKey = fingerprint.slice(0, keyIdLength) === payeeFingerprint.slice(0, keyIdLength)
    return !isOfOneKey || fingerprint === payeeFingerprint
  }
  return ({account, bankType}) => {
    if (channel !== null && !isEcho(bankType, channel)) return 'bankType'
    return typeof account === 'string' && maskedAccount !== null && !isAccount(account) ? 'account' : null
  }
}

const echoedFields = [
  ...['merchantId', 'account', 'bankType', 'userName', 'playerRef', 'playerPhone', 'returnUrl'],
] as const

/** Whether a field says what was sent, or nothing. A masked one (`018****5678`) is compared where it shows something. */
function isEcho(value: JsonValue | undefined, sent: string): boolean {
  if (value === undefined || value === null || value === '') return true
  const text = value instanceof JsonNumber ? value.source : value
  if (typeof text !== 'string') return false
  if (text === sent || !text.includes('*')) return text === sent
  const parts = text.split(/\*+/)
  return sent.startsWith(parts.at(0) ?? '') && sent.endsWith(parts.at(-1) ?? '')
}

/** The answer, or the failure as a value: an order was accepted, and a question after it takes nothing back. */
export async function askQuietly(
  client: Pick<ServiceClient, 'queryOrder'>,
  kind: OrderKind,
  orderNo: string,
): Promise<OrderAnswer | Failure> {
  try {
    return await client.queryOrder(kind, orderNo)
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}
