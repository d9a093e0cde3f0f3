import {completedEvent} from '../../core/order.ts'
import type {OpenItem} from '../../core/reconcile/item.ts'
import {quoteForShell} from '../../core/shell.ts'
import {escapeInvisible} from '../../core/text.ts'
import {formatMinute} from '../../core/time.ts'
import type {Journal} from '../../journal/journal.ts'

/** Items whose webhook was sent since they were last seen, as a note. */
export async function justSent(
  journal: Pick<Journal, 'resendHistory'>,
  items: readonly Pick<OpenItem, 'kind' | 'orderNo' | 'lastSeenMs'>[],
  timeZone: string,
): Promise<string[]> {
  const {earlier} = await journal.resendHistory()
  return items.flatMap((item) => {
    const sent = earlier('', completedEvent, null, item)
    if (sent === null || sent.atMs <= item.lastSeenMs) return []
    if (sent.state === 'refused' || sent.state === 'still_failing') return []
    const end = sent.state === 'delivered' ? 'Your server accepted it.' : 'How that ended is not known yet.'
    const number = escapeInvisible(item.orderNo, 80)
    return `warning: hisab resent the webhook of ${number} at ${formatMinute(sent.atMs, timeZone)}, before this. ${end} Your server may have booked it: hisab find ${quoteForShell(number)}`
  })
}
