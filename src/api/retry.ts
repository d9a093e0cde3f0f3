/**
 * The numbers of the one retry layer (promises, "Retries"). Which fault is retried for which operation is
 * decided in judgement.ts; how often and how soon is decided here.
 */
export type RetryCost = 'transient' | 'throttled'

const tokensMax = 500
const tokensOf: Readonly<Record<RetryCost, number>> = {transient: 14, throttled: 5}
const baseDelayMs: Readonly<Record<RetryCost, number>> = {transient: 50, throttled: 1_000}
const delayMaxMs = 20_000

/**
 * Tokens all calls of a client share: a service that answers nothing but 503 costs 35 extra requests in all,
 * not two for each call. A good answer gives one token back.
 */
export class RetryBudget {
  private tokens = tokensMax

  /** False, and nothing taken, where not enough is left. */
  spend(cost: RetryCost): boolean {
    if (this.tokens < tokensOf[cost]) return false
    this.tokens -= tokensOf[cost]
    return true
  }

  earn(): void {
    if (this.tokens < tokensMax) this.tokens += 1
  }
}

/** Full jitter: anywhere between nothing and base × 2ⁿ, at most 20 s. `retry` counts from 0. */
export function backoffMs(cost: RetryCost, retry: number, random: () => number): number {
  return random() * Math.min(delayMaxMs, baseDelayMs[cost] * 2 ** retry)
}

/**
 * Milliseconds a `Retry-After` asks for, or null for none or junk. A date is measured against the service's
 * own `Date` where there is one, so that a skewed clock here does not shorten it.
 */
export function readRetryAfterMs(header: string, serviceDate: string, nowMs: number): number | null {
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000
  const until = readHttpDate(header)
  return until === null ? null : Math.max(0, until - (readHttpDate(serviceDate) ?? nowMs))
}

/** Milliseconds since the epoch of an HTTP date (`Sat, 21 Nov 2026 03:55:24 GMT`), or null. */
export function readHttpDate(header: string): number | null {
  if (!header.endsWith('GMT')) return null
  const ms = Date.parse(header)
  return Number.isNaN(ms) ? null : ms
}
