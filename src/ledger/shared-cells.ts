import {bareOf} from './hand-lists.ts'

/** A row that nothing explains has a cell of an order's own row, under the same header. */
export interface SharedCell {
  readonly line: number
  readonly orderNo: string
  readonly header: string
}

interface Column {
  filled: number
  readonly counts: Map<string, number>
}

const keptMax = 10_000
const lengthMin = 3
/** A value that names somebody is in few rows, and so are most values of its column. */
const few = {rows: 5, share: 10, others: 3}

/**
 * Finds rows of one player whatever the header of the column that names players (`Wallet No`, `UID`, `খেলোয়াড়`): by a value that few
 * rows have, in a column of many different ones.
 */
export class SharedCells {
  private readonly headers: readonly string[]
  private readonly left: ReadonlySet<number>
  private readonly columns = new Map<number, Column>()
  private readonly lost = new Map<string, string[]>()
  private readonly unexplained: (SharedCell & {readonly at: number; readonly value: string})[] = []

  /** `left`: places of columns that are read, or that a person chose to ignore. */
  constructor(headers: readonly string[], left: ReadonlySet<number>) {
    this.headers = headers
    this.left = left
  }

  /** `orderNo`: of an order about to be resent. */
  take(
    cells: readonly string[],
    {line, orderNo}: {line: number; orderNo: string | null},
    isRow: boolean,
  ): void {
    for (const [at, cell] of cells.entries()) {
      if (this.left.has(at) || cell.length < lengthMin) continue
      const value = bareOf(cell)
      if (value.length < lengthMin) continue
      this.count(at, value)
      const key = `${at} ${value}`
      if (orderNo !== null) this.lost.set(key, [...(this.lost.get(key) ?? []), orderNo])
      if (!isRow && this.unexplained.length < keptMax)
        this.unexplained.push({line, orderNo: '', header: this.headers[at] ?? '', at, value})
    }
  }

  finish(take: (cell: SharedCell) => void): void {
    for (const {line, header, at, value} of this.unexplained)
      for (const orderNo of this.isRare(at, value) ? (this.lost.get(`${at} ${value}`) ?? []) : [])
        take({line, orderNo, header})
  }

  /** The first values of a column show what it has. */
  private count(at: number, value: string): void {
    const column = this.columns.get(at) ?? {filled: 0, counts: new Map<string, number>()}
    this.columns.set(at, column)
    if (column.counts.size >= keptMax) return
    column.filled += 1
    column.counts.set(value, (column.counts.get(value) ?? 0) + 1)
  }

  private isRare(at: number, value: string): boolean {
    const {filled = 0, counts} = this.columns.get(at) ?? {}
    const rows = counts?.get(value) ?? 0
    return rows <= Math.max(few.rows, filled / few.share) && (counts?.size ?? 0) * few.others >= filled
  }
}
