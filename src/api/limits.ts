import type {Timeouts} from '../core/profile.ts'

export interface Limits {
  readonly connectTimeoutMs: number
  readonly headersTimeoutMs: number
  /** One attempt, from first to last byte. */
  readonly totalTimeoutMs: number
  readonly answerBytesMax: number
  /** A page of delivery records is larger than any other answer. */
  readonly listAnswerBytesMax: number
  /** Tries of one call, with the first. */
  readonly attemptsMax: number
  /** A longer `Retry-After` ends the call. */
  readonly retryAfterMaxMs: number
}

export const defaultLimits: Limits = {
  connectTimeoutMs: 5_000,
  headersTimeoutMs: 15_000,
  totalTimeoutMs: 30_000,
  answerBytesMax: 1_048_576,
  listAnswerBytesMax: 8_388_608,
  attemptsMax: 3,
  retryAfterMaxMs: 60_000,
}

/** The defaults, with a profile's own timeouts. */
export function limitsOf(timeouts: Timeouts | undefined): Limits {
  return {
    ...defaultLimits,
    connectTimeoutMs: timeouts?.connectMs ?? defaultLimits.connectTimeoutMs,
    headersTimeoutMs: timeouts?.answerMs ?? defaultLimits.headersTimeoutMs,
    totalTimeoutMs: timeouts?.totalMs ?? defaultLimits.totalTimeoutMs,
  }
}
