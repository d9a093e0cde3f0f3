import {join} from 'node:path'
import {fileURLToPath} from 'node:url'
import {describe, expect, it} from 'vitest'
import {formatPaisa} from '../../src/core/money.ts'
import {defaultLedgerMapping} from '../../src/core/profile.ts'
import type {LedgerOptions} from '../../src/ledger/read-ledger.ts'
import {defaultOptions, failureOf, readWhole} from './scratch-ledger.ts'

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

  it('without the mapping says how to name the column', async () => {
    const failure = await failureOf(readWhole([join(fixtures, 'renamed.csv')], defaultOptions))
    expect(failure.message).toContain('no column order_no')
    expect(failure.hint).toContain('--column order_no="Order ID"')
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

  it.each([
    ['utf16.csv', 'this is UTF-16', 'LibreOffice: File > Save As'],
    ['ledger.ods', 'a spreadsheet or a zip archive, not CSV', 'Text CSV'],
    ['ledger.xlsx', 'a spreadsheet or a zip archive, not CSV', 'Excel: File > Save As'],
    ['source.fods', 'HTML or XML', 'Text CSV'],
  ])('%s is refused with the way to export it', async (name, message, hint) => {
    const failure = await failureOf(readWhole([join(fixtures, name)], defaultOptions))
    expect(failure.message).toContain(message)
    expect(failure.hint).toContain(hint)
  })
})
