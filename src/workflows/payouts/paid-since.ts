import type {ServiceClient} from '../../api/client.ts'
import type {Paisa} from '../../core/money.ts'
import type {DuplicatePayout} from '../../core/payout-limits.ts'
import type {Journal} from '../../journal/journal.ts'
import type {RequestRow} from '../../journal/rows.ts'
import {statusShown} from '../orders/doubts.ts'
import {exactParts} from '../orders/paid-in-parts.ts'
import {type NotPaid, wholePlacesOf} from '../orders/places-taken.ts'

interface Ports {
  readonly client: Pick<ServiceClient, 'queryOrder'>
  readonly journal: Pick<Journal, 'fingerprint' | 'numberWithPlatformOrder' | 'recordLook' | 'payoutsOfPayee'>
}

/**
 * What was sent since this very payout was refused, recorded as not paid, or left unsent by a run of its file, and may be in its
 * place: whoever runs the first command again pays it twice, however late. `own`: as it is to be sent, and as it was refused.
 */
export async function paidSince(
  own: readonly NotPaid[],
  rowsOfFile: ReadonlySet<string>,
  wasSent: boolean,
  {client, journal}: Ports,
): Promise<DuplicatePayout[]> {
  const found = new Map<string, DuplicatePayout>()
  const hasFailed = async (row: RequestRow) => (await statusShown(row, client, journal)) === 'failed'
  for (const payout of own)
    for (const group of await wholePlacesOf(payout, journal)) {
      if (group.some(({orderNo}) => rowsOfFile.has(orderNo))) continue
      if ((await Promise.all(group.map(hasFailed))).includes(true)) continue
      const sinceNotPaid = {atMs: payout.seenFailedMs ?? 0, wasSent}
      for (const row of group) if (!found.has(row.orderNo)) found.set(row.orderNo, {...row, sinceNotPaid})
    }
  return [...found.values()]
}

/** A row of a file of which nobody knows that it was paid. */
export interface UnpaidRow {
  readonly orderNo: string
  readonly amount: Paisa
}

/**
 * Payouts to the account that are to the paisa the sum of this row and up to four `others` of its file: whoever paid the rows that a
 * stop left, in one, and runs the file again pays them twice. `toAccount`: what was sent to it, without rows of the file.
 */
export async function joinedSince(
  {orderNo, amount, seenFailedMs}: NotPaid,
  others: readonly UnpaidRow[],
  toAccount: readonly RequestRow[],
  wasSent: boolean,
  {client, journal}: Ports,
): Promise<DuplicatePayout[]> {
  if (amount === null || seenFailedMs === null || others.length === 0) return []
  const found: DuplicatePayout[] = []
  for (const row of toAccount) {
    const isBeside = row.repeatsAllowed.includes(orderNo) && !row.replaces.includes(orderNo)
    if (row.claimedAtMs < seenFailedMs || isBeside || row.amount === null || row.amount <= amount) continue
    const isSum = exactParts(others, row.amount - amount).next().done === false
    if (isSum && (await statusShown(row, client, journal)) !== 'failed')
      found.push({...row, sinceNotPaid: {atMs: seenFailedMs, wasSent}})
  }
  return found
}
