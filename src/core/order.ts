import type {Paisa} from './money.ts'

export const orderKinds = ['deposit', 'payout'] as const
export type OrderKind = (typeof orderKinds)[number]

/** The states hisab reasons about; the words for them are the profile's (A3). */
export const orderStates = ['completed', 'open', 'failed'] as const
export type OrderState = (typeof orderStates)[number]

/** How a create sent from here stands in the journal. */
export const requestStates = ['intent', 'accepted', 'refused', 'unknown'] as const
export type RequestState = (typeof requestStates)[number]

/** How one row of a payout file ended. */
/** Whether a platformOrderNo may name one order: it is not what a service writes where it has none (`0`, `null`). */
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

/** An order as a query shows it now (service §4.2, §4.4, in the shape of A2). */
export interface ServiceOrder {
  readonly kind: OrderKind
  readonly orderNo: string
  readonly platformOrderNo: string
  /** `unknown_status` for any word the profile does not list: never completed, never failed (P7). */
  readonly status: OrderState | 'unknown_status'
  /** The service's own status word. */
  readonly rawStatus: string
  /** Null where the answer carries none. */
  readonly amount: Paisa | null
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
 * A record of the list that is not as documented: nothing is concluded from it, and it is never resent. What of it can be
 * read says which order it is about.
 */
export interface OddDelivery {
  /** Its own id, or one made of its content where it has none. */
  readonly id: string
  readonly orderId: string | null
  readonly merchantOrderId: string | null
  readonly event: string | null
  readonly createdAt: string | null
  readonly status: string | null
  /** Where and how it is not as documented; safe to show. */
  readonly why: string
  /** Its place on the page, from 0. */
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
