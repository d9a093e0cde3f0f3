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
) => Promise<string | null>

/** The earliest time at which a payout was made that is known to have failed then. */
export function madeSince(failedAtMs: number | null): number {
  return (failedAtMs ?? 0) - 72 * 60 * 60_000
}

/**
 * Why the money of a failed payout may have gone out otherwise, as a clause; null if nothing known says so. Everything
 * that speaks of a failed payout asks here: a person recorded it as paid, or another payout that has not failed may have
 * taken its place, by its number, because it replaced it, or by payee and amount.
 */
export function paidAnewBy(
  journal: Pick<Journal, 'findRequest' | 'listRequests' | 'fingerprint' | 'numberWithPlatformOrder'>,
  client: Pick<ServiceClient, 'queryOrder'>,
): WhyPaidAnew {
  let reading: Promise<ReturnType<typeof indexOf>> | undefined
  return async ({kind, orderNo, amount}, madeAtMs) => {
    if (kind !== 'payout') return null
    const row = await journal.findRequest(kind, orderNo)
    if (row?.isDeclaredMade) return 'a person recorded it as paid'
    reading ??= journal.listRequests('payout', Number.MAX_SAFE_INTEGER).then(indexOf)
    const find = await reading
    const named = [
      ...find(`repeats ${orderNo}`),
      ...find(`begins ${beginningsOf(orderNo).at(-1)}`).filter((one) =>
        isNumberWithMark(one.orderNo, orderNo),
      ),
    ]
    const sinceMs = row?.intentAtMs ?? madeAtMs ?? Number.POSITIVE_INFINITY
    const later = find(`amount ${amount}`).filter(({claimedAtMs}) => claimedAtMs > sinceMs)
    const isToPayee =
      later.length === 0 ? null : row ? payeeOf(row) : await payeeAtService(orderNo, client, journal)
    for (const other of [...named, ...later.filter((one) => isToPayee?.(one))]) {
      if (other.orderNo === orderNo || (await showsFailed(other, client, journal))) continue
      return `it may have been paid anew as ${escapeInvisible(other.orderNo, 80)}`
    }
    return null
  }
}

/** Finds payouts that may have been made by what may say that they replaced another one. */
function indexOf(rows: readonly RequestRow[]): (key: string) => readonly RequestRow[] {
  const keyed = rows.flatMap((row) =>
    [
      `amount ${row.amount}`,
      ...row.repeatsAllowed.map((orderNo) => `repeats ${orderNo}`),
      ...beginningsOf(row.orderNo).map((text) => `begins ${text}`),
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
