import type {Dialect} from '../core/dialect.ts'
import type {OrderKind, OrderState} from '../core/order.ts'

/** The one documented word for a state (service §2.2). */
const documentedOpenWord = 'processing'

/** The service's word for a state: the first the dialect lists (A3), and `processing` where none is listed. */
export function wordOf(dialect: Dialect, kind: OrderKind, state: OrderState): string {
  return dialect.status[kind][state][0] ?? (state === 'open' ? documentedOpenWord : state)
}

/** The word for an open payout: `processing` as documented, unless the dialect does not know it. */
export function openPayoutWord(dialect: Dialect): string {
  return dialect.status.payout.open.includes(documentedOpenWord)
    ? documentedOpenWord
    : wordOf(dialect, 'payout', 'open')
}
