import type {ServiceClient} from '../../api/client.ts'
import {Failure} from '../../core/failure.ts'
import type {ServiceOrder} from '../../core/order.ts'
import {beginningsOf, isNumberWithMark} from '../../core/order-no-readings.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {Journal} from '../../journal/journal.ts'
import {mayBeOnePayee} from '../../journal/payee-key.ts'
import type {RequestRow} from '../../journal/rows.ts'
import {askQuietly} from './confirm.ts'
import {showsFailed} from './doubts.ts'
import {echoOfRow} from './echo.ts'

export type WhyPaidAnew = (
  order: Pick<ServiceOrder, 'kind' | 'orderNo' | 'amount'>,
  /** When it was made, at the earliest; null if nobody knows. */
  madeAtMs: number | null,
  isAnother?: IsAnother,
) => Promise<string | null>

/** Whether what may have taken the place of a failed payout is known to be another one. */
type IsAnother = (other: Pick<RequestRow, 'orderNo'>, isByNumber: boolean) => boolean

/** The earliest time at which a payout was made that is known to have failed then. */
export function madeSince(failedAtMs: number | null): number {
  return (failedAtMs ?? 0) - 72 * 60 * 60_000
}

type PaidAnewJournal = Pick<
  Journal,
  'findRequest' | 'listRequests' | 'fingerprint' | 'numberWithPlatformOrder'
>

/**
 * Why the money of a failed payout may have gone out otherwise, as a clause; null if nothing known says so: a person
 * recorded it as paid, or another payout took its place.
 */
export function paidAnewBy(journal: PaidAnewJournal, client: Pick<ServiceClient, 'queryOrder'>): WhyPaidAnew {
  const replacements = replacementsIn(journal, client)
  return async (order, madeAtMs, isAnother) => {
    if (order.kind !== 'payout') return null
    const row = await journal.findRequest('payout', order.orderNo)
    if (row?.isDeclaredMade) return 'a person recorded it as paid'
    for await (const other of replacements(order, madeAtMs, isAnother))
      return `it may have been paid anew as ${escapeInvisible(other.orderNo, 80)}`
    return null
  }
}

/**
 * Finds the payouts that may have taken the place of a failed one, and have not failed: by their number, because they
 * replaced it, or by payee and amount. Everything that speaks of a failed payout asks here.
 */
export function replacementsIn(journal: PaidAnewJournal, client: Pick<ServiceClient, 'queryOrder'>) {
  let reading: Promise<ReturnType<typeof indexOf>> | undefined
  return async function* (
    {orderNo, amount}: Pick<ServiceOrder, 'orderNo' | 'amount'>,
    madeAtMs: number | null,
    isAnother: IsAnother = () => false,
  ): AsyncGenerator<RequestRow> {
    const row = await journal.findRequest('payout', orderNo)
    reading ??= journal.listRequests('payout', Number.MAX_SAFE_INTEGER).then(indexOf)
    const find = await reading
    const markedAs = (number: string) =>
      find(`begins ${beginningsOf(number).at(-1)}`).filter((one) => isNumberWithMark(one.orderNo, number))
    const sinceMs = row?.intentAtMs ?? madeAtMs ?? Number.POSITIVE_INFINITY
    const isLater = (one: RequestRow) => one.claimedAtMs > sinceMs && one.amount === amount
    // W-501-3 may take the place of W-501-2, if that one took the place of W-501.
    const first = beginningsOf(orderNo).flatMap((text) =>
      find(`root ${text}`).filter((one) => one.orderNo !== orderNo && isNumberWithMark(orderNo, one.orderNo)),
    )
    const siblings = first.flatMap((one) => markedAs(one.orderNo).filter(isLater))
    const later = find(`amount ${amount}`).filter(isLater)
    const isToPayee =
      later.length === 0 ? null : row ? payeeOf(row) : await payeeAtService(orderNo, client, journal)
    const byNumber = new Set([...markedAs(orderNo), ...siblings])
    const others = [...byNumber, ...find(`repeats ${orderNo}`), ...later.filter((one) => isToPayee?.(one))]
    for (const other of new Set(others)) {
      if (other.orderNo === orderNo || isAnother(other, byNumber.has(other))) continue
      if (!(await showsFailed(other, client, journal))) yield other
    }
  }
}

/** The numbers that a payout's own number may be with a mark behind it: W-501 of W-501-2 and of W-501R. */
export function numbersWithoutMark(orderNo: string): string[] {
  const ends = [...orderNo.matchAll(/\p{Nd}(?!\p{Nd})|\p{L}(?!\p{L})/gu)]
  return ends
    .map(({0: {length}, index}) => orderNo.slice(0, index + length))
    .filter((number) => number !== orderNo && isNumberWithMark(orderNo, number))
}

/** Finds payouts that may have been made by what may say that they replaced another one. */
function indexOf(rows: readonly RequestRow[]): (key: string) => readonly RequestRow[] {
  const keyed = rows.flatMap((row) =>
    [
      `amount ${row.amount}`,
      ...row.repeatsAllowed.map((orderNo) => `repeats ${orderNo}`),
      ...beginningsOf(row.orderNo).map((text) => `begins ${text}`),
      `root ${beginningsOf(row.orderNo).at(-1)}`,
    ].flatMap((key) => (row.state === 'refused' ? [] : {key, row})),
  )
  const index = Map.groupBy(keyed, ({key}) => key)
  return (key) => (index.get(key) ?? []).map(({row}) => row)
}

function payeeOf({maskedAccount, payeeFingerprint}: RequestRow): (other: RequestRow) => boolean {
  return (other) =>
    other.maskedAccount === maskedAccount && mayBeOnePayee(other.payeeFingerprint, payeeFingerprint)
}

/** Of a payout that another program sent. */
async function payeeAtService(
  orderNo: string,
  client: Pick<ServiceClient, 'queryOrder'>,
  {fingerprint}: Pick<Journal, 'fingerprint'>,
): Promise<(other: RequestRow) => boolean> {
  const answer = await askQuietly(client, 'payout', orderNo)
  if (answer instanceof Failure) return () => true
  const account = answer.found ? answer.raw.account : undefined
  return (other) => account !== undefined && echoOfRow(other, fingerprint)({account}).differs === null
}
