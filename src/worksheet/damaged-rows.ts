import {type OrderKind, orderKinds} from '../core/order.ts'
import {foldOrderNo, foldsOf, isShortened} from '../core/order-no-fold.ts'
import type {Sheet} from './sheet.ts'

/** A row that nothing explains: the service does not know its number, contradicts it, or the row cannot be read. */
export interface UnexplainedRow {
  readonly line: number
  readonly file: number
  /** Null where the row does not say. */
  readonly kind: OrderKind | null
  /** What stands in its cell. */
  readonly orderNo: string
  readonly isBooked: boolean
}

/** Where a row stands. */
type Place = Pick<UnexplainedRow, 'line' | 'file'>

/** So many are named at the most: two are one too many to tell which it is. */
const namedMax = 2

/**
 * Rows that nothing explains, by what is left of their numbers, and the orders missing from the ledger that may be
 * theirs: an index on disk, because a spreadsheet damages a whole column at once.
 */
export class DamagedRows {
  private readonly sheet: Sheet
  private isIndexed = false
  private which: 'all' | 'unshortened' = 'unshortened'

  constructor(sheet: Sheet) {
    this.sheet = sheet
  }

  /** All rows, before the first question. `numbers` are those that will be asked for. */
  fill(rows: () => Iterable<UnexplainedRow>, numbers: Iterable<string>): void {
    this.which = isAnyShortened(numbers) || isAnyShortened(numbersOf(rows())) ? 'all' : 'unshortened'
    for (const row of rows()) {
      const own = foldOrderNo(row.orderNo)
      for (const fold of foldsOf(row.orderNo, this.which)) {
        const kind = row.kind === null ? null : orderKinds.indexOf(row.kind)
        this.sheet.put('damaged', [
          fold,
          Number(fold === own),
          kind,
          row.file,
          row.line,
          row.orderNo,
          Number(row.isBooked),
        ])
      }
    }
    this.sheet.exec('CREATE INDEX damaged_by_fold ON damaged (fold)')
  }

  /** The first rows that may be the order's, its number damaged on the way, in either direction; remembered of them. */
  like(order: {readonly kind: OrderKind; readonly orderNo: string}): UnexplainedRow[] {
    const {kind, orderNo} = order
    const rows = this.sheet
      .ask(
        `SELECT DISTINCT file, line, order_no, is_booked FROM damaged
         WHERE ((is_own = 1 AND fold IN (SELECT value FROM json_each(?))) OR fold = ?) AND (kind IS NULL OR kind = ?)
         ORDER BY file, line LIMIT ${namedMax}`,
        ...[
          JSON.stringify([...foldsOf(orderNo, this.which)]),
          foldOrderNo(orderNo),
          orderKinds.indexOf(kind),
        ],
      )
      .map(([file, line, text, isBooked]) => ({
        ...{file: Number(file), line: Number(line), kind, orderNo: String(text)},
        isBooked: Number(isBooked) === 1,
      }))
    for (const {file, line} of rows) this.sheet.put('likenesses', [null, file, line, orderNo])
    return rows
  }

  /** The missing orders' numbers that a row may be. */
  missingLike({file, line}: Place): string[] {
    if (!this.isIndexed) this.sheet.exec('CREATE INDEX likenesses_by_place ON likenesses (file, line)')
    this.isIndexed = true
    return this.sheet
      .ask(
        `SELECT DISTINCT order_no FROM likenesses WHERE file = ? AND line = ? LIMIT ${namedMax}`,
        file,
        line,
      )
      .map(([orderNo]) => String(orderNo))
  }
}

function isAnyShortened(numbers: Iterable<string>): boolean {
  for (const number of numbers) if (isShortened(foldOrderNo(number))) return true
  return false
}

function* numbersOf(rows: Iterable<UnexplainedRow>): Generator<string> {
  for (const {orderNo} of rows) yield orderNo
}
