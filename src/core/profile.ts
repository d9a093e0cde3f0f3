import type {Dialect} from './dialect.ts'
import {hostAddressOf} from './loopback.ts'
import type {Paisa} from './money.ts'
import type {OrderKind, OrderState} from './order.ts'

export interface Profile {
  readonly name: string
  readonly merchantId: string
  /** Journal, lock and ceiling belong to merchant and environment. */
  readonly environment: string
  /** A file or a variable names it; otherwise it follows from the addresses. */
  readonly isEnvironmentNamed: boolean
  /** Deposits: `{baseUrl}/pay/order/create`. No trailing slash. */
  readonly baseUrl: string
  /** Payouts: `{applyUrl}/apply/create`. No trailing slash. */
  readonly applyUrl: string
  readonly legacyUrl: string
  readonly returnUrl: string | null
  /** A proxy for addresses beyond this machine; absent if none was named (P21). */
  readonly proxy?: string
  readonly dialect: Dialect
  readonly ledger: LedgerMapping
  readonly payouts: PayoutSettings
  readonly timeouts?: Timeouts
}

export function addressesOf({
  baseUrl,
  applyUrl,
  legacyUrl,
}: Pick<Profile, 'baseUrl' | 'applyUrl' | 'legacyUrl'>): string[] {
  return [...new Set([baseUrl, applyUrl, legacyUrl].filter((url) => url !== '').map(hostAddressOf))]
}

/** How long one try of a call may take; null: the default of `api/limits.ts`. */
export interface Timeouts {
  /** Until the connection is up, with TLS. */
  readonly connectMs: number | null
  /** From then until the answer begins. */
  readonly answerMs: number | null
  /** From first to last byte. */
  readonly totalMs: number | null
}

/** The merchant's limits for payouts, null for none, and what of a payout file decides nothing. */
export interface PayoutSettings {
  readonly amountMax: Paisa | null
  /** The sum of all payouts of a calendar day in the ledger's time zone. */
  readonly dailyCeiling: Paisa | null
  readonly ignoredColumns: readonly string[]
  readonly ignoredMarks: readonly string[]
}

export const noPayoutLimits: PayoutSettings = {
  ...{amountMax: null, dailyCeiling: null},
  ...{ignoredColumns: [], ignoredMarks: []},
}

export interface Credentials {
  readonly apiSecret: string
  readonly apiKey: string
}

/** The columns that `reconcile` reads. */
export const ledgerColumns = [
  'order_no',
  'kind',
  'status',
  'amount',
  'currency',
  'player_ref',
  'platform_order_no',
  'created_at',
] as const
export type LedgerColumn = (typeof ledgerColumns)[number]

export const ledgerContents = ['credits', 'orders'] as const
export type LedgerContents = (typeof ledgerContents)[number]

/** The order of day and month in numeric dates; `auto` infers it from the column, `iso` reads ISO 8601 only. */
export const ledgerDates = ['auto', 'iso', 'day_first', 'month_first'] as const
export type LedgerDates = (typeof ledgerDates)[number]

export interface LedgerMapping {
  /** IANA zone of times without an offset. */
  readonly timeZone: string
  readonly dates: LedgerDates
  /** The file's header for a column, if it is not hisab's name. */
  readonly columns: Readonly<Partial<Record<LedgerColumn, string>>>
  /** The merchant's words for a state, compared without case. */
  readonly status: Readonly<Record<OrderState, readonly string[]>>
  /** Likewise for a kind of order; rows with a word of `other` are no orders. */
  readonly kinds: Readonly<Record<OrderKind | 'other', readonly string[]>>
  /** The form of the merchant's files, saved by `hisab ledger check`: a later file must match it. */
  readonly import?: LedgerImport
  /** Null: credits if no file has a status column, else orders. */
  readonly holds: LedgerContents | null
  /** Headers of columns that are not read and say nothing of bookings. */
  readonly ignoredColumns: readonly string[]
  /** Texts outside of rows that tell of no booking. */
  readonly ignoredTexts: readonly string[]
}

export interface LedgerImport {
  readonly columns: LedgerMapping['columns']
  readonly sheet: string | null
}

export const defaultLedgerMapping: LedgerMapping = {
  timeZone: 'Asia/Dhaka',
  dates: 'auto',
  columns: {},
  status: {
    completed: ['completed', 'credited', 'paid', 'success'],
    open: ['pending', 'open', 'processing', 'created'],
    failed: ['failed', 'cancelled', 'canceled', 'expired', 'rejected'],
  },
  kinds: {deposit: ['deposit'], payout: ['payout'], other: []},
  holds: null,
  ignoredColumns: [],
  ignoredTexts: [],
}

/** The built-in profile: reaches `hisab sandbox start` on this machine without configuration. */
export const sandboxPort = 4010

/** Payouts are on the next port, because the real service has them on another host (service §1). */
export function sandboxApplyUrl(baseUrl: string): string {
  const url = URL.parse(baseUrl)
  if (!url?.port) return baseUrl
  url.port = String(Number(url.port) + 1)
  return url.href.replace(/\/$/, '')
}
/** Default address of `webhooks listen`; the profile `sandbox` sends its webhooks there. */
export const receiverPort = 4020
export const receiverPath = '/webhook'
export const sandboxMerchantId = '5a9db0c5-0000-4000-8000-000000000001'
export const sandboxCredentials: Credentials = {
  apiSecret: 'sandbox-secret-not-for-live-use',
  apiKey: 'sandbox-key-not-for-live-use',
}
