import {CsvError} from 'csv-parse'
import {parse} from 'csv-parse/sync'
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'

import {Failure} from '../../src/core/failure.ts'
import {readRecords} from '../../src/ledger/records.ts'
import {casesOf, checkAsync} from '../fuzz/cases.ts'

type Result = readonly (readonly string[])[] | 'open' | 'after closing' | 'inside'

const damages: readonly (readonly [RegExp, Result])[] = [
  [/never closed/, 'open'],
  [/goes on after its closing quote/, 'after closing'],
  [/a quote inside a field/, 'inside'],
]

async function ours(text: string, chunkBytes: number): Promise<Result> {
  const bytes = Buffer.from(text)
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
  }
  const records: (readonly string[])[] = []
  const onRecord = (cells: readonly string[]) => void records.push(cells)
  try {
    await readRecords(chunks(), {path: 'a.csv', delimiter: ',', firstLine: 1, onRecord})
    return records
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return damages.find(([message]) => message.test(error.message))?.[1] ?? 'open'
  }
}

function theirs(text: string): Result {
  const options = {record_delimiter: ['\n', '\r\n', '\r'], relax_column_count: true}
  try {
    const records = parse(text, options) as string[][]
    return records.filter((cells) => cells.some((cell) => cell.trim() !== ''))
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    if (error.code === 'CSV_QUOTE_NOT_CLOSED') return 'open'
    return error.code === 'INVALID_OPENING_QUOTE' ? 'inside' : 'after closing'
  }
}

describe('records', () => {
  it('are those of csv-parse at its strictest, wherever a chunk ends', async () => {
    const part = fc.constantFrom(',', ',', '"', '"', '""', '\n', '\r\n', '\r', 'a', ' ', '500.00', 'নোট')
    await checkAsync(
      fc.asyncProperty(
        fc.array(part, {maxLength: 30}).map((parts) => parts.join('')),
        // Whole characters, as from the check of UTF-8.
        fc.constantFrom(1, 2, 5, 1_000),
        async (text, chunkBytes) => {
          const ascii = chunkBytes < 1_000 ? text.replaceAll('নোট', 'note') : text
          expect(await ours(ascii, chunkBytes)).toEqual(theirs(ascii))
        },
      ),
      casesOf(2_000),
    )
  })

  it('tell their first lines, of a record whose cell has lines too', async () => {
    const lines: (readonly [line: number, lineEnds: number])[] = []
    const onRecord = (_: readonly string[], line: number, lineEnds: number) =>
      void lines.push([line, lineEnds])
    async function* bytes() {
      yield Buffer.from('a,b\n\n"x\r\ny\n",1\r\nc\rd,"e')
      yield Buffer.from('"\n')
    }
    await readRecords(bytes(), {path: 'a.csv', delimiter: ',', firstLine: 1, onRecord})
    expect(lines).toEqual([
      [1, 0],
      [3, 2],
      [6, 0],
      [7, 0],
    ])
  })
})
