import type {ServiceClient} from '../../api/client.ts'
import {Failure} from '../../core/failure.ts'
import type {Paisa} from '../../core/money.ts'
import {isNumberWithMark} from '../../core/order-no-readings.ts'
import type {DuplicatePayout} from '../../core/payout-limits.ts'
import type {Journal} from '../../journal/journal.ts'
import type {RequestRow} from '../../journal/rows.ts'
import {askQuietly} from '../orders/confirm.ts'
import type {WhyCredited} from '../orders/credited.ts'
import type {SentAs} from '../orders/paid-anew.ts'
import {statusNow} from './status-now.ts'

export interface FailedPayout extends Pick<RequestRow, 'orderNo' | 'amount' | 'claimedAtMs' | 'state'> {
  /** Null for one that another program sent. */
  readonly intentAtMs: number | null
  /** Why its money may be back on the player's balance, as a clause; null if nothing known here says so. */
  readonly whyGivenBack: string | null
}

export interface RepetitionPorts {
  readonly client: Pick<ServiceClient, 'queryOrder'>
  readonly journal: Pick<
    Journal,
    | 'findRequest'
    | 'listRequests'
    | 'requestsInDoubt'
    | 'payoutsTo'
    | 'replacedPayouts'
    | 'fingerprint'
    | 'numberWithPlatformOrder'
    | 'recordLook'
    | 'refusedPayouts'
    | 'payoutsOfPayee'
    | 'payoutsAllowedBeside'
    | 'findingsOf'
    | 'findFinalOrders'
  >
  readonly whyCredited: WhyCredited
  readonly sentAs: SentAs
  /** Numbers whose end this command has asked for: none is asked for again for that. */
  readonly asked: Set<string>
}

/**
 * The last payout of nearly the amount to the account, at any age, unless it is known to be completed (or that is of another
 * amount: then the one before it); and those that failed after it, or whose place it took, if no other of the amount followed. Older
 * ones were followed by it, so nobody takes them for unpaid.
 */
export async function lastPaidTo(
  paidTo: readonly RequestRow[],
  amount: Paisa,
  weighed: ReadonlySet<string>,
  sinceMs: number,
  {client, journal}: RepetitionPorts,
): Promise<{held: DuplicatePayout[]; failed: RequestRow[]}> {
  const [failed, paid]: RequestRow[][] = [[], []] as [RequestRow[], RequestRow[]]
  const rows = paidTo.toSorted((a, b) => b.claimedAtMs - a.claimedAtMs)
  const lastMs = rows.find((row) => row.amount === amount)?.claimedAtMs ?? 0
  for (const row of rows) {
    const isReplaced = paid.some(
      (one) =>
        one.claimedAtMs >= lastMs &&
        (one.repeatsAllowed.includes(row.orderNo) || isNumberWithMark(one.orderNo, row.orderNo)),
    )
    const isOver =
      paid.length >= paidMax || paid.some((one) => one.amount === amount && one.claimedAtMs < sinceMs)
    if (weighed.has(row.orderNo) || (isOver && !isReplaced)) continue
    const status = await statusNow(row, {client, journal})
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

/** The payout of a number that another program sent, if it has failed and its money is known to have gone back. */
export async function failedElsewhere(
  orderNo: string,
  amount: Paisa,
  {client, whyCredited}: RepetitionPorts,
): Promise<FailedPayout[]> {
  const credited = await whyCredited(orderNo)
  const answer = credited === null ? null : await askQuietly(client, 'payout', orderNo)
  if (credited === null || answer === null || answer instanceof Failure || !answer.found) return []
  const {status, amount: shown} = answer.order
  const isIt = status === 'failed' && (shown === null || shown === amount)
  const row = {orderNo, amount, claimedAtMs: 0, state: 'accepted', intentAtMs: null} as const
  return isIt ? [{...row, whyGivenBack: credited.why}] : []
}
