import type {ServiceClient} from '../../api/client.ts'
import {mayBeOneAmount, type Paisa, sumPaisa} from '../../core/money.ts'
import {isNumberWithMark} from '../../core/order-no-readings.ts'
import {type DuplicatePayout, duplicateWindowMs} from '../../core/payout-limits.ts'
import type {Journal} from '../../journal/journal.ts'
import type {PayeeKeys, RequestRow} from '../../journal/rows.ts'
import {statusShown} from '../orders/doubts.ts'
import {numbersWithoutMark} from '../orders/paid-anew.ts'
import {makeTogether} from '../orders/paid-in-parts.ts'
import {inPlaceOf} from '../orders/places-taken.ts'

interface Ports {
  readonly client: Pick<ServiceClient, 'queryOrder'>
  readonly journal: Pick<Journal, 'fingerprint' | 'numberWithPlatformOrder' | 'recordLook' | 'payoutsOfPayee'>
}

/** A failed payout that was paid anew in this week, and the amounts that the account got since, within a day. */
export interface PlaceFilled {
  readonly failed: string
  readonly amount: Paisa
  readonly parts: readonly Paisa[]
}

/**
 * The failed payouts of a larger amount which were paid anew, and whether this one pays them again: as the last part, for a week,
 * or by its number. Parts of one payout are sent to one account within a day.
 */
export async function fillsPlaces(
  {orderNo, amount}: Pick<RequestRow, 'orderNo'> & {readonly amount: Paisa},
  payee: PayeeKeys,
  {isOfPayee, isToAccount}: Readonly<Record<'isOfPayee' | 'isToAccount', (row: RequestRow) => boolean>>,
  sinceMs: number,
  {client, journal}: Ports,
): Promise<{held: DuplicatePayout[]; filled: PlaceFilled[]}> {
  const [held, filled]: [DuplicatePayout[], PlaceFilled[]] = [[], []]
  const weekMs = sinceMs - 6 * duplicateWindowMs
  const hasFailed = async (row: RequestRow) => (await statusShown(row, client, journal)) === 'failed'
  let ofPayee: Promise<readonly RequestRow[]> | undefined
  const isSmaller = (less: Paisa | null, more: Paisa | null) =>
    less !== null && more !== null && less < more && !mayBeOneAmount(less, more)
  const numbers = numbersWithoutMark(orderNo)
  const seen = await journal.payoutsOfPayee({...payee, numbers: [orderNo, ...numbers]}, true)
  for (const failed of seen) {
    // What was refused has no status that could show that it failed.
    if (failed.amount === null || failed.state === 'refused') continue
    if (!isSmaller(amount, failed.amount) || !isOfPayee(failed)) continue
    const place = (await inPlaceOf(failed, journal)).find((rows) => makesUp(rows, failed.amount))
    if (!place) continue
    const filledMs = Math.max(...place.map((row) => row.claimedAtMs))
    const isMarked = isNumberWithMark(orderNo, failed.orderNo, true)
    // Two players of one name may get its amount together by chance.
    const isHis = [failed, ...place].some(isToAccount)
    if (!isMarked && (filledMs < weekMs || !isHis)) continue
    const known = new Set([orderNo, ...place.map((row) => row.orderNo)])
    ofPayee ??= journal.payoutsOfPayee(payee, false)
    const since = (await ofPayee).filter(
      (row) =>
        row.claimedAtMs >= Math.max(sinceMs, filledMs) &&
        row.seenFailedMs === null &&
        !known.has(row.orderNo) &&
        isSmaller(row.amount, failed.amount) &&
        isToAccount(row),
    )
    const [isFailed, ...failures] = await Promise.all([failed, ...place].map(hasFailed))
    if (!isFailed || failures.includes(true)) continue
    const parts = since.flatMap((row) => row.amount ?? [])
    filled.push({failed: failed.orderNo, amount: failed.amount, parts})
    const isOfSum = place.length > 1 || !mayBeOneAmount(place[0]?.amount ?? 0n, failed.amount)
    if (isMarked || makeTogether(amount, parts, failed.amount))
      held.push(
        ...place.map((row) => ({
          ...row,
          inPlaceOf: failed.orderNo,
          ...(isOfSum ? {isOfSum: true as const} : {}),
        })),
      )
  }
  return {held, filled}
}

/** A part alone, under the number with a mark, is not the whole. */
function makesUp(rows: readonly RequestRow[], amount: Paisa | null): boolean {
  const sum = sumPaisa(rows.map((row) => row.amount ?? 0n))
  return amount !== null && (sum >= amount || mayBeOneAmount(sum, amount))
}

/** The last ones to another account of the name which took the place of a failed payout, within a day or while they are open. */
export async function tookPlaces(
  namesakes: readonly RequestRow[],
  maskedAccount: string,
  sinceMs: number,
  {client, journal}: Ports,
): Promise<(RequestRow & DuplicatePayout)[]> {
  const found: (RequestRow & DuplicatePayout)[] = []
  const others = namesakes.filter((row) => row.maskedAccount !== maskedAccount && row.replaces.length > 0)
  for (const row of others.slice(0, lookedAtMax)) {
    const [inPlaceOf = ''] = row.replaces
    const status = await statusShown(row, client, journal)
    const isHeld = status !== 'failed' && (row.claimedAtMs >= sinceMs || status === 'open')
    if (isHeld) found.push({...row, inPlaceOf})
  }
  return found
}

const lookedAtMax = 10
