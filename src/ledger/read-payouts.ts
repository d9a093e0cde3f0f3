import {Failure} from '../core/failure.ts'
import {formatTaka, type Paisa} from '../core/money.ts'
import {type PayoutChannel, payoutChannels, walletNumber} from '../core/order.ts'
import {readPayoutAmount} from '../core/payout-amount.ts'
import {maskPhoneLike} from '../core/personal.ts'
import {escapeInvisible} from '../core/text.ts'
import {amountIn} from './amount.ts'
import {corruptFile} from './corrupt-file.ts'
import {CurrencyColumn} from './currency.ts'
import {type Header, type HeaderRule, isHeaderAgain, resolveHeader} from './header.ts'
import {speaksOf} from './header-words.ts'
import {orderNoFault} from './order-no.ts'
import {markedRows} from './payout-marks.ts'
import {quoteCell} from './quotation.ts'
import {readTable} from './read-table.ts'
import {type Delimiter, lineEndsIn} from './records.ts'
import {firstLineOf, refuseSwallowedRows} from './swallowed-rows.ts'
import {describeTotal, type RowWorth, TotalRows} from './total-rows.ts'
import {UnreadColumns} from './unread-columns.ts'

/** The columns of a payout file: the flags of `payout create`. */
const payoutColumns = ['out_order_no', 'amount', 'bank_type', 'user_name', 'account'] as const
type PayoutColumn = (typeof payoutColumns)[number]

export interface PayoutRow {
  readonly line: number
  readonly outOrderNo: string
  readonly amount: Paisa
  readonly bankType: PayoutChannel
  readonly userName: string
  readonly account: string
}

export interface PayoutProblem {
  readonly line: number
  readonly detail: string
}

/** The row, or every problem of it at once. Nothing is repaired: a guess would be paid. */
function readPayoutRow(line: number, text: (column: PayoutColumn) => string): PayoutRow | PayoutProblem[] {
  const outOrderNo = text('out_order_no')
  const amount = readPayoutAmount(text('amount'))
  const bankType = payoutChannels.find((channel) => channel === text('bank_type'))
  const [userName, account] = [text('user_name'), text('account')]
  const details = [
    outOrderNo.trim() === ''
      ? 'out_order_no is blank.'
      : (orderNoFault(outOrderNo)?.replace(/^order_no/, 'out_order_no') ?? null),
    amount.ok ? null : amount.reason,
    bankType === undefined ? channelFault(text('bank_type')) : null,
    userName.trim() === '' ? 'user_name is blank.' : null,
    walletNumber.test(account) ? null : accountFault(account),
  ].filter((detail) => detail !== null)
  if (details.length > 0 || !amount.ok || bankType === undefined) {
    return details.map((detail) => ({line, detail}))
  }
  return {line, outOrderNo, amount: amount.paisa, bankType, userName, account}
}

function channelFault(text: string): string {
  if (text === '') return 'bank_type is blank.'
  const meant = payoutChannels.find((channel) => channel === text.trim().toUpperCase())
  const help = meant === undefined ? `one of ${payoutChannels.join(', ')}` : meant
  return `bank_type ${quoteCell(text)} is not a channel; write ${help}.`
}

/** The likeliest fault comes first. */
const accountFaults: readonly (readonly [pattern: RegExp, what: string])[] = [
  [/^$/, 'is blank'],
  [/^1[3-9][0-9]{8}$/, 'has lost its leading 0, as spreadsheets do; make the column text'],
  [/E[+-]?[0-9]+$/i, 'was shortened by a spreadsheet, and its digits are gone; make the column text'],
  [/[০-৯]/, 'is written in Bengali digits; write 0 to 9'],
  [/^\+?88/, 'begins with the country code; leave it out'],
  [/[\s-]/, 'has blanks or hyphens; leave them out'],
  [/^[0-9]{0,10}$/, 'has too few digits'],
  [/^[0-9]{12,}$/, 'has too many digits'],
]

function accountFault(text: string): string {
  const what =
    accountFaults.find(([pattern]) => pattern.test(text))?.[1] ??
    'is not a mobile number of Bangladesh: 01, then 3 to 9, then eight more digits'
  return `account ${what === 'is blank' ? '' : `${quoteCell(maskPhoneLike(text))} `}${what}.`
}

/** A file of payouts. Each row is in one of the two lists, a marked row in both, a total in neither. */
export interface PayoutFile {
  readonly path: string
  readonly sha256: string
  readonly rows: readonly PayoutRow[]
  /** In the order of lines; a line may have several. */
  readonly problems: readonly PayoutProblem[]
  /** Notes on total rows, which are never paid, and on columns that are not read. */
  readonly notes: readonly string[]
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
      : `Rename the header "${escapeInvisible(nearest, 40)}" to ${column}, if it contains that.`,
}

/** The beginning of such a cell reads as another value, so the file must not end inside one. */
const cutUnnoticed: readonly PayoutColumn[] = ['out_order_no', 'amount', 'user_name']

/**
 * Reads a CSV with the flags of `payout create` as columns. Throws `Failure` if the file as a whole cannot be trusted;
 * then nothing of it may be paid. `ignored`: columns and marks that decide nothing, as a person stated.
 */
export async function readPayouts(
  path: string,
  ignored: {
    readonly columns?: readonly string[] | undefined
    readonly marks?: readonly string[] | undefined
  } = {},
): Promise<PayoutFile> {
  const {taker, facts} = await readTable(
    path,
    payoutHeader,
    ({delimiter}) => new PayoutRows(path, delimiter, ignored.columns ?? []),
    {isStrict: true},
  )
  const {cells, at} = taker.finish()
  const last = payoutColumns.find((column) => at[column] === cells.length - 1)
  if (facts.endsMidLine && last !== undefined && cutUnnoticed.includes(last)) {
    throw corruptFile(
      path,
      `it ends without a line end, inside a cell of ${last}, so the cell may be cut off`,
      'Compare the last row with its source, and end the file with a line end.',
    )
  }
  const {rows, notes} = taker
  const problems = [...taker.problems, ...markedRows(rows, ignored.marks ?? [])]
  return {path, sha256: facts.sha256, rows, problems, notes}
}

class PayoutRows {
  readonly rows: PayoutRow[] = []
  readonly problems: PayoutProblem[] = []
  notes: string[] = []
  private readonly path: string
  private readonly delimiter: Delimiter
  private readonly ignored: readonly string[]
  private unread: UnreadColumns | null = null
  private currency = new CurrencyColumn(undefined)
  private heading: {readonly header: Header<PayoutColumn>; readonly rows: TotalRows} | null = null

  constructor(path: string, delimiter: Delimiter, ignored: readonly string[]) {
    this.path = path
    this.delimiter = delimiter
    this.ignored = ignored
  }

  readonly take = (cells: readonly string[], line: number): void => {
    if (this.heading === null) this.takeHeader(cells, line)
    else this.takeRow(cells, line, this.heading)
  }

  finish(): Header<PayoutColumn> {
    const {heading} = this
    const totals = heading?.rows.finish() ?? []
    this.notes = totals.map((row) => describeTotal(row, this.path))
    for (const {line, label, amount, sum, agrees} of totals)
      if (agrees === false)
        this.problems.push({
          line,
          detail: `the total is BDT ${formatTaka(amount ?? 0n)}, but the rows above it sum to BDT ${formatTaka(sum)}.`,
        })
      else if (amount === null && /\p{L}/u.test(label))
        this.problems.push({line, detail: `${quoteCell(label)} is no payout, and no total with an amount.`})
    const unread = (this.unread?.finish(this.path, this.ignored) ?? []).map(quoteCell)
    if (unread.length > 0) this.notes.push(`hisab does not read these columns of it: ${unread.join(', ')}.`)
    if (heading !== null && this.rows.length + this.problems.length > 0) return heading.header
    const problem = heading === null ? 'the file has only blank lines' : 'the file has a header and no row'
    throw corruptFile(
      this.path,
      problem,
      `Write one payout on each line, below the header ${payoutColumns.join(',')}.`,
    )
  }

  private takeHeader(cells: readonly string[], line: number): void {
    const header = resolveHeader(cells, payoutHeader)
    if (header.problem)
      throw corruptFile(this.path, `line ${line}: ${header.problem.message}`, header.problem.hint)
    const first = resolveHeader(firstLineOf(cells, this.delimiter), payoutHeader)
    this.lookForRowsInside(cells, line, first)
    const {out_order_no: label = 0, amount, ...others} = header.at
    const at = {label, amount, kind: undefined, others: Object.values(others), count: header.cells.length}
    const currencyAt = cells.findIndex((cell) => speaksOf('currency', cell))
    this.currency = new CurrencyColumn(currencyAt === -1 ? undefined : currencyAt)
    this.unread = new UnreadColumns(header.cells, [...Object.values(header.at), currencyAt])
    const rows = new TotalRows(at, amountIn, (cells, line) => this.takePayout(cells, line, header))
    this.heading = {header, rows}
  }

  private takeRow(
    cells: readonly string[],
    line: number,
    {header, rows}: NonNullable<PayoutRows['heading']>,
  ): void {
    if (isHeaderAgain(header, cells)) {
      const problem = `the header line is repeated on line ${line}`
      throw corruptFile(this.path, problem, 'If two files were put into one, pay them one after the other.')
    }
    this.lookForRowsInside(cells, line, header)
    rows.take(cells, line)
  }

  private takePayout(cells: readonly string[], line: number, header: Header<PayoutColumn>): RowWorth {
    if (cells.length !== header.cells.length) {
      const detail = `${cells.length} fields where the header has ${header.cells.length}.`
      this.problems.push({line, detail})
      return {kind: null, amount: null, status: null}
    }
    const {account = -1, bank_type: channel = -1} = header.at
    this.unread?.take(cells, line, {account: cells[account] ?? '', channel: cells[channel] ?? ''})
    const row = readFields(cells, line, header)
    const currency = this.currency.faultOf(cells, true)
    if (Array.isArray(row)) this.problems.push(...row)
    else if (currency !== null) this.problems.push({line, detail: currency})
    else this.rows.push(row)
    if (this.rows.length > payoutsMax) {
      throw new Failure(
        'input_invalid',
        `${escapeInvisible(this.path)}: more than ${payoutsMax} payouts.`,
        'Split the file. Each part needs the header line.',
      )
    }
    return {kind: null, amount: amountIn(cells[header.at.amount ?? -1] ?? ''), status: null}
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
