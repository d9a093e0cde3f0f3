import {type Dialect, readStatus} from '../core/dialect.ts'
import {stateOfEvent} from '../core/event-state.ts'
import {isJsonObject, parseJson} from '../core/json.ts'
import {parsePaisa} from '../core/money.ts'
import type {OrderState} from '../core/order.ts'
import {kindOf, type Webhook} from './webhook.ts'

/**
 * Whether a content that was acknowledged answers for another one: both are about one event, which the other does not
 * carry on, or one order has what only one of them can be right about, whatever the names of the two events: who is paid,
 * what for, and that it failed once it is completed.
 */
export function answersFor(acknowledged: Webhook, other: Webhook, words: Dialect['status']): boolean {
  if (!isSameOrder(acknowledged, other)) return false
  if (!isSameParty(acknowledged, other)) return true
  if (carriesOn(acknowledged, other, words)) return false
  if (isSameName(acknowledged, other, words)) return true
  if (stateOf(acknowledged, words) !== 'completed') return false
  const after = stateOf(other, words)
  return after === 'failed' || (after === 'completed' && !isSameAmount(other.amount, acknowledged.amount))
}

/**
 * A service may name all its events alike: an order that was not completed goes on to another state, and behind a word that
 * the profile has not may be any; or something becomes known that was not said. What failed is not open again.
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

/** What is handed on one at a time: the contents of one order. */
export function lineOf({orderId}: Webhook): string {
  return fold(orderId)
}

/**
 * Whether a content says nothing of money and state that another one does not say. The same bytes say the same, also where
 * the profile's names of fields have changed since.
 */
export function agreesWith(content: Webhook, other: Webhook, words: Dialect['status']): boolean {
  if (content.digest === other.digest) return true
  return (
    isSameParty(content, other) &&
    (isSameState(content, other, words) || saysNoState(content, words)) &&
    isSameAmount(content.amount, other.amount)
  )
}

/** Of one order number and one player, as far as both say so. */
function isSameParty(one: Webhook, other: Webhook): boolean {
  const isSame = (a: string | null, b: string | null) => a === b || (a ?? '') === '' || (b ?? '') === ''
  return isSame(one.orderNo, other.orderNo) && isSame(one.playerRef, other.playerRef)
}

function isMoreSaid(before: string | null, after: string | null): boolean {
  return (before ?? '') === '' && (after ?? '') !== ''
}

/** One word in any case, or two words of one state. */
function isSameState(one: Webhook, other: Webhook, words: Dialect['status']): boolean {
  const isSameWord = fold(one.status) === fold(other.status)
  if (isSameWord && hasWord(one)) return true
  const state = stateOf(one, words)
  return state === stateOf(other, words) && (state !== 'unknown_status' || isSameWord)
}

function hasWord({status}: Webhook): boolean {
  return fold(status) !== ''
}

/** It has no word for the state, and its name tells none. */
function saysNoState(content: Webhook, words: Dialect['status']): boolean {
  return !hasWord(content) && stateOf(content, words) === 'unknown_status'
}

/**
 * By the platform's ID in any case, or by the order number and its name where one of them does not name the ID. A deposit
 * and a payout may have one number.
 */
function isSameOrder(one: Webhook, other: Webhook): boolean {
  const names = [nameInId(one), nameInId(other)]
  if (one.orderId === other.orderId) return names.includes(null) || kindOf(one) === kindOf(other)
  if (names.every((name) => name === null)) {
    return one.orderNo === other.orderNo && fold(one.orderId) === fold(other.orderId)
  }
  return isWithoutId(one, other) || isWithoutId(other, one)
}

function isWithoutId(bare: Webhook, full: Webhook): boolean {
  const name = nameInId(bare)
  if (name === null || nameInId(full) !== null) return false
  if (bare.orderNo !== full.orderNo || bare.playerRef !== full.playerRef) return false
  const fields = parseJson(full.content)
  return isJsonObject(fields) && fields[name] !== undefined && fields[name] !== null
}

/** The name of the order number where that stands in for the platform's ID; else null. */
function nameInId({orderId, orderNo}: Webhook): string | null {
  return orderNo !== null && orderId.endsWith(`=${orderNo}`) ? orderId.slice(0, -orderNo.length - 1) : null
}

/** One name in any case; where one content has no name, the same state. */
function isSameName(one: Webhook, other: Webhook, words: Dialect['status']): boolean {
  const hasName = [one, other].map(({event}) => fold(event) !== '')
  if (hasName.every(Boolean)) return fold(one.event) === fold(other.event)
  if (hasName.some(Boolean) && !hasWord(one) && !hasWord(other)) return false
  return isSameState(one, other, words)
}

/** By the word for the state; where there is none, by the event's name. */
function stateOf(webhook: Webhook, words: Dialect['status']): OrderState | 'unknown_status' {
  const {status, event} = webhook
  if (status !== null && hasWord(webhook)) return readStatus({status: words}, kindOf(webhook), status)
  return stateOfEvent(event, {status: words}) ?? 'unknown_status'
}

/** `500` and `500.00` are one amount; none contradicts none; what is no amount is compared as it was written. */
function isSameAmount(one: string | null, other: string | null): boolean {
  if (one === other || isNoAmount(one)) return true
  const paisa = paisaOf(one)
  return paisa !== null && paisa === paisaOf(other)
}

/** An order of nothing is none. */
function isNoAmount(text: string | null): boolean {
  return fold(text) === '' || paisaOf(text) === 0n
}

function paisaOf(text: string | null): bigint | null {
  return parsePaisa(fold(text).replace(/^0+(?=\d)/, ''))
}

function fold(text: string | null): string {
  return (text ?? '').trim().toLowerCase()
}
