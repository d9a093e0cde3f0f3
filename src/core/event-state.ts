import type {Dialect} from './dialect.ts'
import {completedEvent, type OrderState, orderStates} from './order.ts'
import {defaultLedgerMapping} from './profile.ts'

/**
 * What the name of an event says of its order, by its last word in any case: a word of the service's, or one that the
 * trade uses. Null where it is none of them. `order.completed` is the only name the document shows.
 */
export function stateOfEvent(event: string, {status}: Pick<Dialect, 'status'>): OrderState | null {
  if (event === completedEvent) return 'completed'
  const word = event.toLowerCase().match(/\p{L}+(?=\P{L}*$)/u)?.[0]
  const says = (state: OrderState) =>
    [...status[state], ...defaultLedgerMapping.status[state]].some((known) => known.toLowerCase() === word)
  return orderStates.find(says) ?? null
}
