import type {Delivery} from './order.ts'
import {parseInstant} from './time.ts'

/** Filters that the service does not have, applied to what was read. */
export interface DeliveryFilter {
  /** Bounds of `filteredMs` in milliseconds since the epoch; `untilMs` is excluded. */
  readonly sinceMs: number | null
  readonly untilMs: number | null
  readonly event: string | null
  readonly merchantOrderId: string | null
  /** Patterns of `isCodePattern`: one match is enough; empty for every code. */
  readonly codes: readonly string[]
  /** In the form of `hostOf`. */
  readonly host: string | null
  /** The beginning of `url`. */
  readonly urlStart: string | null
}

/** The code of a record whose latest attempt got no HTTP answer. */
export const noCode = 'none'

/** A status (`503`), a class of them (`5xx`), or `none`. */
export function isCodePattern(text: string): boolean {
  return text === noCode || /^[1-5](?:\d\d|xx)$/.test(text)
}

/** The host of a text that is no web address. */
export const noHost = '-'

/** The lower-case host of a record's address, with any port but the scheme's default. */
export function hostOf({url}: Pick<Delivery, 'url'>): string {
  return URL.parse(url)?.host || noHost
}

/** The HTTP status of the latest attempt, or `none`, which some services write as 0. */
export function codeOf({responseCode}: Pick<Delivery, 'responseCode'>): string {
  return responseCode === null || responseCode === 0 ? noCode : String(responseCode)
}

export function passes(record: Delivery, filter: DeliveryFilter): boolean {
  const {sinceMs, untilMs, event, merchantOrderId, codes, host, urlStart} = filter
  if (event !== null && record.event !== event) return false
  if (merchantOrderId !== null && record.merchantOrderId !== merchantOrderId) return false
  if (host !== null && hostOf(record) !== host) return false
  if (urlStart !== null && !record.url.startsWith(urlStart)) return false
  if (codes.length > 0 && !codes.some((pattern) => matchesCode(codeOf(record), pattern))) return false
  const atMs = filteredMs(record)
  return (sinceMs === null || atMs >= sinceMs) && (untilMs === null || atMs < untilMs)
}

/** Failed webhooks are filtered by the time of the failure, others by their creation. */
function filteredMs(record: Delivery): number {
  const failedMs = record.status === 'failed' && record.sentAt !== null ? parseInstant(record.sentAt) : null
  return failedMs ?? createdMsOf(record)
}

/** Whether the filter asks for more than the service can do. */
export function isNarrowing({codes, ...bounds}: DeliveryFilter): boolean {
  return codes.length > 0 || Object.values(bounds).some((bound) => bound !== null)
}

export function createdMsOf({createdAt}: Pick<Delivery, 'createdAt'>): number {
  return parseInstant(createdAt) ?? 0
}

function matchesCode(code: string, pattern: string): boolean {
  return pattern.endsWith('xx') ? code.length === 3 && code[0] === pattern[0] : code === pattern
}
