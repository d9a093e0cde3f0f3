import type {OrderKind} from '../order.ts'
import type {LedgerEntry, UnreadableRow} from './entry.ts'

/** One order of the ledger and the rows that name it; more than one row is a duplicate. */
export interface LedgerOrder {
  readonly kind: OrderKind
  readonly orderNo: string
  readonly entries: readonly LedgerEntry[]
}

/** The ledger by order. Numbers compare byte for byte (P13); a deposit and a payout may share one. */
export class LedgerOrders {
  readonly all: readonly LedgerOrder[]
  /** The kinds this ledger is about: what it does not name of other kinds is not missing from it. */
  readonly kinds: ReadonlySet<OrderKind>
  private readonly keys: ReadonlySet<string>
  /** Numbers on rows that could not be read: named all the same. */
  private readonly unreadableNos: ReadonlySet<string>

  constructor(
    entries: readonly LedgerEntry[],
    unreadable: readonly UnreadableRow[],
    stated: OrderKind | null,
  ) {
    const byKey = new Map<string, {kind: OrderKind; orderNo: string; entries: LedgerEntry[]}>()
    for (const entry of entries) {
      const key = orderKey(entry)
      const known = byKey.get(key)
      if (known) known.entries.push(entry)
      else byKey.set(key, {kind: entry.kind, orderNo: entry.orderNo, entries: [entry]})
    }
    this.all = [...byKey.values()]
    this.keys = new Set(byKey.keys())
    this.kinds = new Set([...entries.map(({kind}) => kind), ...(stated ? [stated] : [])])
    this.unreadableNos = new Set(unreadable.flatMap(({orderNo}) => (orderNo === null ? [] : [orderNo])))
  }

  names(order: {kind: OrderKind; orderNo: string}): boolean {
    return this.keys.has(orderKey(order)) || this.unreadableNos.has(order.orderNo)
  }
}

export function orderKey({kind, orderNo}: {kind: OrderKind; orderNo: string}): string {
  return `${kind}\0${orderNo}`
}
