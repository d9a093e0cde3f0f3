import {isBdt} from '../core/currency.ts'
import {isNothing} from '../core/text.ts'
import {quoteCell} from './quotation.ts'

/** The currencies of one file's rows. A column without any value is ignored. */
export class CurrencyColumn {
  private readonly at: number | undefined
  private isUsed: boolean
  /** Rows with an amount and no currency, before the first row that has one. */
  private blank = 0

  /** `below`: the first rows. */
  constructor(at: number | undefined, below: readonly (readonly string[])[] = []) {
    this.at = at
    this.isUsed = below.some((row) => !isNothing(row[at ?? -1] ?? ''))
  }

  /** Why the amount of a row may not be BDT, as a sentence; null if it is BDT. */
  faultOf(cells: readonly string[], hasAmount: boolean): string | null {
    const text = cells[this.at ?? -1] ?? ''
    if (this.at === undefined || isBdt(text)) return null
    if (!isNothing(text)) {
      this.isUsed = true
      return `currency ${quoteCell(text)} is not BDT, the only currency of the service.`
    }
    if (!hasAmount) return null
    if (this.isUsed) return 'currency is blank, while other rows have one, so its amount may not be BDT.'
    this.blank += 1
    return null
  }

  /** To be called after the last row: a sentence if the first value of the column stands far below its header. */
  note(): string | null {
    return this.isUsed && this.blank > 0
      ? `the first ${this.blank} rows have no currency, while later ones have, and are read as BDT`
      : null
  }
}
