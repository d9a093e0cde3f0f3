import {formatPaisa, type Paisa, sumPaisa} from '../core/money.ts'
import {type OrderKind, orderKinds} from '../core/order.ts'
import type {TieOut} from '../core/reconcile/tie-out.ts'
import type {Cause, Verdict} from '../core/reconcile/verdict.ts'

export interface StatementView {
  readonly kind: OrderKind
  readonly balanceByLedger: string
  /** Gross items between the balances: the ledger's balance plus and minus these is the service's. */
  readonly items: readonly {
    readonly verdict: Verdict
    readonly cause: Cause | null
    readonly orders: number
    readonly plus: string
    readonly minus: string
  }[]
  readonly balanceByService: string
  readonly unexplained: string
  readonly openItems: OpenItemsView
}

/** Opening plus new, minus closed, plus changed amounts is closing. */
export type OpenItemsView = Readonly<
  Record<'opening' | 'new' | 'closed' | 'closing', {readonly items: number; readonly amount: string}> & {
    /** The change in the amounts of items that were open before. */
    readonly revalued: string
  }
>

export interface CountedItem {
  readonly kind: OrderKind
  readonly key: string
  readonly atRisk: Paisa | null
}

export interface ItemMovement {
  readonly before: readonly CountedItem[]
  readonly after: readonly CountedItem[]
}

export function viewStatement({byKind, reconciling}: TieOut, movement: ItemMovement): StatementView[] {
  return orderKinds.flatMap((kind) => {
    const {ledgerCompleted, providerCompleted, unexplained} = byKind[kind]
    const openItems = moveOf(kind, movement)
    const isEmpty = ledgerCompleted === 0n && providerCompleted === 0n && unexplained === 0n
    if (isEmpty && openItems.opening.items === 0 && openItems.closing.items === 0) return []
    return {
      kind,
      balanceByLedger: formatPaisa(ledgerCompleted),
      items: reconciling[kind].map(({plus, minus, ...item}) => ({
        ...item,
        ...{plus: formatPaisa(plus), minus: formatPaisa(minus)},
      })),
      ...{balanceByService: formatPaisa(providerCompleted), unexplained: formatPaisa(unexplained), openItems},
    }
  })
}

function moveOf(kind: OrderKind, {before, after}: ItemMovement): OpenItemsView {
  const mine = (items: readonly CountedItem[]) =>
    new Map(items.filter((item) => item.kind === kind).map((item) => [item.key, item.atRisk ?? 0n]))
  const [opening, closing] = [mine(before), mine(after)]
  const sum = (entries: readonly (readonly [string, Paisa])[]) => ({
    items: entries.length,
    amount: formatPaisa(sumPaisa(entries.map(([, amount]) => amount))),
  })
  const stayed = [...closing].filter(([key]) => opening.has(key))
  return {
    opening: sum([...opening]),
    new: sum([...closing].filter(([key]) => !opening.has(key))),
    closed: sum([...opening].filter(([key]) => !closing.has(key))),
    revalued: formatPaisa(sumPaisa(stayed.map(([key, amount]) => amount - (opening.get(key) ?? 0n)))),
    closing: sum([...closing]),
  }
}
