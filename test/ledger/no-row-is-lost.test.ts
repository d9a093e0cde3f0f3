import {stringify} from 'csv-stringify/sync'
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {Failure} from '../../src/core/failure.ts'
import {formatPaisa} from '../../src/core/money.ts'
import {orderKinds} from '../../src/core/order.ts'
import {casesOf, checkAsync} from '../fuzz/cases.ts'
import {read, type WholeLedger} from './scratch-ledger.ts'

/** Rows as they stand in a file, each with its line end, and what each must be read as. */
const noteLast = {
  header: 'order_no,status,amount,note\r\n',
  rows: [
    'A1,paid,500.00,plain\r\n',
    'A2,open,"1,500.00","two\r\nlines, and a ""quote"""\r\n',
    '\r\n',
    'অর্ডার-৩,জমা,৭৫০,রহিমা\r\n',
    'A4,failed,,"x"\r\n',
    'A5,paid,1.00,last',
  ],
}
const amountLast = {
  header: 'order_no;note;amount\n',
  rows: ['A1;"a\nb";500.00\n', 'A2;"";"1,500.00"\n', 'A3;ক;1500.00\n', 'A4;x;৭৫০.৫০'],
}

type Outcome = WholeLedger | Failure

async function readOrFail(bytes: Buffer): Promise<Outcome> {
  try {
    return await read(bytes)
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
}

describe('a file cut off at any byte', () => {
  it.each([
    ['whose last column is a note', {...noteLast, mark: ''}, true],
    ['with a byte order mark', {...noteLast, mark: '\ufeff'}, true],
    ['whose last column is the amount', {...amountLast, mark: ''}, false],
  ])('%s, loses no whole row and changes none but the last', async (_what, file, isLastColumnIgnored) => {
    const {mark, header, rows} = file
    const bytes = Buffer.from(mark + header + rows.join(''))
    const whole = await read(bytes)
    const all = [...whole.entries, ...whole.unreadable].sort((a, b) => a.line - b.line)
    let offset = Buffer.byteLength(mark + header)
    // A row is whole once the first byte of its line end is there.
    const wholeFrom = rows.map((row) => {
      offset += Buffer.byteLength(row)
      return offset - (row.endsWith('\r\n') ? 1 : 0)
    })
    const counts = rows.map((row): number => (row.trim() === '' ? 0 : 1))

    for (let cut = 0; cut < bytes.length; cut += 1) {
      const outcome = await readOrFail(bytes.subarray(0, cut))
      if (outcome instanceof Failure) {
        expect(outcome.code, `cut at ${cut}`).toBe('ledger_damaged')
        continue
      }
      const complete = wholeFrom.reduce((sum, from, i) => sum + (from <= cut ? (counts[i] ?? 0) : 0), 0)
      const read = [...outcome.entries, ...outcome.unreadable].sort((a, b) => a.line - b.line)
      expect(read.slice(0, complete), `cut at ${cut}`).toEqual(all.slice(0, complete))
      const [last, ...more] = read.slice(complete)
      expect(more, `cut at ${cut}`).toEqual([])
      if (last === undefined) continue
      expect(outcome.files[0]?.endsMidLine, `cut at ${cut}`).toBe(true)
      if ('cause' in last) {
        expect(last.line, `cut at ${cut}`).toBe(all[complete]?.line)
        if (last.cause === 'column_count') expect(last.detail).toContain('may be cut off')
      } else if (isLastColumnIgnored) expect(last, `cut at ${cut}`).toEqual(all[complete])
      // A cut inside the last column cannot be told from a file that never had a last newline.
      else expect({...last, amount: null}, `cut at ${cut}`).toEqual({...all[complete], amount: null})
    }
    expect(all.length).toBe(counts.reduce((sum, count) => sum + count))
  })
})

describe('what csv-stringify writes', () => {
  const bengali = fc.constantFrom('রহিমা', 'টাকা', '১২,৩', 'ক্ষ', '৳')
  const awkward = fc.constantFrom(
    '"',
    '""',
    ',',
    ';',
    '\t',
    '|',
    '\n',
    '\r\n',
    '\r',
    ' ',
    '\u00a0',
    "'",
    '=',
    '\\',
  )
  const text = fc
    .array(fc.oneof(bengali, awkward, fc.string({unit: 'grapheme', maxLength: 6})), {maxLength: 8})
    .map((parts) => parts.join('').replaceAll('\0', ''))
  const orderNo = fc.stringMatching(/^[A-Za-z0-9০-৯ক-হ_"',;|.-]{1,32}$/).filter((no) => !/^[=#]/.test(no))
  const row = fc.record({
    orderNo: fc.oneof(
      fc.uuid().map((id) => id.replaceAll('-', '')),
      orderNo.filter((no) => !/E[+-]/i.test(no)),
    ),
    kind: fc.constantFrom(...orderKinds),
    paisa: fc.option(fc.bigInt({min: 0n, max: 10n ** 14n})),
    playerRef: text,
    note: text,
  })
  const style = fc.record({
    delimiter: fc.constantFrom(',', ';', '\t', '|'),
    record_delimiter: fc.constantFrom('\n', '\r\n', '\r'),
    quoted: fc.boolean(),
    bom: fc.boolean(),
    eof: fc.boolean(),
  })

  it('is read back, each row with its line', async () => {
    const property = fc.asyncProperty(
      fc.array(row, {minLength: 1, maxLength: 12}),
      style,
      async (rows, how) => {
        const cells = rows.map((r) => [
          r.note,
          r.orderNo,
          r.kind,
          r.paisa === null ? '' : formatPaisa(r.paisa),
          r.playerRef,
        ])
        const header = ['note', 'order_no', 'kind', 'amount', 'player_ref']
        const file = stringify([header, ...cells], {...how, quoted_match: /[\r\n"]/})
        const ledger = await read(file)
        let line = 1
        const expected = rows.map((r, index) => {
          line += 1 + (cells[index - 1]?.join().match(/\r\n|\n|\r/g)?.length ?? 0)
          const playerRef = r.playerRef || null
          return {line, orderNo: r.orderNo, kind: r.kind, amount: r.paisa, playerRef}
        })
        expect(ledger.unreadable).toEqual([])
        expect(
          ledger.entries.map((e) => ({
            line: e.line,
            orderNo: e.orderNo,
            kind: e.kind,
            amount: e.amount,
            playerRef: e.playerRef,
          })),
        ).toEqual(expected)
      },
    )
    await checkAsync(property, casesOf(300))
  })
})

describe('a large ledger', () => {
  it('of 20,000 rows is read to the last one', async () => {
    const rowsMax = 20_000
    const rows = Array.from({length: rowsMax}, (_, i) => {
      const minute = String(i % 60).padStart(2, '0')
      return `D${i},"রহিমা ""${i}""\r\nDhaka",paid,"1,${String(i % 1000).padStart(3, '0')}.50",2026-11-20 10:${minute}:05\r\n`
    })
    const {entries, unreadable, files} = await read(
      `order_no,note,status,amount,created_at\r\n${rows.join('')}`,
    )
    expect([entries.length, unreadable.length, files[0]?.rows]).toEqual([rowsMax, 0, rowsMax])
    expect(entries.at(-1)).toMatchObject({line: 2 * rowsMax, orderNo: 'D19999', amount: 199_950n})
    const isInOrder = entries.every((entry, i) => entry.orderNo === `D${i}` && entry.line === 2 + 2 * i)
    expect(isInOrder).toBe(true)
  })
})
