import {escapeInvisible, firstOf} from '../core/text.ts'
import type {Candidate} from './find-header.ts'
import {quoteCell} from './quotation.ts'
import type {Delimiter} from './records.ts'

/** Takes the records of one file, the header first, each with the line ends in its cells. */
export interface RecordTaker {
  readonly take: (cells: readonly string[], line: number, lineEnds: number) => void
}

/** The format of a file and the place of its header, found from its beginning. */
export interface TableLayout {
  readonly format: 'csv' | 'xlsx' | 'ods'
  /** For a spreadsheet, the delimiter that a CSV file imported into it most likely had. */
  readonly delimiter: Delimiter
  readonly sheet: string | null
  readonly headerLine: number
  /** In a text file, the lines above the header, with their ends. */
  readonly above: readonly string[]
  /** The first rows below the header. */
  readonly below: readonly (readonly string[])[]
  /** Notes for a person, a sentence each. */
  readonly notes: readonly string[]
}

/** What is known of a file after reading it. */
export interface TableFacts {
  readonly sha256: string
  readonly encoding: 'UTF-8' | 'UTF-16' | null
  readonly isCompressed: boolean
  readonly endsMidLine: boolean
  readonly hiddenRows: number
  /** In a spreadsheet, the first cell beyond the last header. */
  readonly beside: {readonly line: number; readonly text: string} | null
}

export interface ReadTable<Taker> {
  readonly taker: Taker
  readonly layout: TableLayout
  readonly facts: TableFacts
}

/** What a person stated about the layout of a file; the rest is guessed. */
export interface TableReading {
  readonly delimiter?: Delimiter | null
  /** The name or number of a sheet. */
  readonly sheet?: string | null
  /** The sheet was stated for this file, and not by the profile for all files. */
  readonly isSheetStated?: boolean
  readonly headerRow?: number | null
  /** Accept only UTF-8 CSV with its header on the first line. */
  readonly isStrict?: boolean
}

/** Whoever opens the file adds what its content does not show. */
export type ReadParts<Taker> = Pick<ReadTable<Taker>, 'taker' | 'layout'> & {
  readonly facts: Omit<TableFacts, 'sha256'>
}

/** The lines above the header, in a sentence. */
export function titleNotes(path: string, above: readonly Candidate[]): string[] {
  if (above.length === 0) return []
  const shown = firstOf(above, 3, ({cells}) =>
    quoteCell(cells.filter((cell) => cell.trim() !== '').join(' ')),
  )
  const lines = above.length === 1 ? 'a line' : `${above.length} lines`
  return [`${escapeInvisible(path)} has ${lines} above its header, which hisab does not read: ${shown}`]
}
