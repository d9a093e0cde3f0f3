import {payoutChannels} from '../core/order.ts'
import {plainHeader} from './booking-words.ts'
import {type Cell, CellForms, mobileIn} from './cell-forms.ts'
import {corruptFile} from './corrupt-file.ts'
import {ChannelCells} from './paid-channel.ts'
import {markIn} from './payout-marks.ts'
import {isPlainColumn} from './plain-columns.ts'
import {flagFor, quoteCell} from './quotation.ts'

const dashes = /^[\s\-–—.]*$/
/** If only some rows have a time, it may be that of their payment. */
const ofTime = /(?<!\p{L})(?:date|time|datetime|timestamp|day|at|on)(?!\p{L})|তারিখ|সময়/iu

interface Column {
  readonly at: number
  readonly name: string
  readonly forms: CellForms
  readonly channels: ChannelCells
  /** The number of rows with each dash that stands for nothing, and with nothing at all. */
  readonly empty: Map<string, number>
  dash: Cell | null
  filled: number
  first: Cell | null
  /** The first cell that says that its row must not be paid. */
  marked: Cell | null
  /** Number of rows with a different wallet than the one that is paid, and the first of them. */
  others: number
  other: Cell | null
}

interface Wallet {
  readonly account: string
  readonly channel: string
}

/**
 * The columns of a payout file that hisab does not read. It pays every row whatever they say, so it refuses a file if
 * one has a value, unless its header is unrelated to payments or a person stated that it decides nothing.
 */
export class UnreadColumns {
  private readonly columns: readonly Column[]
  private rows = 0

  constructor(cells: readonly string[], read: readonly number[]) {
    this.columns = cells.flatMap((name, at) =>
      read.includes(at)
        ? []
        : {
            ...{at, name, forms: new CellForms(), channels: new ChannelCells(), empty: new Map()},
            ...{dash: null, filled: 0, first: null, marked: null, others: 0, other: null},
          },
    )
  }

  take(cells: readonly string[], line: number, paid: Wallet): void {
    this.rows += 1
    for (const column of this.columns) {
      const cell = {text: cells[column.at] ?? '', line}
      if (dashes.test(cell.text)) {
        const text = cell.text.trim()
        column.empty.set(text, (column.empty.get(text) ?? 0) + 1)
        if (text === '') continue
        column.dash ??= cell
        column.channels.takeDash(cell)
        continue
      }
      column.filled += 1
      column.first ??= cell
      column.forms.take(cell)
      column.channels.take(cell, paid.channel, paid.account)
      if (markIn(cell.text) !== null) column.marked ??= cell
      if (!isOtherWallet(cell.text, paid)) continue
      column.others += 1
      column.other ??= cell
    }
  }

  /** The headers of columns that decide nothing. Throws `ledger_damaged` if any other has a value that may decide. */
  finish(path: string, ignored: readonly string[]): string[] {
    const deciding = this.columns.flatMap((column) => {
      const cell = ignored.includes(column.name) ? null : this.decidingCell(column)
      return cell === null ? [] : {name: column.name, ...cell}
    })
    const [one] = deciding
    if (one === undefined)
      return this.columns.filter((column) => column.filled > 0 || tickedCell(column)).map(({name}) => name)
    const names = [...new Set(deciding.map(({name}) => name))]
    const [columns, say] = names.length === 1 ? ['column', 'it says'] : ['columns', 'they say']
    throw corruptFile(
      path,
      `hisab pays every row, and does not read the ${columns} ${names.map(quoteCell).join(', ')}. Line ${one.line} has ${quoteCell(one.text)} below ${quoteCell(one.name)}`,
      `Remove the rows that must not be paid. If ${say} nothing of that, add ${names.map((name) => flagFor('--ignore-column', name)).join(' ')}`,
    )
  }

  /** A cell of the column that may say which rows to pay, or to whom. */
  private decidingCell(column: Column): Cell | null {
    const {name, forms, channels, filled, first, marked, others, other} = column
    if (!isPlainColumn(name)) return first ?? tickedCell(column)
    if (filled < this.rows && ofTime.test(plainHeader(name))) return first
    return marked ?? channels.oddCell(name) ?? forms.oddCell(name) ?? (others < this.rows ? other : null)
  }
}

/** A dash in all rows is how a program writes nothing. In some, it may be how a person ticks. */
function tickedCell({empty, dash}: Column): Cell | null {
  return empty.size > 1 ? dash : null
}

function isOtherWallet(text: string, {account, channel}: Wallet): boolean {
  const phone = mobileIn(text)
  if (phone !== null) return !account.endsWith(phone)
  const words = text.toUpperCase().split(/[^A-Z]+/)
  return payoutChannels.some((name) => words.includes(name)) && !words.includes(channel)
}
