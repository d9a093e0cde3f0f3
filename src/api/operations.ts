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

/** Requests really sent, with retries; without a connection none is. */
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

/** A call, and what is needed to judge its answer. */
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
  /** Reads what `isProven` needs; absent if there is nothing to read. */
  readonly recallProof?: () => Promise<void>
  /** The bytes of a create. A query's are made when it is sent, so that a long queue stays small. */
  readonly body: Uint8Array | null
  /** Called just before sending; throws if it is too late. */
  readonly checkInTime?: () => void
}

/**
 * The answer to a resend (A7): a 2xx, a no (including a 429), or nothing readable. None proves anything: the service
 * may have delivered the webhook before it answered. `but` is its objection.
 */
export interface ResendAnswer {
  readonly is: 'accepted' | 'refused' | 'lost'
  readonly but: string | null
}

/** `bare`: the result of a 404 that does not speak of an order, where it is another one. */
interface Absence<T> {
  readonly value: T
  readonly bare?: T
}

/** The differences of the seven operations, so that one loop and one classification serve all. */
export interface Operation<T> {
  readonly name: OperationName
  readonly count: keyof CallCounts
  /** A `read` may be repeated; a `create` with the same bytes; a `resend` never once it was sent. */
  readonly effect: 'read' | 'create' | 'resend'
  readonly api: 'orders' | 'legacy'
  /** The shape of success. Throws `InvalidResponse`. */
  read(json: JsonValue, ask: Ask): T
  /** The result if the service does not know it, for operations where that is an answer (A5). */
  readonly absent?: Absence<T>
  /** The result of an answer that is no success but no failure: it was sent, and the answer proves nothing. */
  readonly answered?: (is: ResendAnswer['is'], but: string) => T
}

const notFound: Absence<OrderAnswer> = {value: {found: false}, bare: {found: false, isBare: true}}

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

/** Any 2xx JSON is an acceptance and proves nothing (A7); no other answer proves anything either. */
export const webhooksResend: Operation<ResendAnswer> = {
  name: 'webhooks resend',
  count: 'resend',
  effect: 'resend',
  api: 'legacy',
  read: () => ({is: 'accepted', but: null}),
  answered: (is, but) => ({is, but}),
}
