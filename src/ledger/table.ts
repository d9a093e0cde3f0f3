import {escapeInvisible} from '../core/text.ts'
import type {Candidate} from './find-header.ts'
import {quoteCell} from './quotation.ts'
import type {Delimiter} from './records.ts'

/** Takes the records of one file as they come, the header line first, each with the line ends in its cells. */
export interface RecordTaker {
  readonly take: (cells: readonly string[], line: number, lineEnds: number) => void
}

/** What a file turned out to be, and where its header is, told from its beginning. */
export interface TableLayout {
  readonly format: 'csv' | 'xlsx' | 'ods'
  /** Of a CSV file; for a spreadsheet the one that a file which was imported into it most likely had. */
  readonly delimiter: Delimiter
  readonly sheet: string | null
  readonly headerLine: number
  /** The first rows below the header. */
  readonly below: readonly (readonly string[])[]
  /** What a person should know of it, a sentence each. */
  readonly notes: readonly string[]
}

/** What is known of a file once it was read. */
export interface TableFacts {
  readonly sha256: string
  readonly encoding: 'UTF-8' | 'UTF-16' | null
  readonly isCompressed: boolean
  readonly endsMidLine: boolean
  readonly hiddenRows: number
  /** Of a spreadsheet, the first row with something behind the last header. */
  readonly beside: {readonly line: number; readonly text: string} | null
}

export interface ReadTable<Taker> {
  readonly taker: Taker
  readonly layout: TableLayout
  readonly facts: TableFacts
}

/** What was stated of how a file is laid out; what was not is found. */
export interface TableReading {
  readonly delimiter?: Delimiter | null
  /** The sheet of a spreadsheet, by its name or its number. */
  readonly sheet?: string | null
  /** For this file, and not by the profile for all that may come. */
  readonly isSheetStated?: boolean
  readonly headerRow?: number | null
  /** UTF-8 CSV with its header on the first line, and nothing else. */
  readonly isStrict?: boolean
}

/** What reading its bytes does not tell is added by who opened the file. */
export type ReadParts<Taker> = Pick<ReadTable<Taker>, 'taker' | 'layout'> & {
  readonly facts: Omit<TableFacts, 'sha256'>
}

/** What stands above the header, in a sentence. */
export function titleNotes(path: string, above: readonly Candidate[]): string[] {
  if (above.length === 0) return []
  const shown = above
    .slice(0, 3)
    .map(({cells}) => quoteCell(cells.filter((cell) => cell.trim() !== '').join(' ')))
  const more = above.length > 3 ? ` and ${above.length - 3} more` : ''
  const lines = above.length === 1 ? 'a line' : `${above.length} lines`
  return [
    `${escapeInvisible(path)} has ${lines} above its header, which hisab does not read: ${shown.join(', ')}${more}`,
  ]
}
