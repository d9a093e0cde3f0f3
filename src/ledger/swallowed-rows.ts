import {corruptFile} from './corrupt-file.ts'
import {type Delimiter, lineEndsIn} from './records.ts'

/**
 * Throws if a quoted field contains whole rows: a quote that opens in one row and is closed by a stray one rows later
 * is well-formed CSV, and the rows between would be lost without notice. It is recognised by its lines: without the
 * quotes the record has several, and `isRow` is true of each, or of any below the first if losing a row is worse than
 * refusing a note.
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

/** The first line of a record without its quotes: if a header contains whole rows, the header itself. */
export function firstLineOf(cells: readonly string[], delimiter: Delimiter): readonly string[] {
  return linesOf(cells, delimiter)[0]?.split(delimiter) ?? []
}

function linesOf(cells: readonly string[], delimiter: Delimiter): string[] {
  return cells.join(delimiter).split(/\r\n|\n|\r/)
}
