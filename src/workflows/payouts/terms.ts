import type {PayoutRequest, PreparedRequest, ServiceClient} from '../../api/client.ts'
import {earliestNow, isClockOff} from '../../core/clocks.ts'
import {Failure} from '../../core/failure.ts'
import {mayBeOneAmount, type Paisa} from '../../core/money.ts'
import {differInTry, isNumberWithMark, isTriedAgain} from '../../core/order-no-readings.ts'
import {
  type DuplicatePayout,
  duplicateWindowMs,
  isOpenDuplicate,
  refuseOverCeiling,
  refuseOverMax,
  repeatedPayout,
} from '../../core/payout-limits.ts'
import {defaultLedgerMapping, type Profile} from '../../core/profile.ts'
import {maskPhone} from '../../core/text.ts'
import {startOfDay} from '../../core/time.ts'
import type {Journal} from '../../journal/journal.ts'
import {mayBeOnePayee} from '../../journal/payee-key.ts'
import {repeatsAmong} from '../../journal/requests.ts'
import {isInDoubt, type PayoutGuard, type RequestRow} from '../../journal/rows.ts'
import {askQuietly} from '../orders/confirm.ts'
import type {WhyCredited} from '../orders/credited.ts'
import {statusShown} from '../orders/doubts.ts'
import {echoOfRow, fieldsToKeep, mayHaveName, nameKeys, nameKeysOf, namePartKeys} from '../orders/echo.ts'
import {numberOf, prepareAsFirstSent} from '../orders/first-sent.ts'
import {numbersWithoutMark, replacementsIn, type SentAs} from '../orders/paid-anew.ts'

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
    nowMs,
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
export interface ReviewedPayout extends PayoutOrder {
  /** The same request, sent before; null for a number that is new. */
  readonly earlier: RequestRow | null
  /**
   * Payouts which this one may repeat: of the last 24 hours, and of any age those in doubt and those whose number may
   * be this one, and the last one to the account while it is open. Also those that took the place of a failed payout, as this one would, and the one whose number this is
   * with a mark or in another spelling, if it may still be paid or its money may be back. Those in doubt are first.
   */
  readonly duplicates: readonly DuplicatePayout[]
  /** Such payouts which have failed at the service: this one replaces them. */
  readonly failed: readonly FailedPayout[]
  /** Their numbers, and those of earlier ones to the account: two payouts in one place are a repetition. */
  readonly places: readonly string[]
}

export interface FailedPayout extends Pick<RequestRow, 'orderNo' | 'amount' | 'claimedAtMs' | 'state'> {
  /** Null for one that another program sent. */
  readonly intentAtMs: number | null
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
    | 'requestsInDoubt'
    | 'payoutsTo'
    | 'replacedPayouts'
    | 'sumPayouts'
    | 'fingerprint'
    | 'numberWithPlatformOrder'
    | 'recordLook'
    | 'recordRefused'
    | 'refusedPayouts'
  >
  readonly whyCredited: WhyCredited
  readonly sentAs: SentAs
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
 * as `payoutOrder`. Of an accepted payout nothing is left to hold back. `isLeftOut`, for one of a file: whether an earlier
 * payout was a row of this file, and is none now. Of a file only the sum is held to the ceiling.
 */
export async function reviewPayout(
  order: PayoutOrder,
  terms: PayoutTerms,
  ports: ReviewPorts,
  isLeftOut: ((row: RequestRow) => boolean) | null = null,
): Promise<ReviewedPayout> {
  const {journal} = ports
  const {prepared, claim} = order
  const earlier = await journal.checkNumber(numberOf(prepared))
  if (earlier?.state === 'accepted') return {...order, earlier, ...nothing}
  const repetitions = () => repetitionsOf(order, terms, ports, isLeftOut ?? undefined)
  try {
    refuseOverMax(prepared.orderNo, claim.amount, terms.amountMax)
    if (isLeftOut === null) {
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

type Repetitions = Pick<ReviewedPayout, 'duplicates' | 'failed' | 'places'>
const nothing: Repetitions = {duplicates: [], failed: [], places: []}

/** What a payout may repeat. */
async function repetitionsOf(
  {prepared, claim, request}: PayoutOrder,
  {duplicatesSinceMs}: PayoutTerms,
  ports: ReviewPorts,
  isLeftOut: (row: RequestRow) => boolean = () => false,
): Promise<Repetitions> {
  const {client, journal, whyCredited, sentAs} = ports
  const {orderNo} = prepared
  const isOfName = (row: RequestRow) => mayHaveName(row, request.userName, journal.fingerprint)
  const isToAccount = ({maskedAccount, payeeFingerprint, amount}: RequestRow) =>
    maskedAccount === claim.maskedAccount &&
    mayBeOnePayee(payeeFingerprint, claim.fingerprintWith(amount ?? claim.amount))
  // To one account the next number may be the next week's.
  const isAgain = (row: RequestRow) =>
    isNumberWithMark(orderNo, row.orderNo, true) || (differInTry(orderNo, row.orderNo) && !isToAccount(row))
  const isOfPayee = (row: RequestRow) => isToAccount(row) || isOfName(row)
  const isSurely = (row: RequestRow) => isTriedAgain(orderNo, row.orderNo) || isLeftOut(row)
  const isIt = (row: RequestRow) =>
    row.amount === claim.amount ||
    isInDoubt(row) ||
    isSurely(row) ||
    (row.amount !== null && mayBeOneAmount(row.amount, claim.amount) && isOfPayee(row))
  const payee = {orderNo, ...claim}
  const paidTo = await journal.payoutsTo(payee)
  const rows = repeatsAmong(paidTo, payee, duplicatesSinceMs)
  const [duplicates, failed]: [DuplicatePayout[], FailedPayout[]] = [[], []]
  const replace = async (row: RequestRow) =>
    failed.push({...row, whyGivenBack: (await whyCredited(row.orderNo))?.why ?? null})
  const weigh = async (
    row: RequestRow,
    inPlace?: Pick<DuplicatePayout, 'inPlaceOf' | 'isToAccount' | 'refusedAs'>,
  ) => {
    const status = await statusShown(row, client, journal)
    const isRefused = (inPlace?.refusedAs?.claimedAtMs ?? Number.NEGATIVE_INFINITY) >= duplicatesSinceMs
    // What is paid under a number like this one to another account may be another player's.
    const isOthers = inPlace && !isRefused && !isSurely(row) && !(isAgain(row) && isOfPayee(row))
    if (status === 'failed') await replace(row)
    else if (status !== 'completed' || !isOthers) duplicates.push({...row, ...inPlace})
  }
  for (const row of rows) await weigh(row)
  const names = nameKeys(request.userName, journal.fingerprint)
  const parts = namePartKeys(request.userName, journal.fingerprint)
  const {alike, named, refused} = await sentAs(orderNo, claim, names, parts, isOfName)
  const known = new Set(rows.map((row) => row.orderNo))
  for (const row of [...alike, ...named.filter(isLeftOut)]) {
    if (known.has(row.orderNo)) continue
    known.add(row.orderNo)
    const isPaid =
      row.state !== 'refused' && isIt(row) && (isAgain(row) || isSurely(row) || !isToAccount(row))
    if (isPaid) await weigh(row, {inPlaceOf: row.orderNo, isToAccount: isToAccount(row)})
  }
  for (const {earlier: row, attempt} of refused) {
    // The very same payout again is weighed as it is now.
    if (attempt.orderNo === orderNo && attempt.intentDigest === prepared.intentSha256) continue
    // A wrong account, corrected under its own number.
    if (attempt.orderNo === orderNo && !isOfPayee(row)) continue
    const isAttempt = isToAccount(attempt) || nameKeysOf(attempt).some((key) => names.includes(key))
    const isWeighed = [...duplicates, ...failed].some((one) => one.orderNo === row.orderNo)
    if (isWeighed || row.orderNo === orderNo || row.state === 'refused' || !isAttempt) continue
    await weigh(row, {inPlaceOf: row.orderNo, isToAccount: isToAccount(row), refusedAs: attempt})
  }
  for (const number of numbersWithoutMark(orderNo))
    if (!known.has(number)) failed.push(...(await failedElsewhere(number, claim.amount, ports)))
  for (const row of await foundAfterAll(orderNo, named, ports))
    duplicates.push({...row, inPlaceOf: row.orderNo, isToAccount: isToAccount(row)})
  const replacements = replacementsIn(journal, client)
  const weighed = new Set([...duplicates, ...failed].map((row) => row.orderNo))
  const last = await lastPaidTo(paidTo, claim.amount, weighed, duplicatesSinceMs, ports)
  duplicates.push(...last.held)
  const isRecent = (row: RequestRow) => row.claimedAtMs >= duplicatesSinceMs
  for (const row of last.failed.filter(isRecent)) await replace(row)
  const before = last.failed.filter((row) => !isRecent(row))
  for (const row of [...failed, ...before]) {
    const {orderNo: inPlaceOf, amount, intentAtMs} = row
    for await (const other of replacements({orderNo: inPlaceOf, amount}, intentAtMs)) {
      const isNear = other.amount !== null && mayBeOneAmount(other.amount, claim.amount)
      if (other.orderNo === orderNo || (!isNear && !isTriedAgain(other.orderNo, inPlaceOf))) continue
      const known = duplicates.findIndex((one) => one.orderNo === other.orderNo)
      if (known >= 0 && duplicates[known]?.inPlaceOf !== other.orderNo) continue
      duplicates.splice(known < 0 ? duplicates.length : known, 1, {...other, inPlaceOf})
    }
    const isMarked = isNumberWithMark(orderNo, inPlaceOf) || alike.some((one) => one.orderNo === inPlaceOf)
    if (isMarked && 'whyGivenBack' in row && row.whyGivenBack !== null) duplicates.push({...row, inPlaceOf})
  }
  return {
    duplicates: duplicates.sort((a, b) => Number(isOpenDuplicate(b)) - Number(isOpenDuplicate(a))),
    failed,
    places: [...failed, ...before].map((row) => row.orderNo),
  }
}

/**
 * The last payout of nearly the amount to the account, at any age, unless it is known to be completed (or that is of another
 * amount: then the one before it); and those that failed after it, or that it took the place of. Older ones were followed by it, so nobody takes them for unpaid.
 */
async function lastPaidTo(
  paidTo: readonly RequestRow[],
  amount: Paisa,
  weighed: ReadonlySet<string>,
  sinceMs: number,
  {client, journal}: ReviewPorts,
): Promise<{held: DuplicatePayout[]; failed: RequestRow[]}> {
  const [failed, paid]: RequestRow[][] = [[], []] as [RequestRow[], RequestRow[]]
  for (const row of paidTo.toSorted((a, b) => b.claimedAtMs - a.claimedAtMs)) {
    const isReplaced = paid.some(
      (one) => one.repeatsAllowed.includes(row.orderNo) || isNumberWithMark(one.orderNo, row.orderNo),
    )
    const isOver =
      paid.length >= paidMax || paid.some((one) => one.amount === amount && one.claimedAtMs < sinceMs)
    if (weighed.has(row.orderNo) || (isOver && !isReplaced)) continue
    const status = row.isDeclaredMade ? 'completed' : await statusShown(row, client, journal)
    const wasFailed =
      status === null && (await journal.replacedPayouts()).some((one) => one.failed === row.orderNo)
    if (status === 'failed' || wasFailed) failed.push(row)
    else if (status === 'completed') paid.push(row)
    // What cannot be read may be open, and an open one may still be paid.
    else return {held: [status === null ? {...row, confirmation: 'unanswered'} : row], failed}
  }
  return {held: [], failed}
}

/** Completed ones of nearly the amount behind which an open one is looked for. */
const paidMax = 10

/** Payouts of the amount and name that counted as not paid, by an answer or a person, and that the service has. */
async function foundAfterAll(
  orderNo: string,
  named: readonly RequestRow[],
  {client, journal}: ReviewPorts,
): Promise<RequestRow[]> {
  const found: RequestRow[] = []
  for (const row of named
    .filter((one) => one.state === 'refused' && one.orderNo !== orderNo)
    .slice(0, refusedMax)) {
    const answer = await askQuietly(client, 'payout', row.orderNo)
    if (answer instanceof Failure || !answer.found || answer.order.status === 'failed') continue
    const {amount} = answer.order
    const isIt = amount === null || amount === row.amount
    if (isIt && echoOfRow(row, journal.fingerprint)(answer.raw).differs === null) found.push(row)
  }
  return found
}

/** The last ones that were refused. */
const refusedMax = 3

/** The payout of a number that another program sent, if it has failed and its money is known to have gone back. */
async function failedElsewhere(
  orderNo: string,
  amount: Paisa,
  {client, whyCredited}: ReviewPorts,
): Promise<FailedPayout[]> {
  const credited = await whyCredited(orderNo)
  const answer = credited === null ? null : await askQuietly(client, 'payout', orderNo)
  if (credited === null || answer === null || answer instanceof Failure || !answer.found) return []
  const {status, amount: shown} = answer.order
  const isIt = status === 'failed' && (shown === null || shown === amount)
  const row = {orderNo, amount, claimedAtMs: 0, state: 'accepted', intentAtMs: null} as const
  return isIt ? [{...row, whyGivenBack: credited.why}] : []
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
  // What was accepted meanwhile is asked for, and not sent.
  const isMade = (await ports.journal.checkNumber(numberOf(order.prepared)))?.state === 'accepted'
  const {duplicates, failed} = isMade ? nothing : await repetitionsOf(order, terms, ports)
  const unseen = duplicates.find((one) => !allowed.has(one.orderNo))
  if (unseen) throw repeatedPayout(order.prepared.orderNo, order.claim.amount, unseen)
  const replaces = failed.map(({orderNo}) => orderNo)
  const duplicatesAllowed = new Set([...allowed, ...replaces])
  return {dailyCeiling, dayStartMs, duplicatesSinceMs, duplicatesAllowed, replaces}
}
