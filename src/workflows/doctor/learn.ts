import {Untrusted} from '../../api/answer.ts'
import type {ServiceProbe} from '../../api/probe.ts'
import {readOrder} from '../../api/wire.ts'
import type {Dialect} from '../../core/dialect.ts'
import {Failure} from '../../core/failure.ts'
import type {SeenOrder} from '../../core/learn/fields.ts'
import {isMoved, type SeenWord} from '../../core/learn/words.ts'
import {formatPaisa, type Paisa} from '../../core/money.ts'
import {type OrderKind, type OrderState, orderKinds} from '../../core/order.ts'
import {visible} from '../../core/text.ts'

/** An order somebody knows, and perhaps what it is. */
export interface KnownOrder {
  readonly kind: OrderKind
  readonly orderNo: string
  readonly told: OrderState | null
  readonly toldAmount: Paisa | null
}

/** One answer, or why there is none: `found` is null where nothing that can be trusted came. */
export interface LookedUp extends KnownOrder {
  readonly found: boolean | null
  readonly why: string | null
}

export interface Seen {
  readonly lookedUp: readonly LookedUp[]
  /** The orders that were found, with what the service said of each. */
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
        throw new Failure(code, `${order.orderNo}: ${what}.`, 'Run `hisab doctor` first: it tells why.')
      }
      lookedUp.push({...order, found: null, why: what})
    } else if (outcome.value === null) {
      lookedUp.push({...order, found: false, why: 'the service says that there is no such order'})
    } else {
      lookedUp.push({...order, found: true, why: null})
      orders.push({...order, data: outcome.value})
    }
  }
  return {lookedUp, orders}
}

/** How one order would be read by a dialect. */
export interface ReadBack {
  readonly orderNo: string
  /** The state and the amount; null where the answer would not be believed, and `why` says so. */
  readonly status: OrderState | 'unknown_status' | null
  readonly amount: string | null
  readonly why: string | null
}

/** The proof of a proposal: the same answers, read as hisab reads every answer. */
export function readBack(orders: readonly SeenOrder[], merchantId: string, dialect: Dialect): ReadBack[] {
  return orders.map(({kind, orderNo, data}) => {
    try {
      const answer = readOrder({data}, {merchantId, orderNo}, kind, dialect)
      if (!answer.found) throw new Untrusted('is no order')
      const {status, amount} = answer.order
      return {orderNo, status, amount: amount === null ? null : formatPaisa(amount), why: null}
    } catch (error) {
      if (!(error instanceof Untrusted)) throw error
      return {orderNo, status: null, amount: null, why: `the answer ${error.message}`}
    }
  })
}

/**
 * Why nothing may be written: what was told is not what would be read, or too little was told to prove it. A word of the
 * service document keeps its meaning (A3), whoever says otherwise: the order may have moved on.
 */
export function obstaclesTo(
  {lookedUp}: Seen,
  orders: readonly SeenOrder[],
  readBacks: readonly ReadBack[],
  words: readonly SeenWord[],
  {learnsStatus, notes}: {readonly learnsStatus: boolean; readonly notes: readonly string[]},
): string[] {
  const unseen = lookedUp
    .filter(({found}) => found !== true)
    .map(({orderNo, why}) => `${visible(orderNo, 40)}: ${visible(why ?? 'no answer', 200)}.`)
  const moved = words
    .filter(isMoved)
    .map(
      ({word, told}) =>
        `"${visible(word, 40)}" is a word of the service document and cannot mean ${told}. The order may have moved on: ask again.`,
    )
  const misread = orders.flatMap((order, index) => misreadOf(order, readBacks[index]))
  const isAlone =
    learnsStatus && !(isApart(orders) && orderKinds.every((kind) => isProven(kind, orders, words)))
  return [
    ...unseen,
    ...moved,
    ...(moved.length === 0 ? misread : []),
    ...notes,
    ...(isAlone ? [needsCounterExample] : []),
  ]
}

const needsCounterExample =
  'A counter-example is missing: name an order that is completed and one that is not, with --completed and --open or --failed; payouts where words of payouts are learned, deposits where words of deposits are. A word that is the same for both is no state.'

/** Whether one was told completed, and one not. */
function isApart(orders: readonly SeenOrder[]): boolean {
  const states = new Set(orders.map(({told}) => told))
  return states.has('completed') && (states.has('open') || states.has('failed'))
}

/** A word that all deposits have is not told from a payout's, and the other way round. */
function isProven(kind: OrderKind, orders: readonly SeenOrder[], words: readonly SeenWord[]): boolean {
  const ofKind = orders.filter((order) => order.kind === kind)
  const isLearned = words.some(
    ({told, reads, orders: numbers}) =>
      told !== null && reads !== told && ofKind.some(({orderNo}) => numbers.includes(orderNo)),
  )
  return !isLearned || isApart(ofKind)
}

function misreadOf({orderNo, told, toldAmount}: SeenOrder, read: ReadBack | undefined): string[] {
  const name = visible(orderNo, 40)
  if (!read || read.status === null) return [`${name}: ${visible(read?.why ?? 'it was not read', 200)}.`]
  const state =
    told === null || told === read.status
      ? []
      : [`${name} was told ${told} and would be read as ${read.status}.`]
  const amount = toldAmount === null ? null : formatPaisa(toldAmount)
  if (amount === null || amount === read.amount) return state
  return [...state, `${name} was told BDT ${amount} and would be read with ${read.amount ?? 'no amount'}.`]
}
