/** The known word nearest to a mistyped one, or null where none is near enough to suggest. */
export function nearestWord(typed: string, known: readonly string[]): string | null {
  let best: {word: string; distance: number} | null = null
  for (const word of known) {
    const distance = editDistance(typed.toLowerCase(), word.toLowerCase())
    if (!best || distance < best.distance) best = {word, distance}
  }
  return best && best.distance <= Math.max(2, Math.floor(typed.length / 3)) ? best.word : null
}

function editDistance(a: string, b: string): number {
  let previous = Array.from({length: b.length + 1}, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1)
      current[column] = Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, substitution)
    }
    previous = current
  }
  return previous[b.length] ?? 0
}
