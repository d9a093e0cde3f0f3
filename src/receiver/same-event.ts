import {type Dialect, readStatus} from '../core/dialect.ts'
import {stateOfEvent} from '../core/event-state.ts'
import {isJsonObject, parseJson} from '../core/json.ts'
import {parsePaisa} from '../core/money.ts'
import type {OrderState} from '../core/order.ts'
import {eventKeyOf, kindOf, type Webhook} from './webhook.ts'

/**
 * Whether a content that was acknowledged answers for another one: both are about one event, which the other does not
 * carry on, or the order is completed by the one and failed by the other, which it cannot be afterwards.
 */
export function answersFor(acknowledged: Webhook, other: Webhook, words: Dialect['status']): boolean {
  if (!isSameOrder(acknowledged, other) || carriesOn(acknowledged, other, words)) return false
  if (isSameName(acknowledged, other, words)) return true
  return stateOf(acknowledged, words) === 'completed' && stateOf(other, words) === 'failed'
}

/** A service may name all its events alike: an open order ends, one that failed is paid, or an amount becomes known. */
function carriesOn(earlier: Webhook, later: Webhook, words: Dialect['status']): boolean {
  if (earlier.digest === later.digest) return false
  const [before, after] = [stateOf(earlier, words), stateOf(later, words)]
  if (after === 'completed' && (before === 'open' || before === 'failed')) return true
  if (after === 'failed' && before === 'open') return true
  const isAmountNew = (earlier.amount ?? '') === '' && (later.amount ?? '') !== ''
  return isAmountNew && agreesWith({...later, amount: null}, earlier, words)
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
    content.orderNo === other.orderNo &&
    isSameState(content, other, words) &&
    content.playerRef === other.playerRef &&
    isSameAmount(content.amount, other.amount)
  )
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

/** One name in any case; where one content has no name, the same word for the state, or the same state by word and name. */
function isSameName(one: Webhook, other: Webhook, words: Dialect['status']): boolean {
  const hasName = [one, other].map(({event}) => fold(event) !== '')
  if (hasName.every(Boolean)) return fold(one.event) === fold(other.event)
  if (!hasName.some(Boolean)) return fold(eventKeyOf(one)) === fold(eventKeyOf(other))
  return (one.status ?? other.status) !== null && isSameState(one, other, words)
}

/** One word in any case; where one has no word, what the name of its event says. */
function isSameState(one: Webhook, other: Webhook, words: Dialect['status']): boolean {
  if (fold(one.status) === fold(other.status)) return true
  if (one.status !== null && other.status !== null) return false
  const state = stateOf(one, words)
  return state !== 'unknown_status' && state === stateOf(other, words)
}

/** By the word for the state; where there is none, by the event's name. */
function stateOf(webhook: Webhook, words: Dialect['status']): OrderState | 'unknown_status' {
  const {status, event} = webhook
  if (status !== null) return readStatus({status: words}, kindOf(webhook), status)
  return stateOfEvent(event, {status: words}) ?? 'unknown_status'
}

/** `500` and `500.00` are one amount; none contradicts none; what is no amount is compared as it was written. */
function isSameAmount(one: string | null, other: string | null): boolean {
  if (one === other || one === null || one === '') return true
  const paisa = paisaOf(one)
  return paisa !== null && other !== null && paisa === paisaOf(other)
}

function paisaOf(text: string): bigint | null {
  return parsePaisa(text.replace(/^0+(?=\d)/, ''))
}

function fold(text: string | null): string {
  return (text ?? '').trim().toLowerCase()
}
