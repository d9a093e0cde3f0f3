import {stringify} from 'csv-stringify/sync'

import {escapeInvisible, jsonText} from '../core/text.ts'
import {csvCell} from './escape-formula.ts'
import {grouped} from './figures.ts'
import {renderTable, type Style} from './table.ts'
import {wrapText} from './wrap.ts'

export type ListFormat = 'table' | 'csv' | 'ndjson'

/** A column: its name in CSV, what it holds, and its title on a screen. */
export interface ListColumn<Row> {
  readonly name: string
  /** Without a title it is not on the screen. */
  readonly title?: string
  /** `number` columns are right-aligned, and stay numbers in a spreadsheet. */
  readonly kind: 'text' | 'number'
  readonly value: (row: Row) => string | number | boolean | null | undefined
  /** Last in the table: terminals and cli-table3 measure some scripts differently. */
  readonly isLast?: true
  /** Sentences, on their own lines below the row or the rows that share them. */
  readonly isBelow?: true
  /** In a narrow table the column with the highest rank is left out first; without a rank never. */
  readonly dropRank?: number
  /** The text in the table, if it is not the value itself. */
  readonly shown?: (row: Row) => string
}

/** A column of amounts: in CSV as in JSON, on a screen grouped. */
export function takaColumn<Row>(
  name: string,
  value: (row: Row) => string | null | undefined,
  title = 'BDT',
): ListColumn<Row> {
  const shown = (row: Row) => {
    const amount = value(row)
    return amount == null ? '' : grouped(amount)
  }
  return {name, title, kind: 'number', value, shown}
}

/**
 * A list as a table, as CSV (UTF-8, with a header), or as NDJSON. `width` is the screen's; without it the table has
 * all columns.
 */
export function listText<Row extends object>(
  format: ListFormat,
  columns: readonly ListColumn<Row>[],
  rows: readonly Row[],
  style: Style,
  width?: number,
): string {
  return format === 'table'
    ? tableText(columns, rows, style, width)
    : `${streamHead(format, columns)}${streamRows(format, columns, rows)}`
}

export function streamHead<Row>(format: 'csv' | 'ndjson', columns: readonly ListColumn<Row>[]): string {
  return format === 'csv' ? stringify([columns.map(({name}) => name)]) : ''
}

export function streamRows<Row extends object>(
  format: 'csv' | 'ndjson',
  columns: readonly ListColumn<Row>[],
  rows: readonly Row[],
): string {
  if (format === 'ndjson') return rows.map((row) => `${jsonText(row)}\n`).join('')
  const cells = rows.map((row) => columns.map(({kind, value}) => csvCell(kind, value(row))))
  return stringify(cells)
}

/**
 * The last line of an incomplete list. A spreadsheet is passed on without our exit status, so it must say this itself
 * (P9); NDJSON has records only.
 */
export function streamPartial(format: 'csv' | 'ndjson', because: string, columnCount: number): string {
  if (format === 'ndjson') return ''
  const blanks = Array.from({length: columnCount - 1}, () => '')
  return stringify([[`PARTIAL: ${escapeInvisible(because)}`, ...blanks]])
}

function tableText<Row>(
  columns: readonly ListColumn<Row>[],
  rows: readonly Row[],
  style: Style,
  width: number | undefined,
): string {
  if (rows.length === 0) return style('dim', 'none')
  const ordered = [...columns].sort((a, b) => Number(a.isLast ?? false) - Number(b.isLast ?? false))
  const used = ordered.filter(
    ({title, kind, value, isBelow}) =>
      title !== undefined && !isBelow && (kind === 'number' || rows.some((row) => value(row) != null)),
  )
  const cellOf = ({value, shown}: ListColumn<Row>, row: Row) =>
    escapeInvisible(shown ? shown(row) : String(value(row) ?? ''), 200)
  const fitting = fitColumns(used, width, (column) =>
    rows.reduce((most, row) => Math.max(most, cellOf(column, row).length), column.title?.length ?? 0),
  )
  const [head = '', ...lines] = renderTable(
    fitting.map(({title = '', kind}) => ({title, align: kind === 'number' ? 'right' : 'left'})),
    rows.map((row) => fitting.map((column) => cellOf(column, row))),
    style,
  ).split('\n')
  const below = columns.filter(({isBelow}) => isBelow)
  const notesOf = (row: Row | undefined) =>
    row === undefined ? '' : below.flatMap((column) => cellOf(column, row) || []).join(' ')
  const withBelow = lines.flatMap((line, index) => {
    const notes = notesOf(rows[index])
    // Neighbouring rows with the same reason show it once, below the last of them.
    return notes === '' || notes === notesOf(rows[index + 1])
      ? [line]
      : [line, wrapText(notes, width ?? 100, '    ')]
  })
  return [head, ...withBelow].join('\n')
}

/** The columns that fit into `width`, with two spaces between them. */
function fitColumns<Row>(
  columns: readonly ListColumn<Row>[],
  width: number | undefined,
  widthOf: (column: ListColumn<Row>) => number,
): ListColumn<Row>[] {
  let left = [...columns]
  if (width === undefined) return left
  const widths = new Map(columns.map((column) => [column, widthOf(column)]))
  const total = () => left.reduce((sum, column) => sum + (widths.get(column) ?? 0) + 2, -2)
  while (total() > width) {
    const [next] = left
      .filter(({dropRank}) => dropRank !== undefined)
      .sort((a, b) => (b.dropRank ?? 0) - (a.dropRank ?? 0))
    if (next === undefined) break
    left = left.filter((column) => column !== next)
  }
  return left
}
