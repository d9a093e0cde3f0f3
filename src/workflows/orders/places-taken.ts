import {mayBeOneAmount} from '../../core/money.ts'
import {isNumberWithMark} from '../../core/order-no-readings.ts'
import {duplicateWindowMs} from '../../core/payout-limits.ts'
import type {Journal} from '../../journal/journal.ts'
import type {RequestRow} from '../../journal/rows.ts'
import {nameKeysOf} from './echo.ts'
import {isNameOfMany, numbersWithoutMark, signsOf} from './paid-anew.ts'
import {joinedWith, partsThatMake} from './paid-in-parts.ts'

/** A payout that failed, and those that were sent in its place: one, or its parts. */
export interface PlaceTaken {
  readonly failed: string
  readonly anew: readonly string[]
}

export type PlacesJournal = Pick<Journal, 'findRequest' | 'payoutsOfPayee' | 'replacedPayouts'>

/**
 * The pairs that a payout is in: those that a create recorded, and those that may be, because the first counted as not paid
 * before the other was sent. Nobody is asked here what became of them.
 */
export async function placesOf(
  orderNo: string,
  recorded: Awaited<ReturnType<Journal['replacedPayouts']>>,
  journal: PlacesJournal,
): Promise<PlaceTaken[]> {
  const places: PlaceTaken[] = []
  for (const {failed, anew} of recorded.filter((one) => one.failed === orderNo || one.anew === orderNo)) {
    // One that was sent again beside what is in its place, on somebody's word, is not in that place.
    const again = await journal.findRequest('payout', failed)
    if (!again?.repeatsAllowed.includes(anew)) places.push({failed, anew: [anew]})
  }
  const own = await journal.findRequest('payout', orderNo)
  if (own === null) return places
  const numbers = numbersWithoutMark(orderNo)
  const payee = {maskedAccount: own.maskedAccount, names: nameKeysOf(own), numbers: [orderNo, ...numbers]}
  for (const row of await journal.payoutsOfPayee(payee, true)) {
    if (row.orderNo !== orderNo && (row.seenFailedMs ?? 0) > own.claimedAtMs) continue
    const groups = await inPlaceOf(row, journal)
    const taken = groups.map((group) => ({failed: row.orderNo, anew: group.map((one) => one.orderNo)}))
    places.push(...taken.filter(({failed, anew}) => failed === orderNo || anew.includes(orderNo)))
  }
  const keyed = new Map(places.map((place) => [[place.failed, ...place.anew].join('\n'), place]))
  return [...keyed.values()]
}

/** A payout that counted as not paid from a time on. */
export type NotPaid = Pick<
  RequestRow,
  'orderNo' | 'amount' | 'seenFailedMs' | 'maskedAccount' | 'payeeFingerprint' | 'sentFields'
>

type Taken = (readonly RequestRow[])[]

/**
 * What may have been sent in the place of a payout that counted as not paid, each time: one, or its parts; also the first of its
 * parts alone, if the others were not sent: it may have been paid after all before them.
 */
export async function inPlaceOf(failed: NotPaid, journal: Pick<Journal, 'payoutsOfPayee'>): Promise<Taken> {
  const {taken, part} = await takenOf(failed, journal)
  return part && !taken.some((rows) => rows.every(hasNotFailed)) ? [...taken, [part]] : taken
}

/** What tells the account of a payout. */
export type ToAccount = Pick<RequestRow, 'maskedAccount' | 'payeeFingerprint' | 'amount'>

interface Which {
  /** Also what somebody sent beside it, on his word. */
  readonly withBeside?: boolean
  /** Whether the account of a payout is that of the failed one, where more is known than its visible digits. */
  readonly mayBeOneAccount?: (row: RequestRow) => boolean
}

/** The same without one that is smaller, and nobody's part by its number: it may be another payout. */
export async function wholePlacesOf(
  failed: NotPaid,
  journal: Pick<Journal, 'payoutsOfPayee'>,
  which: Which = {},
): Promise<Taken> {
  return (await takenOf(failed, journal, which)).taken
}

const hasNotFailed = (row: RequestRow) => row.seenFailedMs === null

async function takenOf(
  failed: NotPaid,
  journal: Pick<Journal, 'payoutsOfPayee'>,
  {withBeside = false, mayBeOneAccount = () => true}: Which = {},
): Promise<{readonly taken: Taken; readonly part?: RequestRow | undefined}> {
  const {orderNo, amount, seenFailedMs, maskedAccount} = failed
  if (seenFailedMs === null || amount === null) return {taken: []}
  const shares = signsOf(failed)
  const rows = await journal.payoutsOfPayee({maskedAccount, names: nameKeysOf(failed)}, false)
  const isOfMany = isNameOfMany(rows.filter((row) => shares(row, 'userName')))
  const isOfPayee = (row: RequestRow) =>
    row.orderNo !== orderNo &&
    ((shares(row, 'account') && mayBeOneAccount(row)) || (!isOfMany && shares(row, 'userName')))
  const ofPayee = rows.filter(isOfPayee)
  // One that somebody sent beside it, on his word, took nobody's place.
  const isBeside = (row: RequestRow) =>
    !withBeside && row.repeatsAllowed.includes(orderNo) && !row.replaces.includes(orderNo)
  const later = ofPayee.filter((row) => row.claimedAtMs >= seenFailedMs && !isBeside(row))
  const whole: RequestRow[] = []
  const near = later.filter((row) => row.amount !== null && mayBeOneAmount(row.amount, amount))
  for (const toAccount of Map.groupBy(near, (row) => row.maskedAccount).values()) {
    const last = toAccount.findIndex((row) => row.seenFailedMs === null)
    whole.push(...(last < 0 ? toAccount : toAccount.slice(0, last + 1)))
  }
  const marked = later.filter(
    (row) => row.amount !== null && row.amount < amount && isNumberWithMark(row.orderNo, orderNo),
  )
  const parts = partsThatMake(amount, later.filter(hasNotFailed)).take(partsShown)
  const wereFailed = (await journal.payoutsOfPayee({maskedAccount, names: nameKeysOf(failed)}, true)).filter(
    isOfPayee,
  )
  const joined = joinedWith(amount, wereFailed, later.filter(hasNotFailed)).filter(({joined, others}) =>
    others.every((row) => (row.seenFailedMs ?? 0) <= joined.claimedAtMs),
  )
  const taken = [
    ...[...whole, ...marked].map((row) => [row]),
    ...parts,
    ...joined.map((one) => [one.joined]).take(partsShown),
  ]
  const part = later.find(
    (row) =>
      row.amount !== null &&
      row.amount < amount &&
      !mayBeOneAmount(row.amount, amount) &&
      hasNotFailed(row) &&
      row.claimedAtMs < seenFailedMs + partWithinMs,
  )
  return {taken, part}
}

const partWithinMs = 7 * duplicateWindowMs

/** Of so many choices each is looked at. */
const partsShown = 5
