import {pipeline} from 'node:stream/promises'
import {CsvError, type Options, Parser} from 'csv-parse'
import {parse as parseWhole} from 'csv-parse/sync'
import {corruptFile, exportAgain} from './corrupt-file.ts'

export const delimiters = [',', ';', '\t', '|'] as const
export type Delimiter = (typeof delimiters)[number]

const fieldBytesMax = 64 * 1024
const recordCharactersMax = 1024 * 1024
const lineEnd = /\r\n|\n|\r/g

/**
 * Strict options of csv-parse. All line ends are given: by default it keeps the first kind it meets, and would read a
 * file with mixed ones as one long row. Rows of another length pass, because hisab reports them itself. At each
 * character it tries the line ends in this order: the common one first, and CRLF before CR.
 */
function csvOptions(delimiter: string): Options {
  return {
    delimiter,
    record_delimiter: ['\n', '\r\n', '\r'],
    columns: false,
    relax_column_count: true,
    max_record_size: recordCharactersMax,
  }
}

/** The first records of `head` that are not blank, up to an error of CSV with that delimiter. */
export function readFirstRecords(head: Buffer, delimiter: Delimiter, most: number): (readonly string[])[] {
  const records: (readonly string[])[] = []
  const onRecord = (cells: readonly string[]) => {
    if (!isBlank(cells)) records.push(cells)
    return null
  }
  try {
    parseWhole(head, {...csvOptions(delimiter), to: most, on_record: onRecord})
  } catch {
    // The error is reported when the file itself is read.
  }
  return records
}

export interface RecordsOptions {
  readonly path: string
  readonly delimiter: Delimiter
  /** Line of the first byte in the file. */
  readonly firstLine: number
  /** Not called for blank records. `line`: its first; `lineEnds`: those within cells. What it throws ends the reading. */
  readonly onRecord: (cells: readonly string[], line: number, lineEnds: number) => void
}

/** Splits bytes into records without keeping them. Throws `Failure` if the quoting is damaged. */
export async function readRecords(bytes: AsyncIterable<Buffer>, options: RecordsOptions): Promise<void> {
  const {path, onRecord} = options
  let line = options.firstLine
  let before = {lines: 0, bytes: 0}
  const parser = new Parser({
    ...csvOptions(options.delimiter),
    on_record: (cells: readonly string[], {lines, bytes}) => {
      const startsOn = line
      // Counted here, because csv-parse counts a CRLF inside quotes twice. Outside of quotes a line end ends the
      // record, so any others are within its cells.
      const lineEnds = lines - before.lines > 1 ? lineEndsIn(cells) : 0
      line += 1 + lineEnds
      if (bytes - before.bytes > fieldBytesMax) refuseLongFields(path, cells, startsOn)
      before = {lines, bytes}
      // Makes each record look like the first: for rows of another length csv-parse would build an error, at high cost.
      insideOf(parser).info.records = 0
      if (!isBlank(cells)) onRecord(cells, startsOn, lineEnds)
      return null
    },
  })
  try {
    await pipeline(bytes, parser, async (records) => {
      for await (const _ of records) throw new Error('no record leaves the parser')
    })
  } catch (error) {
    throw error instanceof CsvError
      ? quotingError(path, error, line + lineEndsIn(insideOf(parser).state.record))
      : error
  }
}

/** A blank line, or a row of blank cells, which spreadsheets leave at the end. */
function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === '')
}

export function lineEndsIn(cells: readonly string[]): number {
  let count = 0
  for (const cell of cells) {
    if (cell.includes('\n') || cell.includes('\r')) count += cell.match(lineEnd)?.length ?? 0
  }
  return count
}

function refuseLongFields(path: string, cells: readonly string[], line: number): void {
  for (const [index, cell] of cells.entries()) {
    if (Buffer.byteLength(cell) > fieldBytesMax) {
      const problem = `field ${index + 1} of the row on line ${line} is larger than 64 KiB`
      throw corruptFile(path, problem, 'Close the open quote on that line.')
    }
  }
}

/** Internals of csv-parse that its types lack: the number of records, and the finished cells of the current one. */
function insideOf(parser: Parser): {
  readonly info: {records: number}
  readonly state: {readonly record: readonly string[]}
} {
  return parser as unknown as ReturnType<typeof insideOf>
}

/** csv-parse names the line where it noticed the error; a person needs the line where the field starts. */
function quotingError(path: string, error: CsvError, line: number): Error {
  switch (error.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return corruptFile(
        path,
        `the quote that opens on line ${line} is never closed`,
        `Close it, or write a quote inside a quoted field twice (""). If the file was cut off: ${exportAgain}`,
      )
    case 'CSV_INVALID_CLOSING_QUOTE':
      return corruptFile(
        path,
        `the quoted field that starts on line ${line} goes on after its closing quote`,
        'Write a quote inside a quoted field twice (""), or close the quote before it.',
      )
    case 'INVALID_OPENING_QUOTE':
      return corruptFile(
        path,
        `a quote inside a field that is not quoted, on line ${line}`,
        'Put the whole field in quotes and write the quote inside it twice ("").',
      )
    case 'CSV_MAX_RECORD_SIZE':
      return corruptFile(
        path,
        `the row that starts on line ${line} is larger than 1 MiB`,
        'Close the open quote on that line.',
      )
    default:
      return error
  }
}
