import type {ServiceClient} from '../../api/client.ts'
import {mayBeOneAmount, type Paisa} from '../../core/money.ts'
import {duplicateWindowMs} from '../../core/payout-limits.ts'
import type {Journal} from '../../journal/journal.ts'
import type {PayeeKeys, RequestRow} from '../../journal/rows.ts'
import {askQuietly} from '../orders/confirm.ts'
import {makeTogether} from '../orders/paid-in-parts.ts'

interface Ports {
  readonly client: Pick<ServiceClient, 'queryOrder'>
  readonly journal: Pick<Journal, 'payoutsOfPayee' | 'findFinalOrders'>
  /** Numbers that this command asked for already, or is about to send. */
  readonly asked: Set<string>
}

/**
 * Asks for the end of earlier payouts that a new one of another amount may pay in part, or together with others: the service may
 * show the failed one as paid later, and only what was seen failed before is named then. The answer is kept by the client.
 * `marked`: those whose number the new one has with a mark, of any age.
 */
export async function seeEnds(
  {orderNo, amount}: {readonly orderNo: string; readonly amount: Paisa},
  marked: readonly RequestRow[],
  payee: PayeeKeys,
  isOfPayee: (row: RequestRow) => boolean,
  sinceMs: number,
  {client, journal, asked}: Ports,
): Promise<void> {
  asked.add(orderNo)
  const rows = await journal.payoutsOfPayee({...payee, sinceMs: sinceMs - 6 * duplicateWindowMs}, false)
  const ofPayee = rows.filter((row) => row.orderNo !== orderNo && isOfPayee(row)).slice(-rowsMax)
  const isInPlace = (row: RequestRow) => {
    if (row.amount === null || mayBeOneAmount(row.amount, amount)) return false
    // A part of it, sent soon after it; a sum of several is looked for longer, as it is rarely one by chance.
    if (row.amount > amount) return row.claimedAtMs >= sinceMs
    const others = ofPayee.filter((one) => one.orderNo !== row.orderNo)
    return makeTogether(
      row.amount,
      others.flatMap((one) => one.amount ?? []),
      amount,
    )
  }
  const found = [...newestOpen(marked, asked), ...newestOpen(ofPayee.filter(isInPlace), asked)]
  const numbers = [...new Set(found.map((row) => row.orderNo))]
  if (numbers.length === 0) return
  const known = await journal.findFinalOrders('payout', numbers)
  const isKnown = (number: string) => known.some((one) => one.orderNo === number && !one.isTakenBack)
  for (const number of numbers) asked.add(number)
  await Promise.all(
    numbers.filter((number) => !isKnown(number)).map((number) => askQuietly(client, 'payout', number)),
  )
}

function newestOpen(rows: readonly RequestRow[], asked: ReadonlySet<string>): RequestRow[] {
  const open = rows.filter((row) => row.state === 'accepted' && row.seenFailedMs === null)
  const newest = open.toSorted((a, b) => b.claimedAtMs - a.claimedAtMs).slice(0, askedMax)
  return newest.filter((row) => !asked.has(row.orderNo))
}

const askedMax = 3
/** The last ones of the week. */
const rowsMax = 13
