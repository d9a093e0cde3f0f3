import type {Json} from './replies.ts'

export type Kind = 'deposit' | 'payout'

export interface Order {
  readonly kind: Kind
  readonly number: string
  readonly platformOrderNo: string
  /** The service's own word for the state, as it spells it (A3). */
  status: string
  /** A string, a `WireNumber`, or undefined for an answer that carries no amount (A2). */
  amount: Json | undefined
  /** The parameters it was created with, for orders that came in by a create. */
  readonly created: Readonly<Record<string, string | boolean | null>>
}

/** What a resend of one record leads to. A list of them is used up one a resend; the last one stays. */
export type ResendOutcome =
  | {readonly leadsTo: 'success'}
  | {readonly leadsTo: 'failed'; readonly code: number}
  /** Accepted with a 2xx, and nothing ever comes of it. */
  | {readonly leadsTo: 'nothing moves'}
  /** Accepted; the record turns to success only when it is read for the given time. */
  | {readonly leadsTo: 'success at read'; readonly read: number}
  | {readonly leadsTo: 'reset' | 'hang'; readonly delivered: boolean}
  /** Answered "no", whatever was done: the webhook may have arrived, and been taken or not. */
  | {
      readonly leadsTo: 'refused'
      readonly httpStatus: number
      readonly retryAfterS?: number
      readonly arrived?: 'taken' | 'in vain'
    }

export interface DeliveryRecord {
  readonly id: string
  order_id: string
  merchant_order_id: string
  url: string
  event: string
  status: 'pending' | 'success' | 'failed'
  response_code: number | null
  attempts: number
  max_attempts: number
  next_retry_at: string | null
  sent_at: string | null
  created_at: string
}

export interface StoredRecord {
  readonly fields: DeliveryRecord
  readonly outcomes: ResendOutcome[]
  /** How often its webhook reached the merchant's server by a resend. */
  arrivals: number
  /** Reads left until a late success shows; undefined when none is on its way. */
  readsToSuccess?: number
}

export type OrderToAdd = Pick<Order, 'kind' | 'number' | 'status'> &
  Partial<Pick<Order, 'amount' | 'created' | 'platformOrderNo'>>

export type RecordToAdd = Partial<Omit<DeliveryRecord, 'id'>> & {
  readonly order: Order
  readonly onResend?: readonly ResendOutcome[]
}

/** Everything the service knows: its orders and its delivery records, in the order the list shows them. */
export class Book {
  readonly orders = new Map<string, Order>()
  readonly records: StoredRecord[] = []
  #idsGiven = 0

  addOrder(order: OrderToAdd): Order {
    const stored: Order = {
      kind: order.kind,
      number: order.number,
      status: order.status,
      amount: order.amount,
      created: order.created ?? {},
      platformOrderNo: order.platformOrderNo ?? this.nextId(),
    }
    this.orders.set(`${stored.kind} ${stored.number}`, stored)
    return stored
  }

  findOrder(kind: Kind, number: string): Order | undefined {
    return this.orders.get(`${kind} ${number}`)
  }

  addRecord({order, onResend, ...given}: RecordToAdd): DeliveryRecord {
    const fields = this.makeRecord(order, given)
    this.records.push({fields, outcomes: [...(onResend ?? [{leadsTo: 'success' as const}])], arrivals: 0})
    return fields
  }

  /** A record whose webhook was tried to the last and never taken, unless told otherwise. */
  makeRecord(order: Order, given: Partial<Omit<DeliveryRecord, 'id'>> = {}): DeliveryRecord {
    return {
      id: this.nextId(),
      order_id: order.platformOrderNo,
      merchant_order_id: order.number,
      url: 'https://merchant.example/webhooks',
      event: 'order.completed',
      status: 'failed',
      response_code: 503,
      attempts: 5,
      max_attempts: 5,
      next_retry_at: null,
      sent_at: '2026-01-01T07:21:00.000Z',
      created_at: '2026-01-01T00:00:00.000Z',
      ...given,
    }
  }

  /** A UUID that is easy to recognise in a failing test's output. */
  nextId(): string {
    this.#idsGiven += 1
    return `0b5e55ed-0000-4000-8000-${String(this.#idsGiven).padStart(12, '0')}`
  }
}
