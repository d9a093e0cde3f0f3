import {defaultLedgerMapping} from '../core/profile.ts'
import {bookingReader, headerSaysBooked, plainHeader, saysOwnBooked, wordsOf} from './booking-words.ts'
import {corruptFile} from './corrupt-file.ts'
import {looksLikeStatus} from './header-words.ts'
import {isNotesHeader} from './mention-scan.ts'
import {headerSaysMoneyBack, saysMoneyBack} from './money-back.ts'
import {quoteCell} from './quotation.ts'

/** Headers that say of a payout what the words of a ledger's headers do not. */
const decides =
  /(?<!\p{L})(?:paid|unpaid|pay|payable|sent|cancel|cancell?ed|rejected|expired|approval|skip|exclude|stop|net|correct|corrected|revised|পরিশোধ|পরিশোধিত|পেইড|বাতিল|অনুমোদন)(?![\p{L}\p{M}])/iu
const blank = /^[\s\-–—.]*$/
const readWord = bookingReader(defaultLedgerMapping)

interface Column {
  readonly at: number
  readonly name: string
  readonly isNotes: boolean
  filled: number
  /** The first cell that says of its row whether it is to be paid. */
  decides: {readonly text: string; readonly line: number} | null
  /** The first of its values. */
  readonly values: Set<string>
}

/**
 * The columns of a payout file that hisab does not read: it pays every row, whatever stands there. So the file is refused where
 * such a column may say which rows are to be paid: by its header, by a cell, or because only some rows have it filled.
 */
export class UnreadColumns {
  private readonly columns: readonly Column[]
  private readonly ignored: ReadonlySet<string>
  private rows = 0

  /** `ignored`: headers of columns that decide nothing, by a person's word. */
  constructor(cells: readonly string[], read: readonly number[], ignored: readonly string[]) {
    this.ignored = new Set(ignored)
    this.columns = cells.flatMap((name, at) =>
      read.includes(at)
        ? []
        : {at, name, isNotes: isNotesHeader(name), filled: 0, decides: null, values: new Set<string>()},
    )
  }

  take(cells: readonly string[], line: number): void {
    this.rows += 1
    for (const column of this.columns) {
      const text = cells[column.at] ?? ''
      if (blank.test(text)) continue
      column.filled += 1
      if (column.values.size <= 2) column.values.add(text.trim())
      column.decides ??= saysDecision(text, column.isNotes) ? {text, line} : null
    }
  }

  /** The headers of those that decide nothing. Throws `ledger_damaged` where one may. */
  finish(path: string): string[] {
    const unknown = [...this.ignored].find((name) => !this.columns.some((column) => column.name === name))
    if (unknown !== undefined)
      throw corruptFile(
        path,
        `there is no column ${quoteCell(unknown)} that hisab does not read`,
        'Correct --ignore-column: it needs the header as it is written in the file.',
      )
    for (const column of this.columns) {
      const why = this.ignored.has(column.name) ? null : this.whyDeciding(column)
      if (why === null) continue
      throw corruptFile(
        path,
        `${why}. hisab does not read that column and pays every row of the file`,
        `Remove the rows that must not be paid. Then remove the column, or add --ignore-column ${quoteCell(column.name)} if it says nothing of that.`,
      )
    }
    return this.columns.filter(({filled}) => filled > 0).map(({name}) => name)
  }

  private whyDeciding({name, filled, decides: cell, values}: Column): string | null {
    const column = `the column ${quoteCell(name)}`
    if (filled > 0 && headerDecides(name)) return `${column} may say which rows are to be paid`
    if (cell !== null) return `line ${cell.line}: ${column} has ${quoteCell(cell.text)}`
    if (values.size === 2 && values.has('0') && values.has('1')) return `${column} has 0 and 1`
    return filled > 0 && filled < this.rows ? `${column} is filled in ${filled} of ${this.rows} rows` : null
  }
}

function headerDecides(header: string): boolean {
  const isOfLedger = looksLikeStatus(header) || headerSaysBooked(header) || headerSaysMoneyBack(header)
  return isOfLedger || decides.test(plainHeader(header))
}

function saysDecision(text: string, isNotes: boolean): boolean {
  // A column of numbers has them, too.
  if (/^[01]$/.test(text.trim())) return false
  if (readWord(text) !== null || /^[yn]$/i.test(text.trim())) return true
  const isSoft = isNotes || !wordsOf(text).includes(' ')
  return saysOwnBooked(text, isSoft) !== null || saysMoneyBack(text, isNotes) !== null
}
