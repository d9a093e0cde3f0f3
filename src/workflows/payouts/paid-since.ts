import type {ServiceClient} from '../../api/client.ts'
import {Failure} from '../../core/failure.ts'
import type {Paisa} from '../../core/money.ts'
import type {DuplicatePayout} from '../../core/payout-limits.ts'
import type {Journal} from '../../journal/journal.ts'
import {isInDoubt, isLostAfterShown, type RequestRow} from '../../journal/rows.ts'
import {askQuietly} from '../orders/confirm.ts'
import {statusShown} from '../orders/doubts.ts'
import {exactParts} from '../orders/paid-in-parts.ts'
import {type NotPaid, type ToAccount, wholePlacesOf} from '../orders/places-taken.ts'

interface Ports {
  readonly client: Pick<ServiceClient, 'queryOrder'>
  readonly journal: Pick<
    Journal,
    'fingerprint' | 'numberWithPlatformOrder' | 'recordLook' | 'payoutsOfPayee' | 'findRequest'
  >
}

/** A row of a file of which nobody knows that it was paid. */
export interface UnpaidRow {
  readonly orderNo: string
  readonly amount: Paisa
}

/** A payout as it is to be sent. */
interface OwnPayout extends Omit<NotPaid, 'seenFailedMs' | 'amount'> {
  readonly amount: Paisa
  readonly isToAccount: (row: RequestRow) => boolean
  readonly mayBeOneAccount: (one: ToAccount, other: RequestRow) => boolean
}

interface OwnFile {
  readonly numbers: ReadonlySet<string>
  /** Its rows to the account that may be unpaid. */
  readonly others: readonly UnpaidRow[]
  /** When the first of its rows was sent. */
  readonly sentSinceMs: number | null
}

/** Since when a payout counted as not sent or not paid; in doubt also what somebody sent beside it, on his word, is in its place. */
type Since = NonNullable<DuplicatePayout['sinceNotPaid']>

/**
 * What was sent since this very payout was refused, recorded as not paid, fell in doubt, or was left unsent by a run of its file, and
 * may be in its place: whoever runs the first command again pays it twice, however late. While a query finds the payout itself, it
 * is only sent as the one that is there.
 */
export async function paidInOwnPlace(
  own: OwnPayout,
  file: OwnFile,
  ports: Ports,
): Promise<DuplicatePayout[]> {
  const row = await ports.journal.findRequest('payout', own.orderNo)
  const found = new Map<string, DuplicatePayout>()
  for (const since of sinceOf(row, file.sentSinceMs)) {
    const places = await wholeSince(
      [own, ...(row ? [row] : [])],
      since,
      own.mayBeOneAccount,
      file.numbers,
      ports,
    )
    // What the payout was sent beside, on somebody's word, holds it no more.
    for (const one of [...places, ...(await joinedSince(own, since, file, ports))])
      if (!found.has(one.orderNo) && !(since.was === 'in_doubt' && row?.repeatsAllowed.includes(one.orderNo)))
        found.set(one.orderNo, {...one, sinceNotPaid: since})
  }
  if (found.size > 0 && row !== null && row.state !== 'refused') {
    const answer = await askQuietly(ports.client, 'payout', own.orderNo)
    if (!(answer instanceof Failure) && answer.found) return []
  }
  return [...found.values()]
}

function sinceOf(row: RequestRow | null, sentSinceMs: number | null): Since[] {
  if (row === null) return sentSinceMs === null ? [] : [{atMs: sentSinceMs, was: 'unsent'}]
  // A doubt begins with the first try: each later one sends the same.
  const inDoubt = {atMs: row.intentAtMs, was: 'in_doubt'} as const
  if (row.state === 'refused') {
    const {seenFailedMs} = row
    if (seenFailedMs === null) return []
    // Until a person recorded it as not paid it was in doubt.
    return [
      {atMs: seenFailedMs, was: 'not_paid'},
      {...inDoubt, untilMs: seenFailedMs},
    ]
  }
  return isInDoubt(row) && row.state !== 'accepted' && !isLostAfterShown(row) ? [inDoubt] : []
}

/** What alone, or in parts, may be in its place. `own`: as it is to be sent, and as it was sent. */
async function wholeSince(
  own: readonly Omit<NotPaid, 'seenFailedMs'>[],
  {atMs, was, untilMs}: Since,
  mayBeOneAccount: OwnPayout['mayBeOneAccount'],
  rowsOfFile: ReadonlySet<string>,
  {client, journal}: Ports,
): Promise<RequestRow[]> {
  const hasFailed = async (row: RequestRow) => (await statusShown(row, client, journal)) === 'failed'
  const found: RequestRow[] = []
  for (const payout of own) {
    const isOne = (row: RequestRow) => mayBeOneAccount(payout, row)
    const which = {withBeside: was === 'in_doubt', mayBeOneAccount: isOne}
    for (const group of await wholePlacesOf({...payout, seenFailedMs: atMs}, journal, which)) {
      if (group.some(({orderNo}) => rowsOfFile.has(orderNo))) continue
      if (untilMs !== undefined && group.every(({claimedAtMs}) => claimedAtMs >= untilMs)) continue
      if (!(await Promise.all(group.map(hasFailed))).includes(true)) found.push(...group)
    }
  }
  return found
}

/**
 * Payouts to the account that are to the paisa the sum of this one and up to five others that may be unpaid, of its file or in
 * doubt: whoever paid the rows that a stop left, in one, and runs the file again pays them twice.
 */
async function joinedSince(
  {orderNo, amount, maskedAccount, isToAccount}: OwnPayout,
  {atMs, was, untilMs = Number.POSITIVE_INFINITY}: Since,
  {numbers, others}: OwnFile,
  {client, journal}: Ports,
): Promise<RequestRow[]> {
  const rows = await journal.payoutsOfPayee({maskedAccount, names: []}, false)
  const toAccount = rows.filter((row) => row.orderNo !== orderNo && isToAccount(row))
  const inDoubt = toAccount.flatMap((row) =>
    isInDoubt(row) && row.amount !== null ? [{orderNo: row.orderNo, amount: row.amount}] : [],
  )
  const unpaid = new Map([...inDoubt, ...others].map((one) => [one.orderNo, one]))
  unpaid.delete(orderNo)
  const found: RequestRow[] = []
  for (const row of toAccount) {
    const isBeside = row.repeatsAllowed.includes(orderNo) && !row.replaces.includes(orderNo)
    if (row.claimedAtMs < atMs || row.claimedAtMs >= untilMs || (isBeside && was !== 'in_doubt')) continue
    if (numbers.has(row.orderNo) || row.amount === null || row.amount <= amount) continue
    const rest = [...unpaid.values()].filter((one) => one.orderNo !== row.orderNo)
    const isSum = exactParts(rest, row.amount - amount).next().done === false
    if (isSum && (await statusShown(row, client, journal)) !== 'failed') found.push(row)
  }
  return found
}
