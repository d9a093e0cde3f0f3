import type {ServiceClient} from '../../api/client.ts'
import type {Paisa} from '../../core/money.ts'
import type {DuplicatePayout} from '../../core/payout-limits.ts'
import type {Journal} from '../../journal/journal.ts'
import type {RequestRow} from '../../journal/rows.ts'
import {statusShown} from '../orders/doubts.ts'
import {exactParts} from '../orders/paid-in-parts.ts'

interface Ports {
  readonly client: Pick<ServiceClient, 'queryOrder'>
  readonly journal: Pick<Journal, 'fingerprint' | 'numberWithPlatformOrder' | 'recordLook'>
}

/** A larger payout to the account, that this one may pay again with others, and those that were sent since. */
export interface LargerPayout {
  readonly whole: RequestRow
  readonly parts: readonly RequestRow[]
}

/** The larger ones among the last payouts to the account, the newest first. Nobody is asked here what became of them. */
export function largerAmong(amount: Paisa, toAccount: readonly RequestRow[]): LargerPayout[] {
  const rows = toAccount.filter((row) => row.seenFailedMs === null)
  const larger = rows.filter((row) => row.amount !== null && row.amount > amount).slice(-largerMax)
  return larger.toReversed().map((whole) => ({
    whole,
    parts: rows.filter(
      (row) =>
        row !== whole && row.claimedAtMs >= whole.claimedAtMs && (row.amount ?? 0n) < (whole.amount ?? 0n),
    ),
  }))
}

/**
 * The payouts that are paid a second time in parts, of which this is the last one: those that are open, or were sent since
 * `sinceMs`. Only the exact amount counts: payouts of one account nearly make another's amount by chance. `others`: amounts of rows
 * before it in the file.
 */
export async function splitAgain(
  amount: Paisa,
  larger: readonly LargerPayout[],
  others: readonly Paisa[],
  sinceMs: number,
  {client, journal}: Ports,
): Promise<DuplicatePayout[]> {
  const found: DuplicatePayout[] = []
  for (const {whole, parts} of larger) {
    if (whole.amount === null) continue
    const inFile = others.map((one) => ({amount: one, row: null}))
    const sent = parts.map((row) => ({amount: row.amount ?? 0n, row}))
    for (const some of exactParts([...inFile, ...sent], whole.amount - amount)) {
      const rows = [whole, ...some.flatMap(({row}) => row ?? [])]
      const [status, ...ends] = await Promise.all(rows.map((row) => statusShown(row, client, journal)))
      const isOver = status === 'failed' || (status === 'completed' && whole.claimedAtMs < sinceMs)
      if (isOver) break
      if (ends.includes('failed')) continue
      found.push({...whole, inPlaceOf: whole.orderNo, isToAccount: true})
      break
    }
  }
  return found
}

/** Open payouts to the account that together have the amount: this one pays them again. */
export async function joinedAgain(
  amount: Paisa,
  toAccount: readonly RequestRow[],
  {client, journal}: Ports,
): Promise<DuplicatePayout[]> {
  const smaller = toAccount.flatMap((row) =>
    row.seenFailedMs === null && row.amount !== null && row.amount < amount
      ? [{amount: row.amount, row}]
      : [],
  )
  for (const some of exactParts(smaller, amount)) {
    const statuses = await Promise.all(some.map(({row}) => statusShown(row, client, journal)))
    if (statuses.every((status) => status === 'open'))
      return some.map(({row}) => ({...row, inPlaceOf: row.orderNo, isToAccount: true}))
  }
  return []
}

const largerMax = 20
