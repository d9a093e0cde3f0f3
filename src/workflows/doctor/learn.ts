import {Untrusted} from '../../api/answer.ts'
import type {ServiceProbe} from '../../api/probe.ts'
import {readOrder} from '../../api/wire.ts'
import type {Dialect} from '../../core/dialect.ts'
import {Failure} from '../../core/failure.ts'
import type {SeenOrder} from '../../core/learn/fields.ts'
import {formatPaisa} from '../../core/money.ts'
import type {OrderKind, OrderState} from '../../core/order.ts'

/** An order somebody knows, and perhaps what it is. */
export interface KnownOrder {
  readonly kind: OrderKind
  readonly orderNo: string
  readonly told: OrderState | null
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
