import type {ServiceClient} from '../../api/client.ts'
import {mayBeOneAmount, type Paisa} from '../../core/money.ts'
import type {ServiceOrder} from '../../core/order.ts'
import {type DuplicatePayout, duplicateWindowMs} from '../../core/payout-limits.ts'
import type {Journal} from '../../journal/journal.ts'
import {isInDoubt, type RequestRow} from '../../journal/rows.ts'
import {isPairClosed} from '../orders/paid-after-all.ts'
import {makeTogether} from '../orders/paid-in-parts.ts'
import {statusNow} from './status-now.ts'

interface Ports {
  readonly client: Pick<ServiceClient, 'queryOrder'>
  readonly journal: Pick<
    Journal,
    | 'fingerprint'
    | 'numberWithPlatformOrder'
    | 'recordLook'
    | 'replacedPayouts'
    | 'findRequest'
    | 'payoutsAllowedBeside'
    | 'findingsOf'
  >
}

/**
 * The payouts that once counted as not paid, and that are not failed any more: whoever pays one anew pays it twice. Of nearly the
 * amount, or by number (`alike`), at any age; those that this one may pay in part or with others, for a week. One sent on
 * somebody's word beside it, and a person who closed its item, end that.
 */
export async function failedNoMore(
  amount: Paisa,
  ofPayee: readonly RequestRow[],
  alike: readonly RequestRow[],
  sinceMs: number,
  ports: Ports,
): Promise<DuplicatePayout[]> {
  const weekMs = sinceMs - 6 * duplicateWindowMs
  const mayBeInPlace = (row: RequestRow) => {
    if (row.amount === null) return false
    if (mayBeOneAmount(row.amount, amount)) return true
    const others = ofPayee.filter((one) => one.orderNo !== row.orderNo && (one.seenFailedMs ?? 0) >= weekMs)
    const amounts = others.flatMap((one) => one.amount ?? [])
    const isPart = amount < row.amount || makeTogether(row.amount, amounts, amount)
    return (row.seenFailedMs ?? 0) >= weekMs && isPart
  }
  const isSmaller = (row: RequestRow) => row.amount !== null && amount <= row.amount
  const rows = [...ofPayee.filter(mayBeInPlace), ...alike.filter(isSmaller)]
  const found: DuplicatePayout[] = []
  for (const row of new Map(rows.map((one) => [one.orderNo, one])).values()) {
    // What is in doubt holds by itself.
    if (row.seenFailedMs === null || isInDoubt(row)) continue
    const status = await statusNow(row, ports)
    if (status === 'failed' || (await isOver(row, row.seenFailedMs, status, ports))) continue
    const now = row.isDeclaredMade ? 'a person recorded it as paid' : wordOf(status)
    const wasFailed = {atMs: row.seenFailedMs, now, isPaid: status === 'completed'}
    found.push({...row, wasFailed})
  }
  return found
}

async function isOver(
  {orderNo}: RequestRow,
  seenMs: number,
  status: ServiceOrder['status'] | null,
  {journal}: Ports,
): Promise<boolean> {
  const allowed = await journal.payoutsAllowedBeside(orderNo)
  if (allowed.some((row) => row.claimedAtMs >= seenMs)) return true
  const anew = (await journal.replacedPayouts()).filter(({failed}) => failed === orderNo)
  const numbers = [orderNo, ...anew.map((one) => one.anew)]
  if (await isPairClosed(numbers, journal)) return true
  if (status !== null) return false
  // One that the service does not show any more counts as failed where another took its place.
  const rows = await Promise.all(anew.map((one) => journal.findRequest('payout', one.anew)))
  return rows.some((row) => row !== null && row.seenFailedMs === null)
}

function wordOf(status: ServiceOrder['status'] | null): string {
  const isKnown = status !== null && status !== 'unknown_status'
  return isKnown ? `is ${status} now` : 'is not known to have failed now'
}
