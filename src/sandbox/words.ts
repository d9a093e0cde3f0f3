import type {Dialect} from '../core/dialect.ts'
import type {OrderKind, OrderState} from '../core/order.ts'

const documentedOpenWord = 'processing'

/** The service's word for a state: the first in the dialect (A3), else `processing`. */
export function wordOf(dialect: Dialect, kind: OrderKind, state: OrderState): string {
  return dialect.status[kind][state][0] ?? (state === 'open' ? documentedOpenWord : state)
}

/** `processing` as documented, unless the dialect does not know it. */
export function openPayoutWord(dialect: Dialect): string {
  return dialect.status.payout.open.includes(documentedOpenWord)
    ? documentedOpenWord
    : wordOf(dialect, 'payout', 'open')
}
