import {type Dialect, defaultDialect} from './dialect.ts'
import {completedEvent, type OrderState, orderKinds, orderStates} from './order.ts'
import {foldWord, plainText} from './order-no-fold.ts'
import {defaultLedgerMapping} from './profile.ts'

/**
 * The state in an event's name: its last word, in any case, if that is a known word with the same meaning for
 * deposits and payouts; else null. `order.completed` is the only documented name (service §6).
 */
export function stateOfEvent(event: string, {status}: Pick<Dialect, 'status'>): OrderState | null {
  if (event === completedEvent) return 'completed'
  const word = plainText(event).match(/\p{L}+(?=\P{L}*$)/u)?.[0]
  const matches = (state: OrderState) =>
    [...orderKinds.flatMap((kind) => status[kind][state]), ...defaultLedgerMapping.status[state]].some(
      (known) => plainText(known) === word,
    )
  const [only, second] = orderStates.filter(matches)
  return second === undefined ? (only ?? null) : null
}

/** Whether its name says completed, in other words than the documented ones. */
export function isCompletedByName(event: string, dialect: Pick<Dialect, 'status'>): boolean {
  return event !== completedEvent && stateOfEvent(event, dialect) === 'completed'
}

/** Whether the event of a paid order may be the one that credits it: its name does not plainly mean something else. */
export function mayCredit(event: string, dialect: Pick<Dialect, 'status'>): boolean {
  const state = stateOfEvent(event, dialect)
  return state === 'completed' || (state === null && !otherwise.test(event))
}
const otherwise =
  /creat|open|pending|processing|initiat|start|request|remind|expir|cancel|fail|reject|declin|refus|refund|revers|charge_?back|disput|settlement|void|abort|time_?out|incomplet|test/i

/**
 * Whether two names may mean one event: equal except for case, or both completed, or both failed. A merchant's server
 * may act on either.
 */
export function mayBeSameEvent(
  one: string,
  other: string,
  dialect: Pick<Dialect, 'status'> = defaultDialect,
): boolean {
  if (foldWord(one) === foldWord(other)) return true
  const state = stateOfEvent(one, dialect)
  return state !== null && state !== 'open' && state === stateOfEvent(other, dialect)
}
