import type {Header} from './header.ts'
import type {Delimiter} from './records.ts'
import type {Row} from './row.ts'

/**
 * Whether a quoted field has swallowed whole rows: a quote opened in one row and closed by a stray one rows
 * later is well-formed CSV, and the rows between would be gone without a word.
 *
 * The sign of it: with the quotes taken away the record is several rows, each with as many fields as the header
 * and each readable, with a status or an amount, so that an address of several lines is not mistaken for one.
 */
export function hasSwallowedRows(
  cells: readonly string[],
  header: Header,
  delimiter: Delimiter,
  read: (cells: readonly string[]) => Row,
): boolean {
  const lines = cells.join(delimiter).split(/\r\n|\n|\r/)
  if (lines.length < 2) return false
  return lines.every((line) => {
    const row = read(line.split(delimiter))
    return row.ok && (row.entry.amount !== null || header.at.status !== undefined)
  })
}
