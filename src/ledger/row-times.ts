import type {Span} from './created-at.ts'

/**
 * The times of all rows, to find the two neighbours of a time. First and last instants are kept in arrays of their own,
 * so that a million rows cost little memory.
 */
export class RowTimes {
  private readonly firsts = new Instants()
  private readonly lasts = new Instants()

  add({fromMs, toMs}: Span): void {
    this.firsts.add(fromMs)
    this.lasts.add(toMs)
  }

  addAll({firsts, lasts}: RowTimes): void {
    for (const one of firsts.sorted()) this.firsts.add(one)
    for (const one of lasts.sorted()) this.lasts.add(one)
  }

  /** The end of the row before and the start of the row after `ms`; null if `ms` is a row's own, or no row has a time. */
  stretchAt(ms: number): {readonly afterMs: number | null; readonly beforeMs: number | null} | null {
    const begun = this.firsts.countTo(ms)
    const ended = this.lasts.countTo(ms - 1)
    const isOfRow = begun > ended
    if (isOfRow || this.firsts.sorted().length === 0) return null
    return {
      afterMs: this.lasts.sorted()[ended - 1] ?? null,
      beforeMs: this.firsts.sorted()[begun] ?? null,
    }
  }
}

/** Grows outside of the heap; sorted before the first question. */
class Instants {
  private values = new Float64Array(64)
  private count = 0
  private inOrder: Float64Array | null = null

  add(ms: number): void {
    if (this.count === this.values.length) {
      const more = new Float64Array(this.count * 2)
      more.set(this.values)
      this.values = more
    }
    this.values[this.count++] = ms
    this.inOrder = null
  }

  sorted(): Float64Array {
    this.inOrder ??= this.values.subarray(0, this.count).sort()
    return this.inOrder
  }

  /** How many are at or before this time. */
  countTo(ms: number): number {
    const values = this.sorted()
    let [low, high] = [0, values.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((values[middle] ?? 0) <= ms) low = middle + 1
      else high = middle
    }
    return low
  }
}
