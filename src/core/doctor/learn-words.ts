import {type Dialect, defaultDialect, readStatus, type StatusWords} from '../dialect.ts'
import {Failure} from '../failure.ts'
import {type OrderKind, type OrderState, orderKinds, orderStates} from '../order.ts'
import {escapeInvisible} from '../text.ts'
import type {SeenOrder} from './learn-fields.ts'

/** A status word of one kind, and what is known of its meaning. For the other kind it may mean something else. */
export interface SeenWord {
  readonly kind: OrderKind
  readonly word: string
  readonly orders: readonly string[]
  /** What the profile reads it as now. */
  readonly reads: OrderState | 'unknown_status'
  /** The meaning a person gave, or null. */
  readonly told: OrderState | null
}

/**
 * The status words of known orders. A person gives the meaning; it is never guessed from the word: `PAID` may be an
 * issued invoice. Throws `input_invalid` if two orders with one word have different states.
 */
export function collectWords(
  orders: readonly SeenOrder[],
  statusField: string,
  dialect: Dialect,
): SeenWord[] {
  return orderKinds.flatMap((kind) => {
    const own = orders.filter((order) => order.kind === kind)
    return collectWordsOf(kind, own, statusField, dialect)
  })
}

function collectWordsOf(
  kind: OrderKind,
  orders: readonly SeenOrder[],
  statusField: string,
  dialect: Dialect,
): SeenWord[] {
  const words = new Map<string, SeenOrder[]>()
  for (const order of orders) {
    const word = order.data[statusField]
    if (typeof word === 'string' && word !== '') words.set(word, [...(words.get(word) ?? []), order])
  }
  return [...words].map(([word, some]) => {
    const told = [...new Set(some.flatMap((order) => order.told ?? []))]
    if (told.length > 1) {
      throw new Failure(
        'input_invalid',
        `The service has the status "${escapeInvisible(word, 60)}" for ${kind}s that you gave as ${told.join(' and ')}.`,
        'Query the orders again. One of them may have changed.',
      )
    }
    return {
      kind,
      word,
      orders: some.map(({orderNo}) => orderNo),
      reads: readStatus(dialect, kind, word),
      told: told[0] ?? null,
    }
  })
}

/**
 * The existing meaning of a word for which another is given. The default words (A3) cannot be changed, and the
 * profile's were put there by somebody. The named order may have changed while others with that word did not.
 */
export function meaningBefore({kind, word, told, reads}: SeenWord): 'document' | 'profile' | null {
  if (told === null) return null
  const documented = readStatus(defaultDialect, kind, word)
  if (documented !== 'unknown_status' && documented !== told) return 'document'
  return reads !== 'unknown_status' && reads !== told ? 'profile' : null
}

/**
 * The complete lists of words of a kind that grow: a given list replaces its default (A3). No word moves to another
 * list.
 */
export function proposeWords(
  kind: OrderKind,
  seen: readonly SeenWord[],
  status: StatusWords,
): Partial<StatusWords> {
  const changed: Partial<Record<OrderState, readonly string[]>> = {}
  const fresh = seen.filter(
    (word) => word.kind === kind && word.reads === 'unknown_status' && meaningBefore(word) === null,
  )
  for (const state of orderStates) {
    const added = fresh.filter(({told}) => told === state).map(({word}) => word)
    if (added.length > 0) changed[state] = [...status[state], ...added]
  }
  return changed
}
