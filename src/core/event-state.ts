import type {Dialect} from './dialect.ts'
import {completedEvent, type OrderState, orderStates} from './order.ts'
import {defaultLedgerMapping} from './profile.ts'

/**
 * The state that the name of an event gives its order: its last word, in any case, where it is a word of the service or of
 * the trade; else null. `order.completed` is the only documented name (service §6).
 */
export function stateOfEvent(event: string, {status}: Pick<Dialect, 'status'>): OrderState | null {
  if (event === completedEvent) return 'completed'
  const word = event.toLowerCase().match(/\p{L}+(?=\P{L}*$)/u)?.[0]
  const matches = (state: OrderState) =>
    [...status[state], ...defaultLedgerMapping.status[state]].some((known) => known.toLowerCase() === word)
  return orderStates.find(matches) ?? null
}
