import {stringify} from 'csv-stringify/sync'

type Row = Readonly<Record<string, string | number | null>>

const rowsPerPiece = 500

/**
 * Rows as text, a few hundred at a time, so that a million need little memory. Verbatim, because programs read it: an
 * order number changed for spreadsheets would be another order's (P13).
 */
export function* exportText(
  format: 'csv' | 'ndjson',
  columns: readonly string[],
  rows: Iterable<Row>,
): Generator<string> {
  const write = format === 'csv' ? csvOf(columns) : ndjson
  if (format === 'csv') yield stringify([columns])
  let piece: Row[] = []
  for (const row of rows) {
    if (piece.push(row) < rowsPerPiece) continue
    yield write(piece)
    piece = []
  }
  if (piece.length > 0) yield write(piece)
}

const csvOf = (columns: readonly string[]) => (rows: readonly Row[]) =>
  stringify(rows.map((row) => columns.map((column) => row[column] ?? '')))

const ndjson = (rows: readonly Row[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')
