import {Failure} from './failure.ts'
import {formatTaka, type Paisa} from './money.ts'
import {mayBeOneOrderNo} from './order-no-readings.ts'
import {skewMaxMs} from './reconcile/evidence.ts'
import {escapeInvisible} from './text.ts'
import {formatMinute} from './time.ts'

/**
 * Within this long a payout of the same amount to the same account is taken for a repetition; at any age where its number
 * may be the same, damaged.
 */
export const duplicateWindowMs = 24 * 3_600_000

/** Whether this machine's clock is so far from the service's that no time of it decides anything (P19). */
export function isClockOff(skewMs: number | null): skewMs is number {
  return skewMs !== null && Math.abs(skewMs) > skewMaxMs
}

/** An earlier payout of the same amount to the same account, under a number of its own. */
export interface DuplicatePayout {
  readonly orderNo: string
  readonly claimedAtMs: number
  readonly state: 'intent' | 'accepted' | 'refused' | 'unknown'
  /** `unanswered`: accepted, and no query has shown it. */
  readonly confirmation?: string | null
}

/** Throws `payout_over_limit`. */
export function refuseOverMax(orderNo: string, amount: Paisa, amountMax: Paisa | null): void {
  if (amountMax === null || amount <= amountMax) return
  throw new Failure(
    'payout_over_limit',
    `The payout ${escapeInvisible(orderNo, 80)} is BDT ${formatTaka(amount)}. The limit for one payout is BDT ${formatTaka(amountMax)}. Nothing was sent.`,
    'Correct the amount, or raise the limit. The lower of --max-amount and payouts.max_amount applies.',
  )
}

/** Throws `payout_over_limit` where `amount` and the `paid` sum of today exceed the ceiling. */
export function refuseOverCeiling(amount: Paisa, paid: Paisa, dailyCeiling: Paisa | null): void {
  if (dailyCeiling === null || paid + amount <= dailyCeiling) return
  throw new Failure(
    'payout_over_limit',
    `The payouts of today are BDT ${formatTaka(paid)}, with those in doubt. BDT ${formatTaka(amount)} more would exceed the daily ceiling of BDT ${formatTaka(dailyCeiling)}. It was not sent.`,
    'Wait until tomorrow, or raise payouts.daily_ceiling of the profile. Without that setting the last ceiling of this merchant applies.',
  )
}

/** A repeated payout needs `--allow-repeat`. */
export function repeatedPayout(orderNo: string, duplicate: DuplicatePayout): Failure {
  return new Failure(
    'payout_repeated',
    `${escapeInvisible(orderNo, 80)} pays the same amount to the same account again: ${describeDuplicate(orderNo, duplicate)}. The service would pay both. It was not sent.`,
    'If both are intended, add --allow-repeat. If the earlier one is in doubt or unconfirmed, query it instead.',
  )
}

/** `paid already as P-7 at 2026-11-20 14:05 (accepted)`: the same account, the same amount. */
export function describeDuplicate(orderNo: string, duplicate: DuplicatePayout, timeZone = 'UTC'): string {
  const at = formatMinute(duplicate.claimedAtMs, timeZone)
  const zone = timeZone === 'UTC' ? ' UTC' : ''
  const accepted = duplicate.confirmation === 'unanswered' ? 'accepted, unconfirmed' : 'accepted'
  const [paid, how] = duplicate.state === 'accepted' ? ['paid', accepted] : ['perhaps paid', 'in doubt']
  const fold = mayBeOneOrderNo(orderNo, duplicate.orderNo)
    ? '; the two may be one number that a spreadsheet has changed'
    : ''
  return `${paid} already as ${escapeInvisible(duplicate.orderNo, 80)} at ${at}${zone} (${how})${fold}`
}
