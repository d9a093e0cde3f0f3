/** How often and how soon requests are retried (promises, "Retries"); classify-response.ts decides which. */
export type RetryCost = 'transient' | 'throttled'

const tokensMax = 500
const tokensOf: Readonly<Record<RetryCost, number>> = {transient: 14, throttled: 5}
const baseDelayMs: Readonly<Record<RetryCost, number>> = {transient: 50, throttled: 1_000}
const delayMaxMs = 20_000

/**
 * Tokens that all calls of a client share: a service that answers only 503 costs 35 extra requests in all, not two
 * for each call. A good answer returns one token.
 */
export class RetryBudget {
  private tokens = tokensMax

  /** False if not enough is left; then nothing is taken. */
  spend(cost: RetryCost): boolean {
    if (this.tokens < tokensOf[cost]) return false
    this.tokens -= tokensOf[cost]
    return true
  }

  earn(): void {
    if (this.tokens < tokensMax) this.tokens += 1
  }
}

/** Full jitter: between 0 and base × 2ⁿ, at most 20 s. `retry` counts from 0. */
export function backoffMs(cost: RetryCost, retry: number, random: () => number): number {
  return random() * Math.min(delayMaxMs, baseDelayMs[cost] * 2 ** retry)
}

/**
 * The milliseconds of a `Retry-After`, or null. A date is compared with the service's own `Date` if there is one, so
 * that a wrong clock here does not shorten it.
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
