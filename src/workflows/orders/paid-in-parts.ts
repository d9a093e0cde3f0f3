import {feeMax, mayBeOneAmount, type Paisa, sumPaisa} from '../../core/money.ts'
import type {RequestRow} from '../../journal/rows.ts'

/**
 * Parts of one payout are sent together, or as the balance comes in; other payouts of the payee nearly make its amount by chance, the
 * more the longer one looks, but seldom to the paisa.
 */
const apartMaxMs = 24 * 60 * 60_000
const exactApartMaxMs = 7 * apartMaxMs
const partsMax = 5
/** Of so many payouts in that time every choice is tried. */
const rowsMax = 12

/** Each choice of two to five payouts that together are one of this amount: but for a fee within a day, else to the paisa. */
export function* partsThatMake(amount: Paisa, rows: readonly RequestRow[]): Generator<readonly RequestRow[]> {
  const smaller = rows
    .filter((row) => row.amount !== null && row.amount < amount && !mayBeOneAmount(row.amount, amount))
    .toSorted((a, b) => a.claimedAtMs - b.claimedAtMs)
  for (const [at, first] of smaller.entries()) {
    const isWithin = (row: RequestRow, mostMs: number) => row.claimedAtMs - first.claimedAtMs <= mostMs
    const near = smaller.slice(at + 1).filter((row) => isWithin(row, exactApartMaxMs))
    for (const others of choicesOf(near.slice(0, rowsMax), partsMax - 1)) {
      const parts = [first, ...others]
      const isOfDay = others.every((row) => isWithin(row, apartMaxMs))
      const isIt = isOfDay ? mayBeOneAmount(sumOf(parts), amount) : sumOf(parts) === amount
      if (others.length > 0 && isIt) yield parts
    }
  }
}

/** Each payout that together pays one of this amount and up to four others of `rows` before it, but for a fee. */
export function* joinedWith(
  amount: Paisa,
  rows: readonly RequestRow[],
  later: readonly RequestRow[],
): Generator<{readonly joined: RequestRow; readonly others: readonly RequestRow[]}> {
  for (const joined of later) {
    const total = joined.amount ?? 0n
    if (total <= amount || mayBeOneAmount(total, amount)) continue
    const restMax = total + 2n * feeMax(total) - amount
    const before = rows.filter(
      (row) =>
        row.amount !== null &&
        row.amount <= restMax &&
        row.claimedAtMs < joined.claimedAtMs &&
        row.claimedAtMs >= joined.claimedAtMs - 7 * apartMaxMs,
    )
    for (const others of choicesOf(before.slice(-rowsMax), partsMax - 1))
      if (others.length > 0 && mayBeOneAmount(amount + sumOf(others), total)) yield {joined, others}
  }
}

/** Whether an amount and one to four others make a total, but for a fee. */
export function makeTogether(amount: Paisa, others: readonly Paisa[], total: Paisa): boolean {
  return choicesOf(others.slice(-rowsMax), partsMax - 1).some(
    (some) => some.length > 0 && mayBeOneAmount(amount + sumPaisa(some), total),
  )
}

/** Each choice of one to five of the last ones that make a total to the paisa. */
export function* exactParts<T extends {readonly amount: Paisa}>(
  all: readonly T[],
  total: Paisa,
): Generator<readonly T[]> {
  const most = all.filter(({amount}) => amount <= total).slice(-rowsMax)
  for (const some of choicesOf(most, partsMax))
    if (some.length > 0 && sumPaisa(some.map(({amount}) => amount)) === total) yield some
}

function* choicesOf<T>(all: readonly T[], most: number): Generator<readonly T[]> {
  yield []
  if (most === 0) return
  for (const [at, one] of all.entries())
    for (const others of choicesOf(all.slice(at + 1), most - 1)) yield [one, ...others]
}

function sumOf(rows: readonly RequestRow[]): Paisa {
  return sumPaisa(rows.map((row) => row.amount ?? 0n))
}
