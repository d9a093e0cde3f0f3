import {stringify} from 'csv-stringify/sync'

import {jsonText, visible} from '../core/text.ts'
import {defuseCell} from './defuse.ts'
import {type Paint, renderTable} from './table.ts'

/** One column of a list: its name in CSV, what it holds, and its title on a screen where it is shown there. */
export interface ListColumn<Row> {
  readonly name: string
  /** Left out of the table where it is undefined. */
  readonly title?: string
  /** `number` columns are right-aligned, and stay numbers in a spreadsheet. */
  readonly kind: 'text' | 'number'
  readonly value: (row: Row) => string | number | boolean | null | undefined
  /** Last in the table: names come in scripts whose width a terminal and cli-table3 do not agree on. */
  readonly isLast?: true
  /** How the table shows it, where that is not the value itself. */
  readonly shown?: (row: Row) => string
}

/** A list for people, for spreadsheets (UTF-8, one header line) or for programs (one JSON document a line). */
export function listText<Row extends object>(
  format: 'table' | 'csv' | 'ndjson',
  columns: readonly ListColumn<Row>[],
  rows: readonly Row[],
  paint: Paint,
): string {
  switch (format) {
    case 'table':
      return tableText(columns, rows, paint)
    case 'csv':
    case 'ndjson':
      return [listHead(format, columns), ...rows.map((row) => listLine(format, columns, row))].join('')
  }
}

function tableText<Row>(columns: readonly ListColumn<Row>[], rows: readonly Row[], paint: Paint): string {
  if (rows.length === 0) return paint('dim', 'none')
  const ordered = [...columns].sort((a, b) => Number(a.isLast ?? false) - Number(b.isLast ?? false))
  const used = ordered.filter(
    ({title, kind, value}) =>
      title !== undefined && (kind === 'number' || rows.some((row) => value(row) != null)),
  )
  return renderTable(
    used.map(({title = '', kind}) => ({title, align: kind === 'number' ? 'right' : 'left'})),
    rows.map((row) =>
      used.map(({value, shown}) => visible(shown ? shown(row) : String(value(row) ?? ''), 200)),
    ),
    paint,
  )
}

/** What stands above the rows of a list that is written row by row. */
export function listHead<Row>(format: 'csv' | 'ndjson', columns: readonly ListColumn<Row>[]): string {
  return format === 'csv' ? stringify([columns.map(({name}) => name)]) : ''
}

/** One row of such a list, with its line end. */
export function listLine<Row extends object>(
  format: 'csv' | 'ndjson',
  columns: readonly ListColumn<Row>[],
  row: Row,
): string {
  if (format === 'ndjson') return `${jsonText(row)}\n`
  const cells = columns.map(({kind, value}) => {
    const cell = value(row) ?? ''
    return kind === 'number' ? cell : defuseCell(visible(String(cell)))
  })
  return stringify([cells])
}
