import {formatTaka} from '../core/money.ts'
import {addressesOf, type Profile} from '../core/profile.ts'
import {escapeInvisible} from '../core/text.ts'
import type {Journal} from '../journal/journal.ts'

/** Where a profile's service is, and how that came to be known. */
export function userOf(profile: Profile) {
  const {name: profileName, isEnvironmentNamed} = profile
  return {addresses: addressesOf(profile), profileName, isEnvironmentNamed}
}

/** Names the journals of versions before that were taken over, and their rows that were not kept. */
export function tellTakenOver(journal: Journal): void {
  for (const path of journal.merged) {
    process.stderr.write(`note: the journal ${escapeInvisible(path)} of the same merchant was taken over.\n`)
  }
  for (const {kind, orderNo, amount, maskedAccount, path, isNeverMade} of journal.dropped) {
    const money = amount === null ? '' : ` of BDT ${formatTaka(amount)} to ${maskedAccount ?? '?'}`
    const why = isNeverMade
      ? 'the number was accepted for another before it was sent, so it was never made'
      : 'it may have been made, and counts in the warning of repeated payouts and in the ceiling of its day'
    process.stderr.write(
      `note: the ${kind} ${escapeInvisible(orderNo, 80)}${money}, of ${escapeInvisible(path)}, was not kept: ${why}.\n`,
    )
  }
}
