import {Failure} from '../../core/failure.ts'
import {besideDoubtOf, repeatedPayout} from '../../core/payout-limits.ts'
import type {Profile} from '../../core/profile.ts'
import {payoutQuestion, payoutText} from '../../report/payout-text.ts'
import {type RefusedJournal, type ReviewedPayout, rememberRepeats} from '../../workflows/payouts/terms.ts'
import {confirm, isTerminal} from '../prompt.ts'
import {styleFor} from '../style.ts'

export interface PayoutConsent {
  readonly yes: boolean
  /** A repeated payout to the same account is intended. */
  readonly 'allow-repeat': boolean
}

/**
 * Approves a payout by `--yes` or a person's yes; `--yes` alone never approves a repetition. Throws
 * `confirmation_needed` without a terminal, `payout_repeated`, `declined` on a no; nothing was sent then.
 */
export async function approvePayout(
  payout: ReviewedPayout,
  profile: Profile,
  consent: PayoutConsent,
  journal: RefusedJournal,
): Promise<void> {
  const [duplicate] = payout.duplicates
  const remember = () => rememberRepeats([payout], journal, Date.now())
  if (consent.yes) {
    if (!duplicate || consent['allow-repeat']) return
    await remember()
    const {outOrderNo} = payout.request
    const {timeZone} = profile.ledger
    throw repeatedPayout(outOrderNo, payout.claim.amount, duplicate, timeZone, besideDoubtOf([payout]))
  }
  process.stderr.write(`${payoutText(payout, profile, styleFor(process.stderr))}\n`)
  await requireYes(payoutQuestion(payout), remember)
}

/** Throws `confirmation_needed` without `--yes` and without a terminal. */
export function requireConsent({yes}: PayoutConsent, what: string): void {
  if (yes || isTerminal()) return
  throw new Failure(
    'confirmation_needed',
    `${what} needs your consent, and there is no terminal to ask in. Nothing was sent.`,
    'Add --yes to pay without being asked, or --dry-run to see what would be sent.',
  )
}

/** `onNo` remembers what it might have repeated: the person agrees that it would have. */
export async function requireYes(question: string, onNo: () => Promise<void>): Promise<void> {
  if (await confirm(question)) return
  await onNo()
  throw new Failure(
    'declined',
    'Not paid: you answered no. Nothing was sent.',
    'Run the command again to be asked again.',
  )
}
