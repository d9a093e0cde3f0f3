import type {Prng} from './prng.ts'

export type Kind = 'deposit' | 'payout'
/** The default words of A3; any other is a word that nobody explained. */
export type Word = string
export type State = 'completed' | 'open' | 'failed'

/** How an order stood from a moment on. */
export interface Version {
  readonly fromMs: number
  readonly word: Word
  readonly amount: bigint
}

/** An order as the service really has it. Amounts are whole paisa. */
export interface Order {
  readonly kind: Kind
  readonly orderNo: string
  readonly platformNo: string
  /** What its delivery records carry as `order_id`: foreign in a part of the deployments (A9). */
  readonly recordOrderId: string
  readonly createdMs: number
  readonly versions: Version[]
  readonly spelling: 'text' | 'number' | 'missing'
  /** When the player pays or the payout is carried out; null: never, or done. */
  completesMs: number | null
  /** Of a payout: whose account; of a deposit: the player. */
  readonly payee: string
  /** The process that had it made; null: it was there before. */
  readonly madeBy: string | null
}

/** A delivery record as the service shows it, which may lag behind what it did. */
export interface DeliveryRecord {
  readonly id: string
  readonly orderKey: string
  readonly orderId: string
  readonly orderNo: string
  readonly event: string
  status: 'pending' | 'success' | 'failed'
  responseCode: number | null
  attempts: number
  nextRetryMs: number | null
  sentMs: number | null
  readonly createdMs: number
  readonly amount: bigint
  /** The service has forgotten to try it again. */
  isForgotten: boolean
  /** A member of it is not as documented. */
  readonly isOdd: boolean
}

/** The merchant's own books: one entry an order. Nobody but the merchant's server and clerks writes there. */
export interface Entry {
  readonly kind: Kind
  readonly orderNo: string
  state: State
  amount: bigint | null
  readonly createdMs: number
}

/** A webhook that reached the merchant's server. */
export interface Delivery {
  readonly atMs: number
  /** When it was asked for. */
  readonly askedMs: number
  readonly recordId: string
  readonly orderKey: string
  readonly event: string
  /** The run of hisab whose resend it was; null for the service's own. */
  readonly run: string | null
  readonly isAccepted: boolean
  /** While a retry of the service's own was scheduled. */
  readonly wasScheduled: boolean
  readonly wordThen: Word
}

interface Later {
  readonly atMs: number
  readonly run: () => void
}

/** How this deployment behaves where docs/service.md says "not shown". */
export interface Deployment {
  readonly listOrder: 'newest_first' | 'oldest_first' | 'mixed'
  readonly pageSize: number
  /** The list keeps so many records; an arrival pushes the oldest out. */
  readonly cap: number
  readonly hasLegacy: boolean
  readonly isOrderIdForeign: boolean
  /** A gateway that has no route to this endpoint answers 404 in JSON. */
  readonly noRoute: Kind | null
  readonly skewMs: number
  /** How long after a resend its record shows it; infinity: never. */
  readonly recordLagsMs: readonly number[]
}

export const plainDeployment: Deployment = {
  ...{listOrder: 'newest_first', pageSize: 100, cap: Number.POSITIVE_INFINITY, hasLegacy: true},
  ...{isOrderIdForeign: false, noRoute: null, skewMs: 0, recordLagsMs: [0]},
}

const minuteMs = 60_000
/** Pauses of the retries after the first attempt (service §6). */
const retryMs = [1, 5, 15, 60, 360].map((count) => count * minuteMs)

/** All that is true: the service's orders and records, the merchant's server and books, and what passed between them. */
export class World {
  readonly deployment: Deployment
  readonly orders = new Map<string, Order>()
  /** In the order of the list. */
  /** Records that a capped list has no more. */
  readonly dropped: {readonly record: DeliveryRecord; readonly atMs: number}[] = []
  records: DeliveryRecord[] = []
  readonly entries = new Map<string, Entry>()
  readonly deliveries: Delivery[] = []
  /** Payouts carried out or accepted for it, by the process that asked. */
  outages: {readonly fromMs: number; readonly toMs: number}[] = []
  /** Orders whose webhooks the merchant's server always fails on, and those it takes and does not book. */
  readonly poisoned = new Set<string>()
  readonly slept = new Set<string>()
  balance = 1_000_000_000n
  /** Whether its answers say what time it is. */
  showsTime = true
  nowMs: number
  private later: Later[] = []
  private count = 0

  constructor(deployment: Deployment, nowMs: number) {
    this.deployment = deployment
    this.nowMs = nowMs
  }

  uuid(): string {
    this.count += 1
    return `00000000-0000-4000-8000-${this.count.toString(16).padStart(12, '0')}`
  }

  order(kind: Kind, orderNo: string): Order | undefined {
    return this.orders.get(keyOf(kind, orderNo))
  }

  record(id: string): DeliveryRecord | undefined {
    return this.records.find((record) => record.id === id)
  }

  addOrder(
    made: Pick<Order, 'kind' | 'orderNo' | 'createdMs' | 'payee'> & {
      readonly word: Word
      readonly amount: bigint
    } & Partial<Pick<Order, 'spelling' | 'completesMs' | 'madeBy'>>,
  ): Order {
    const {word, amount, spelling = 'text', completesMs = null, madeBy = null, ...rest} = made
    const platformNo = this.uuid()
    const recordOrderId = this.deployment.isOrderIdForeign ? this.uuid() : platformNo
    const versions = [{fromMs: made.createdMs, word, amount}]
    const order = {...rest, platformNo, recordOrderId, versions, spelling, completesMs, madeBy}
    this.orders.set(keyOf(made.kind, made.orderNo), order)
    return order
  }

  /** The service changes what it says of an order. */
  turn(order: Order, word: Word, amount = amountOf(order)): void {
    order.versions.push({fromMs: this.nowMs, word, amount})
  }

  enter(entry: Entry): void {
    this.entries.set(keyOf(entry.kind, entry.orderNo), entry)
  }

  addRecord(record: DeliveryRecord, prng?: Prng): void {
    const {listOrder, cap} = this.deployment
    if (listOrder === 'newest_first') this.records.unshift(record)
    else if (listOrder === 'oldest_first' || !prng) this.records.push(record)
    else this.records.splice(prng.int(0, this.records.length), 0, record)
    if (this.records.length <= cap) return
    const oldest = this.records.reduce((a, b) => (b.createdMs < a.createdMs ? b : a))
    this.records.splice(this.records.indexOf(oldest), 1)
    this.dropped.push({record: oldest, atMs: this.nowMs})
  }

  completion(order: Order, createdMs = this.nowMs): DeliveryRecord {
    return {
      ...{id: this.uuid(), orderKey: keyOf(order.kind, order.orderNo), orderId: order.recordOrderId},
      ...{orderNo: order.orderNo, event: 'order.completed', amount: amountOf(order), createdMs},
      ...{status: 'pending', responseCode: null, attempts: 0, nextRetryMs: null, sentMs: null},
      ...{isForgotten: false, isOdd: false},
    }
  }

  /** Does something at a later time. */
  at(atMs: number, run: () => void): void {
    this.later.push({atMs, run})
  }

  private nextDueMs(): number {
    let next = Number.POSITIVE_INFINITY
    for (const {atMs} of this.later) next = Math.min(next, atMs)
    for (const record of this.records) next = Math.min(next, retryOf(record))
    for (const {completesMs} of this.orders.values()) next = Math.min(next, completesMs ?? next)
    return next
  }

  /** Lets everything happen that is due until then, in order of time. */
  moveTo(ms: number): void {
    for (let next = this.nextDueMs(); next <= ms; next = this.nextDueMs()) {
      this.nowMs = Math.max(this.nowMs, next)
      const late = this.later.findIndex(({atMs}) => atMs <= next)
      const retried = this.records.find((record) => retryOf(record) <= next)
      if (late >= 0) this.later.splice(late, 1)[0]?.run()
      else if (retried) this.deliver(retried, null)
      else this.completeDue(next)
    }
    this.nowMs = Math.max(this.nowMs, ms)
  }

  /** One attempt to hand a webhook to the merchant's server; the record shows it after `lagMs`. */
  deliver(record: DeliveryRecord, run: string | null, lagMs = 0, askedMs = this.nowMs): void {
    const {orderKey, event} = record
    const isDown = this.outages.some(({fromMs, toMs}) => this.nowMs >= fromMs && this.nowMs < toMs)
    const isAccepted = !isDown && !this.poisoned.has(orderKey)
    const order = this.orders.get(orderKey)
    this.deliveries.push({
      ...{atMs: this.nowMs, askedMs, recordId: record.id, orderKey, event, run, isAccepted},
      wasScheduled:
        run !== null && retryOf(record) > this.nowMs && retryOf(record) < Number.POSITIVE_INFINITY,
      wordThen: order ? wordOf(order) : '',
    })
    const sentMs = this.nowMs
    const show = () => {
      record.attempts += 1
      record.sentMs = sentMs
      record.isForgotten = false
      record.status = isAccepted ? 'success' : 'failed'
      record.responseCode = isAccepted ? 200 : 503
      const delay = retryMs[record.attempts - 1]
      if (run === null) record.nextRetryMs = isAccepted || delay === undefined ? null : this.nowMs + delay
      else if (isAccepted) record.nextRetryMs = null
    }
    if (lagMs === 0) show()
    else if (lagMs < Number.POSITIVE_INFINITY) this.at(sentMs + lagMs, show)
    if (isAccepted && event === 'order.completed' && !this.slept.has(orderKey)) this.book(record)
  }

  /** The merchant's server credits an order once, however many webhooks it gets. */
  private book({orderKey, amount}: DeliveryRecord): void {
    const order = this.orders.get(orderKey)
    const entry = this.entries.get(orderKey)
    if (!order || entry?.state === 'completed') return
    const {kind, orderNo, createdMs} = order
    this.enter({kind, orderNo, state: 'completed', amount, createdMs})
  }

  private completeDue(ms: number): void {
    for (const order of this.orders.values()) {
      if (order.completesMs === null || order.completesMs > ms) continue
      order.completesMs = null
      this.turn(order, 'completed')
      const record = this.completion(order)
      this.addRecord(record)
      this.deliver(record, null)
      return
    }
  }
}

function retryOf({nextRetryMs, isForgotten}: DeliveryRecord): number {
  return isForgotten || nextRetryMs === null ? Number.POSITIVE_INFINITY : nextRetryMs
}

export function wordOf({versions}: Order): Word {
  return versions.at(-1)?.word ?? ''
}

export function amountOf({versions}: Order): bigint {
  return versions.at(-1)?.amount ?? 0n
}

/** What a word means (A3); null: nothing that can be relied on. */
export function stateOf(word: Word): State | null {
  if (word === 'completed' || word === 'failed') return word
  return word === 'processing' || word === 'pending' ? 'open' : null
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
