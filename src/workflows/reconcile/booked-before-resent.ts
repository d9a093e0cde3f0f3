import {orderKey} from '../../core/reconcile/orders.ts'
import {isCompletion} from '../../core/reconcile/verdict-facts.ts'
import {escapeInvisible, firstOf} from '../../core/text.ts'
import {formatMinute} from '../../core/time.ts'
import type {ResendHistory} from '../../journal/resends.ts'
import type {LedgerRows} from '../../staging/ledger-rows.ts'
import type {ReconcilePorts} from './types.ts'

/** A webhook books an order at once, but the clocks of the service and the merchant differ. */
const clocksMs = 60 * 60_000
const resentClocksMs = 5 * 60_000
const namedMax = 5

/**
 * Orders whose rows confirm a delivered resend, but were booked before it and after they were paid: somebody booked them by
 * hand, in a ledger that no run had seen, so the resend may have booked them again. A row that has the time of its order, as in a
 * ledger of orders, is older than the payment. Said once: the row closes the open item.
 */
export async function whyBookedTwice(
  {journal, runId}: Pick<ReconcilePorts, 'journal' | 'runId'>,
  history: ResendHistory,
  rows: Pick<LedgerRows, 'entriesOf'>,
  timeZone: string,
): Promise<string[]> {
  const delivered = history.delivered()
  if (delivered.size === 0) return []
  const time = (ms: number) => formatMinute(ms, timeZone)
  const found = (await journal.openFindings(runId)).flatMap(({kind, orderNo, verdict, orderedAtMs}) => {
    const resentMs = delivered.get(orderKey({kind, orderNo}))
    if (resentMs === undefined || orderedAtMs === null || !isCompletion(verdict)) return []
    return rows.entriesOf({kind, orderNo}).flatMap(({status, line, createdMs, latestMs = createdMs}) => {
      if (status !== 'completed' || createdMs == null || latestMs == null) return []
      const isBefore = latestMs < resentMs - resentClocksMs
      return isBefore && createdMs > orderedAtMs + clocksMs
        ? {orderNo, line, bookedMs: createdMs, resentMs}
        : []
    })
  })
  if (found.length === 0) return []
  const named = firstOf(
    found,
    namedMax,
    ({orderNo, line, bookedMs, resentMs}) =>
      `${escapeInvisible(orderNo, 40)} (line ${line}, booked ${time(bookedMs)}, resent ${time(resentMs)})`,
  )
  return [`booked before hisab resent the webhook, so maybe twice: ${named}. Look in your books`]
}
