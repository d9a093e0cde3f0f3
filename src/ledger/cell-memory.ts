const textsMax = 4_096
const lengthMax = 64

/** Remembers what was found for the first short texts of a column, because cells repeat. */
export class CellMemory<T> {
  private readonly found = new Map<string, T>()

  of(text: string): T | undefined {
    return this.found.get(text)
  }

  keep(text: string, found: T): T {
    if (this.found.size < textsMax && text.length <= lengthMax) this.found.set(text, found)
    return found
  }
}
