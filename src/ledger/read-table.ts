import {corruptFile} from './corrupt-file.ts'
import {type HeaderRule, resolveHeader} from './header.ts'
import {quoteCell} from './quotation.ts'
import {type Delimiter, delimiters, readFirstRecord, readRecords} from './records.ts'
import {type SourceFacts, TextSource} from './source.ts'

/** Takes the records of one file as they come, the header line first. */
interface RecordTaker {
  readonly take: (cells: readonly string[], line: number) => void
}

export interface ReadTable<Taker> {
  readonly taker: Taker
  readonly delimiter: Delimiter
  readonly facts: SourceFacts
}

/** Enough for the header line, the `sep=` line and any blank lines before them. */
const headBytes = 64 * 1024

/**
 * Reads one file of rows with a header, by the strictness every file of the merchant's is read with (P11). `-` is
 * stdin. Throws `Failure` for what is damaged, cannot be read or is over 1 GiB, and whatever the taker throws.
 */
export async function readTable<Column extends string, Taker extends RecordTaker>(
  path: string,
  rule: HeaderRule<Column>,
  takerFor: (delimiter: Delimiter) => Taker,
  stated?: Delimiter | null,
): Promise<ReadTable<Taker>> {
  const source = new TextSource(path)
  const bytes = source.bytes()
  try {
    const head = await readHead(bytes)
    const {headerAt, headerLine, delimiter} = findLayout(path, head, rule, stated)
    const taker = takerFor(delimiter)
    const fromHeaderOn = async function* () {
      yield head.subarray(headerAt)
      yield* bytes
    }
    await readRecords(fromHeaderOn(), {path, delimiter, firstLine: headerLine, onRecord: taker.take})
    return {taker, delimiter, facts: source.facts()}
  } finally {
    await bytes.return()
  }
}

/** The first bytes of a file, all of them where it is a small one. */
async function readHead(bytes: AsyncGenerator<Buffer, void>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for (let size = 0; size < headBytes; ) {
    const next = await bytes.next()
    if (next.done) break
    chunks.push(next.value)
    size += next.value.length
  }
  return Buffer.concat(chunks)
}

/** How the text of a file is laid out, told from its first bytes. */
interface Layout {
  /** Where the header line starts: after a byte order mark, blank lines and Excel's `sep=` line. */
  readonly headerAt: number
  readonly headerLine: number
  readonly delimiter: Delimiter
}

const byteOrderMark = /^\xef\xbb\xbf/
const blankLines = /^(?:[ \t]*(?:\r\n|\n|\r))+/
const separatorLine = /^"?sep=(.)"?[ \t]*(?:\r\n|\n|\r|$)/i

/** `stated` wins over the file's own `sep=` line, and that over what the header line suggests. */
function findLayout<Column extends string>(
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
  throw corruptFile(path, `its sep= line has ${quoteCell(char)}`, 'Fields are separated by one of , ; TAB |')
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
