import {corruptFile} from './corrupt-file.ts'
import {type Delimiter, lineEndsIn} from './records.ts'

/**
 * Throws where a quoted field has swallowed whole rows: a quote opened in one row and closed by a stray one rows
 * later is well-formed CSV, and the rows between would be gone without a word.
 *
 * The sign of it: with the quotes taken away the record is several lines, and `isRow` is true of each, or already of
 * one below the first, where a row that is lost costs more than a note that is refused.
 */
export function refuseSwallowedRows(
  cells: readonly string[],
  line: number,
  {path, delimiter}: {readonly path: string; readonly delimiter: Delimiter},
  isRow: (cells: readonly string[]) => boolean,
  signs: 'all' | 'one below' = 'all',
): void {
  const lines = linesOf(cells, delimiter).filter((text) => text.trim() !== '')
  const reads = (text: string) => isRow(text.split(delimiter))
  if (lines.length < 2 || !(signs === 'all' ? lines.every(reads) : lines.slice(1).some(reads))) return
  throw corruptFile(
    path,
    `a quote that opens on line ${line} holds the rows up to line ${line + lineEndsIn(cells)} inside one field`,
    'Remove the stray quote, or write a quote inside a quoted field twice ("").',
  )
}

/** The first line of a record, with the quotes taken away: of a header that swallowed rows the header itself. */
export function firstLineOf(cells: readonly string[], delimiter: Delimiter): readonly string[] {
  return linesOf(cells, delimiter)[0]?.split(delimiter) ?? []
}

function linesOf(cells: readonly string[], delimiter: Delimiter): string[] {
  return cells.join(delimiter).split(/\r\n|\n|\r/)
}
