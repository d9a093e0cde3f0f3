import type {Paisa} from '../../core/money.ts'
import type {DuplicatePayout} from '../../core/payout-limits.ts'
import {areOfOneKey, mayBeOnePayee} from '../../journal/payee-key.ts'
import type {ToAccount} from '../orders/places-taken.ts'

/** The account that a payout is to be sent to. */
interface OwnAccount {
  readonly amount: Paisa
  readonly maskedAccount: string
  readonly payeeFingerprint: string | null
  readonly fingerprintWith: (amount: Paisa) => string
}

/** What is known of the accounts of other payouts: the digest of one has its amount in it, so only those of this account are found by it. */
export function besideAccount({amount, maskedAccount, payeeFingerprint: own, fingerprintWith}: OwnAccount) {
  const isTold = ({payeeFingerprint: known}: ToAccount) =>
    own !== null && known !== null && areOfOneKey(known, own)
  const isToAccount = (row: ToAccount): boolean =>
    row.maskedAccount === maskedAccount &&
    mayBeOnePayee(row.payeeFingerprint, fingerprintWith(row.amount ?? amount))
  /** Whether two payouts went to one account, as far as known: to this one both, or neither, where their digests tell. */
  const mayBeOneAccount = (one: ToAccount, other: ToAccount): boolean => {
    if (one.maskedAccount !== maskedAccount || !isTold(one) || !isTold(other)) return true
    return isToAccount(one) === isToAccount(other)
  }
  /** What an earlier payout has in common with this one. */
  const likenessOf = (row: ToAccount): NonNullable<DuplicatePayout['failedAs']> => ({
    amount: row.amount,
    by: !isToAccount(row) ? 'name' : isTold(row) ? 'account' : 'digits',
  })
  return {isToAccount, mayBeOneAccount, likenessOf}
}
