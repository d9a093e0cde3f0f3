import type {Dialect} from './dialect.ts'
import {hostAddressOf} from './loopback.ts'
import type {Paisa} from './money.ts'
import type {OrderState} from './order.ts'

/** One merchant at one deployment, everything resolved: what `cli` hands to the rooms below. */
export interface Profile {
  readonly name: string
  readonly merchantId: string
  /** Environment of the service. Journal, lock and ceiling belong to merchant and environment. */
  readonly environment: string
  /** The file or a variable names it; else it is the default of the addresses. */
  readonly isEnvironmentNamed: boolean
  /** Deposits: `{baseUrl}/pay/order/create`. No trailing slash. */
  readonly baseUrl: string
  /** Payouts: `{applyUrl}/apply/create`. No trailing slash. */
  readonly applyUrl: string
  /** Origin of the legacy API; the path is the dialect's (A11). */
  readonly legacyUrl: string
  readonly returnUrl: string | null
  /** A proxy for addresses that are not on this machine; left out where none was named (P21). */
  readonly proxy?: string
  readonly dialect: Dialect
  readonly ledger: LedgerMapping
  readonly payouts: PayoutLimits
  /** Left out where the profile says nothing of them. */
  readonly timeouts?: Timeouts
}

export function addressesOf({
  baseUrl,
  applyUrl,
  legacyUrl,
}: Pick<Profile, 'baseUrl' | 'applyUrl' | 'legacyUrl'>): string[] {
  return [...new Set([baseUrl, applyUrl, legacyUrl].filter((url) => url !== '').map(hostAddressOf))]
}

/** How long one try of a call may take; null is the default of `api/limits.ts`. */
export interface Timeouts {
  /** Until the connection is up, TLS included. */
  readonly connectMs: number | null
  /** From then until the answer begins. */
  readonly answerMs: number | null
  /** From first to last byte. */
  readonly totalMs: number | null
}

/** Limits of the merchant for payouts; null is no limit. */
export interface PayoutLimits {
  readonly amountMax: Paisa | null
  /** The most all payouts of one calendar day may come to, in the ledger's time zone. */
  readonly dailyCeiling: Paisa | null
}

export const noPayoutLimits: PayoutLimits = {amountMax: null, dailyCeiling: null}

/** Never in a report, a journal or an error (P20). */
export interface Credentials {
  readonly apiSecret: string
  readonly apiKey: string
}

/** The columns `reconcile` reads, by hisab's names. */
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

/** What the rows of a ledger are: money that was booked, or orders in any state, of which an export may leave some out. */
export const ledgerContents = ['credits', 'orders'] as const
export type LedgerContents = (typeof ledgerContents)[number]

/** The order of day and month in dates of digits; `auto` tells it from the column, `iso` reads ISO 8601 alone. */
export const ledgerDates = ['auto', 'iso', 'day_first', 'month_first'] as const
export type LedgerDates = (typeof ledgerDates)[number]

/** How the merchant's own file is read (docs/configuration.md#your-ledger). */
export interface LedgerMapping {
  /** IANA zone of times without an offset. */
  readonly timeZone: string
  readonly dates: LedgerDates
  /** The file's header for a column, where it is not hisab's own name. */
  readonly columns: Readonly<Partial<Record<LedgerColumn, string>>>
  /** The merchant's words for a state, matched without regard to case: it is the merchant's own file. */
  readonly status: Readonly<Record<OrderState, readonly string[]>>
  /** What the merchant's files look like, as `hisab ledger check` saved it: a later file must fit. */
  readonly import?: LedgerImport
  /** Null: credits where no file has a status column, orders where one has. */
  readonly holds: LedgerContents | null
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
  holds: null,
}

/** The built-in profile: reaches `hisab sandbox start` on this machine with no configuration at all. */
export const sandboxPort = 4010

/** Its payouts: the next port, as in reality they are on another host (service §1). */
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
