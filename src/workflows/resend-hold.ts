import type {QuotedDelivery, ServiceClient} from '../api/client.ts'
import {Failure} from '../core/failure.ts'
import {formatTaka} from '../core/money.ts'
import type {ServiceOrder} from '../core/order.ts'
import type {ResendOutcome} from '../core/reconcile/finding.ts'
import {visible} from '../core/text.ts'
import {askQuietly} from './confirm-order.ts'
import type {ResendJob} from './resend.ts'

type Reader = Pick<ServiceClient, 'getDelivery' | 'queryOrder'>

/**
 * Why a resend is not sent now, or null. The evidence may be as old as the question on the screen: a record or an order
 * that moved since is not ours to send.
 */
export async function holdBack(
  {delivery: known, refusePayload, order}: ResendJob,
  client: Reader,
): Promise<ResendOutcome | null> {
  let detail: QuotedDelivery | null
  try {
    detail = await client.getDelivery(known.id)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return skipped(`Not sent: its record could not be read just before (${error.message}).`)
  }
  if (!detail) return skipped('Not sent: the service no longer has its record.')
  const {delivery: fresh, payload} = detail
  const isSame =
    fresh.status === known.status &&
    fresh.attempts === known.attempts &&
    fresh.sentAt === known.sentAt &&
    fresh.nextRetryAt === known.nextRetryAt
  if (!isSame) {
    const now = `now ${fresh.status}, ${fresh.attempts} tries`
    return skipped(`Not sent: its record moved since it was read (${now}).`)
  }
  const refusal = refusePayload?.(payload) ?? null
  if (refusal !== null) return {...skipped(refusal), needsPerson: true}
  const change = order && (await whyOrderMoved(order, client))
  return change === null ? null : skipped(change)
}

/** Why the order as it is now is not the one that was decided on; null where it is the same. */
async function whyOrderMoved(known: ServiceOrder, client: Reader): Promise<string | null> {
  const {kind, orderNo} = known
  const answer = await askQuietly(client, kind, orderNo)
  const again = 'Run it again to decide anew.'
  if (answer instanceof Failure) {
    return `Not sent: the order could not be asked for just before (${answer.clause}). Run it again.`
  }
  if (!answer.found) return `Not sent: the service no longer knows the order. ${again}`
  const {order} = answer
  if (order.status !== known.status || order.platformOrderNo !== known.platformOrderNo) {
    return `Not sent: the order moved since it was asked for (now "${visible(order.rawStatus, 60)}"). ${again}`
  }
  if (order.amount === known.amount) return null
  const shown = order.amount === null ? 'not stated' : `BDT ${formatTaka(order.amount)}`
  return `Not sent: the amount of the order changed since it was asked for (now ${shown}). ${again}`
}

export function skipped(why: string): ResendOutcome {
  return {state: 'skipped', sentAtMs: null, responseCode: null, why}
}
