import type {HeaderRule} from './header.ts'
import {findLayout} from './layout.ts'
import {type Delimiter, readRecords} from './records.ts'
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
