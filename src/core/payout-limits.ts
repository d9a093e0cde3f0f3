import {Failure} from './failure.ts'
import {formatTaka, type Paisa} from './money.ts'
import {isNumberWithMark, isTriedAgain, mayBeOneOrderNo} from './order-no-readings.ts'
import {quoteForShell} from './shell.ts'
import {escapeInvisible, firstOf} from './text.ts'
import {formatMinute} from './time.ts'

/**
 * A payout of the same amount to the same account within this time counts as a repetition; at any age if its number
 * may be the same one, damaged.
 */
export const duplicateWindowMs = 24 * 3_600_000

/** An earlier payout of the same amount to the same account, under another number. */
export interface DuplicatePayout {
  readonly orderNo: string
  /** Given only if it differs, which it may for a payout in doubt. */
  readonly amount?: Paisa | null
  readonly claimedAtMs: number
  readonly state: 'intent' | 'accepted' | 'refused' | 'unknown'
  /** `unanswered`: accepted, and no query has shown it. */
  readonly confirmation?: string | null
  /** The failed payout whose place it took, if the new one would take it too; or itself, if the new one would take its place. */
  readonly inPlaceOf?: string
  /** That failed payout's amount, and by what the new one may be it. */
  readonly failedAs?: {readonly amount: Paisa | null; readonly by: 'account' | 'digits' | 'name'}
  /** Under which number, and when, the new one was refused before, because it may be this one. */
  readonly refusedAs?: Pick<DuplicatePayout, 'orderNo' | 'claimedAtMs'>
  /** It went to the same account, though it is named for its number. */
  readonly isToAccount?: boolean
  /** It has the name and the amount alone: within one file it is a namesake's. */
  readonly isNamesake?: true
  /** Its amount is another: it is a part of the failed payout in whose place it went, or pays others as well. */
  readonly isOfSum?: true
  /** It was refused, or a person recorded it as not paid. */
  readonly wasRefused?: boolean
  /** It counted as not paid from that time on, as it was seen failed, and is not failed now; `now`: how it is, as a clause. */
  readonly wasFailed?: {readonly atMs: number; readonly now: string; readonly isPaid: boolean}
  /**
   * It was sent after the new one's own number was refused or recorded as not paid, fell in doubt (until `untilMs`, if that is over),
   * or was left unsent by a run of its file.
   */
  readonly sinceNotPaid?: {
    readonly atMs: number
    readonly untilMs?: number
    readonly was: 'not_paid' | 'in_doubt' | 'unsent'
  }
  /** Why the money of such a payout, which has failed, may be back on the player's balance, as a clause. */
  readonly whyGivenBack?: string | null
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

/** Throws `payout_over_limit` if `amount` and the sum `paid` today exceed the ceiling. */
export function refuseOverCeiling(amount: Paisa, paid: Paisa, dailyCeiling: Paisa | null): void {
  if (dailyCeiling === null || paid + amount <= dailyCeiling) return
  throw new Failure(
    'payout_over_limit',
    `The payouts of today are BDT ${formatTaka(paid)}, with those in doubt. BDT ${formatTaka(amount)} more would exceed the daily ceiling of BDT ${formatTaka(dailyCeiling)}. It was not sent.`,
    'Wait until tomorrow, or raise payouts.daily_ceiling of the profile. Without that setting the last ceiling of this merchant applies.',
  )
}

/**
 * A repeated payout needs `--allow-repeat`; one beside a doubt should wait until the doubt ends. `besideInDoubt`: all
 * doubts that the flag would also allow. `flag`: what lets it pass.
 */
export function repeatedPayout(
  orderNo: string,
  amount: Paisa | null,
  duplicate: DuplicatePayout,
  timeZone?: string,
  besideInDoubt: readonly string[] = [],
  flag = '--allow-repeat',
): Failure {
  const isOpen = isOpenDuplicate(duplicate)
  // A query that showed another order ends no doubt: a person decides.
  const isForPerson = duplicate.state === 'accepted'
  const others = besideInDoubt.filter((other) => other !== duplicate.orderNo)
  const named = firstOf(others, 5, (no) => escapeInvisible(no, 80))
  const more = others.length === 0 ? '' : ` Also in doubt: ${named}.`
  const number = quoteForShell(escapeInvisible(duplicate.orderNo, 80))
  const isGivenBack = duplicate.whyGivenBack != null
  const own = quoteForShell(escapeInvisible(orderNo, 80))
  const isOwnDoubt =
    duplicate.sinceNotPaid?.was === 'in_doubt' && duplicate.sinceNotPaid.untilMs === undefined
  const both = isGivenBack
    ? 'The player may then have it twice'
    : isOpen || (duplicate.wasFailed && !duplicate.wasFailed.isPaid)
      ? 'Both may be paid'
      : 'The service would pay both'
  return new Failure(
    'payout_repeated',
    `${escapeInvisible(orderNo, 80)} ${mayOnlyBeAgain(orderNo, duplicate) ? 'may pay' : 'pays'} ${describeDuplicate(orderNo, amount, duplicate, timeZone)}. ${both}. It was not sent.${more}`,
    isGivenBack
      ? `Pay it only if its money was taken from the balance again. Then add ${flag}.`
      : isOpen
        ? `End the doubt first: ${isForPerson ? '' : `\`hisab payout query ${number}\`. If the service does not show it, `}record what became of it: \`hisab payout resolve ${number} --reason TEXT --paid\`, or … --not-paid. If both are intended, add ${flag}.`
        : isOwnDoubt
          ? `If ${escapeInvisible(duplicate.orderNo, 80)} took its place, do not send ${own} again: once the service says that it has none, record that with \`hisab payout resolve ${own} --not-paid --reason TEXT\`, and take it out of its file. If both are intended, add ${flag}.`
          : `If both are intended, add ${flag}. If the earlier one is unconfirmed, query it instead.`,
  )
}

/** Whether it may have been paid, and nobody knows. */
export function isOpenDuplicate({state, confirmation}: DuplicatePayout): boolean {
  return state !== 'accepted' || confirmation === 'contradicted'
}

/** The numbers in doubt to an account that one of these pays, each once (P6). */
export function besideDoubtOf(
  payouts: readonly {readonly duplicates: readonly DuplicatePayout[]}[],
): string[] {
  const open = payouts.flatMap(({duplicates}) => duplicates.filter(isOpenDuplicate))
  return [...new Set(open.map(({orderNo}) => orderNo))]
}

/** Whether it is taken for another payout for its payee and amount alone: it may be the next wage, or a sum that comes about by chance. */
function mayOnlyBeAgain(orderNo: string, {orderNo: other, ...duplicate}: DuplicatePayout): boolean {
  const {inPlaceOf, wasFailed, sinceNotPaid} = duplicate
  const number = wasFailed || sinceNotPaid ? other : inPlaceOf
  return number !== undefined && !isByNumber(orderNo, number)
}

function isByNumber(orderNo: string, other: string): boolean {
  return (
    isNumberWithMark(orderNo, other, true) || isTriedAgain(orderNo, other) || mayBeOneOrderNo(orderNo, other)
  )
}

/** The same for a list of warnings: `perhaps the failed payout P-7 again …` where that is not sure. */
export function warnOfDuplicate(...[orderNo, amount, duplicate, zone]: Parameters<typeof describeDuplicate>) {
  const described = describeDuplicate(orderNo, amount, duplicate, zone)
  return mayOnlyBeAgain(orderNo, duplicate) ? `perhaps ${described}` : described
}

const likenesses = {
  account: 'to the same account',
  digits: 'to an account with the same visible digits',
  name: 'to the same name',
} as const

/** By what a payout is compared, where its number does not say it. */
function likenessIn(
  orderNo: string,
  {inPlaceOf, failedAs, isNamesake, isToAccount}: DuplicatePayout,
): string {
  if (inPlaceOf === undefined || isByNumber(orderNo, inPlaceOf)) return ''
  if (failedAs) {
    const {amount, by} = failedAs
    return ` (${amount === null ? '' : `BDT ${formatTaka(amount)} `}${likenesses[by]})`
  }
  return isNamesake ? ' (of the same name and amount)' : isToAccount ? ' (to the same account)' : ''
}

/** `the same amount to the same account again: already sent as P-7 at 2026-11-20 14:05 (accepted)`. */
export function describeDuplicate(
  orderNo: string,
  amount: Paisa | null,
  duplicate: DuplicatePayout,
  timeZone = 'UTC',
): string {
  const at = formatMinute(duplicate.claimedAtMs, timeZone)
  const zone = timeZone === 'UTC' ? ' UTC' : ''
  const accepted = duplicate.confirmation === 'unanswered' ? 'accepted, unconfirmed' : 'accepted'
  const [sent, how] = isOpenDuplicate(duplicate)
    ? ['perhaps already sent', 'in doubt']
    : ['already sent', accepted]
  const fold = mayBeOneOrderNo(orderNo, duplicate.orderNo)
    ? '; the two may be one number that a spreadsheet has changed'
    : ''
  const {
    amount: paidAmount = null,
    inPlaceOf,
    refusedAs,
    isToAccount = false,
    isOfSum = false,
    whyGivenBack = null,
    wasFailed,
    wasRefused = false,
    sinceNotPaid,
  } = duplicate
  const isSame = paidAmount === null || paidAmount === amount
  const other = isSame ? '' : ` with BDT ${formatTaka(paidAmount)}`
  const number = escapeInvisible(duplicate.orderNo, 80)
  if (whyGivenBack !== null)
    return `the failed payout ${number} again: ${escapeInvisible(whyGivenBack, 200)}, so its money may be back on the player's balance`
  if (wasFailed)
    return `${number}${other} again: it ${wasRefused ? 'counted as not paid' : 'was seen failed'} at ${formatMinute(wasFailed.atMs, timeZone)}${zone}, and ${wasFailed.now}`
  if (sinceNotPaid) {
    const since = `${formatMinute(sinceNotPaid.atMs, timeZone)}${zone}`
    const was = {
      not_paid: `counted as not paid at ${since}`,
      in_doubt: `${sinceNotPaid.untilMs === undefined ? 'is' : 'was'} in doubt since ${since}`,
      unsent: `was left by a run of its file at ${since}`,
    }[sinceNotPaid.was]
    return `${number}${other} again: ${escapeInvisible(orderNo, 80)} ${was}, and ${number} was sent since, at ${at}${zone} (${how})`
  }
  const again =
    inPlaceOf === undefined
      ? `${isSame ? 'the same amount to ' : ''}the same account again`
      : inPlaceOf === duplicate.orderNo
        ? `${number} again${isToAccount ? '' : ', to another account'}`
        : `the failed payout ${escapeInvisible(inPlaceOf, 80)} again`
  const before = refusedAs
    ? `, as the payout that was refused as ${escapeInvisible(refusedAs.orderNo, 80)} at ${formatMinute(refusedAs.claimedAtMs, timeZone)}${zone}`
    : ''
  return `${again}${likenessIn(orderNo, duplicate)}${before}: ${sent}${isOfSum ? ', in parts or with others,' : ''} as ${number}${other} at ${at}${zone} (${how})${fold}`
}
