import {Failure} from '../core/failure.ts'
import type {Paisa} from '../core/money.ts'
import {readPayoutAmount} from '../core/payout-amount.ts'
import type {PayoutLimits} from '../core/profile.ts'
import type {ProfileSettings} from './schema.ts'

/** Throws `config_invalid` for a limit that is no amount above zero. */
export function payoutLimitsOf(
  given: ProfileSettings['payouts'],
  place: (key: string) => string,
): PayoutLimits {
  const read = (key: 'max_amount' | 'daily_ceiling'): Paisa | null => {
    const text = given?.[key]
    if (text === undefined) return null
    const amount = readPayoutAmount(String(text))
    if (amount.ok) return amount.paisa
    throw new Failure(
      'config_invalid',
      `${place(`payouts.${key}`)}: ${amount.reason}`,
      'Write BDT in quotes, as "50000.00"; leave the line out for no limit.',
    )
  }
  return {amountMax: read('max_amount'), dailyCeiling: read('daily_ceiling')}
}
