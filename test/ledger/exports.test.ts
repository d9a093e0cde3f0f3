import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {gzipSync} from 'node:zlib'
import {describe, expect, it} from 'vitest'
import {formatPaisa} from '../../src/core/money.ts'
import {defaultLedgerMapping} from '../../src/core/profile.ts'
import type {LedgerOptions} from '../../src/ledger/read-ledger.ts'
import {sheetOf, xlsx} from '../../src/report/xlsx.ts'
import {defaultOptions, failureOf, read, readWhole} from './scratch-ledger.ts'

const room = fileURLToPath(new URL('.', import.meta.url))
const fixtures = join(room, 'fixtures')

async function readExport(name: string, options: Partial<LedgerOptions> = {}, folder = fixtures) {
  const ledger = await readWhole([join(folder, name)], {...defaultOptions, ...options})
  const entries = ledger.entries.map((entry) => ({
    ...entry,
    amount: entry.amount === null ? null : formatPaisa(entry.amount),
  }))
  return {...ledger, entries}
}

/** The first sheet of `source.fods`; D-1006 has a note of three lines, so D-1007 starts on line 10. */
const sheet = [
  [2, 'deposit', 'D-1001', 'completed', '500.00', 'u-1'],
  [3, 'deposit', '0000001002', 'open', '1500.50', 'u-2'],
  [4, 'deposit', 'D-1003', 'completed', '1234567.50', 'u-3'],
  [5, 'payout', 'D-1004', 'failed', null, 'u-4'],
  [6, 'deposit', 'D-1005', 'completed', '1234567.50', 'রহিমা বেগম'],
  [7, 'deposit', 'D-1006', 'completed', '20.00', 'u-6'],
  [10, 'deposit', 'D-1007', 'open', '750.00', 'u-7'],
  [11, 'deposit', 'অর্ডার-১০০৮', 'completed', '99.99', null],
]

const bengaliMapping = {
  ...defaultLedgerMapping,
  columns: {order_no: 'Order ID', amount: 'Amount (BDT)', status: 'অবস্থা', created_at: 'Booked at'},
  status: {completed: ['জমা'], open: ['অপেক্ষা'], failed: ['বাতিল']},
}

const sheetExports = ['comma', 'semicolon', 'tab', 'pipe', 'quoted', 'not-as-shown', 'from-xlsx']

describe('a spreadsheet that LibreOffice exported', () => {
  it.each(sheetExports)('as %s.csv is read row for row', async (name) => {
    const {entries, unreadable, files, window} = await readExport(`${name}.csv`)
    expect(entries.map((e) => [e.line, e.kind, e.orderNo, e.status, e.amount, e.playerRef])).toEqual(sheet)
    expect(unreadable).toEqual([])
    expect(files).toMatchObject([{rows: 8, kindAssumed: false}])
    expect(window).toEqual({
      ok: true,
      fromMs: Date.parse('2026-11-20T00:05:00+06:00'),
      toMs: Date.parse('2026-11-20T23:59:59.999+06:00'),
    })
  })

  it('with headers and status words of its own is read through the mapping', async () => {
    const {entries} = await readExport('renamed.csv', {mapping: bengaliMapping})
    expect(entries.map((e) => [e.orderNo, e.status, e.amount])).toEqual([
      ['R-1', 'completed', '1500.00'],
      ['R-2', 'open', '250.25'],
      ['R-3', 'failed', '100.00'],
    ])
  })

  it('with headers of its own is read without a mapping, too; words of its own are named', async () => {
    const {entries, unreadable, files} = await readExport('renamed.csv')
    expect(files[0]?.guesses).toEqual(['order_no', 'status', 'amount', 'player_ref'])
    expect([entries, unreadable.map(({cause}) => cause)]).toEqual([[], Array(3).fill('status_unknown')])
  })

  it('that lost the digits of numbers is told so, and the rows kept as text are read', async () => {
    const {entries, unreadable} = await readExport('numbers-lost.csv')
    // The zeros of 0000001002 are gone from line 4 without a trace: it is another order number.
    expect(entries.map((e) => [e.line, e.orderNo, e.amount])).toEqual([
      [3, '1234567890123456789012', '500.00'],
      [4, '1002', '750.00'],
      [5, '0000001002', '750.00'],
    ])
    expect(unreadable.map(({line, cause, detail}) => [line, cause, detail])).toEqual([
      [
        2,
        'order_no_malformed',
        expect.stringContaining('"1.23456789012346E+021" is a long number that a spreadsheet shortened'),
      ],
      [6, 'amount_unreadable', expect.stringContaining('more than 15 digits')],
      [7, 'amount_unreadable', expect.stringContaining('more than two decimals')],
      [8, 'amount_unreadable', expect.stringContaining('negative')],
      [9, 'amount_unreadable', expect.stringContaining('a spreadsheet wrote an error')],
    ])
  })

  it.each(['utf16.csv', 'ledger.xlsx', 'ledger.ods'])('is read as it is, %s', async (name) => {
    const {entries, unreadable} = await readExport(name, {sheet: 'ledger'})
    const told = entries.map((e) => [e.kind, e.orderNo, e.status, e.amount, e.playerRef])
    expect(told).toEqual(sheet.map(([, ...row]) => row))
    expect(unreadable).toEqual([])
  })
})

const paid = (line: number, orderNo: string, amount: string) => [line, orderNo, 'completed', amount]

/** `finance.fods`, as finance keeps it: titles, a date of each kind, a hidden row, a total. */
const finance = [
  paid(5, '00012345', '4891.88'),
  [6, 'D-2002', 'open', '4891.88'],
  paid(7, 'D-2003', '500.00'),
  paid(11, 'D-2007', '100.00'),
  paid(12, 'D-2008', '750.00'),
  paid(13, 'D-2009', '500.50'),
]
const columns = {
  ...{order_no: 'Order No.', status: 'State', amount: 'Amount (BDT)'},
  ...{player_ref: 'Player ID', created_at: 'Date'},
}

describe('a sheet as finance keeps it', () => {
  it.each([40, 100_000])('a gzip in parts, padded with %i zeros, is read to its end', async (zeros) => {
    const parts = ['order_no,amount\nA1,500\n', 'A2,600\n'].map((text) => gzipSync(text))
    const {entries} = await read(Buffer.concat([...parts, Buffer.alloc(zeros)]))
    expect(entries.map(({orderNo}) => orderNo)).toEqual(['A1', 'A2'])
  })

  it.each([
    ['Orders', ['Orders', 'orders']],
    ['orders', ['Orders ', 'Sheet2', 'Orders']],
  ])('--sheet %s of %j may be more than one sheet: refused, and its number chooses', async (sheet, names) => {
    const column = {title: 'order_no', kind: 'text', width: 9, value: (text: string) => text} as const
    const book = Buffer.concat([...xlsx(names.map((name) => sheetOf(name, [column], [`D-${name.length}`])))])
    const failure = await failureOf(read(book, {sheet}))
    expect(failure.message).toContain(`2 sheets have the name "${sheet}" or nearly that name`)
    expect(failure.hint).toContain(`--sheet 1 or --sheet ${names.length}`)
    expect((await read(book, {sheet: '1'})).entries[0]?.orderNo).toBe(`D-${names[0]?.length}`)
  })

  it.each([
    ['finance.csv', ['1234567890123456', '1230000000000000'], ['(300.00)']],
    ['finance-utf16.csv', ['1234567890123456', '1230000000000000'], ['(300.00)']],
    ['finance.csv.gz', ['1234567890123456', '1230000000000000'], ['(300.00)']],
    // Only its first 15 digits are in the file, and nobody knows which of them were written.
    ['finance.xlsx', [], ['1.23456789012346E+15', '1.23E+15', '(300.00)']],
    ['finance.ods', ['1234567890123456'], ['1.23E+15', '(300.00)']],
  ])('%s is read for what it says', async (name, long, refused) => {
    const {entries, unreadable, files, notes, wrongTotals, window} = await readExport(name, {sheet: 'Orders'})
    const rows = entries.map((e) => [e.line, e.orderNo, e.status, e.amount])
    expect(rows.filter(([, orderNo]) => !long.includes(String(orderNo)))).toEqual(finance)
    expect(rows.filter(([line]) => line === 8 || line === 9).map(([, orderNo]) => orderNo)).toEqual(long)
    expect(unreadable).toHaveLength(refused.length)
    for (const [at, text] of refused.entries()) expect(unreadable[at]?.detail).toContain(`"${text}"`)
    expect(files[0]).toMatchObject({rows: 9, headerLine: 4, columns, guesses: Object.keys(columns)})
    expect(files[0]?.totals).toMatchObject([{line: 14, label: 'Total', agrees: true}])
    expect(wrongTotals).toEqual([])
    expect(window).toEqual({
      ok: true,
      fromMs: Date.parse('2026-11-20T00:00:00+06:00'),
      toMs: Date.parse('2026-11-20T23:59:59.999+06:00'),
    })
    expect(notes.join('\n')).toMatch(
      /2 lines above its header.*"Acme Games Ltd\.", "Deposits from 20\/11\/2026"/,
    )
  })

  it.each(['finance.xlsx', 'finance.ods'])('%s: hidden rows are said', async (name) => {
    const {notes} = await readExport(name, {sheet: 'Orders'})
    expect(notes.join('\n')).toContain('1 of its rows is hidden in the sheet')
  })

  // What was booked by hand may stand in any of them, and an order there would be credited again.
  it.each(['finance.xlsx', 'finance.ods'])('%s: nobody but a person chooses between sheets', async (name) => {
    const failure = await failureOf(readWhole([join(fixtures, name)], defaultOptions))
    expect(failure.message).toContain(
      'it has 3 sheets, and 2 have the header of a ledger: "Orders", "Summary", "বাংলা" (hidden)',
    )
    expect(failure.hint).toContain('--sheet "Orders"')
  })

  it.each(['বাংলা', '3'])('a hidden sheet is read where it is named: %s', async (sheet) => {
    const {entries, files} = await readExport('finance.xlsx', {sheet})
    expect(entries.map((e) => [e.orderNo, e.status, e.amount])).toEqual([
      ['B-1', 'completed', '1250.50'],
      ['B-2', 'open', '75.00'],
    ])
    expect(files).toMatchObject([{format: 'xlsx', sheet: 'বাংলা', rows: 2}])
  })

  it.each(['sections.csv', 'sections.xlsx', 'sections.ods'])(
    '%s: a header in Bangla, and a subtotal',
    async (name) => {
      const {entries, files} = await readExport(name)
      expect(entries.map((e) => [e.orderNo, e.status, e.amount])).toEqual([
        ['B-1', 'completed', '1250.50'],
        ['B-2', 'completed', '75.00'],
        ['B-3', 'completed', '24.50'],
      ])
      expect(files[0]?.totals.map(({line, label, agrees}) => [line, label, agrees])).toEqual([
        [4, 'উপমোট', true],
        [6, 'মোট', true],
      ])
    },
  )

  it.each<[string, Partial<LedgerOptions>, string, string]>([
    [
      'ledger.ods',
      {},
      '3 have the header of a ledger: "ledger", "renamed", "numbers lost"',
      '--sheet "ledger"',
    ],
    [
      'ledger.xlsx',
      {sheet: 'Oders'},
      'no sheet "Oders"; the sheets are "ledger", "renamed"',
      '--sheet "ledger"',
    ],
    ['ledger.xlsx', {sheet: '4'}, 'there is no sheet "4"', '--sheet "ledger"'],
    [
      'finance.xlsx',
      {sheet: 'Orders', headerRow: 3},
      'row 3 of the sheet "Orders" is blank',
      'the number that',
    ],
    ['finance.xlsx', {sheet: 'Summary'}, 'no column order_no', '--header-row N'],
    ['finance.csv', {headerRow: 3}, 'there is no header on line 3', 'from 1'],
    ['finance.csv', {sheet: 'Orders', isSheetStated: true}, 'this is CSV and has no sheets', '--sheet'],
    ['source.fods', {}, 'HTML or XML', 'Text CSV'],
  ])('%s with %j is refused with the way on', async (name, options, message, hint) => {
    const failure = await failureOf(readWhole([join(fixtures, name)], {...defaultOptions, ...options}))
    expect(failure.message).toContain(message)
    expect(failure.hint).toContain(hint)
  })

  it.each([
    'Ref,Amt,Day\nA1,500,1\nA2,600,1',
    'Booked by hand\nRef,Amt\nA1,500\nA2,600',
    'Manual\nOrder No.,Booked by\nA1,Rahim',
    'Booked by hand\nA1\nA2',
    'Booked by hand: A1 (Rahim)',
    'Manual,100234',
    'Rahim,100234',
    'Rahim 100234\nPaid by hand',
    'A1',
  ])('rows above a header that are no titles must not be lost: %j', async (above) => {
    const file = `${above}\norder_no,status,amount,created_at\nA3,completed,700,2026-11-20\n`
    expect((await failureOf(read(file))).message).toMatch(/no column (order_no|status)|order_no/)
    const {entries} = await read(file, {headerRow: above.split('\n').length + 1})
    expect(entries.map(({orderNo}) => orderNo)).toEqual(['A3'])
  })

  it.each([
    'Acme Games Ltd.\nDeposits from 20/11/2026 to 21-Nov-2026',
    'Printed,2026-11-21 10:15:03',
    'Page 1 of 2\n20th November 2026\nOpening balance,1200.50',
    'তারিখ,২০/১১/২০২৬',
    'A/C No: 01712345678\nMerchant ID 0d9e4c1a-7f43-4f0e-9a52-3b6a8a1f2c01\nVAT reg 004417',
    'Statement no. 2026/117\nDeposits DEP00001 to DEP00060',
    'Account,01715017',
  ])('titles are left out and said: %j', async (above) => {
    const {entries, notes} = await read(
      `${above}\norder_no,status,amount,created_at\nA3,completed,700,2026-11-20\n`,
    )
    expect(entries.map(({orderNo}) => orderNo)).toEqual(['A3'])
    expect(notes.join()).toContain('above its header')
  })
})
