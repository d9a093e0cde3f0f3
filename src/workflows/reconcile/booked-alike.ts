import {formatPaisa} from '../../core/money.ts'
import type {OrderKind, ServiceOrder} from '../../core/order.ts'
import type {BookedRow} from '../../core/reconcile/entry.ts'

/** What a fee takes off, or a rounding: a twentieth of the amount, or 10.00. */
const near = {share: 20n, least: 1_000n}

/**
 * Rows of several files that are booked under numbers the service does not know, by amount: what was booked by hand often
 * comes as a file of its own, its numbers the cashier's, its amounts after a fee or rounded.
 */
export class BookedAlike {
  private readonly exact = new Map<string, BookedRow[]>()
  /** Of no order's very amount, the smallest first. */
  private readonly others: Readonly<Record<OrderKind, (BookedRow & {readonly amount: bigint})[]>>

  constructor(rows: Iterable<BookedRow>, orders: Iterable<Pick<ServiceOrder, 'kind' | 'amount'>>) {
    const amounts = new Set(Array.from(orders, keyOf))
    this.others = {deposit: [], payout: []}
    for (const row of rows) {
      const {kind, amount} = row
      if (amount === null) continue
      if (!amounts.has(keyOf(row))) this.others[kind].push({...row, amount})
      else this.exact.set(keyOf(row), [...(this.exact.get(keyOf(row)) ?? []), row])
    }
    for (const list of Object.values(this.others))
      list.sort((one, other) => (one.amount < other.amount ? -1 : one.amount > other.amount ? 1 : 0))
  }

  /** A row of another file than the order's own that may be the order, and how. */
  find(
    {kind, amount}: Pick<ServiceOrder, 'kind' | 'amount'>,
    ownFile: number | null,
  ): {readonly row: BookedRow; readonly how: string} | null {
    const same = this.exact.get(keyOf({kind, amount}))?.find(({file}) => file !== ownFile)
    if (same) return {row: same, how: 'with its amount'}
    if (amount === null) return null
    const share = amount / near.share
    const reach = share > near.least ? share : near.least
    const list = this.others[kind]
    let [from, to] = [0, list.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if ((list[middle]?.amount ?? 0n) < amount - reach) from = middle + 1
      else to = middle
    }
    for (let at = from; (list[at]?.amount ?? amount + reach + 1n) <= amount + reach; at += 1) {
      const row = list[at]
      if (row && row.file !== ownFile)
        return {row, how: `with ${formatPaisa(row.amount)}, as after a fee or rounded`}
    }
    return null
  }
}

function keyOf({kind, amount}: {readonly kind: OrderKind; readonly amount: bigint | null}): string {
  return `${kind} ${amount}`
}
