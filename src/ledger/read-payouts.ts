import {Failure} from '../core/failure.ts'
import {escapeInvisible} from '../core/text.ts'
import {amountIn} from './amount.ts'
import {corruptFile} from './corrupt-file.ts'
import {type Header, type HeaderRule, isHeaderAgain, resolveHeader} from './header.ts'
import {
  type PayoutColumn,
  type PayoutProblem,
  type PayoutRow,
  payoutColumns,
  readPayoutRow,
} from './payout-row.ts'
import {readTable} from './read-table.ts'
import {type Delimiter, lineEndsIn} from './records.ts'
import {firstLineOf, refuseSwallowedRows} from './swallowed-rows.ts'
import {describeTotal, type RowWorth, TotalRows} from './total-rows.ts'

export type {PayoutProblem, PayoutRow} from './payout-row.ts'

/** A file of payouts, read whole. Each row of the file is in one of the two lists, but those of totals. */
export interface PayoutFile {
  readonly path: string
  readonly sha256: string
  readonly rows: readonly PayoutRow[]
  /** In the order of their lines; a line may have several. */
  readonly problems: readonly PayoutProblem[]
  /** What a person should know of its rows of totals, which are never paid: a sentence each. */
  readonly totals: readonly string[]
}

const payoutsMax = 100_000

const payoutHeader: HeaderRule<PayoutColumn> = {
  columns: payoutColumns,
  required: payoutColumns,
  mapped: {},
  aliases: {out_order_no: 'order_no'},
  missingHint: (column, nearest) =>
    nearest === null
      ? `A payout file has the columns ${payoutColumns.join(', ')}.`
      : `Rename the header "${escapeInvisible(nearest, 40)}" to ${column}, if that is what it holds.`,
}

/** Cells whose beginning alone would read as another value: the file must not end inside one. */
const cutUnnoticed: readonly PayoutColumn[] = ['out_order_no', 'amount', 'user_name']

/**
 * Reads a file of payouts: CSV with the flags of `payout create` as its columns, other columns ignored. Throws
 * `Failure` where the file as a whole cannot be trusted; then nothing of it is to be paid.
 */
export async function readPayouts(path: string): Promise<PayoutFile> {
  const {taker, facts} = await readTable(path, payoutHeader, (delimiter) => new PayoutRows(path, delimiter))
  const {cells, at} = taker.finish()
  const last = payoutColumns.find((column) => at[column] === cells.length - 1)
  if (facts.endsMidLine && last !== undefined && cutUnnoticed.includes(last)) {
    throw corruptFile(
      path,
      `it ends without a line end, inside a cell of ${last}, which may have been cut off`,
      'Compare the last row with where it came from, and end the file with a line end.',
    )
  }
  const {rows, problems, totals} = taker
  return {path, sha256: facts.sha256, rows, problems, totals}
}

class PayoutRows {
  readonly rows: PayoutRow[] = []
  readonly problems: PayoutProblem[] = []
  totals: readonly string[] = []
  private readonly path: string
  private readonly delimiter: Delimiter
  private heading: {readonly header: Header<PayoutColumn>; readonly rows: TotalRows} | null = null

  constructor(path: string, delimiter: Delimiter) {
    this.path = path
    this.delimiter = delimiter
  }

  readonly take = (cells: readonly string[], line: number): void => {
    if (this.heading === null) this.takeHeader(cells, line)
    else this.takeRow(cells, line, this.heading)
  }

  finish(): Header<PayoutColumn> {
    const {heading} = this
    this.totals = (heading?.rows.finish() ?? []).map((row) => describeTotal(row, this.path))
    if (heading !== null && this.rows.length + this.problems.length > 0) return heading.header
    const problem = heading === null ? 'there is nothing but blank lines' : 'there is a header and no row'
    throw corruptFile(this.path, problem, `A payout a line, below the header ${payoutColumns.join(',')}.`)
  }

  private takeHeader(cells: readonly string[], line: number): void {
    const header = resolveHeader(cells, payoutHeader)
    if (header.problem)
      throw corruptFile(this.path, `line ${line}: ${header.problem.message}`, header.problem.hint)
    const first = resolveHeader(firstLineOf(cells, this.delimiter), payoutHeader)
    this.lookForRowsInside(cells, line, first)
    const {out_order_no: label = 0, amount, ...others} = header.at
    const at = {label, amount, kind: undefined, others: Object.values(others), count: header.cells.length}
    const rows = new TotalRows(at, amountIn, (cells, line) => this.takePayout(cells, line, header))
    this.heading = {header, rows}
  }

  private takeRow(
    cells: readonly string[],
    line: number,
    {header, rows}: NonNullable<PayoutRows['heading']>,
  ): void {
    if (isHeaderAgain(header, cells)) {
      const problem = `the header line stands again on line ${line}`
      throw corruptFile(this.path, problem, 'If two files were put into one, give them one after the other.')
    }
    this.lookForRowsInside(cells, line, header)
    rows.take(cells, line)
  }

  private takePayout(cells: readonly string[], line: number, header: Header<PayoutColumn>): RowWorth {
    if (cells.length !== header.cells.length) {
      const detail = `${cells.length} fields where the header has ${header.cells.length}.`
      this.problems.push({line, detail})
      return {kind: null, amount: null, isCompleted: false}
    }
    const row = readFields(cells, line, header)
    if (Array.isArray(row)) this.problems.push(...row)
    else this.rows.push(row)
    if (this.rows.length > payoutsMax) {
      throw new Failure(
        'input_invalid',
        `${escapeInvisible(this.path)}: more than ${payoutsMax} payouts.`,
        'Split the file: every part needs the header line.',
      )
    }
    return {kind: null, amount: amountIn(cells[header.at.amount ?? -1] ?? ''), isCompleted: false}
  }

  private lookForRowsInside(cells: readonly string[], line: number, header: Header<PayoutColumn>): void {
    if (lineEndsIn(cells) === 0) return
    const isRow = (fields: readonly string[]) => !Array.isArray(readFields(fields, line, header))
    refuseSwallowedRows(cells, line, {path: this.path, delimiter: this.delimiter}, isRow, 'one below')
  }
}

function readFields(fields: readonly string[], line: number, {at}: Header<PayoutColumn>) {
  return readPayoutRow(line, (column) => fields[at[column] ?? -1] ?? '')
}
