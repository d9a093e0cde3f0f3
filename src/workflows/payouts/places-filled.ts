import type {ServiceClient} from '../../api/client.ts'
import {feeMax, mayBeOneAmount, type Paisa, sumPaisa} from '../../core/money.ts'
import {isNumberWithMark} from '../../core/order-no-readings.ts'
import {type DuplicatePayout, duplicateWindowMs} from '../../core/payout-limits.ts'
import type {Journal} from '../../journal/journal.ts'
import type {PayeeKeys, RequestRow} from '../../journal/rows.ts'
import {exactParts, makeTogether} from '../orders/paid-in-parts.ts'
import {wholePlacesOf} from '../orders/places-taken.ts'
import {statusNow} from './status-now.ts'

interface Ports {
  readonly client: Pick<ServiceClient, 'queryOrder'>
  readonly journal: Pick<Journal, 'fingerprint' | 'numberWithPlatformOrder' | 'recordLook' | 'payoutsOfPayee'>
}

/** A failed payout whose place this one may take, whole or in part, and the amounts that the account got since, within a day. */
export interface PlaceFilled {
  readonly failed: string
  readonly amount: Paisa
  readonly parts: readonly Paisa[]
  /** It was paid anew already. */
  readonly isFilled: boolean
  /** It went to the account of this one. */
  readonly isToAccount: boolean
}

interface Accounts extends Readonly<Record<'isOfPayee' | 'isToAccount', (row: RequestRow) => boolean>> {
  readonly mayBeOneAccount: (one: RequestRow, other: RequestRow) => boolean
  readonly likenessOf: (row: RequestRow) => NonNullable<DuplicatePayout['failedAs']>
}

/**
 * The failed payouts of nearly the amount or a larger one, and whether this one pays again what was paid anew: whole, within a day or
 * while that is open, also at another account of the name; as the last part, for a week; or by its number. The whole is held by a
 * part for a week, too. Parts of one payout are sent to one account within a day.
 */
export async function fillsPlaces(
  {orderNo, amount}: Pick<RequestRow, 'orderNo'> & {readonly amount: Paisa},
  payee: PayeeKeys,
  notPaid: readonly RequestRow[],
  {isOfPayee, isToAccount, mayBeOneAccount, likenessOf}: Accounts,
  sinceMs: number,
  {client, journal}: Ports,
): Promise<{held: DuplicatePayout[]; filled: PlaceFilled[]}> {
  const [held, filled]: [DuplicatePayout[], PlaceFilled[]] = [[], []]
  const weekMs = sinceMs - 6 * duplicateWindowMs
  const statusOf = (row: RequestRow) => statusNow(row, {client, journal})
  let ofPayee: Promise<readonly RequestRow[]> | undefined
  const smallerSince = async (fromMs: number, total: Paisa, known: ReadonlySet<string>) => {
    ofPayee ??= journal.payoutsOfPayee(payee, false)
    return (await ofPayee).filter(
      (row) =>
        row.claimedAtMs >= fromMs &&
        row.seenFailedMs === null &&
        !known.has(row.orderNo) &&
        isSmaller(row.amount, total),
    )
  }
  const partsSince = async (...which: Parameters<typeof smallerSince>): Promise<Paisa[]> =>
    (await smallerSince(...which)).flatMap((row) => (isToAccount(row) ? (row.amount ?? []) : []))
  // Nobody sends the whole beside a part of it, or beside nearly the whole, unless he does not know of that.
  const heldByParts = async (failed: RequestRow, total: Paisa, seenMs: number): Promise<RequestRow[]> => {
    const since = await smallerSince(Math.max(weekMs, seenMs), total, new Set([orderNo]))
    const parts = since.filter(
      (row) => row.claimedAtMs < seenMs + 7 * duplicateWindowMs && isPartOf(row, failed),
    )
    const statuses = await Promise.all(parts.map(statusOf))
    return parts.filter((_row, at) => statuses[at] !== 'failed')
  }
  /** By its number, by hisab's record, or because it is the whole less a larger fee. */
  const isPartOf = (row: RequestRow, failed: RequestRow): boolean => {
    if (row.repeatsAllowed.includes(failed.orderNo)) return row.replaces.includes(failed.orderNo)
    if (isNumberWithMark(row.orderNo, failed.orderNo, true)) return true
    const lessMax = 2n * feeMax(failed.amount ?? 0n)
    return isToAccount(row) && isToAccount(failed) && (row.amount ?? 0n) + lessMax >= (failed.amount ?? 0n)
  }
  for (const failed of notPaid) {
    if (failed.amount === null || failed.orderNo === orderNo || !isOfPayee(failed)) continue
    const isWhole = mayBeOneAmount(amount, failed.amount)
    if (!isWhole && amount > failed.amount) continue
    const place = await placeOf(failed, orderNo, statusOf, mayBeOneAccount, journal)
    const asFailed = {inPlaceOf: failed.orderNo, failedAs: likenessOf(failed)}
    const own = {failed: failed.orderNo, amount: failed.amount, isToAccount: isToAccount(failed)}
    if (place === null) {
      const seenMs = failed.seenFailedMs ?? 0
      if (seenMs < weekMs || (await statusOf(failed)) !== 'failed') continue
      const inPlace = isWhole ? await heldByParts(failed, failed.amount, seenMs) : []
      held.push(...inPlace.map((row) => ({...row, ...asFailed, isOfSum: true as const})))
      const parts = await partsSince(Math.max(sinceMs, seenMs), failed.amount, new Set([orderNo]))
      filled.push({...own, parts, isFilled: false})
      continue
    }
    const filledMs = Math.max(...place.rows.map((row) => row.claimedAtMs))
    const isMarked = !isWhole && isNumberWithMark(orderNo, failed.orderNo, true)
    // Two players of one name may get its amount together by chance.
    const isHis = [failed, ...place.rows].some(isToAccount)
    const isInParts = place.rows.length > 1 && isHis
    const wholeSinceMs = isInParts ? sinceMs - 4 * duplicateWindowMs : sinceMs
    const isLate = isWhole ? filledMs < wholeSinceMs && !place.isOpen : filledMs < weekMs || !isHis
    if ((isLate && !isMarked) || (await statusOf(failed)) !== 'failed') continue
    const known = new Set([orderNo, ...place.rows.map((row) => row.orderNo)])
    // A colleague may have sent the first part before.
    const seenMs = failed.seenFailedMs ?? filledMs
    const parts = isWhole ? [] : await partsSince(Math.max(sinceMs, seenMs), failed.amount, known)
    const ofWeek = isWhole ? [] : await partsSince(Math.max(weekMs, seenMs), failed.amount, known)
    const exact = exactParts(
      ofWeek.map((one) => ({amount: one})),
      failed.amount - amount,
    )
    if (!isWhole) filled.push({...own, parts, isFilled: true})
    const isOfSum = place.rows.length > 1 || !mayBeOneAmount(place.rows[0]?.amount ?? 0n, failed.amount)
    if (isWhole || isMarked || makeTogether(amount, parts, failed.amount) || exact.next().done === false)
      held.push(
        ...place.rows.map((row) => ({
          ...row,
          ...asFailed,
          ...(isOfSum ? {isOfSum: true as const} : {}),
        })),
      )
  }
  return {held, filled}
}

/** What was sent in its place and makes its amount, if it has not failed too. */
async function placeOf(
  failed: RequestRow,
  orderNo: string,
  statusOf: (row: RequestRow) => ReturnType<typeof statusNow>,
  mayBeOneAccount: Accounts['mayBeOneAccount'],
  journal: Ports['journal'],
): Promise<{readonly rows: readonly RequestRow[]; readonly isOpen: boolean} | null> {
  const which = {mayBeOneAccount: (row: RequestRow) => mayBeOneAccount(failed, row)}
  for (const rows of await wholePlacesOf(failed, journal, which)) {
    if (!makesUp(rows, failed.amount) || rows.some((row) => row.orderNo === orderNo)) continue
    const statuses = await Promise.all(rows.map(statusOf))
    if (!statuses.includes('failed')) return {rows, isOpen: statuses.includes('open')}
  }
  return null
}

function isSmaller(less: Paisa | null, more: Paisa): boolean {
  return less !== null && less < more && !mayBeOneAmount(less, more)
}

/** A part alone, under the number with a mark, is not the whole. */
function makesUp(rows: readonly RequestRow[], amount: Paisa | null): boolean {
  const sum = sumPaisa(rows.map((row) => row.amount ?? 0n))
  return amount !== null && (sum >= amount || mayBeOneAmount(sum, amount))
}
