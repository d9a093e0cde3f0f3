import {defaultDialect, documentedWords} from './dialect.ts'
import {formatPaisa, parsePaisa} from './money.ts'
import {completedEvent} from './order.ts'

interface OrderOfEvent {
  /**
   * The key by which the order is handled once: `platformOrderNo`, or without it the order number and the event's
   * name. Empty in an `unknown` event without an order.
   */
  readonly order: string
  readonly platformOrderNo: string | null
  /** The merchant's number. */
  readonly orderNo: string | null
  /** The event's name as it came. */
  readonly event: string | null
  /** The service's status word, unchanged. */
  readonly status: string | null
}

/** The player has paid: credit `playerRef` with `amount`, once for this `order`. */
export interface DepositCompleted extends OrderOfEvent {
  readonly type: 'deposit.completed'
  readonly playerRef: string
  /** Taka with two decimals: `"500.00"`. */
  readonly amount: string
}

export interface DepositFailed extends OrderOfEvent {
  readonly type: 'deposit.failed'
  readonly playerRef: string
}

/** Genuine but not understood: credit nothing, keep it, and query the order. */
export interface DepositUnknown extends OrderOfEvent {
  readonly type: 'deposit.unknown'
  readonly playerRef: string
}

/** The player was paid out. Nobody is credited. */
export interface PayoutCompleted extends OrderOfEvent {
  readonly type: 'payout.completed'
  /** Taka with two decimals; null if the webhook has none. */
  readonly amount: string | null
}

/** The payout was not made, and will not be. */
export interface PayoutFailed extends OrderOfEvent {
  readonly type: 'payout.failed'
}

export interface PayoutUnknown extends OrderOfEvent {
  readonly type: 'payout.unknown'
}

/** A payout has no `playerRef`, so that it cannot be credited by mistake. */
export type WebhookEvent =
  | DepositCompleted
  | DepositFailed
  | DepositUnknown
  | PayoutCompleted
  | PayoutFailed
  | PayoutUnknown

/** The service's words if they differ from the defaults of A3; exact matches. */
export interface EventWords {
  /** Of `status`; default: `completed`. */
  readonly completed?: readonly string[]
  /** Of `status`; default: `failed`. */
  readonly failed?: readonly string[]
  /** Event names that mean completed; default: `order.completed`. */
  readonly completedEvents?: readonly string[]
  /** Event names that mean failed; default: `order.failed`, the sandbox's name, because none is documented. */
  readonly failedEvents?: readonly string[]
}

/**
 * Reads the fields of a genuine webhook, as `verify` returns them. A deposit's webhook has a `playerRef` (service
 * §6), a payout's none. It is completed or failed only if both the status and the event's name say so, as far as they
 * are there. Any other word is `unknown`, and so is a completed deposit without an amount.
 */
export function readEvent(fields: Readonly<Record<string, string>>, words: EventWords = {}): WebhookEvent {
  const {playerRef = '', amount = ''} = fields
  const order = readOrder(fields)
  const state = order.order === '' ? 'unknown' : readState(order, words)
  const paisa = parsePaisa(amount)
  const isPayout = playerRef === '' || textOf(fields.outOrderNo) !== null
  if (isPayout) {
    // A payout has no player reference: an event with both is uncertain.
    if (state === 'unknown' || playerRef !== '') return {type: 'payout.unknown', ...order}
    if (state === 'failed') return {type: 'payout.failed', ...order}
    return {type: 'payout.completed', ...order, amount: paisa === null ? null : formatPaisa(paisa)}
  }
  if (state === 'failed') return {type: 'deposit.failed', ...order, playerRef}
  if (state === 'unknown' || paisa === null || paisa === 0n)
    return {type: 'deposit.unknown', ...order, playerRef}
  return {type: 'deposit.completed', ...order, playerRef, amount: formatPaisa(paisa)}
}

/**
 * Whether two events are of one order, and agree. An event may lack one of the two numbers, and the platform's may
 * differ in case. `contradiction`: they share a number but differ in the other one, in type, player or amount.
 */
export function compareEvents(
  one: WebhookEvent,
  other: WebhookEvent,
): 'other_order' | 'same' | 'contradiction' {
  const numbers = [
    [one.platformOrderNo?.trim().toLowerCase(), other.platformOrderNo?.trim().toLowerCase()],
    [one.orderNo?.trim(), other.orderNo?.trim()],
  ].filter(([a = '', b = '']) => a !== '' && b !== '')
  if (numbers.every(([a, b]) => a !== b)) return 'other_order'
  const isOne = numbers.every(([a, b]) => a === b) && one.type === other.type
  return isOne && contentOf(one) === contentOf(other) ? 'same' : 'contradiction'
}

function contentOf(event: WebhookEvent): string {
  const player = 'playerRef' in event ? event.playerRef : null
  const amount = 'amount' in event ? event.amount : null
  return JSON.stringify([player, amount])
}

function readOrder(fields: Readonly<Record<string, string>>): OrderOfEvent {
  const {orderNo: names} = defaultDialect.response
  const name = names.find((one) => textOf(fields[one]) !== null)
  const orderNo = name === undefined ? null : textOf(fields[name])
  const platformOrderNo = textOf(fields.platformOrderNo)
  return {
    order: platformOrderNo ?? (orderNo === null ? '' : `${name}=${orderNo}`),
    platformOrderNo,
    orderNo,
    event: textOf(fields.event),
    status: textOf(fields.status),
  }
}

function readState({event, status}: OrderOfEvent, words: EventWords): 'completed' | 'failed' | 'unknown' {
  const {completed = documentedWords.completed, failed = documentedWords.failed} = words
  const {completedEvents = [completedEvent], failedEvents = ['order.failed']} = words
  if (event === null && status === null) return 'unknown'
  const isListed = (statuses: readonly string[], events: readonly string[]) =>
    (status === null || statuses.includes(status)) && (event === null || events.includes(event))
  if (isListed(completed, completedEvents)) return 'completed'
  return isListed(failed, failedEvents) ? 'failed' : 'unknown'
}

function textOf(value: string | undefined): string | null {
  return value === undefined || value === '' ? null : value
}
