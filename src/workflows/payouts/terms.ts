import type {PayoutRequest, PreparedRequest, ServiceClient} from '../../api/client.ts'
import {earliestNow, isClockOff} from '../../core/clocks.ts'
import {Failure} from '../../core/failure.ts'
import type {Paisa} from '../../core/money.ts'
import {
  duplicateWindowMs,
  refuseOverCeiling,
  refuseOverMax,
  repeatedPayout,
} from '../../core/payout-limits.ts'
import {defaultLedgerMapping, type Profile} from '../../core/profile.ts'
import {maskPhone} from '../../core/text.ts'
import {startOfDay} from '../../core/time.ts'
import type {Journal} from '../../journal/journal.ts'
import type {PayoutGuard, RequestRow} from '../../journal/rows.ts'
import {fieldsToKeep} from '../orders/echo.ts'
import {numberOf, prepareAsFirstSent} from '../orders/first-sent.ts'
import type {RepetitionPorts} from './earlier-payouts.ts'
import {type InFile, type Repetitions, repetitionsOf} from './repetitions.ts'

/** What holds payouts back, at one moment. */
export type PayoutTerms = ReturnType<typeof payoutTerms>

/**
 * Of the two limits of one payout the lower holds: a flag never raises what the profile allows. Where this machine's clock
 * is off, no time of it lets a payout through (P19): repetitions count at any age, and the day begins by either clock.
 */
export function payoutTerms(
  {payouts, ledger: {timeZone}}: Profile,
  amountMax: Paisa | null,
  nowMs: number,
  skewMs: number | null = null,
) {
  const limits = [amountMax, payouts.amountMax].filter((limit) => limit !== null)
  return {
    ...{nowMs, timeZone},
    amountMax: limits.reduce<Paisa | null>(
      (least, limit) => (least === null || limit < least ? limit : least),
      null,
    ),
    dailyCeiling: payouts.dailyCeiling,
    /** Of the calendar day the ceiling is for: in Bangladesh, for two profiles of a merchant have one day. */
    dayStartMs: startOfDay(earliestNow({nowMs, skewMs}), defaultLedgerMapping.timeZone),
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
export interface ReviewedPayout extends PayoutOrder, Repetitions {
  /** The same request, sent before; null for a number that is new. */
  readonly earlier: RequestRow | null
}

export interface ReviewPorts extends RepetitionPorts {
  readonly journal: RepetitionPorts['journal'] & Pick<Journal, 'checkNumber' | 'sumPayouts' | 'recordRefused'>
}

/** One payout, complete to the byte, and what the journal is to keep of it. */
export type PayoutOrder = Awaited<ReturnType<typeof payoutOrder>>

/** Throws `number_reused` where the number was used with other parameters, and remembers the payout. */
export async function payoutOrder(
  request: PayoutRequest,
  prepare: (request: PayoutRequest) => PreparedRequest<'payout'>,
  journal: ReviewPorts['journal'],
  nowMs: number,
) {
  const {amount, bankType: channel, account} = request
  const payeeFingerprint = journal.fingerprint(account, amount)
  const fingerprintWith = (other: Paisa) => journal.fingerprint(account, other)
  const payee = {maskedAccount: maskPhone(account), payeeFingerprint, fingerprintWith}
  const claim = {amount, channel, ...payee}
  try {
    return {request, prepared: await prepareAsFirstSent(request, prepare, journal), claim}
  } catch (error) {
    if (error instanceof Failure && error.code === 'number_reused')
      await rememberRefused({prepared: prepare(request), claim}, request.outOrderNo, journal, nowMs)
    throw error
  }
}

export type RefusedJournal = Pick<Journal, 'recordRefused' | 'fingerprint'>

/** Payouts that are not made because they may be earlier ones: under another number each would be that one still. */
export async function rememberRepeats(
  payouts: readonly Pick<ReviewedPayout, 'prepared' | 'claim' | 'duplicates'>[],
  journal: RefusedJournal,
  nowMs: number,
): Promise<void> {
  for (const {duplicates, ...payout} of payouts)
    if (duplicates[0]) await rememberRefused(payout, duplicates[0].orderNo, journal, nowMs)
}

async function rememberRefused(
  {prepared, claim}: Pick<PayoutOrder, 'prepared' | 'claim'>,
  earlier: string,
  journal: RefusedJournal,
  nowMs: number,
): Promise<void> {
  const sentFields = fieldsToKeep(prepared, journal.fingerprint)
  const kept = {...numberOf(prepared), ...claim, sentFields, absentBefore: false, intentAtMs: nowMs}
  await journal.recordRefused(kept, earlier)
}

/**
 * Looks a payout up in the journal before anybody is asked. Throws `payout_over_limit`, and `number_reused`
 * as `payoutOrder`. Of an accepted payout nothing is left to hold back. Of a file only the sum is held to the ceiling.
 */
export async function reviewPayout(
  order: PayoutOrder,
  terms: PayoutTerms,
  ports: ReviewPorts,
  file: InFile | null = null,
): Promise<ReviewedPayout> {
  const {journal} = ports
  const {prepared, claim} = order
  const earlier = await journal.checkNumber(numberOf(prepared))
  if (earlier?.state === 'accepted') return {...order, earlier, ...nothing}
  const repetitions = () => repetitionsOf(order, terms.duplicatesSinceMs, ports, file)
  try {
    refuseOverMax(prepared.orderNo, claim.amount, terms.amountMax)
    if (file === null) {
      const paid = await journal.sumPayouts(terms.dayStartMs)
      refuseOverCeiling(claim.amount, paid - countedOf(earlier), terms.dailyCeiling)
    }
  } catch (error) {
    // Once the limit is raised it may come again under another number.
    await rememberRepeats([{...order, ...(await repetitions())}], journal, terms.nowMs)
    throw error
  }
  return {...order, earlier, ...(await repetitions())}
}

const noFile = {isLeftOut: () => false, sentSinceMs: () => null, unpaidTo: () => []}

const nothing: Repetitions = {
  duplicates: [],
  failed: [],
  failedBefore: [],
  places: [],
  filled: [],
  larger: [],
}

/** What of the day's sum is this very payout, sent before and in doubt: a doubt counts on any day. */
export function countedOf(earlier: RequestRow | null): Paisa {
  return (earlier?.state === 'refused' ? null : earlier?.amount) ?? 0n
}

/**
 * The terms that must still hold when a number is claimed; `allowed` are duplicates that a person accepted. Those that have
 * failed are queried once more: one that was paid meanwhile holds this one back, also as another row of the file, unless it is
 * among the `agreed`.
 */
export async function guardOf(
  order: PayoutOrder,
  terms: PayoutTerms,
  allowed: ReadonlySet<string>,
  ports: ReviewPorts,
  agreed = allowed,
): Promise<PayoutGuard> {
  const {dailyCeiling, dayStartMs, duplicatesSinceMs, timeZone} = terms
  // What was accepted meanwhile is asked for, and not sent.
  const isMade = (await ports.journal.checkNumber(numberOf(order.prepared)))?.state === 'accepted'
  const {duplicates, failed, failedBefore} = isMade
    ? nothing
    : await repetitionsOf(order, duplicatesSinceMs, ports, {
        numbers: new Set(allowed).difference(agreed),
        ...noFile,
      })
  const unseen = duplicates.find((one) => !(one.wasFailed ? agreed : allowed).has(one.orderNo))
  if (unseen) throw repeatedPayout(order.prepared.orderNo, order.claim.amount, unseen, timeZone)
  const replaces = [...new Set([...failed.map(({orderNo}) => orderNo), ...failedBefore])]
  const duplicatesAllowed = new Set([...allowed, ...replaces])
  const besides = duplicates.filter((one) => one.wasFailed || one.sinceNotPaid).map(({orderNo}) => orderNo)
  return {dailyCeiling, dayStartMs, duplicatesSinceMs, duplicatesAllowed, replaces, besides, timeZone}
}
