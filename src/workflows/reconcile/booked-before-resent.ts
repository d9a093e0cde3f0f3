import {orderKey, orderOfKey} from '../../core/reconcile/orders.ts'
import {isCompletion} from '../../core/reconcile/verdict-facts.ts'
import {formatMinute} from '../../core/time.ts'
import type {Journal} from '../../journal/journal.ts'
import type {LedgerRows} from '../../staging/ledger-rows.ts'

/** A webhook books an order at once, but the clocks of the service and the merchant differ. */
const clocksMs = 5 * 60_000

/**
 * Orders whose rows confirm a delivered resend, but were booked before it and after they were paid: somebody booked them by
 * hand, in a ledger that no run had seen, so the resend may have booked them again. A row that has the time of its order, as in a
 * ledger of orders, is older than the payment. By order, the sentence with both times.
 */
export async function bookedBeforeResent(
  journal: Pick<Journal, 'resendHistory' | 'findingsOf'>,
  rows: Pick<LedgerRows, 'entriesOf' | 'names'>,
  timeZone: string,
): Promise<ReadonlyMap<string, string>> {
  const delivered = (await journal.resendHistory()).delivered()
  const orders = [...delivered.keys()].map(orderOfKey).filter((order) => rows.names(order))
  const paid = (await journal.findingsOf(orders)).filter(({verdict}) => isCompletion(verdict))
  const found = new Map<string, string>()
  for (const {kind, orderNo, orderedAtMs} of paid) {
    const key = orderKey({kind, orderNo})
    const resentMs = delivered.get(key) ?? 0
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
    const [booked, resent] = [row.createdMs ?? 0, resentMs].map((ms) => formatMinute(ms, timeZone))
    found.set(key, `Booked at ${booked}, before hisab resent its webhook at ${resent}.`)
  }
  return found
}
