import type {Delivery} from './order.ts'
import {parseInstant} from './time.ts'

/** What the service cannot filter records by: applied here, to what was read. */
export interface DeliveryFilter {
  /** Bounds of `filteredMs`, half-open; milliseconds since the epoch. */
  readonly sinceMs: number | null
  readonly untilMs: number | null
  readonly event: string | null
  readonly merchantOrderId: string | null
  /** Patterns of `isCodePattern`, any of which may match; empty for every code. */
  readonly codes: readonly string[]
  /** As `hostOf` gives it. */
  readonly host: string | null
  /** How `url` begins. */
  readonly urlStart: string | null
}

/** Code of a record whose latest attempt got no HTTP answer. */
export const noCode = 'none'

/** A status (`503`), a class of them (`5xx`), or `none`. */
export function isCodePattern(text: string): boolean {
  return text === noCode || /^[1-5](?:\d\d|xx)$/.test(text)
}

/** Host of a text that is not a web address. */
export const noHost = '-'

/** The host a record was sent to, in lower case, with its port where that is not the scheme's own. */
export function hostOf({url}: Pick<Delivery, 'url'>): string {
  return URL.parse(url)?.host || noHost
}

/** The HTTP status of the latest attempt as text, `none` where nothing answered. Some write 0 for that. */
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

/** Whoever asks for failed webhooks by time means when they failed; of others, when they were created. */
function filteredMs(record: Delivery): number {
  const failedMs = record.status === 'failed' && record.sentAt !== null ? parseInstant(record.sentAt) : null
  return failedMs ?? createdMsOf(record)
}

/** Whether anything is asked that the service was not. */
export function isNarrowing({codes, ...bounds}: DeliveryFilter): boolean {
  return codes.length > 0 || Object.values(bounds).some((bound) => bound !== null)
}

export function createdMsOf({createdAt}: Pick<Delivery, 'createdAt'>): number {
  return parseInstant(createdAt) ?? 0
}

function matchesCode(code: string, pattern: string): boolean {
  return pattern.endsWith('xx') ? code.length === 3 && code[0] === pattern[0] : code === pattern
}
