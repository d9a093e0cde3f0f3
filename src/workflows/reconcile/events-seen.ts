import type {Dialect} from '../../core/dialect.ts'
import {stateOfEvent} from '../../core/event-state.ts'
import {completedEvent, type OrderKind, orderKinds} from '../../core/order.ts'
import type {Window} from '../../core/reconcile/window.ts'
import {escapeInvisible, firstOf} from '../../core/text.ts'
import type {Records} from '../../staging/records.ts'

const named = 5

/**
 * Why the records cannot prove that an order is missing in the ledger, as a clause: completed orders have records,
 * but none has the documented name, or one in the window has almost that name, or means it and was not taken. Null if the
 * names are as documented.
 */
export function whyOtherEvents(
  records: Pick<Records, 'eventsInstead' | 'eventsOfUnknownOrders'>,
  kinds: Iterable<OrderKind>,
  window: Window,
  dialect: Pick<Dialect, 'status'>,
): string | null {
  const own = new Set(kinds)
  for (const kind of own) {
    const instead = records.eventsInstead(kind, completedEvent)
    if (instead.length > 0)
      return `no completed ${kind} has a record of the event "${completedEvent}", only of ${listed(instead)}, so missing ${kind}s cannot be found. Ask the service for the name of its event`
  }
  const almost = records.eventsOfUnknownOrders(completedEvent, window).filter(isAlmostCompleted)
  // A name that tells the kind of orders that the ledger does not have is theirs.
  const isOthers = (event: string) =>
    orderKinds.some((kind) => !own.has(kind) && kindWords[kind].test(event)) &&
    ![...own].some((kind) => kindWords[kind].test(event))
  const lost = records
    .eventsOfUnknownOrders(completedEvent, window, true)
    .filter((event) => (stateOfEvent(event, dialect) ?? meant(event)) === 'completed' && !isOthers(event))
  const events = [...new Set([...almost, ...lost])]
  if (events.length === 0) return null
  return `orders without a row have records of the event ${listed(events)}, not "${completedEvent}". They were not checked. Ask the service what this event means`
}

/** Of a name that ends with no known word: `order.complete`, `order.completed.v2`. */
function meant(event: string): 'completed' | null {
  return /(?<!in)complet|succe(?:ss|ed)|(?<!\p{L})done/iu.test(event) ? 'completed' : null
}

const kindWords: Readonly<Record<OrderKind, RegExp>> = {
  deposit: /deposit|collect|payin/i,
  payout: /payout|withdraw|cash_?out/i,
}

/** Whether it is that name except for case, blanks and invisible characters, or empty. */
export function isAlmostCompleted(event: string): boolean {
  const folded = event.replaceAll(/[\s\p{Cf}]/gu, '').toLowerCase()
  return folded === '' || folded === completedEvent
}

function listed(events: readonly string[]): string {
  return firstOf(events, named, (event) => `"${escapeInvisible(event, 60)}"`)
}
