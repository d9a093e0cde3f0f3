import type {PayoutRequest} from '../api/client.ts'
import {Failure} from '../core/failure.ts'
import {formatTaka} from '../core/money.ts'
import type {Profile} from '../core/profile.ts'
import {maskPhone, visible} from '../core/text.ts'
import {confirm} from './prompt.ts'

/**
 * Lets a payout through on `--yes` or a person's yes. Throws `confirmation_needed` where there is nobody to
 * ask, `declined` on a no; nothing has left this machine then.
 */
export async function approvePayout(request: PayoutRequest, profile: Profile, yes: boolean): Promise<void> {
  if (yes) return
  const answer = await confirm(payoutQuestion(request, profile))
  if (answer === true) return
  if (answer === false)
    throw new Failure(
      'declined',
      'Not paid out: you said no. Nothing was sent.',
      'Run it again to be asked again.',
    )
  throw new Failure(
    'confirmation_needed',
    'A payout asks before it is sent, and there is no terminal to ask in. Nothing was sent.',
    'Give --yes to pay without being asked, or --dry-run to see the request.',
  )
}

export function payoutQuestion(request: PayoutRequest, {name, applyUrl}: Profile): string {
  const {amount, account, userName, bankType, outOrderNo} = request
  const host = URL.parse(applyUrl)?.host ?? applyUrl
  return [
    `Pay BDT ${formatTaka(amount)} to ${maskPhone(account)} (${visible(userName, 80)}) by ${bankType}`,
    `as ${visible(outOrderNo)}, with the profile ${visible(name)} at ${visible(host)}?`,
  ].join(', ')
}
