import {corruptFile} from './corrupt-file.ts'
import {type HeaderRule, resolveHeader} from './header.ts'
import {quoteCell} from './quotation.ts'
import {type Delimiter, delimiters, readFirstRecord} from './records.ts'

/** How the text of a file is laid out, told from its first bytes. */
export interface Layout {
  /** Where the header line starts: after a byte order mark, blank lines and Excel's `sep=` line. */
  readonly headerAt: number
  readonly headerLine: number
  readonly delimiter: Delimiter
}

const byteOrderMark = /^\xef\xbb\xbf/
const blankLines = /^(?:[ \t]*(?:\r\n|\n|\r))+/
const separatorLine = /^"?sep=(.)"?[ \t]*(?:\r\n|\n|\r|$)/i

/** `stated` wins over the file's own `sep=` line, and that over what the header line suggests. */
export function findLayout<Column extends string>(
  path: string,
  head: Buffer,
  rule: HeaderRule<Column>,
  stated?: Delimiter | null,
): Layout {
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
  const rest = head.subarray(at)
  return {
    headerAt: at,
    headerLine: 1 + (text.slice(0, at).match(/\r\n|\n|\r/g)?.length ?? 0),
    delimiter: stated ?? separatorStated(path, separator?.[1]) ?? delimiterOf(rest, rule),
  }
}

function separatorStated(path: string, char: string | undefined): Delimiter | null {
  if (char === undefined) return null
  const known = delimiters.find((delimiter) => delimiter === char)
  if (known !== undefined) return known
  throw corruptFile(
    path,
    `its sep= line states ${quoteCell(char)}`,
    'Fields are separated by one of , ; TAB |',
  )
}

/** The delimiter under which the most columns are known; where none is, the one that gives the most cells. */
function delimiterOf<Column extends string>(head: Buffer, rule: HeaderRule<Column>): Delimiter {
  const scored = delimiters.map((delimiter) => {
    const cells = readFirstRecord(head, delimiter) ?? []
    const known = Object.keys(resolveHeader(cells, rule).at).length
    return {delimiter, score: known * 1000 + Math.min(cells.length, 999)}
  })
  return scored.reduce((best, next) => (next.score > best.score ? next : best)).delimiter
}
