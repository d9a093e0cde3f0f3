import type {Dice} from './dice.ts'
import type {Tongue} from './tongue.ts'

export type Kind = 'deposit' | 'payout'
export type State = 'completed' | 'open' | 'failed'

/** An order as the service really has it. Amounts are whole paisa. */
export interface Order {
  readonly kind: Kind
  readonly orderNo: string
  /** The number its records carry, where it is another: some carry none. */
  readonly recordedAs?: string
  readonly platformNo: string
  /** Its status, as the document calls it. */
  word: string
  amount: bigint
  /** How an answer spells the amount. */
  readonly spelling: 'text' | 'number' | 'missing'
  readonly createdMs: number
  /** When the player pays or the desk pays out; null: never, or done. */
  completesMs: number | null
}

/** A delivery record as the service really has it, times in milliseconds. */
export interface DeliveryRecord {
  readonly id: string
  readonly orderId: string
  readonly orderNo: string
  readonly event: string
  status: 'pending' | 'success' | 'failed'
  responseCode: number | null
  attempts: number
  nextRetryMs: number | null
  sentMs: number | null
  readonly createdMs: number
  /** What the webhook says was paid. */
  readonly says: bigint | null
  /** The service has forgotten to try it again. */
  isForgotten: boolean
}

/** One row of the merchant's books. `damage` makes it unreadable. */
export interface BookRow {
  readonly kind: Kind
  readonly orderNo: string
  state: State
  amount: bigint | null
  readonly createdMs: number
  readonly damage: 'amount' | 'status' | 'kind' | 'order_no' | null
}

/** A webhook that reached the merchant's server, and what it said. */
export interface Arrival {
  readonly atMs: number
  readonly recordId: string
  readonly orderId: string
  /** The run whose resend it was; null for the service's own. */
  readonly byRun: string | null
  readonly taken: boolean
}

interface LateResend {
  readonly atMs: number
  readonly recordId: string
  readonly byRun: string
}

const minutes = (count: number) => count * 60_000
/** Document §6: after the first attempt. */
const retryMs = [1, 5, 15, 60, 360].map(minutes)

/** All that is true: the service's orders and records, the merchant's server and books. Plain data, so that it can be copied. */
export class World {
  orders = new Map<string, Order>()
  /** In the order of the list. */
  records: DeliveryRecord[] = []
  books: BookRow[] = []
  arrivals: Arrival[] = []
  late: LateResend[] = []
  /** From when to when the merchant's server is down. */
  outages: {readonly fromMs: number; readonly toMs: number}[] = []
  /** Orders whose webhooks the merchant's server always fails on, and those it takes and does not book. */
  poisoned = new Set<string>()
  slept = new Set<string>()
  listOrder: 'newest_first' | 'oldest_first' | 'mixed' = 'newest_first'
  hasLegacyApi = true
  readonly spoken: Tongue
  pageSize = 100
  /** Service time minus hisab's. */
  skewMs = 0
  balance = 10_000_000n
  nowMs = 0
  count = 0

  constructor(spoken: Tongue) {
    this.spoken = spoken
  }

  copy(): World {
    const copy = Object.assign(new World(this.spoken), structuredClone({...this}))
    return copy
  }

  uuid(): string {
    this.count += 1
    return `00000000-0000-4000-8000-${this.count.toString(16).padStart(12, '0')}`
  }

  orderOf(kind: Kind, orderNo: string): Order | undefined {
    return this.orders.get(keyOf(kind, orderNo))
  }

  record(id: string): DeliveryRecord | undefined {
    return this.records.find((record) => record.id === id)
  }

  addOrder(order: Order): void {
    this.orders.set(keyOf(order.kind, order.orderNo), order)
  }

  addRecord(record: DeliveryRecord, dice?: Dice): void {
    if (this.listOrder === 'newest_first') this.records.unshift(record)
    else if (this.listOrder === 'oldest_first' || !dice) this.records.push(record)
    else this.records.splice(dice.int(0, this.records.length), 0, record)
  }

  /** The next thing the world does by itself, or infinity. */
  nextDueMs(): number {
    let next = Number.POSITIVE_INFINITY
    for (const {atMs} of this.late) next = Math.min(next, atMs)
    for (const record of this.records) next = Math.min(next, retryOf(record))
    for (const {completesMs} of this.orders.values()) next = Math.min(next, completesMs ?? next)
    return next
  }

  /** Lets everything happen that is due until then, in order of time. */
  moveTo(ms: number): void {
    for (let next = this.nextDueMs(); next <= ms; next = this.nextDueMs()) {
      this.nowMs = Math.max(this.nowMs, next)
      const late = this.late.find(({atMs}) => atMs <= next)
      const retried = this.records.find((record) => retryOf(record) <= next)
      if (late) {
        this.late.splice(this.late.indexOf(late), 1)
        this.deliver(late.recordId, late.byRun)
      } else if (retried) this.deliver(retried.id, null)
      else this.completeDue(next)
    }
    this.nowMs = Math.max(this.nowMs, ms)
  }

  /** One attempt to hand a webhook to the merchant's server. */
  deliver(recordId: string, byRun: string | null): void {
    const record = this.record(recordId)
    if (!record) return
    const {orderId, event} = record
    const isDown = this.outages.some(({fromMs, toMs}) => this.nowMs >= fromMs && this.nowMs < toMs)
    const taken = !isDown && !this.poisoned.has(orderId)
    record.attempts += 1
    record.sentMs = this.nowMs
    record.isForgotten = false
    record.status = taken ? 'success' : 'failed'
    record.responseCode = taken ? 200 : 503
    if (byRun === null || taken) {
      const delay = retryMs[record.attempts - 1]
      record.nextRetryMs = taken || delay === undefined ? null : this.nowMs + delay
    }
    this.arrivals.push({atMs: this.nowMs, recordId, orderId, byRun, taken})
    if (taken && event === 'order.completed' && !this.slept.has(orderId)) this.book(record)
  }

  /** The merchant's server credits an order once, however often it is told. */
  book(record: DeliveryRecord): void {
    const order = [...this.orders.values()].find(({platformNo}) => platformNo === record.orderId)
    if (!order) return
    const rows = this.books.filter(({kind, orderNo}) => kind === order.kind && orderNo === order.orderNo)
    if (rows.some(({state}) => state === 'completed')) return
    const [row] = rows
    if (row) Object.assign(row, {state: 'completed', amount: record.says ?? row.amount})
    else {
      const {kind, orderNo, createdMs} = order
      this.books.push({kind, orderNo, state: 'completed', amount: record.says, createdMs, damage: null})
    }
  }

  private completeDue(ms: number): void {
    for (const order of this.orders.values()) {
      if (order.completesMs === null || order.completesMs > ms) continue
      order.completesMs = null
      order.word = 'completed'
      const record = this.completion(order)
      this.addRecord(record)
      this.deliver(record.id, null)
      return
    }
  }

  completion(
    {platformNo, orderNo, recordedAs = orderNo, amount}: Order,
    createdMs = this.nowMs,
  ): DeliveryRecord {
    return {
      ...{
        id: this.uuid(),
        orderId: platformNo,
        orderNo: recordedAs,
        event: 'order.completed',
        says: amount,
        createdMs,
      },
      ...{status: 'pending', responseCode: null, attempts: 0, nextRetryMs: null, sentMs: null},
      isForgotten: false,
    }
  }
}

function retryOf({nextRetryMs, isForgotten}: DeliveryRecord): number {
  return isForgotten || nextRetryMs === null ? Number.POSITIVE_INFINITY : nextRetryMs
}

export function keyOf(kind: Kind, orderNo: string): string {
  return `${kind} ${orderNo}`
}

/** `50000` → `500.00`. */
export function taka(paisa: bigint): string {
  const sign = paisa < 0n ? '-' : ''
  const digits = (paisa < 0n ? -paisa : paisa).toString().padStart(3, '0')
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`
}
