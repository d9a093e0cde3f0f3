import {InvalidResponse} from '../../api/answer.ts'
import type {ServiceProbe} from '../../api/probe.ts'
import {readOrder} from '../../api/wire.ts'
import type {Dialect} from '../../core/dialect.ts'
import type {SeenOrder} from '../../core/doctor/learn-fields.ts'
import {meaningBefore, type SeenWord} from '../../core/doctor/learn-words.ts'
import {Failure} from '../../core/failure.ts'
import {formatPaisa, type Paisa} from '../../core/money.ts'
import {type OrderKind, type OrderState, orderKinds, orderStates} from '../../core/order.ts'
import {quoteForShell} from '../../core/shell.ts'
import {escapeInvisible} from '../../core/text.ts'

/** An order that a person named, perhaps with its state and amount. */
export interface KnownOrder {
  readonly kind: OrderKind
  readonly orderNo: string
  readonly told: OrderState | null
  readonly toldAmount: Paisa | null
}

/** An answer, or the reason for none: `found` is null without a trustworthy answer. */
export interface LookedUp extends KnownOrder {
  readonly found: boolean | null
  readonly why: string | null
}

export interface Seen {
  readonly lookedUp: readonly LookedUp[]
  /** The orders found, with the answers of the service. */
  readonly orders: readonly SeenOrder[]
}

/** Asks for each order once, one after another. */
export async function lookUpOrders(
  known: readonly KnownOrder[],
  probe: ServiceProbe,
  onProgress: (done: number, total: number) => void,
): Promise<Seen> {
  const lookedUp: LookedUp[] = []
  const orders: SeenOrder[] = []
  for (const order of known) {
    const {outcome} = await probe.queryRaw(order.kind, order.orderNo)
    onProgress(lookedUp.length + 1, known.length)
    if (outcome.kind !== 'done') {
      const {code, what} = outcome
      if (code === 'credentials_rejected' || code === 'service_unreachable') {
        throw new Failure(code, `${order.orderNo}: ${what}.`, 'Run `hisab doctor` first. It shows the cause.')
      }
      lookedUp.push({...order, found: null, why: what})
    } else if (outcome.value === null) {
      lookedUp.push({...order, found: false, why: 'the service has no such order'})
    } else {
      lookedUp.push({...order, found: true, why: null})
      orders.push({...order, data: outcome.value})
    }
  }
  return {lookedUp, orders}
}

/** How a dialect would read one order. */
export interface ReadBack {
  readonly orderNo: string
  /** Null if the answer is not reliable; `why` has the reason. The same for `amount`. */
  readonly status: OrderState | 'unknown_status' | null
  readonly amount: string | null
  readonly why: string | null
}

/** Proves a proposal by reading the same answers as hisab reads every answer. */
export function readBack(orders: readonly SeenOrder[], merchantId: string, dialect: Dialect): ReadBack[] {
  return orders.map(({kind, orderNo, data}) => {
    try {
      const answer = readOrder({data}, {merchantId, orderNo}, kind, dialect)
      if (!answer.found) throw new InvalidResponse('is no order')
      const {status, amount} = answer.order
      return {orderNo, status, amount: amount === null ? null : formatPaisa(amount), why: null}
    } catch (error) {
      if (!(error instanceof InvalidResponse)) throw error
      return {orderNo, status: null, amount: null, why: `the answer ${error.message}`}
    }
  })
}

/** Why nothing may be written: a known order would be read with another state, or too few orders were given as proof. */
export function obstaclesTo(
  {lookedUp}: Seen,
  orders: readonly SeenOrder[],
  readBacks: readonly ReadBack[],
  words: readonly SeenWord[],
  {
    statusField,
    amountField,
    notes,
  }: {
    readonly statusField: string | null
    readonly amountField: string | null
    readonly notes: readonly string[]
  },
): string[] {
  const unseen = lookedUp
    .filter(({found}) => found !== true)
    .map(({orderNo, why}) => `${escapeInvisible(orderNo, 40)}: ${escapeInvisible(why ?? 'no answer', 200)}.`)
  const moved = words.flatMap(whyNotMoved)
  const misread = orders.flatMap((order, index) => misreadOf(order, readBacks[index]))
  const unproven = orderKinds.filter((kind) => !isProven(kind, orders, words))
  const isHalfProven = statusField !== null && !orderKinds.every((kind) => isApart(kind, orders))
  const isHalfTold =
    amountField !== null &&
    !orderKinds.every((kind) => orders.some((one) => one.kind === kind && one.toldAmount !== null))
  return [
    ...unseen,
    ...moved,
    ...(moved.length === 0 ? misread : []),
    ...notes,
    ...unproven.map(needsCounterExample),
    ...(isHalfProven ? [needsBothKinds(statusField)] : []),
    ...(isHalfTold ? [needsBothAmounts(amountField)] : []),
  ]
}

function whyNotMoved(word: SeenWord): string[] {
  const before = meaningBefore(word)
  if (before === null) return []
  const shown = `"${escapeInvisible(word.word, 40)}"`
  if (before === 'document') {
    return [
      `${shown} is a status of the service document and cannot mean ${word.told}. The order may have changed. Query it again.`,
    ]
  }
  return [
    `${shown} is ${word.reads} in the profile, not ${word.told}. The order may have changed. Query it again. If the profile is wrong, correct it: hisab config set status.${word.reads} WORD…`,
  ]
}

function needsCounterExample(kind: OrderKind): string {
  return `More known orders are needed. Give a completed, an open and a failed ${kind} with --completed, --open and --failed.`
}

/** The profile has one field for both kinds, and for the other kind that field may mean something else. */
function needsBothKinds(field: string): string {
  const name = escapeInvisible(field, 40)
  return `The status of deposits and of payouts would be read from "${name}": a counter-example of each is needed. Name a deposit and a payout of each state, completed, open and failed. If you know that it is the status of both: hisab config set response.status ${quoteForShell(field)}`
}

/** For the other kind the field may hold a fee. */
function needsBothAmounts(field: string): string {
  const name = escapeInvisible(field, 40)
  return `The amount of deposits and of payouts would be read from "${name}": give the amount of one of each, as in --completed D-1001=500.00 --completed payout:P-7=120.00. If you know that it is the amount of both: hisab config set response.amount ${quoteForShell(field)}`
}

/** Whether there is an order of each state: if two states shared a word, the third would be read wrongly. */
function isApart(kind: OrderKind, orders: readonly SeenOrder[]): boolean {
  return orderStates.every((state) => orders.some((order) => order.kind === kind && order.told === state))
}

/** A word that all deposits have may also be a payout's, and the reverse. */
function isProven(kind: OrderKind, orders: readonly SeenOrder[], words: readonly SeenWord[]): boolean {
  const isLearned = words.some((word) => word.kind === kind && word.told !== null && word.reads !== word.told)
  return !isLearned || isApart(kind, orders)
}

function misreadOf({orderNo, told, toldAmount}: SeenOrder, read: ReadBack | undefined): string[] {
  const name = escapeInvisible(orderNo, 40)
  if (!read || read.status === null)
    return [`${name}: ${escapeInvisible(read?.why ?? 'it was not read', 200)}.`]
  const state =
    told === null || told === read.status
      ? []
      : [`You gave ${name} as ${told}. It would be read as ${read.status}.`]
  const amount = toldAmount === null ? null : formatPaisa(toldAmount)
  if (amount === null || amount === read.amount) return state
  return [
    ...state,
    `You gave ${name} with BDT ${amount}. It would be read with ${read.amount ?? 'no amount'}.`,
  ]
}
