import {formatPaisa} from '../../core/money.ts'
import type {OrderKind, ServiceOrder} from '../../core/order.ts'
import {foldOrderNo} from '../../core/order-no-fold.ts'
import type {BookedRow} from '../../core/reconcile/entry.ts'

/** The most that a fee or rounding changes: a twentieth of the amount, or 10.00 if that is more. */
const near = {share: 20n, least: 1_000n}

/** A bonus may raise a booking above its order by this part of the amount. */
const bonusMost = 5n
const clocksMs = 60 * 60_000
const ofPlayersMax = 100_000

/**
 * Finds bookings under unknown numbers that may be an order, by amount: bookings by hand often come in a file of their
 * own, with the cashier's numbers and amounts after a fee or rounding. In a single file only rows of the order's player
 * count, also in parts or with a fee or bonus.
 */
export class BookedAlike {
  private readonly exact = new Map<string, BookedRow[]>()
  /** Rows without an exact match, sorted by amount. */
  private readonly others: Readonly<Record<OrderKind, (BookedRow & {readonly amount: bigint})[]>>

  private readonly byPlayer = new Map<string, BookedRow[]>()

  constructor(
    rows: Iterable<BookedRow>,
    orders: Iterable<Pick<ServiceOrder, 'kind' | 'amount'>>,
    isOneFile: boolean,
  ) {
    const amounts = new Set(Array.from(orders, keyOf))
    this.others = {deposit: [], payout: []}
    let kept = 0
    for (const row of rows) {
      const {kind, amount, playerRef} = row
      if (amount === null) continue
      if (playerRef && kept < ofPlayersMax) {
        kept += 1
        const key = playerKey(kind, playerRef)
        const same = this.byPlayer.get(key)
        if (same) same.push(row)
        else this.byPlayer.set(key, [row])
      }
      if (isOneFile) continue
      if (!amounts.has(keyOf(row))) this.others[kind].push({...row, amount})
      else this.exact.set(keyOf(row), [...(this.exact.get(keyOf(row)) ?? []), row])
    }
    for (const list of Object.values(this.others))
      list.sort((one, other) => (one.amount < other.amount ? -1 : one.amount > other.amount ? 1 : 0))
  }

  /** A row of the order's player, not older than the order, that may be the order or a part of it. */
  ofPlayer(
    {kind, amount}: Pick<ServiceOrder, 'kind' | 'amount'>,
    playerRef: string | null | undefined,
    orderedAtMs: number | null | undefined,
  ): {readonly row: BookedRow; readonly how: string} | null {
    if (!playerRef || amount === null) return null
    const row = this.byPlayer
      .get(playerKey(kind, playerRef))
      ?.find(
        ({amount: booked, createdMs}) =>
          (booked ?? 0n) <= amount + amount / bonusMost &&
          (createdMs === undefined || orderedAtMs == null || createdMs >= orderedAtMs - clocksMs),
      )
    return row ? {row, how: `with ${formatPaisa(row.amount ?? 0n)} for its player`} : null
  }

  /** A row of a different file than the order's row that may be the order, and why. */
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

function playerKey(kind: OrderKind, playerRef: string): string {
  return `${kind} ${foldOrderNo(playerRef)}`
}

function keyOf({kind, amount}: {readonly kind: OrderKind; readonly amount: bigint | null}): string {
  return `${kind} ${amount}`
}
