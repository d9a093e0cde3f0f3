import type {Paisa} from '../money.ts'

/** Beyond this many pairs, each amount counts as part of the first total. */
const pairsMax = 5_000_000

/** The total that an amount is part of: all amounts together, or two of them. */
export function summedBy(amounts: readonly Paisa[], totals: ReadonlySet<Paisa>): Map<Paisa, Paisa> {
  const counts = new Map<Paisa, number>()
  for (const amount of amounts) counts.set(amount, (counts.get(amount) ?? 0) + 1)
  const all = amounts.reduce((sum, amount) => sum + amount, 0n)
  const parts = new Map<Paisa, Paisa>()
  for (const total of totals) {
    const isOfAll = (total === all && amounts.length > 1) || counts.size * totals.size > pairsMax
    for (const amount of counts.keys()) {
      const other = total - amount
      const isOfTwo = (counts.get(other) ?? 0) > (other === amount ? 1 : 0)
      if (isOfAll || isOfTwo) parts.set(amount, total)
    }
  }
  return parts
}
