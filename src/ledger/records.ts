import {corruptFile, exportAgain} from './corrupt-file.ts'

export const delimiters = [',', ';', '\t', '|'] as const
export type Delimiter = (typeof delimiters)[number]

const fieldBytesMax = 64 * 1024
const recordBytesMax = 1024 * 1024
const lineEnd = /\r\n|\n|\r/g
const [lf, cr, quote] = [0x0a, 0x0d, 0x22]

type Damage = 'open' | 'after closing' | 'inside'

interface Split {
  /** With damage, those before it. */
  readonly cells: readonly string[]
  /** Behind its line end. */
  readonly end: number
  /** Within its cells. */
  readonly lineEnds: number
  readonly damage: Damage | null
}

/**
 * The record at this place. A quote opens at the start of a field only, and in a quoted field it is written twice. LF, CRLF
 * and CR each end a record. Nothing is trimmed or guessed (P11).
 */
function recordAt(text: string, start: number, delimiter: number): Split {
  const cells: string[] = []
  let lineEnds = 0
  for (let at = start; ; at += 1) {
    const isQuoted = text.charCodeAt(at) === quote
    let end = at
    if (isQuoted) {
      end = text.indexOf('"', at + 1)
      while (end !== -1 && text.charCodeAt(end + 1) === quote) end = text.indexOf('"', end + 2)
      if (end === -1) return {cells, end: text.length, lineEnds, damage: 'open'}
      end += 1
    } else {
      for (; end < text.length; end += 1) {
        const code = text.charCodeAt(end)
        if (code === delimiter || code === quote || code === lf || code === cr) break
      }
    }
    const code = text.charCodeAt(end)
    const isLast = end === text.length || code === lf || code === cr
    if (!isLast && code !== delimiter)
      return {cells, end, lineEnds, damage: isQuoted ? 'after closing' : 'inside'}
    const cell = isQuoted ? text.slice(at + 1, end - 1).replaceAll('""', '"') : text.slice(at, end)
    cells.push(cell)
    if (isQuoted) lineEnds += lineEndsOf(cell)
    if (isLast) {
      const isPair = code === cr && text.charCodeAt(end + 1) === lf
      return {cells, end: Math.min(text.length, end + (isPair ? 2 : 1)), lineEnds, damage: null}
    }
    at = end
  }
}

/** The first records of `head` that are not blank, up to damage or `most` lines. */
export function readFirstRecords(head: Buffer, delimiter: Delimiter, most: number): (readonly string[])[] {
  const records: (readonly string[])[] = []
  const text = head.toString()
  for (let [at, count] = [0, 0]; at < text.length && count < most; count += 1) {
    const {cells, end, damage} = recordAt(text, at, delimiter.charCodeAt(0))
    if (damage !== null) break
    if (!isBlank(cells)) records.push(cells)
    at = end
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

/**
 * Splits bytes, whole characters of UTF-8, into records without keeping them. Throws `Failure` if the quoting is damaged.
 */
export async function readRecords(
  bytes: AsyncIterable<Buffer>,
  {path, delimiter, firstLine, onRecord}: RecordsOptions,
): Promise<void> {
  const delimiterCode = delimiter.charCodeAt(0)
  let line = firstLine
  /** Reads whole records; returns the place of one whose quote is still open. */
  const read = (text: string, isEnd: boolean): number => {
    let at = 0
    while (at < text.length) {
      const {cells, end, lineEnds, damage} = recordAt(text, at, delimiterCode)
      if (damage === 'open' && !isEnd) return at
      if (damage !== null) throw damaged(path, damage, line + lineEnds)
      if (end - at > fieldBytesMax / 3) refuseLongFields(path, cells, line)
      if (!isBlank(cells)) onRecord(cells, line, lineEnds)
      line += 1 + lineEnds
      at = end
    }
    return at
  }
  let rest: Buffer = Buffer.alloc(0)
  let from = 0
  for await (const chunk of bytes) {
    const all = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const mark = all.includes(lf, from) ? lf : cr
    let start = 0
    for (;;) {
      const end = all.indexOf(mark, from) + 1
      // An LF may follow a CR.
      if (end === 0 || (mark === cr && end === all.length)) break
      // Each line is a text of its own: whoever keeps a cell does not keep the chunk.
      const text = all.toString('utf8', start, end)
      const taken = read(text, false)
      if (taken === text.length) start = end
      else start += Buffer.byteLength(text.slice(0, taken))
      // An open quote is looked at again when there is twice as much.
      from = end + (end - start)
    }
    rest = all.subarray(start)
    from = Math.max(from - start, 0)
    if (rest.length > recordBytesMax)
      throw corruptFile(
        path,
        `the row that starts on line ${line} is larger than 1 MiB`,
        'Close the open quote on that line.',
      )
  }
  read(rest.toString(), true)
}

/** A blank line, or a row of blank cells, which spreadsheets leave at the end. */
function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === '')
}

export function lineEndsIn(cells: readonly string[]): number {
  return cells.reduce((count, cell) => count + lineEndsOf(cell), 0)
}

function lineEndsOf(cell: string): number {
  return cell.includes('\n') || cell.includes('\r') ? (cell.match(lineEnd)?.length ?? 0) : 0
}

function refuseLongFields(path: string, cells: readonly string[], line: number): void {
  for (const [index, cell] of cells.entries()) {
    if (Buffer.byteLength(cell) > fieldBytesMax) {
      const problem = `field ${index + 1} of the row on line ${line} is larger than 64 KiB`
      throw corruptFile(path, problem, 'Close the open quote on that line.')
    }
  }
}

/** `line`: where the field starts. */
function damaged(path: string, damage: Damage, line: number): Error {
  switch (damage) {
    case 'open':
      return corruptFile(
        path,
        `the quote that opens on line ${line} is never closed`,
        `Close it, or write a quote inside a quoted field twice (""). If the file was cut off: ${exportAgain}`,
      )
    case 'after closing':
      return corruptFile(
        path,
        `the quoted field that starts on line ${line} goes on after its closing quote`,
        'Write a quote inside a quoted field twice (""), or close the quote before it.',
      )
    case 'inside':
      return corruptFile(
        path,
        `a quote inside a field that is not quoted, on line ${line}`,
        'Put the whole field in quotes and write the quote inside it twice ("").',
      )
  }
}
