import {escapeInvisible} from '../../core/text.ts'
import type {Journal} from '../../journal/journal.ts'

export type WhyGivenBack = (orderNo: string) => Promise<string | null>

/**
 * Why the money of a failed payout may be back on the player's balance, as a clause: the merchant's server took a webhook
 * of it, or a ledger has it as failed. Null if nothing known here says so. `takenEvent`: the name of a received one that
 * the server took. Each number is looked up once.
 */
export function givenBackBy(
  journal: Pick<Journal, 'trace' | 'findFinalOrders'>,
  takenEvent: (orderNo: string) => string | null = () => null,
): WhyGivenBack {
  const why = async (orderNo: string) => {
    const {resends} = await journal.trace(orderNo)
    const resent = resends.find((row) => row.orderNo === orderNo && row.state === 'delivered')?.event
    const event = resent ?? takenEvent(orderNo)
    if (event !== null)
      return `your server took its ${escapeInvisible(event || 'webhook', 60)}, which hisab ${resent === undefined ? 'handed on' : 'resent'}`
    const finals = await journal.findFinalOrders('payout', [orderNo])
    const failed = finals.find(({status}) => status === 'failed')
    return failed ? `run ${failed.runId} found it failed in a ledger too` : null
  }
  const known = new Map<string, Promise<string | null>>()
  return (orderNo) => {
    const found = known.get(orderNo) ?? why(orderNo)
    known.set(orderNo, found)
    return found
  }
}
