import type {Paisa} from '../core/money.ts'
import {amountsIn} from './amounts-in-text.ts'
import type {NameIndex} from './name-index.ts'
import type {PayerLine, Payers} from './payer-lines.ts'

/** What sheets list that is no booking of a deposit. */
const ofOthers =
  /(?<!\p{L})(?:bonus\p{L}*|expenses?|withdraw\p{L}*|payouts?|commissions?|fees?|rates?|salary|rebates?|cash ?back|refunds?|promo\p{L}*|limits?)(?!\p{L})/iu
const from = /^(?:from|start|first|begin\p{L}*|শুরু|থেকে)(?!\p{L})/iu
const to = /^(?:to|till|until|end|last|upto|শেষ|পর্যন্ত)(?!\p{L})/iu

interface Row extends PayerLine {
  readonly cells: readonly string[]
}

/**
 * Another sheet that has, without a word of bookings, what only a list of lost orders has: in one column the last digits or the
 * very amounts of orders about to be resent, row by row; or a range of them.
 */
export class LostSheet {
  private readonly rows: Row[] = []
  private headers: readonly string[] = []
  private isOther: boolean
  private readonly index: NameIndex
  private readonly payers: Payers
  private readonly named: (orderNo: string, line: PayerLine) => void

  constructor(
    name: string,
    index: NameIndex,
    payers: Payers,
    named: (orderNo: string, line: PayerLine) => void,
  ) {
    this.isOther = ofOthers.test(name)
    this.index = index
    this.payers = payers
    this.named = named
  }

  take(cells: readonly string[], line: number): void {
    if (this.isOther || this.rows.length > this.index.size + 1) return
    const filled = cells.map((cell) => cell.trim()).filter(Boolean)
    if (filled.length === 0) return
    if (/\p{N}/u.test(filled.join(''))) this.rows.push({cells, line, text: filled.join(', ')})
    else {
      this.isOther ||= ofOthers.test(filled.join(' '))
      if (this.rows.length === 0) this.headers = cells
    }
  }

  *amounts(): Generator<Paisa> {
    if (!this.isOther) for (const {cells} of this.rows) yield* cells.flatMap(amountsIn)
  }

  /** To be called when all orders are known. */
  finish(): void {
    const {rows, index} = this
    if (this.isOther || rows.length > index.size + 1) return
    this.takeRanges()
    if (rows.length < 2) return
    const width = Math.max(...rows.map(({cells}) => cells.length))
    for (let at = 0; at < width; at += 1) {
      const ofEnd = ({cells}: Row) => index.ofEnd((cells[at] ?? '').trim())
      const ofAmount = ({cells}: Row) =>
        amountsIn(cells[at] ?? '').flatMap((one) => this.payers.lostOfAmount(one))
      // The last row may be the sum.
      const found =
        this.listed(rows, ofEnd) ?? this.listed(rows, ofAmount) ?? this.listed(rows.slice(0, -1), ofAmount)
      if (found === null) continue
      for (const [row, orders] of found) for (const orderNo of orders) this.named(orderNo, row)
      return
    }
  }

  private listed(
    rows: readonly Row[],
    of: (row: Row) => readonly string[],
  ): [Row, readonly string[]][] | null {
    const found = rows.map((row): [Row, readonly string[]] => [row, of(row)])
    return rows.length >= 2 && found.every(([, orders]) => orders.length > 0) ? found : null
  }

  private takeRanges(): void {
    const [first, last] = [from, to].map((word) => this.headers.findIndex((cell) => word.test(cell.trim())))
    for (const row of this.rows) {
      const [one, other] = [first, last].map((at = -1) => row.cells[at]?.trim() ?? '')
      const text = one && other ? `${one} - ${other}` : row.text
      const isRange =
        one && other ? true : /^[^,]*\p{N}\s*(?:-|–|to|theke)\s*[\p{L}-]*\p{N}+(?:, \D*)?$/u.test(text)
      if (isRange) for (const {orderNo} of this.index.findInNotes(text, true)) this.named(orderNo, row)
    }
  }
}
