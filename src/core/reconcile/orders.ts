import {type OrderKind, orderKinds} from '../order.ts'
import type {LedgerEntry, UnreadableRow} from './entry.ts'

/** One order of the ledger and the rows that name it. */
export interface LedgerOrder {
  readonly kind: OrderKind
  readonly orderNo: string
  readonly entries: readonly LedgerEntry[]
  /** Rows with its number that cannot be read, and are of its kind or of one not known. */
  readonly unreadable: readonly UnreadableRow[]
}

/** Whether more than one row names the order. One that cannot be read counts: it may say it is booked already. */
export function isDuplicate({entries, unreadable}: LedgerOrder): boolean {
  return entries.length + unreadable.length > 1
}

/** The ledger by order. Numbers compare byte for byte (P13); a deposit and a payout may share one. */
export class LedgerOrders {
  readonly all: readonly LedgerOrder[]
  /** The kinds this ledger is about: what it does not name of other kinds is not missing from it. */
  readonly kinds: ReadonlySet<OrderKind>
  /** Whether any row states an amount: else there is nothing of the ledger's to compare. */
  readonly hasAmounts: boolean
  private readonly keys: ReadonlySet<string>
  /** By the numbers on rows that could not be read: named all the same. */
  private readonly unreadable: ReadonlyMap<string, readonly UnreadableRow[]>

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
    const unreadableRows = Map.groupBy(
      unreadable.filter(({orderNo}) => orderNo !== null),
      ({orderNo}) => orderNo ?? '',
    )
    this.all = [...byKey.values()].map((order) => ({
      ...order,
      unreadable: (unreadableRows.get(order.orderNo) ?? []).filter(({kind}) => !kind || kind === order.kind),
    }))
    this.hasAmounts = entries.some(({amount}) => amount !== null)
    this.keys = new Set(byKey.keys())
    this.kinds = new Set([...entries.map(({kind}) => kind), ...(stated ? [stated] : [])])
    this.unreadable = unreadableRows
  }

  /** Whether rows of both kinds carry this number, readable or not. */
  isShared(orderNo: string): boolean {
    return orderKinds.every((kind) => this.names({kind, orderNo}))
  }

  names(order: {kind: OrderKind; orderNo: string}): boolean {
    const rows = this.unreadable.get(order.orderNo) ?? []
    return this.keys.has(orderKey(order)) || rows.some(({kind}) => !kind || kind === order.kind)
  }
}

export function orderKey({kind, orderNo}: {kind: OrderKind; orderNo: string}): string {
  return `${kind}\0${orderNo}`
}
