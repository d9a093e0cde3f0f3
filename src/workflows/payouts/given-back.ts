import {escapeInvisible} from '../../core/text.ts'
import type {Journal} from '../../journal/journal.ts'

/**
 * Why the money of a failed payout may be back on the player's balance, as a clause: the merchant's server took a webhook
 * of it, or a ledger has it as failed. Null if nothing known here says so.
 */
export async function whyGivenBack(
  orderNo: string,
  journal: Pick<Journal, 'trace' | 'findFinalOrders'>,
): Promise<string | null> {
  const {resends} = await journal.trace(orderNo)
  const taken = resends.find((row) => row.orderNo === orderNo && row.state === 'delivered')
  if (taken) return `your server took its ${escapeInvisible(taken.event, 60)}, which hisab resent`
  const finals = await journal.findFinalOrders('payout', [orderNo])
  const failed = finals.find(({status}) => status === 'failed')
  return failed ? `run ${failed.runId} found it failed in a ledger too` : null
}
