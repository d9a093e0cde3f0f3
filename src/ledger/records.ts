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
 * csv-parse, strictly. It is given every line end, or it would settle on the first one it meets and read a file
 * with mixed ones as one long row; and it must let rows of another length through, which are ours to report. It tries
 * the line ends in this order at each character: the common one first, and CRLF before CR.
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

/** The first records of `head` that are not blank, as far as it is CSV with that delimiter. */
export function readFirstRecords(head: Buffer, delimiter: Delimiter, most: number): (readonly string[])[] {
  const records: (readonly string[])[] = []
  const onRecord = (cells: readonly string[]) => {
    if (!isBlank(cells)) records.push(cells)
    return null
  }
  try {
    parseWhole(head, {...csvOptions(delimiter), to: most, on_record: onRecord})
  } catch {
    // What is wrong with it is said when the file is read.
  }
  return records
}

export interface RecordsOptions {
  readonly path: string
  readonly delimiter: Delimiter
  /** Line of the first byte in the file. */
  readonly firstLine: number
  /** Called for each record that is not blank, with the line it starts on and the line ends in it; what it throws ends the reading. */
  readonly onRecord: (cells: readonly string[], line: number, lineEnds: number) => void
}

/** Splits bytes into records without keeping them. Throws `Failure` where the quoting is damaged. */
export async function readRecords(bytes: AsyncIterable<Buffer>, options: RecordsOptions): Promise<void> {
  const {path, onRecord} = options
  let line = options.firstLine
  let before = {lines: 0, bytes: 0}
  const parser = new Parser({
    ...csvOptions(options.delimiter),
    on_record: (cells: readonly string[], {lines, bytes}) => {
      const startsOn = line
      // Counted here where there are any, because csv-parse counts a CRLF inside quotes twice. Outside quotes a line end
      // ends the record, so a record is one line and the line ends within its cells.
      const lineEnds = lines - before.lines > 1 ? lineEndsIn(cells) : 0
      line += 1 + lineEnds
      if (bytes - before.bytes > fieldBytesMax) refuseLongFields(path, cells, startsOn)
      before = {lines, bytes}
      // As if each were the first: the parser makes an error of a row of another length, for nothing and dearly.
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

/** A blank line, or a row of nothing but blank cells, which spreadsheets leave at the end. */
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

/** What csv-parse keeps and its types do not say: how many records came, and the finished cells of the one it is in. */
function insideOf(parser: Parser): {
  readonly info: {records: number}
  readonly state: {readonly record: readonly string[]}
} {
  return parser as unknown as ReturnType<typeof insideOf>
}

/** csv-parse names the line where it noticed; a person needs the line where the field starts. */
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
