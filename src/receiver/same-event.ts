import {type Dialect, readStatus} from '../core/dialect.ts'
import {mayBeSameEvent, mayCredit, stateOfEvent} from '../core/event-state.ts'
import {isJsonObject, parseJson} from '../core/json.ts'
import {parsePaisa} from '../core/money.ts'
import {completedEvent, type OrderState} from '../core/order.ts'
import {kindOf, type Webhook} from './webhook.ts'

/**
 * Whether an acknowledged content also answers for another one: both are about one event, and the other does not
 * continue it; or both are about one order and contradict each other in what only one can be right about, whatever
 * the events' names: who is paid, what for, and that a completed order did not fail.
 */
export function answersFor(acknowledged: Webhook, other: Webhook, words: Dialect['status']): boolean {
  if (!isSameOrder(acknowledged, other)) return false
  if (!isSameParty(acknowledged, other)) return true
  if (isFirstDocumented(acknowledged, other) && agreesWith(other, acknowledged, words)) return false
  if (carriesOn(acknowledged, other, words)) return false
  if (isSameName(acknowledged, other, words)) return true
  if (stateOf(acknowledged, words) !== 'completed') return false
  const after = stateOf(other, words)
  if (after === 'failed' || completesAgain(other, words)) return true
  return after === 'completed' && !isSameAmount(other.amount, acknowledged.amount)
}

/** The one documented name, where none of that name was acknowledged: a server may answer 200 to names that it does not know. */
function isFirstDocumented(acknowledged: Webhook, other: Webhook): boolean {
  return other.event === completedEvent && ![completedEvent, ''].includes(fold(acknowledged.event))
}

/**
 * Whether one event is handed on in place of another one of its order, which is then answered by it: it says the same by the
 * documented name.
 */
export function standsFor(one: Webhook, other: Webhook, words: Dialect['status']): boolean {
  return isFirstDocumented(other, one) && isSameOrder(one, other) && agreesWith(one, other, words)
}

/**
 * Whether the merchant may have to act on another content that an acknowledged one answers for: it is neither the same
 * nor an earlier state of the order.
 */
export function contradicts(other: Webhook, acknowledged: Webhook, words: Dialect['status']): boolean {
  if (agreesWith(other, acknowledged, words)) return false
  return !isSameParty(other, acknowledged) || !carriesOn(other, acknowledged, words)
}

/** Of an order that completed: a name that means completed says it again, beside a word that nobody knows and that means nothing else. */
function completesAgain(content: Webhook, words: Dialect['status']): boolean {
  return mayComplete(content, words) && stateOfEvent(content.event, {status: words}) === 'completed'
}

/** Whether a content may say that its order ended so: by its state, or in a word that the profile does not know. */
export function maySay(content: Webhook, end: 'completed' | 'failed', words: Dialect['status']): boolean {
  const state = stateOf(content, words)
  // Of a payout, any word that is not known may say that it failed.
  const isUnknownEnd = () =>
    end === 'completed' ? mayComplete(content, words) : kindOf(content) === 'payout'
  return state === end || (state === 'unknown_status' && isUnknownEnd())
}

/** Of a content whose status word the profile does not know: its name or that word means completed, and neither another state. */
function mayComplete(content: Webhook, words: Dialect['status']): boolean {
  const told = [content.event, content.status ?? '']
  return (
    stateOf(content, words) === 'unknown_status' &&
    told.some((word) => stateOfEvent(word, {status: words}) === 'completed') &&
    told.every((word) => mayCredit(word, {status: words}))
  )
}

/**
 * A service may give all events one name: an order that was not completed changes its state, an unknown status word
 * may mean any state, or something that was missing becomes known. A failed order is not open again.
 */
function carriesOn(earlier: Webhook, later: Webhook, words: Dialect['status']): boolean {
  if (earlier.digest === later.digest) return false
  const before = stateOf(earlier, words)
  const isMoved =
    !isSameState(earlier, later, words) && !(before === 'failed' && stateOf(later, words) === 'open')
  if (before !== 'completed' && isMoved && !saysNoState(later, words)) return true
  const isNews = isMoreSaid(earlier.playerRef, later.playerRef) || isMoreSaid(earlier.orderNo, later.orderNo)
  if (!isNews && !(isNoAmount(earlier.amount) && !isNoAmount(later.amount))) return false
  return (
    isSameState(earlier, later, words) &&
    (isNoAmount(earlier.amount) || isSameAmount(later.amount, earlier.amount))
  )
}

export function isSameEvent(one: Webhook, other: Webhook, words: Dialect['status']): boolean {
  return isSameOrder(one, other) && isSameName(one, other, words)
}

/** Contents are handed on one at a time for each order. */
export function lineOf({orderId}: Webhook): string {
  return fold(orderId)
}

/**
 * Whether a content has no money or state that another lacks. Equal bytes agree, even if the profile's field names
 * have changed since.
 */
export function agreesWith(content: Webhook, other: Webhook, words: Dialect['status']): boolean {
  if (content.digest === other.digest) return true
  return (
    isSameParty(content, other) &&
    (isSameState(content, other, words) ||
      saysNoState(content, words) ||
      (stateOf(other, words) === 'completed' && completesAgain(content, words))) &&
    isSameAmount(content.amount, other.amount)
  )
}

/** Same order number, player and platform ID, as far as both have them. */
function isSameParty(one: Webhook, other: Webhook): boolean {
  const isOneOrder = haveOneId(one, other) || [one, other].some((content) => nameInId(content) !== null)
  return isOneOrder && isSameText(one.orderNo, other.orderNo) && isSameText(one.playerRef, other.playerRef)
}

function haveOneId(one: Webhook, other: Webhook): boolean {
  return fold(one.orderId) === fold(other.orderId)
}

/** The service has one order of a merchant's number. */
function isSameNumber(one: Webhook, other: Webhook): boolean {
  return (one.orderNo ?? '') !== '' && one.orderNo === other.orderNo
}

function isSameText(one: string | null, other: string | null): boolean {
  return one === other || (one ?? '') === '' || (other ?? '') === ''
}

function isMoreSaid(before: string | null, after: string | null): boolean {
  return (before ?? '') === '' && (after ?? '') !== ''
}

/** The same word in any case, or two words of one state. */
function isSameState(one: Webhook, other: Webhook, words: Dialect['status']): boolean {
  const isSameWord = fold(one.status) === fold(other.status)
  if (isSameWord && hasWord(one)) return true
  const state = stateOf(one, words)
  return state === stateOf(other, words) && (state !== 'unknown_status' || isSameWord)
}

function hasWord({status}: Webhook): boolean {
  return fold(status) !== ''
}

/** Neither a word for the state nor a telling name. */
function saysNoState(content: Webhook, words: Dialect['status']): boolean {
  return !hasWord(content) && stateOf(content, words) === 'unknown_status'
}

/**
 * Equal platform IDs in any case, or equal order numbers. A deposit and a payout may share a number, or an ID.
 */
function isSameOrder(one: Webhook, other: Webhook): boolean {
  const names = [nameInId(one), nameInId(other)]
  if (one.orderId === other.orderId)
    return kindOf(one) === kindOf(other) || (names.includes(null) && mayBeOneNumber(one, other))
  if (names.every((name) => name === null)) {
    if (kindOf(one) !== kindOf(other)) return false
    return haveOneId(one, other) ? isSameText(one.orderNo, other.orderNo) : isSameNumber(one, other)
  }
  return isWithoutId(one, other) || isWithoutId(other, one)
}

/** Also in another form: `d-1` and `SHOP-D-1` of `D-1`. */
function mayBeOneNumber(one: Webhook, other: Webhook): boolean {
  const [a = '', b = ''] = [one, other].map(({orderNo}) => fold(orderNo).replace(/[^\p{L}\p{N}]/gu, ''))
  return a.includes(b) || b.includes(a)
}

function isWithoutId(bare: Webhook, full: Webhook): boolean {
  const name = nameInId(bare)
  if (name === null || nameInId(full) !== null) return false
  if (bare.orderNo !== full.orderNo || bare.playerRef !== full.playerRef) return false
  const fields = parseJson(full.content)
  return isJsonObject(fields) && fields[name] !== undefined && fields[name] !== null
}

/** The name of the order number that replaces the platform ID, or null. */
function nameInId({orderId, orderNo}: Webhook): string | null {
  return orderNo !== null && orderId.endsWith(`=${orderNo}`) ? orderId.slice(0, -orderNo.length - 1) : null
}

/** Equal names in any case, or two that mean the same where the state is the same; without a name, the same state. */
function isSameName(one: Webhook, other: Webhook, words: Dialect['status']): boolean {
  const hasName = [one, other].map(({event}) => fold(event) !== '')
  if (hasName.every(Boolean)) {
    const isSame = isSameState(one, other, words) && mayBeSameEvent(one.event, other.event, {status: words})
    return isSame || fold(one.event) === fold(other.event)
  }
  if (hasName.some(Boolean) && !hasWord(one) && !hasWord(other)) return false
  return isSameState(one, other, words)
}

/** By the word for the state, else by the event's name. */
export function stateOf(webhook: Webhook, words: Dialect['status']): OrderState | 'unknown_status' {
  const {status, event} = webhook
  if (status !== null && hasWord(webhook)) return readStatus({status: words}, kindOf(webhook), status)
  return stateOfEvent(event, {status: words}) ?? 'unknown_status'
}

/** `500` and `500.00` are equal; a missing amount contradicts none; other texts are compared as written. */
function isSameAmount(one: string | null, other: string | null): boolean {
  if (one === other || isNoAmount(one)) return true
  const paisa = paisaOf(one)
  return paisa !== null && paisa === paisaOf(other)
}

/** An order of zero does not exist. */
function isNoAmount(text: string | null): boolean {
  return fold(text) === '' || paisaOf(text) === 0n
}

function paisaOf(text: string | null): bigint | null {
  return parsePaisa(fold(text).replace(/^0+(?=\d)/, ''))
}

function fold(text: string | null): string {
  return (text ?? '').trim().toLowerCase()
}
