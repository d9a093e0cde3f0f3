/** The candidate closest to a mistyped word, or null: at most half of the longer word may differ. */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  let best: string | null = null
  let bestDistance = Number.POSITIVE_INFINITY
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase())
    if (distance < bestDistance && distance <= Math.max(word.length, candidate.length) / 2) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** Counts letters inserted, deleted, replaced, or swapped with their neighbour. */
export function editDistance(a: string, b: string): number {
  let before: number[] = []
  let above = Array.from({length: b.length + 1}, (_, n) => n)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const exchanged = at(above, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = isSwap ? at(before, j - 2) + 1 : Number.POSITIVE_INFINITY
      row.push(Math.min(exchanged, at(above, j) + 1, at(row, j - 1) + 1, swapped))
    }
    before = above
    above = row
  }
  return at(above, b.length)
}

function at(row: readonly number[], n: number): number {
  return row[n] ?? Number.POSITIVE_INFINITY
}
