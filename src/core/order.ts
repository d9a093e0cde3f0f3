import type {Paisa} from './money.ts'

export const orderKinds = ['deposit', 'payout'] as const
export type OrderKind = (typeof orderKinds)[number]

export const orderStates = ['completed', 'open', 'failed'] as const
export type OrderState = (typeof orderStates)[number]

/** States of a create in the journal. */
export const requestStates = ['intent', 'accepted', 'refused', 'unknown'] as const
export type RequestState = (typeof requestStates)[number]

/** How one row of a payout file ended. */
/** Whether a platformOrderNo may identify an order: not a placeholder (`0`, `null`). */
export function namesAnOrder(platformOrderNo: string): boolean {
  const bare = platformOrderNo.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
  return new Set(bare).size > 1 && !placeholders.has(bare)
}

const placeholders: ReadonlySet<string> = new Set([
  'null',
  'nil',
  'none',
  'undefined',
  'na',
  'nan',
  'tbd',
  'unknown',
  'pending',
  'processing',
])

export const payoutLineStates = ['accepted', 'contradicted', 'refused', 'unknown', 'not_sent'] as const
export type PayoutLineState = (typeof payoutLineStates)[number]

export const payoutChannels = ['BKASH', 'NAGAD', 'ROCKET'] as const
export type PayoutChannel = (typeof payoutChannels)[number]

/** Limits of the fields (service §2.1, §2.2, §4.5). */
export const orderNoLengthMax = 32
export const playerRefLengthMax = 64
export const walletNumber = /^01[3-9][0-9]{8}$/

/** An order as a query shows it (service §4.2, §4.4, in the form of A2). */
export interface ServiceOrder {
  readonly kind: OrderKind
  readonly orderNo: string
  readonly platformOrderNo: string
  /** `unknown_status` for a word that the profile does not list: neither completed nor failed (P7). */
  readonly status: OrderState | 'unknown_status'
  /** The service's own status word. */
  readonly rawStatus: string
  /** Null if the answer has none. */
  readonly amount: Paisa | null
  /** Whose deposit it is, where the answer says so. */
  readonly playerRef?: string
  /** What hisab sent under this number, where the answer shows another amount. */
  readonly sentAmount?: Paisa
}

export const deliveryStatuses = ['pending', 'success', 'failed'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** The delivery record of a webhook (service §2.3). Times are ISO 8601 with an offset, as the service wrote them. */
export interface Delivery {
  readonly id: string
  readonly orderId: string
  readonly merchantOrderId: string
  readonly url: string
  readonly event: string
  readonly status: DeliveryStatus
  readonly responseCode: number | null
  readonly attempts: number
  readonly attemptsMax: number
  readonly nextRetryAt: string | null
  readonly sentAt: string | null
  readonly createdAt: string
}

/**
 * A record that is not as documented: nothing is concluded from it, and it is never resent. Its readable fields show
 * which order it is about.
 */
export interface OddDelivery {
  /** Its own id, or one made from its content. */
  readonly id: string
  readonly orderId: string | null
  readonly merchantOrderId: string | null
  readonly event: string | null
  readonly createdAt: string | null
  readonly status: string | null
  /** What is not as documented; safe to show. */
  readonly why: string
  /** Its index on the page, from 0. */
  readonly at: number
}

/** The only documented name of an event (service §6). */
export const completedEvent = 'order.completed'

/** The service's automatic retries, after the first attempt (service §6): 7 h 21 min in all. */
export const retryDelaysMs: readonly number[] = [1, 5, 15, 60, 360].map((minutes) => minutes * 60_000)

export const legacyPageLimitMax = 100

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function isUuid(text: string): boolean {
  return uuid.test(text)
}

/** Of a record, or the platform's of an order: in any case, and none is the same as none. */
export function isSameId(one: string, other: string): boolean {
  return one !== '' && one.toLowerCase() === other.toLowerCase()
}
