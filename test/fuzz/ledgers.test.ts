import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import fc from 'fast-check'
import {describe, expect, test} from 'vitest'

import {Failure} from '../../src/core/failure.ts'
import {type PayoutFile, readPayouts} from '../../src/ledger/read-payouts.ts'
import {defaultOptions, readWhole, type WholeLedger} from '../ledger/scratch-ledger.ts'
import {tempDir} from '../temp-dir.ts'
import {campaignMs, casesOf, checkAsync, seed} from './cases.ts'
import {type CsvRecord, isBlankRecord, splitCsv} from './csv-grammar.ts'
import {damaged, damages, ledgerFile, part, payoutFile} from './ledger-files.ts'

const cases = casesOf(400)

async function readOrFail(path: string, bytes: Buffer): Promise<WholeLedger | Failure> {
  writeFileSync(path, bytes)
  try {
    return await readWhole([path], defaultOptions)
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

function asUtf8(file: Buffer, encoding: string | undefined): Buffer {
  return encoding === 'UTF-16' ? Buffer.from(new TextDecoder('utf-16le', {fatal: true}).decode(file)) : file
}

/** The records below the header by the grammar alone, with the header's cells; null where the file breaks it. */
function recordsOf(
  bytes: Buffer,
  delimiter: string,
  headerLine = 0,
): {header: readonly string[]; rows: CsvRecord[]} | null {
  const text = new TextDecoder('utf-8', {fatal: true}).decode(bytes)
  expect(text).not.toContain('\0')
  // Blank lines and Excel's sep= line stand before the header; they count as lines.
  const [before = ''] = /^(?:[ \t]*(?:\r\n|\n|\r))*(?:"?sep=."?[ \t]*(?:\r\n|\n|\r|$))?/i.exec(text) ?? []
  const lines = before.match(/\r\n|\n|\r/g)?.length ?? 0
  const records = splitCsv(text.slice(before.length), delimiter)
  const filled = records?.filter((record) => !isBlankRecord(record)) ?? []
  const [header, ...rows] = filled.filter((record) => record.line + lines >= headerLine)
  if (!header) return null
  // Titles: what could be a row has as many cells as the header.
  const cellsOf = ({cells}: CsvRecord) => cells.filter((cell) => cell.trim() !== '').length
  for (const title of filled.slice(0, filled.indexOf(header)))
    expect(cellsOf(title)).toBeLessThan(cellsOf(header))
  return {
    header: header.cells.map((cell) => cell.trim()),
    rows: rows.map((row) => ({...row, line: row.line + lines})),
  }
}

/** The digits of an amount cell in paisa, by moving characters alone; null for a blank one. */
function digitsOf(cell: string): string | null {
  const ascii = cell.replace(/[০-৯]/g, (digit) => '0123456789'.charAt('০১২৩৪৫৬৭৮৯'.indexOf(digit)))
  const grouped = ascii.replace(/BDT|Tk\.?|টাকা|[৳\s]/gi, '')
  if (grouped === '') return null
  // Commas stand before three digits, and before that before two or three.
  if (/,/.test(grouped) && !/^\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?$/.test(grouped)) return 'no amount'
  const bare = grouped.replaceAll(',', '')
  const [taka = '', paisa = ''] = bare.split('.')
  return `${taka}${paisa.padEnd(2, '0')}`.replace(/^0+(?=.)/, '')
}

describe(`files of rows as bytes, ${cases} cases each, seed ${seed}`, () => {
  test('each row is read or named, and no amount is another than the digits there', {
    timeout: campaignMs,
  }, async () => {
    const path = join(tempDir(), 'ledger.csv')
    let read = 0
    const property = fc.asyncProperty(ledgerFile, damages, async (bytes, all) => {
      const file = damaged(bytes, all)
      const outcome = await readOrFail(path, file)
      if (outcome instanceof Failure) {
        expect(outcome.code).toBe('ledger_damaged')
        // What an exporter wrote is read, whatever its layout.
        expect(file.equals(bytes), outcome.message).toBe(false)
        return
      }
      read += 1
      const [info] = outcome.files
      const records = recordsOf(asUtf8(file, info?.encoding), info?.delimiter ?? '', info?.headerLine)
      // What breaks the grammar is never read.
      if (!records || !info) {
        expect(records).not.toBeNull()
        return
      }
      const taken = [...outcome.entries, ...outcome.unreadable].sort((a, b) => a.line - b.line)
      expect(taken.map(({line}) => line)).toEqual(records.rows.map(({line}) => line))
      expect(info.rows).toBe(records.rows.length)
      const cellOf = (column: string, row: CsvRecord | undefined) => {
        const heading = info.columns[column]
        return heading === undefined ? undefined : row?.cells[records.header.indexOf(heading)]
      }
      for (const entry of outcome.entries) {
        const row = records.rows.find(({line}) => line === entry.line)
        expect(entry.orderNo).toBe(cellOf('order_no', row))
        expect(entry.amount === null ? null : String(entry.amount)).toBe(
          digitsOf(cellOf('amount', row) ?? ''),
        )
      }
    })
    await checkAsync(property, cases)
    // Else the damage would be so great that nothing was tried.
    expect(read).toBeGreaterThan(cases / 4)
  })

  test('a row of payouts is read as it stands or named by its line', {timeout: campaignMs}, async () => {
    const path = join(tempDir(), 'payouts.csv')
    const property = fc.asyncProperty(payoutFile, damages, async (bytes, all) => {
      const file = damaged(bytes, all)
      writeFileSync(path, file)
      const outcome = await readPayouts(path).catch((error: unknown) => error)
      if (outcome instanceof Failure) {
        expect(outcome.code).toBe('ledger_damaged')
        return
      }
      const {rows, problems} = outcome as PayoutFile
      const records = recordsOf(file, ',')
      const lines = new Set([...rows, ...problems].map(({line}) => line))
      expect([...lines].sort((a, b) => a - b)).toEqual(records?.rows.map(({line}) => line))
      for (const {line, outOrderNo, amount, account, userName} of rows) {
        const cells = records?.rows.find((row) => row.line === line)?.cells ?? []
        expect(cells).toEqual(expect.arrayContaining([outOrderNo, account, userName]))
        expect(cells.filter((cell) => digitsOf(cell) === String(amount))).not.toEqual([])
      }
    })
    await checkAsync(property, cases)
  })

  test('up to three stray quotes make no row disappear', {timeout: campaignMs}, async () => {
    const path = join(tempDir(), 'ledger.csv')
    const row = fc.tuple(fc.stringMatching(/^D-[0-9]{1,4}$/), fc.constantFrom('paid', 'open'), fc.nat(9_999))
    const quotes = fc.array(part, {minLength: 1, maxLength: 3})
    const delimiter = fc.constantFrom(',', ';')
    const property = fc.asyncProperty(
      fc.array(row, {minLength: 1, maxLength: 6}),
      quotes,
      delimiter,
      async (rows, places, comma) => {
        const lines = ['order_no,status,amount', ...rows.map((cells) => cells.join())].map((line) =>
          line.replaceAll(',', comma),
        )
        const plain = `${lines.join('\n')}\n`
        // Where a quote does something: at the ends of cells.
        const edges = [...plain.matchAll(/(?<=^|[,;\n])|(?=[,;\n])/g)].map(({index}) => index)
        const chosen = places
          .map((place) => edges[Math.floor(place * edges.length)] ?? 0)
          .sort((a, b) => b - a)
        const text = chosen.reduce((before, at) => `${before.slice(0, at)}"${before.slice(at)}`, plain)
        const outcome = await readOrFail(path, Buffer.from(text))
        if (outcome instanceof Failure) return
        expect(outcome.entries.length + outcome.unreadable.length, text).toBe(rows.length)
      },
    )
    await checkAsync(property, cases)
  })
})
