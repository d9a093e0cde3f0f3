import type {PayoutRequest, PreparedRequest, ServiceClient} from '../../api/client.ts'
import type {Paisa} from '../../core/money.ts'
import {
  type DuplicatePayout,
  duplicateWindowMs,
  isClockOff,
  refuseOverCeiling,
  refuseOverMax,
  repeatedPayout,
} from '../../core/payout-limits.ts'
import {defaultLedgerMapping, type Profile} from '../../core/profile.ts'
import {maskPhone} from '../../core/text.ts'
import {startOfDay} from '../../core/time.ts'
import type {Journal} from '../../journal/journal.ts'
import type {PayoutGuard, RequestRow} from '../../journal/rows.ts'
import {showsFailed} from '../orders/doubts.ts'
import {numberOf, prepareAsFirstSent} from '../orders/first-sent.ts'
import {numbersWithoutMark, replacementsIn} from '../orders/paid-anew.ts'
import {whyGivenBack} from './given-back.ts'

/** What holds payouts back, at one moment. */
export type PayoutTerms = ReturnType<typeof payoutTerms>

/**
 * Of the two limits of one payout the lower holds: a flag never raises what the profile allows. Where this machine's clock
 * is off, no time of it lets a payout through (P19): repetitions count at any age, and the day begins by either clock.
 */
export function payoutTerms(
  {payouts}: Profile,
  amountMax: Paisa | null,
  nowMs: number,
  skewMs: number | null = null,
) {
  const limits = [amountMax, payouts.amountMax].filter((limit) => limit !== null)
  return {
    amountMax: limits.reduce<Paisa | null>(
      (least, limit) => (least === null || limit < least ? limit : least),
      null,
    ),
    dailyCeiling: payouts.dailyCeiling,
    /** Of the calendar day the ceiling is for: in Bangladesh, for two profiles of a merchant have one day. */
    dayStartMs: startOfDay(
      nowMs + Math.min(0, isClockOff(skewMs) ? skewMs : 0),
      defaultLedgerMapping.timeZone,
    ),
    duplicatesSinceMs: isClockOff(skewMs) ? Number.MIN_SAFE_INTEGER : nowMs - duplicateWindowMs,
  }
}

/**
 * The profile held to the merchant's daily ceiling. What it states itself is written down before anything is refused by
 * it, so that settings without one are held to it also then.
 */
export async function heldToCeiling(
  profile: Profile,
  journal: Pick<Journal, 'stateCeiling'>,
  nowMs: number,
): Promise<Profile> {
  const dailyCeiling = await journal.stateCeiling(profile.payouts.dailyCeiling, nowMs)
  return {...profile, payouts: {...profile.payouts, dailyCeiling}}
}

/** How far the service's clock is ahead: as this command's answers show, else as the last ones did. */
export async function skewOf(
  client: Pick<ServiceClient, 'clockSkewMs'>,
  journal: Pick<Journal, 'lastSkew'>,
): Promise<number | null> {
  return client.clockSkewMs ?? (await journal.lastSkew())
}

/** A payout beside what this machine remembers. */
export interface ReviewedPayout extends PayoutOrder {
  /** The same request, sent before; null for a number that is new. */
  readonly earlier: RequestRow | null
  /**
   * Payouts which this one may repeat: of the last 24 hours, and of any age those in doubt and those whose number may
   * be this one. Also those that took the place of a failed payout, as this one would.
   */
  readonly duplicates: readonly RepeatedPayout[]
  /** Such payouts which have failed at the service: this one replaces them. */
  readonly failed: readonly FailedPayout[]
}

/** `inPlaceOf`: the failed payout whose place it took, if payee and number alone do not make it a repetition. */
export type RepeatedPayout = RequestRow & Pick<DuplicatePayout, 'inPlaceOf'>

export interface FailedPayout extends RequestRow {
  /** Why its money may be back on the player's balance, as a clause; null if nothing known here says so. */
  readonly whyGivenBack: string | null
}

export interface ReviewPorts {
  readonly client: Pick<ServiceClient, 'queryOrder'>
  readonly journal: Pick<
    Journal,
    | 'checkNumber'
    | 'findRequest'
    | 'listRequests'
    | 'findDuplicates'
    | 'sumPayouts'
    | 'fingerprint'
    | 'numberWithPlatformOrder'
    | 'trace'
    | 'findFinalOrders'
  >
}

/** One payout, complete to the byte, and what the journal is to keep of it. */
export type PayoutOrder = Awaited<ReturnType<typeof payoutOrder>>

/** Throws `number_reused` where the number was used with other parameters. */
export async function payoutOrder(
  request: PayoutRequest,
  prepare: (request: PayoutRequest) => PreparedRequest<'payout'>,
  journal: ReviewPorts['journal'],
) {
  const prepared = await prepareAsFirstSent(request, prepare, journal)
  const {amount, bankType: channel, account} = request
  const payeeFingerprint = journal.fingerprint(account, amount)
  const fingerprintWith = (other: Paisa) => journal.fingerprint(account, other)
  const payee = {maskedAccount: maskPhone(account), payeeFingerprint, fingerprintWith}
  return {request, prepared, claim: {amount, channel, ...payee}}
}

/**
 * Looks a payout up in the journal before anybody is asked. Throws `payout_over_limit`, and `number_reused`
 * as `payoutOrder`. Of an accepted payout nothing is left to hold back.
 */
export async function reviewPayout(
  order: PayoutOrder,
  terms: PayoutTerms,
  ports: ReviewPorts,
): Promise<ReviewedPayout> {
  const {journal} = ports
  const {prepared, claim} = order
  const {orderNo} = prepared
  const earlier = await journal.checkNumber(numberOf(prepared))
  if (earlier?.state === 'accepted') return {...order, earlier, duplicates: [], failed: []}
  refuseOverMax(orderNo, claim.amount, terms.amountMax)
  const paid = await journal.sumPayouts(terms.dayStartMs)
  refuseOverCeiling(claim.amount, paid - countedOf(earlier), terms.dailyCeiling)
  return {...order, earlier, ...(await repetitionsOf(order, terms, ports))}
}

/** What a payout may repeat. Those in `allowed` are not queried. */
export async function repetitionsOf(
  {prepared, claim}: PayoutOrder,
  {duplicatesSinceMs}: PayoutTerms,
  {client, journal}: ReviewPorts,
  allowed: ReadonlySet<string> = new Set(),
): Promise<Pick<ReviewedPayout, 'duplicates' | 'failed'>> {
  const {orderNo} = prepared
  const rows = await journal.findDuplicates({orderNo, ...claim}, duplicatesSinceMs)
  const [duplicates, failed]: [RepeatedPayout[], FailedPayout[]] = [[], []]
  for (const row of [...rows, ...(await payeeCorrected(orderNo, claim.amount, rows, journal))]) {
    if (!allowed.has(row.orderNo) && (await showsFailed(row, client, journal)))
      failed.push({...row, whyGivenBack: await whyGivenBack(row.orderNo, journal)})
    else if (rows.includes(row)) duplicates.push(row)
  }
  const replacements = replacementsIn(journal, client)
  for (const {orderNo: inPlaceOf, amount, intentAtMs} of failed) {
    for await (const other of replacements({orderNo: inPlaceOf, amount}, intentAtMs)) {
      const isNew = other.orderNo !== orderNo && duplicates.every((one) => one.orderNo !== other.orderNo)
      if (isNew && other.amount === claim.amount) duplicates.push({...other, inPlaceOf})
    }
  }
  return {duplicates, failed}
}

/** Payouts of this number without its mark, to another account. One that failed may have been paid anew. */
async function payeeCorrected(
  orderNo: string,
  amount: Paisa,
  known: readonly RequestRow[],
  journal: ReviewPorts['journal'],
): Promise<RequestRow[]> {
  const found: RequestRow[] = []
  for (const number of numbersWithoutMark(orderNo)) {
    const row = known.some((one) => one.orderNo === number)
      ? null
      : await journal.findRequest('payout', number)
    if (row?.amount === amount) found.push(row)
  }
  return found
}

/** What of the day's sum is this very payout, sent before and in doubt: a doubt counts on any day. */
export function countedOf(earlier: RequestRow | null): Paisa {
  return (earlier?.state === 'refused' ? null : earlier?.amount) ?? 0n
}

/**
 * The terms that must still hold when a number is claimed; `allowed` are duplicates that a person accepted. Those that have
 * failed are queried once more: one that was paid meanwhile holds this one back.
 */
export async function guardOf(
  order: PayoutOrder,
  terms: PayoutTerms,
  allowed: ReadonlySet<string>,
  ports: ReviewPorts,
): Promise<PayoutGuard> {
  const {dailyCeiling, dayStartMs, duplicatesSinceMs} = terms
  const {duplicates, failed} = await repetitionsOf(order, terms, ports, allowed)
  const unseen = duplicates.find((one) => one.inPlaceOf !== undefined && !allowed.has(one.orderNo))
  if (unseen) throw repeatedPayout(order.prepared.orderNo, order.claim.amount, unseen)
  const duplicatesAllowed = new Set([...allowed, ...failed.map(({orderNo}) => orderNo)])
  return {dailyCeiling, dayStartMs, duplicatesSinceMs, duplicatesAllowed}
}
