import {orderKey, orderOfKey} from '../../core/reconcile/orders.ts'
import {isCompletion} from '../../core/reconcile/verdict-facts.ts'
import {escapeInvisible, firstOf} from '../../core/text.ts'
import {formatMinute} from '../../core/time.ts'
import type {ResendHistory} from '../../journal/resends.ts'
import type {LedgerRows} from '../../staging/ledger-rows.ts'
import type {ReconcilePorts} from './types.ts'

/** A webhook books an order at once, but the clocks of the service and the merchant differ. */
const clocksMs = 5 * 60_000
/** So long after the resend, every run that reads the row says it, until a person notes something on the item, or closes it. */
const saidMs = 48 * 60 * 60_000
const namedMax = 5

/**
 * Orders whose rows confirm a delivered resend, but were booked before it and after they were paid: somebody booked them by
 * hand, in a ledger that no run had seen, so the resend may have booked them again. A row that has the time of its order, as in a
 * ledger of orders, is older than the payment.
 */
export async function whyBookedTwice(
  {journal, now}: Pick<ReconcilePorts, 'journal' | 'now'>,
  history: ResendHistory,
  rows: Pick<LedgerRows, 'entriesOf'>,
  timeZone: string,
): Promise<string[]> {
  const delivered = new Map([...history.delivered()].filter(([, resentMs]) => now() - resentMs < saidMs))
  const orders = [...delivered.keys()].map(orderOfKey)
  const paid = (await journal.findingsOf(orders)).filter(({verdict}) => isCompletion(verdict))
  const found: string[] = []
  for (const {kind, orderNo, orderedAtMs} of paid) {
    const resentMs = delivered.get(orderKey({kind, orderNo})) ?? 0
    const row = rows
      .entriesOf({kind, orderNo})
      .find(
        ({status, createdMs = 0, latestMs = createdMs}) =>
          status === 'completed' &&
          orderedAtMs !== null &&
          createdMs > orderedAtMs + clocksMs &&
          latestMs < resentMs - clocksMs,
      )
    if (row === undefined) continue
    const events = await journal.itemEvents(kind, orderNo)
    if (events.some(({what, atMs}) => what !== 'assigned' && atMs > resentMs)) continue
    const [booked, resent] = [row.createdMs ?? 0, resentMs].map((ms) => formatMinute(ms, timeZone))
    found.push(`${escapeInvisible(orderNo, 40)} (line ${row.line}, booked ${booked}, resent ${resent})`)
  }
  if (found.length === 0) return []
  const named = firstOf(found, namedMax, (one) => one)
  return [
    `booked before hisab resent the webhook, so maybe twice: ${named}. Look in your books, then note what you found: hisab items note`,
  ]
}
