import type {ServiceClient} from '../../api/client.ts'
import type {Paisa} from '../../core/money.ts'
import type {DuplicatePayout} from '../../core/payout-limits.ts'
import type {Journal} from '../../journal/journal.ts'
import type {RequestRow} from '../../journal/rows.ts'
import {statusShown} from '../orders/doubts.ts'
import {statusNow} from './status-now.ts'

interface Ports {
  readonly client: Pick<ServiceClient, 'queryOrder'>
  readonly journal: Pick<Journal, 'fingerprint' | 'numberWithPlatformOrder' | 'recordLook'>
}

/** The last ones of the very amount to other accounts of the name, while they are open: this one may be it, corrected. */
export async function openNamesakes(
  namesakes: readonly RequestRow[],
  amount: Paisa,
  isToAccount: (row: RequestRow) => boolean,
  {client, journal}: Ports,
): Promise<DuplicatePayout[]> {
  const same = namesakes.filter((row) => row.amount === amount && !isToAccount(row))
  const last = [...Map.groupBy(same, ({maskedAccount}) => maskedAccount).values()].flatMap(
    ([row]) => row ?? [],
  )
  const found: DuplicatePayout[] = []
  for (const row of last)
    if ((await statusShown(row, client, journal)) === 'open')
      found.push({...row, inPlaceOf: row.orderNo, isToAccount: false, isNamesake: true})
  return found
}

/** The last ones to other accounts of the name, where they have failed, and no later one to this account took their place. */
export async function failedOfName(
  namesakes: readonly RequestRow[],
  isToAccount: (row: RequestRow) => boolean,
  ports: Ports,
): Promise<RequestRow[]> {
  const hasFailed = async (row: RequestRow) => (await statusNow(row, ports)) === 'failed'
  const found: RequestRow[] = []
  const others = namesakes.filter((row) => !isToAccount(row))
  for (const rows of Map.groupBy(others, ({maskedAccount}) => maskedAccount).values())
    for (const row of rows) {
      if (!(await hasFailed(row))) break
      found.push(row)
    }
  if (found.length === 0) return []
  let paidAtMs = Number.NEGATIVE_INFINITY
  for (const row of namesakes.filter((one) => isToAccount(one))) {
    if (await hasFailed(row)) continue
    paidAtMs = row.claimedAtMs
    break
  }
  return found.filter((row) => row.claimedAtMs > paidAtMs)
}
