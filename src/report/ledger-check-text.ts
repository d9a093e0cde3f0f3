import type {OrderKind, OrderState} from '../core/order.ts'
import {escapeInvisible} from '../core/text.ts'
import {counted, grouped, minuteOf} from './figures.ts'
import {renderTable, type Style} from './table.ts'
import {labelled} from './wrap.ts'

export interface LedgerCheck {
  readonly file: {
    readonly path: string
    readonly sha256: string
    readonly format: 'csv' | 'xlsx' | 'ods'
    /** Of CSV; null for a spreadsheet. */
    readonly encoding: 'UTF-8' | 'UTF-16' | null
    readonly compressed: boolean
    readonly delimiter: string | null
    readonly sheet: string | null
    readonly headerLine: number
    readonly rows: number
  }
  /** hisab's columns with their headers, and whether the header was found among known words. */
  readonly columns: readonly {readonly column: string; readonly header: string; readonly guessed: boolean}[]
  /** Headers that are not read. */
  readonly ignored: readonly string[]
  readonly firstRows: readonly {
    readonly line: number
    readonly orderNo: string
    readonly kind: OrderKind
    readonly status: OrderState
    readonly amount: string | null
    readonly orderedAt: string | null
  }[]
  readonly sums: readonly {
    readonly kind: OrderKind
    readonly status: OrderState
    readonly rows: number
    readonly amount: string
  }[]
  readonly unreadable: {
    readonly rows: number
    readonly first: readonly {readonly line: number; readonly cause: string; readonly detail: string}[]
  }
  /** Total rows, compared with the rows above them; `agrees` is null without an amount. */
  readonly totals: readonly {
    readonly line: number
    readonly label: string
    readonly amount: string | null
    readonly sum: string
    readonly agrees: boolean | null
  }[]
  readonly window: {readonly from: string; readonly to: string} | null
  readonly windowUnknown: string | null
  /** Why a run with this file would be incomplete, a sentence each. */
  readonly doubts: readonly string[]
  readonly notes: readonly string[]
  readonly saved: string | null
}

export function ledgerCheckText(check: LedgerCheck, style: Style, width = 80): string {
  const {file, columns, ignored, firstRows, sums, unreadable, totals, window, windowUnknown} = check
  const line = (label: string, text: string) =>
    labelled(style('bold', label.padEnd(11)), escapeInvisible(text), width)
  const more = unreadable.rows - unreadable.first.length
  return [
    labelled(style('bold', `${escapeInvisible(file.path)}  `), describe(check), width),
    '',
    renderTable(
      [{title: 'column'}, {title: 'header of the file'}],
      columns.map(({column, header, guessed}) => [
        column,
        `${escapeInvisible(header, 40)}${guessed ? style('yellow', '  (a guess)') : ''}`,
      ]),
      style,
    ),
    ...(ignored.length > 0
      ? ['', line('Not read', ignored.map((header) => escapeInvisible(header, 40)).join(', '))]
      : []),
    ...(firstRows.length > 0 ? ['', rowsTable(firstRows, style, width)] : []),
    '',
    ...sums.map(({kind, status, rows, amount}, at) =>
      line(
        at === 0 ? 'Rows' : '',
        `${kind} ${status}: ${counted(rows, 'row', 'rows')}, BDT ${grouped(amount)}`,
      ),
    ),
    line('Window', window ? `${window.from} to ${window.to}` : (windowUnknown ?? '')),
    ...totals.map(({label, line: at, amount, sum, agrees}, index) =>
      line(index === 0 ? 'Totals' : '', totalText(at, label, amount, sum, agrees)),
    ),
    ...(unreadable.rows > 0
      ? ['', style('red', `${counted(unreadable.rows, 'row', 'rows')} that hisab cannot read`)]
      : []),
    ...unreadable.first.map(({line, detail}) => labelled(`  line ${line}: `, escapeInvisible(detail), width)),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...(check.doubts.length > 0 ? ['', style('yellow', 'Doubts: a run with this file is incomplete')] : []),
    ...check.doubts.map((text) => labelled('  - ', sentence(text), width)),
    ...(check.notes.length > 0 ? ['', style('dim', 'Notes')] : []),
    ...check.notes.map((text) => labelled('  - ', sentence(text), width)),
  ].join('\n')
}

/** It may quote the file, so nothing in it may drive a terminal. */
function sentence(text: string): string {
  return `${escapeInvisible(text).replace(/\.$/, '')}.`
}

function describe({file}: LedgerCheck): string {
  const {format, encoding, compressed, delimiter, sheet, headerLine, rows} = file
  const separators: Readonly<Record<string, string>> = {
    ',': 'commas',
    ';': 'semicolons',
    '\t': 'tabs',
    '|': 'pipes',
  }
  const form =
    sheet === null
      ? `CSV, ${encoding}, ${separators[delimiter ?? ','] ?? ''}${compressed ? ', gzip' : ''}`
      : `.${format}, sheet "${escapeInvisible(sheet, 40)}"`
  return `${form}, header on line ${headerLine}, ${counted(rows, 'row', 'rows')}`
}

const rowColumns = [
  {title: 'line', align: 'right'},
  {title: 'order no'},
  {title: 'kind'},
  {title: 'status'},
  {title: 'amount', align: 'right'},
  {title: 'time'},
] as const

function rowsTable(rows: LedgerCheck['firstRows'], style: Style, width: number): string {
  const count = rows.some(({orderedAt}) => orderedAt !== null) ? rowColumns.length : rowColumns.length - 1
  const cells = rows.map((row) => rowCells(row).slice(0, count))
  return renderTable(rowColumns.slice(0, count), cells, style, width)
}

function rowCells({
  line,
  orderNo,
  kind,
  status,
  amount,
  orderedAt,
}: LedgerCheck['firstRows'][number]): string[] {
  return [
    String(line),
    escapeInvisible(orderNo, 40),
    kind,
    status,
    amount === null ? '' : grouped(amount),
    orderedAt === null ? '' : minuteOf(orderedAt),
  ]
}

function totalText(line: number, label: string, amount: string | null, sum: string, agrees: boolean | null) {
  const row = `line ${line}${label === '' ? '' : ` "${escapeInvisible(label, 40)}"`}`
  if (amount === null) return `${row}: no amount to compare`
  return agrees === true
    ? `${row}: BDT ${grouped(amount)}, as the rows above it add up`
    : `${row}: BDT ${grouped(amount)}, but the rows above it add up to BDT ${grouped(sum)}`
}
