import {completedEvent, type OrderKind} from '../../core/order.ts'
import {plainText} from '../../core/order-no-fold.ts'
import {escapeInvisible, firstOf} from '../../core/text.ts'
import type {Records} from '../../staging/records.ts'

const named = 5

/**
 * Why the records cannot prove that an order is missing in the ledger, as a clause: completed orders have records,
 * but none has the documented name. Null if the names are as documented.
 */
export function whyOtherEvents(
  records: Pick<Records, 'eventsInstead'>,
  kinds: Iterable<OrderKind>,
): string | null {
  for (const kind of new Set(kinds)) {
    const instead = records.eventsInstead(kind, completedEvent)
    if (instead.length > 0)
      return `no completed ${kind} has a record of the event "${completedEvent}", only of ${listed(instead)}, so missing ${kind}s cannot be found. Ask the service for the name of its event`
  }
  return null
}

/** Whether it is that name except for case, blanks and invisible characters, or empty. */
export function isAlmostCompleted(event: string): boolean {
  const folded = plainText(event).replaceAll(/\s/g, '')
  return folded === '' || folded === completedEvent
}

function listed(events: readonly string[]): string {
  return firstOf(events, named, (event) => `"${escapeInvisible(event, 60)}"`)
}
