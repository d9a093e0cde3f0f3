import type {Dialect} from '../core/dialect.ts'
import type {JsonValue} from '../core/json.ts'
import type {Endpoint} from './origin.ts'
import {
  type CreatedDeposit,
  type CreatedPayout,
  type DeliveryDetail,
  type DeliveryPage,
  type OrderAnswer,
  readCreatedDeposit,
  readCreatedPayout,
  readDeliveryDetail,
  readDeliveryPage,
  readOrder,
} from './wire.ts'

/** HTTP requests actually sent, retries included; a connection that never came up is none. */
export interface CallCounts {
  create: number
  query: number
  list: number
  get: number
  resend: number
}

export type OperationName =
  | 'deposit create'
  | 'deposit query'
  | 'payout create'
  | 'payout query'
  | 'webhooks list'
  | 'webhooks get'
  | 'webhooks resend'

/** One question, and all that is needed to judge its answer. */
export interface Ask {
  readonly endpoint: Endpoint
  /** Below the endpoint's own path; may carry a query. */
  readonly path: string
  /** The order number or the delivery id, for the echo and for messages; empty for the list. */
  readonly subject: string
  readonly merchantId: string
  readonly dialect: Dialect
  /** Whether this address has returned an order before, so that its JSON 404 means "no such order" (A5). */
  readonly isProven: () => boolean
  /** Reads what `isProven` rests on; left out where there is nothing to read. */
  readonly recallProof?: () => Promise<void>
  /** The bytes of a create. A query's are made when it is its turn, so that a long queue stays small. */
  readonly body: Uint8Array | null
  /** Asked just before the bytes leave; throws where they may not any more. */
  readonly checkInTime?: () => void
}

/**
 * How a resend was answered (A7): with a 2xx, with a no (a 429 is one), or with nothing that can be read. None of them
 * proves anything: the service may have delivered it before it answered, whatever it says. `but` is what it said against
 * it.
 */
export interface ResendAnswer {
  readonly is: 'accepted' | 'refused' | 'lost'
  readonly but: string | null
}

/** What the seven operations differ in. A value, so that one loop and one judgement serve them all. */
export interface Operation<T> {
  readonly name: OperationName
  readonly count: keyof CallCounts
  /** A `read` may be asked again freely; a `create` with the same bytes; a `resend` never once it was sent. */
  readonly effect: 'read' | 'create' | 'resend'
  readonly api: 'orders' | 'legacy'
  /** The shape of success. Throws `InvalidResponse`. */
  read(json: JsonValue, ask: Ask): T
  /** What it means that the service knows no such thing, where that is an answer (A5). */
  readonly absent?: {readonly value: T}
  /** What an answer that is no success comes to, where that is no failure: the request left, and the answer proves nothing. */
  readonly answered?: (is: ResendAnswer['is'], but: string) => T
}

const notFound: {readonly value: OrderAnswer} = {value: {found: false}}

export const depositCreate: Operation<CreatedDeposit> = {
  name: 'deposit create',
  count: 'create',
  effect: 'create',
  api: 'orders',
  read: (json, {merchantId, subject}) => readCreatedDeposit(json, {merchantId, orderNo: subject}),
}

export const payoutCreate: Operation<CreatedPayout> = {
  name: 'payout create',
  count: 'create',
  effect: 'create',
  api: 'orders',
  read: (json, {merchantId, subject}) => readCreatedPayout(json, {merchantId, orderNo: subject}),
}

export const depositQuery: Operation<OrderAnswer> = {
  name: 'deposit query',
  count: 'query',
  effect: 'read',
  api: 'orders',
  read: (json, {merchantId, subject, dialect}) =>
    readOrder(json, {merchantId, orderNo: subject}, 'deposit', dialect),
  absent: notFound,
}

export const payoutQuery: Operation<OrderAnswer> = {
  name: 'payout query',
  count: 'query',
  effect: 'read',
  api: 'orders',
  read: (json, {merchantId, subject, dialect}) =>
    readOrder(json, {merchantId, orderNo: subject}, 'payout', dialect),
  absent: notFound,
}

export const webhooksList: Operation<DeliveryPage> = {
  name: 'webhooks list',
  count: 'list',
  effect: 'read',
  api: 'legacy',
  read: readDeliveryPage,
}

export const webhooksGet: Operation<DeliveryDetail | null> = {
  name: 'webhooks get',
  count: 'get',
  effect: 'read',
  api: 'legacy',
  read: (json, {subject}) => readDeliveryDetail(json, subject),
  absent: {value: null},
}

/** Any 2xx JSON is an acceptance and proves nothing (A7), nor does any other answer. */
export const webhooksResend: Operation<ResendAnswer> = {
  name: 'webhooks resend',
  count: 'resend',
  effect: 'resend',
  api: 'legacy',
  read: () => ({is: 'accepted', but: null}),
  answered: (is, but) => ({is, but}),
}
