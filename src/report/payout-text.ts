import {formatTaka, type Paisa} from '../core/money.ts'
import {type DuplicatePayout, warnOfDuplicate} from '../core/payout-limits.ts'
import type {Profile} from '../core/profile.ts'
import {takaInWords} from '../core/taka-words.ts'
import {escapeInvisible, maskPhone} from '../core/text.ts'
import {formatMinute} from '../core/time.ts'
import type {Style} from './table.ts'

export interface PayoutToShow {
  readonly request: {
    readonly outOrderNo: string
    readonly amount: Paisa
    readonly bankType: string
    readonly userName: string
    readonly account: string
  }
  readonly earlier: {readonly state: DuplicatePayout['state']; readonly intentAtMs: number} | null
  readonly duplicates: readonly DuplicatePayout[]
}

/** Everything that decides a payout, with the amount in digits and words; the account is masked (P20). */
export function payoutText(
  {request, earlier, duplicates}: PayoutToShow,
  profile: Profile,
  style: Style,
): string {
  const {outOrderNo, amount, bankType, userName, account} = request
  const {timeZone} = profile.ledger
  const rows: (readonly [name: string, value: string])[] = [
    ['amount', `${style('bold', `BDT ${formatTaka(amount)}`)}  ${takaInWords(amount)}`],
    ['account', `${maskPhone(account)}  ${escapeInvisible(userName, 80)}`],
    ['channel', bankType],
    ['profile', `${escapeInvisible(profile.name)}, at ${apiHostOf(profile)}`],
  ]
  if (earlier) {
    const at = formatMinute(earlier.intentAtMs, timeZone)
    const how = earlier.state === 'refused' ? 'and refused' : 'and the same request again is the same payout'
    rows.push(['sent', `before, at ${at}, ${how}`])
  }
  return [
    `Payout ${escapeInvisible(outOrderNo)}`,
    ...rows.map(([name, value]) => `  ${name.padEnd(8)} ${value}`),
    ...duplicates.map((duplicate) =>
      style('yellow', `  WARNING  ${warnOfDuplicate(outOrderNo, amount, duplicate, timeZone)}`),
    ),
  ].join('\n')
}

export function payoutQuestion({request: {amount, account}, duplicates}: PayoutToShow): string {
  const payee = `BDT ${formatTaka(amount)} to ${maskPhone(account)}`
  return duplicates.length === 0 ? `Pay ${payee} now?` : `Pay ${payee} AGAIN, under another number?`
}

export function apiHostOf({applyUrl}: Profile): string {
  return escapeInvisible(URL.parse(applyUrl)?.host ?? applyUrl)
}
