import type {ServiceClient} from '../../api/client.ts'
import {Failure} from '../../core/failure.ts'
import type {ServiceOrder} from '../../core/order.ts'
import type {Journal} from '../../journal/journal.ts'
import type {RequestRow} from '../../journal/rows.ts'
import {isAsSent} from '../orders/as-sent.ts'
import {askQuietly} from '../orders/confirm.ts'
import {statusShown} from '../orders/doubts.ts'

interface Ports {
  readonly client: Pick<ServiceClient, 'queryOrder'>
  readonly journal: Pick<Journal, 'fingerprint' | 'numberWithPlatformOrder' | 'recordLook'>
}

/** The status of an earlier payout. What was refused, or recorded as not paid, counts as failed until the service has it; an older order may have its number. */
export async function statusNow(
  row: RequestRow,
  {client, journal}: Ports,
): Promise<ServiceOrder['status'] | null> {
  if (row.isDeclaredMade) return 'completed'
  if (row.state !== 'refused') return await statusShown(row, client, journal)
  const answer = await askQuietly(client, 'payout', row.orderNo)
  const isIt = !(answer instanceof Failure) && answer.found && isAsSent(row, answer, journal)
  return isIt ? answer.order.status : 'failed'
}
