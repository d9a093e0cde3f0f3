const textsMax = 4_096
const lengthMax = 64

/** Remembers what was found for the first short texts of a column, because cells repeat. Where they do not, it gives up. */
export class CellMemory<T> {
  private readonly found = new Map<string, T>()
  private misses = 0

  of(text: string): T | undefined {
    if (this.misses > textsMax) return undefined
    const found = this.found.get(text)
    this.misses += found === undefined ? 1 : -1
    return found
  }

  keep(text: string, found: T): T {
    if (this.found.size < textsMax && text.length <= lengthMax) this.found.set(text, found)
    return found
  }
}
