import type {OrderKind} from '../../core/order.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {Journal} from '../../journal/journal.ts'

/** `takenAtMs`: when the merchant's server took the webhook; null of a ledger. */
export interface Credited {
  readonly why: string
  readonly takenAtMs: number | null
}

export type WhyCredited = (orderNo: string, kind?: OrderKind) => Promise<Credited | null>

/**
 * Why the player may have been credited already with a deposit that completed or with the money of a payout that failed, as
 * a clause: the merchant's server took a webhook of it, or a ledger has it so. Null if nothing known here says so.
 * `taken`: the received one of a payout that the server took.
 */
export function creditedBy(
  journal: Pick<Journal, 'resendHistory' | 'findFinalOrders'>,
  taken: (orderNo: string) => {readonly event: string; readonly atMs: number} | null = () => null,
): WhyCredited {
  const took = (event: string, how: string) =>
    `your server took its ${escapeInvisible(event || 'webhook', 60)}, which hisab ${how}`
  return async (orderNo, kind = 'payout') => {
    // Read anew each time: somebody may resend it while a question stands.
    const resent = (await journal.resendHistory(orderNo))
      .of({kind, orderNo})
      .find(({state}) => state === 'delivered')
    if (resent) return {why: took(resent.event, 'resent'), takenAtMs: resent.intentAtMs}
    const received = kind === 'payout' ? taken(orderNo) : null
    if (received) return {why: took(received.event, 'handed on'), takenAtMs: received.atMs}
    const finals = await journal.findFinalOrders(kind, [orderNo])
    const final = finals.find(({status}) => status === (kind === 'payout' ? 'failed' : 'completed'))
    const found = kind === 'payout' ? 'found it failed in a ledger too' : 'found it booked in a ledger'
    return final ? {why: `run ${final.runId} ${found}`, takenAtMs: null} : null
  }
}
