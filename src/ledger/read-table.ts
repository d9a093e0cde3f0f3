import {corruptFile} from './corrupt-file.ts'
import {isZip, joined, TextSource} from './encoding.ts'
import {type Candidate, findHeader} from './find-header.ts'
import type {HeaderRule} from './header.ts'
import {quoteCell} from './quotation.ts'
import {readSheet} from './read-sheet.ts'
import {type Delimiter, delimiters, lineEndsIn, readFirstRecords, readRecords} from './records.ts'
import {readStart, Source} from './source.ts'
import {
  type ReadParts,
  type ReadTable,
  type RecordTaker,
  type TableLayout,
  type TableReading,
  titleNotes,
} from './table.ts'

/** Enough for titles, the header line and the first rows. */
const headBytes = 64 * 1024
const rowsBelow = 30

/**
 * Reads one file with a header, CSV or a sheet of a spreadsheet, as strictly as all the merchant's files (P11). `-` is
 * stdin. Throws `Failure` for a file that is damaged, unreadable or over 1 GiB, and whatever the taker throws.
 */
export async function readTable<Column extends string, Taker extends RecordTaker>(
  path: string,
  rule: HeaderRule<Column>,
  takerFor: (layout: TableLayout) => Taker,
  reading: TableReading = {},
): Promise<ReadTable<Taker>> {
  const source = new Source(path)
  const bytes = source.bytes()
  try {
    const start = await readStart(bytes, 4)
    const whole = joined(start, bytes)
    const read =
      isZip(start) && reading.isStrict !== true
        ? await readSheet(path, whole, rule, takerFor, reading)
        : await readText(path, whole, rule, takerFor, reading)
    return {...read, facts: {...read.facts, sha256: source.sha256()}}
  } finally {
    await bytes.return()
  }
}

async function readText<Column extends string, Taker extends RecordTaker>(
  path: string,
  bytes: AsyncGenerator<Buffer, void>,
  rule: HeaderRule<Column>,
  takerFor: (layout: TableLayout) => Taker,
  reading: TableReading,
): Promise<ReadParts<Taker>> {
  const source = new TextSource(path)
  const text = source.text(bytes, reading.isStrict === true)
  const head = await readStart(text, headBytes)
  if (reading.sheet != null && reading.isSheetStated)
    throw corruptFile(path, 'this is CSV and has no sheets', 'Leave out --sheet.')
  const {headerAt, layout} = findLayout(path, head, rule, reading)
  const taker = takerFor(layout)
  const {delimiter, headerLine} = layout
  const records = joined(head.subarray(headerAt), text)
  await readRecords(records, {path, delimiter, firstLine: headerLine, onRecord: taker.take})
  return {taker, layout, facts: {...source.facts(), hiddenRows: 0, beside: null}}
}

const byteOrderMark = /^\xef\xbb\xbf/
const blankLines = /^(?:[ \t]*(?:\r\n|\n|\r))+/
const separatorLine = /^"?sep=(.)"?[ \t]*(?:\r\n|\n|\r|$)/i

/** `stated` wins over the file's own `sep=` line, which wins over a guess from the header line. */
function findLayout<Column extends string>(
  path: string,
  head: Buffer,
  rule: HeaderRule<Column>,
  {delimiter: stated, headerRow, isStrict}: TableReading,
): {readonly headerAt: number; readonly layout: TableLayout} {
  // Latin-1 keeps one character a byte, and everything looked for here is ASCII.
  const text = head.toString('latin1')
  let at = byteOrderMark.exec(text)?.[0].length ?? 0
  const skip = (pattern: RegExp): RegExpExecArray | null => {
    const match = pattern.exec(text.slice(at))
    at += match?.[0].length ?? 0
    return match
  }
  skip(blankLines)
  const separator = skip(separatorLine)
  if (separator) skip(blankLines)
  const first = 1 + (text.slice(0, at).match(/\r\n|\n|\r/g)?.length ?? 0)
  const lines = [...linesFrom(text, at, first)]
  const starts = headerRow == null ? lines : [lineAt(path, lines, headerRow)]
  const delimiter = stated ?? separatorStated(path, separator?.[1])
  const best = (delimiter === null ? delimiters : [delimiter])
    .map((delimiter) => {
      const candidates = candidatesOf(head, isStrict ? starts.slice(0, 1) : starts, delimiter)
      const found = findHeader(candidates, rule)
      const score = found?.known ?? 0
      const [cells = []] = readFirstRecords(head.subarray(starts[0]?.at), delimiter, 1)
      return {delimiter, found, score: score * 1000 + Math.min((found?.candidate.cells ?? cells).length, 999)}
    })
    .reduce((best, next) => (next.score > best.score ? next : best))
  const {candidate} = best.found ?? {}
  const above = headerRow == null ? (best.found?.above ?? []) : skippedLines(text, lines, headerRow)
  const start = starts.find(({line}) => line === candidate?.line) ?? starts[0] ?? {line: first, at}
  return {
    headerAt: start.at,
    layout: {
      ...{format: 'csv', delimiter: best.delimiter, sheet: null, headerLine: start.line},
      above: head.toString('utf8', 0, start.at).match(/[^\r\n]*(?:\r\n|\n|\r)/g) ?? [],
      below: candidate?.below ?? [],
      notes: titleNotes(path, above),
    },
  }
}

interface LineStart {
  readonly line: number
  readonly at: number
}

/** The starts of lines that are not blank. */
function* linesFrom(text: string, from: number, first: number): Generator<LineStart> {
  const end = /\r\n|\n|\r/g
  for (let [at, line] = [from, first]; at < text.length; line += 1) {
    end.lastIndex = at
    const found = end.exec(text)
    if (!/^[\s,;|]*$/.test(text.slice(at, found?.index))) yield {line, at}
    if (found === null) return
    at = end.lastIndex
  }
}

function lineAt(path: string, lines: readonly LineStart[], wanted: number): LineStart {
  const start = lines.find(({line}) => line === wanted)
  if (start !== undefined) return start
  throw corruptFile(
    path,
    `there is no header on line ${wanted}`,
    'Count every line of the file from 1, also blank lines.',
  )
}

/** The lines that `--header-row` skips, unparsed. */
function skippedLines(text: string, lines: readonly LineStart[], headerRow: number): Candidate[] {
  return lines
    .filter(({line}) => line < headerRow)
    .map(({line, at}) => {
      const bytes = Buffer.from(/[^\r\n]*/.exec(text.slice(at))?.[0] ?? '', 'latin1')
      return {line, cells: [bytes.toString('utf8')], below: []}
    })
}

/** Ends at an open or damaged quote: titles have none. */
function* candidatesOf(
  head: Buffer,
  starts: readonly LineStart[],
  delimiter: Delimiter,
): Generator<Candidate> {
  for (const {line, at} of starts) {
    const [cells, ...below] = readFirstRecords(head.subarray(at), delimiter, 1 + rowsBelow)
    if (cells === undefined) return
    yield {line, cells, below}
    if (lineEndsIn(cells) > 0) return
  }
}

function separatorStated(path: string, char: string | undefined): Delimiter | null {
  if (char === undefined) return null
  const known = delimiters.find((delimiter) => delimiter === char)
  if (known !== undefined) return known
  throw corruptFile(path, `its sep= line has ${quoteCell(char)}`, 'Fields are separated by one of , ; TAB |')
}
