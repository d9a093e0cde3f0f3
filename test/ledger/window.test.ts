import {describe, expect, it, test} from 'vitest'
import {defaultLedgerMapping, type LedgerMapping} from '../../src/core/profile.ts'
import {defaultOptions, read, readWhole, writeLedger} from './scratch-ledger.ts'

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`

async function readTimes(cells: readonly string[], mapping: Partial<LedgerMapping> = {}) {
  const rows = cells.map((cell, index) => `A${index},${quoted(cell)}\n`).join('')
  return await read(`order_no,created_at\n${rows}`, {mapping: {...defaultLedgerMapping, ...mapping}})
}

const at = (from: string, to: string) => ({ok: true, fromMs: Date.parse(from), toMs: Date.parse(to)})

/** Nine in the morning of 18 November 2026 in Dhaka; a day that no order of its parts mistakes. */
const minute = at('2026-11-18T03:00:00Z', '2026-11-18T03:00:59.999Z')
const second = at('2026-11-18T03:00:00Z', '2026-11-18T03:00:00.999Z')
const instant = at('2026-11-18T03:00:00Z', '2026-11-18T03:00:00Z')
const day = at('2026-11-17T18:00:00Z', '2026-11-18T17:59:59.999Z')
const hour = at('2026-11-18T03:00:00Z', '2026-11-18T03:59:59.999Z')

const dayOfRows = {fromMs: Date.parse('2026-11-17T18:00:00Z'), toMs: Date.parse('2026-11-18T17:59:59.999Z')}

describe('a time is read as people and databases write it, and covers its last written place', () => {
  it.each<[cell: string, means: object]>([
    // ISO 8601, and what databases make of it.
    ['2026-11-18', day],
    ['2026-11-18 09:00', minute],
    ['2026-11-18T09:00', minute],
    ['2026-11-18T09', hour],
    ['2026-11-18 09:00:00', second],
    ['2026-11-18 09:00:00+06', second],
    ['2026-11-18 09:00:00+0600', second],
    ['2026-11-18 09:00:00+06:00', second],
    ['2026-11-18 09:00:00 +06', second],
    ['2026-11-18 08:30:00+05:30', second],
    ['2026-11-17 22:00:00-05', second],
    ['2026-11-18T03:00:00Z', second],
    ['2026-11-18t03:00:00z', second],
    ['2026-11-18 03:00:00 UTC', second],
    ['2026-11-18 09:00:00.0', at('2026-11-18T03:00:00Z', '2026-11-18T03:00:00.099Z')],
    ['2026-11-18 09:00:00.000', instant],
    ['2026-11-18 09:00:00.000000+06', instant],
    ['2026-11-18T09:00:00,000+06:00', instant],
    ['2026-11-18T09:00:00+06:00[Asia/Dhaka]', second],
    ['20261118T030000Z', second],
    ['20261118', day],
    ['2026-11-17T24:00+03', at('2026-11-17T21:00:00Z', '2026-11-17T21:00:59.999Z')],
    ['2026/11/18 09:00', minute],
    [' 2026-11-18 09:00 ', minute],
    ['2026-11-18\u00a009:00', minute],
    ['২০২৬-১১-১৮ ০৯:০০', minute],
    // Seconds and thousandths since 1970.
    ['1794970800', second],
    ['1794970800000', instant],
    ['1794970800.000', instant],
    // Digits, the day first.
    ['18/11/2026', day],
    ['18-11-2026', day],
    ['18.11.2026', day],
    ['18/11/2026 09:00', minute],
    ['18/11/2026 9:00 AM', minute],
    ['18/11/2026, 09:00:00', second],
    ['18.11.2026 09.00', minute],
    ['18/11/2026 09:00:00 +0600', second],
    ['১৮/১১/২০২৬ ০৯:০০', minute],
    // The month first, where the column tells.
    ['11/18/2026', day],
    ['11/18/2026, 9:00:00\u202fAM', second],
    // A month's name.
    ['18 Nov 2026', day],
    ['18 November 2026 09:00', minute],
    ['18-Nov-2026', day],
    ['18-Nov-26', day],
    ['18-NOV-26 09.00.00.000000 AM', instant],
    ['Nov 18, 2026 9:00 AM', minute],
    ['November 18th, 2026 at 9 AM', hour],
    ['9:00 am, 18 Nov 2026', minute],
    ['Wed, 18 Nov 2026 03:00:00 +0000', second],
    ['Wed Nov 18 2026 09:00:00 GMT+0600 (Bangladesh Standard Time)', second],
    ['2026-Nov-18', day],
    ['১৮ নভেম্বর ২০২৬', day],
    ['বুধবার, ১৮ নভেম্বর, ২০২৬ ৯:০০ AM', minute],
    // Noon and midnight by the clock of twelve hours.
    ['18 Nov 2026 12:30 AM', at('2026-11-17T18:30:00Z', '2026-11-17T18:30:59.999Z')],
    ['18 Nov 2026 12:30 PM', at('2026-11-18T06:30:00Z', '2026-11-18T06:30:59.999Z')],
    ['18 Nov 2026 11:59 p.m.', at('2026-11-18T17:59:00Z', '2026-11-18T17:59:59.999Z')],
  ])('%s', async (cell, means) => {
    expect(await readTimes([cell])).toMatchObject({window: means, unreadTimes: null})
  })

  const months = [
    ...['জানুয়ারি', 'ফেব্রুয়ারি', 'মার্চ', 'এপ্রিল', 'মে', 'জুন'],
    ...['জুলাই', 'আগস্ট', 'সেপ্টেম্বর', 'অক্টোবর', 'নভেম্বর', 'ডিসেম্বর'],
  ]
  it('in the months of either language', async () => {
    for (const [index, month] of months.entries()) {
      const english = new Date(Date.UTC(2026, index, 1)).toUTCString().slice(8, 11)
      const first = `2026-${String(index + 1).padStart(2, '0')}-18`
      const means = at(`${first}T00:00:00+06:00`, `${first}T23:59:59.999+06:00`)
      expect((await readTimes([`১৮ ${month} ২০২৬`])).window, month).toEqual(means)
      expect((await readTimes([`18 ${month.normalize('NFC')} 2026`])).window, month).toEqual(means)
      expect((await readTimes([`18 ${english} 2026`])).window, english).toEqual(means)
    }
  })

  it.each([
    ...['2026-02-30', '2026-13-01', '2026-11-18 25:00', '2026-11-18 09:60', '2026-11-18 13:00 PM'],
    ...['2026-11-18 09:00+25', '31/11/2026', '26-11-18', '18/11/26', '18 Smarch 2026', '46346.5', '17949708'],
    ...['0000-00-00 00:00:00', 'yesterday', '09:00', '18', 'Nov 2026', '-', '#######'],
  ])('%s is none', async (cell) => {
    const {window, unreadTimes} = await readTimes(['2026-11-18', cell])
    expect(window).toEqual(day)
    expect(unreadTimes).toMatch(/^created_at on line 3 of .*ledger\.csv reads "/)
  })
})

describe('the order of day and month', () => {
  const fifth = at('2026-11-05T00:00:00+06:00', '2026-11-05T23:59:59.999+06:00')
  const eleventh = at('2026-05-11T00:00:00+06:00', '2026-05-11T23:59:59.999+06:00')
  const asked = {ok: false, because: expect.stringMatching(/--dates day_first or --dates month_first/)}

  it.each<[what: string, cells: string[], dates: LedgerMapping['dates'], window: object]>([
    ['is asked for where no row tells', ['05/11/2026'], 'auto', asked],
    ['is what the profile says', ['05/11/2026'], 'day_first', fifth],
    ['is what the profile says', ['05/11/2026'], 'month_first', eleventh],
    [
      'is told by one row',
      ['05/11/2026', '13/11/2026'],
      'auto',
      at('2026-11-05T00:00+06:00', '2026-11-13T23:59:59.999+06:00'),
    ],
    [
      'is told by one row',
      ['11/13/2026', '11/05/2026'],
      'auto',
      at('2026-11-05T00:00+06:00', '2026-11-13T23:59:59.999+06:00'),
    ],
    [
      'does not matter where both are the same day',
      ['11/11/2026'],
      'auto',
      at('2026-11-11T00:00+06:00', '2026-11-11T23:59:59.999+06:00'),
    ],
    ['is asked for where two rows contradict each other', ['13/11/2026', '11/13/2026'], 'auto', asked],
    [
      'is not known of what a spreadsheet swapped',
      ['2026-05-11', '13/11/2026'],
      'auto',
      {ok: false, because: expect.stringMatching(/swapped day and month: give --since/)},
    ],
    [
      'is told beside ISO dates that no spreadsheet turned',
      ['2026-11-18', '13/11/2026'],
      'auto',
      at('2026-11-13T00:00+06:00', '2026-11-18T23:59:59.999+06:00'),
    ],
  ])('%s: %j, %s', async (_what, cells, dates, window) => {
    expect((await readTimes(cells, {dates})).window).toEqual(window)
  })

  it.each<[dates: LedgerMapping['dates'], cell: string]>([
    ['iso', '18/11/2026'],
    ['iso', '18 Nov 2026'],
    ['day_first', '11/18/2026'],
    ['month_first', '18/11/2026'],
  ])('%s does not read %s, and says so', async (dates, cell) => {
    const {window, unreadTimes} = await readTimes(['2026-11-18', cell], {dates})
    expect([window, unreadTimes]).toEqual([day, expect.stringContaining('on line 3')])
  })

  it('is one for all files of a run', async () => {
    const paths = ['13/11/2026', '05/11/2026'].map((cell, index) =>
      writeLedger(`order_no,created_at\nA${index},${cell}\n`, `${index}.csv`),
    )
    const {window} = await readWhole(paths, defaultOptions)
    expect(window).toEqual(at('2026-11-05T00:00+06:00', '2026-11-13T23:59:59.999+06:00'))
  })
})

describe('where the clock changes', () => {
  const berlin = {timeZone: 'Europe/Berlin'}
  it.each<[what: string, cell: string, window: object]>([
    ['the repeated hour is both', '2026-10-25 02:30', at('2026-10-25T00:30:00Z', '2026-10-25T01:30:59.999Z')],
    ['the hour before is one', '2026-10-25 01:30', at('2026-10-24T23:30:00Z', '2026-10-24T23:30:59.999Z')],
    ['the hour after is one', '2026-10-25 03:30', at('2026-10-25T02:30:00Z', '2026-10-25T02:30:59.999Z')],
    [
      'the hour left out is between',
      '2026-03-29 02:30',
      at('2026-03-29T00:30:00Z', '2026-03-29T01:30:59.999Z'),
    ],
    ['a day has 25 hours', '2026-10-25', at('2026-10-24T22:00:00Z', '2026-10-25T22:59:59.999Z')],
    ['a day has 23 hours', '2026-03-29', at('2026-03-28T23:00:00Z', '2026-03-29T21:59:59.999Z')],
    [
      'an offset is what it says',
      '2026-10-25 02:30+01',
      at('2026-10-25T01:30:00Z', '2026-10-25T01:30:59.999Z'),
    ],
  ])('%s: %s', async (_what, cell, window) => {
    expect((await readTimes([cell], berlin)).window).toEqual(window)
  })
})

describe('the window is from the first to the last of all rows', () => {
  it('to the end of the last', async () => {
    const {window} = await readTimes(['2026-11-20 10:15', '2026-11-20 09:00:30', '2026-11-20'])
    expect(window).toEqual(at('2026-11-20T00:00+06:00', '2026-11-20T23:59:59.999+06:00'))
    const times = await readTimes(['2026-11-20 10:15', '2026-11-20 09:00:30'])
    expect(times.window).toEqual(at('2026-11-20T09:00:30+06:00', '2026-11-20T10:15:59.999+06:00'))
  })

  it('a cell that cannot be read, and a blank one, are counted and leave the window to the others', async () => {
    const file = 'order_no,created_at,amount\nA1,2026-11-18,1\nA2,,2\n\nA3,soon,500\nA4,later,3\nA5, ,1\n'
    const {entries, unreadable, window, unreadTimes, notes} = await read(file)
    expect([entries.length, unreadable]).toEqual([5, []])
    expect(window).toEqual(day)
    expect(unreadTimes).toMatch(/^created_at on line 5 of .* reads "soon", .* \(and in 1 more row\)$/)
    expect(notes.slice(1)).toEqual([
      expect.stringMatching(
        /^created_at on line 3 of .*ledger\.csv is blank \(and in 1 more row\): the window/,
      ),
    ])
  })

  it('is none without the column, in any of the files, or without a time', async () => {
    expect((await readTimes(['', ''])).window).toEqual({
      ok: false,
      because: expect.stringMatching(
        /line 2 of .* is blank \(and in 1 more row\): give --since and --until$/,
      ),
    })
    const paths = [
      writeLedger('order_no,created_at\nA1,2026-11-20\n', 'a.csv'),
      writeLedger('order_no\nA2\n', 'b.csv'),
    ]
    const {window} = await readWhole(paths, defaultOptions)
    expect(window).toEqual({
      ok: false,
      because: expect.stringMatching(/b\.csv has no created_at column: give --since and --until$/),
    })
  })

  it('counts the row whose amount cannot be read, for it is an order of that day', async () => {
    const {window} = await read('order_no,created_at,amount\nA1,2026-11-18,5\nA2,2026-11-19,-\n')
    expect(window).toEqual(at('2026-11-18T00:00:00+06:00', '2026-11-19T23:59:59.999+06:00'))
  })
})

test.each<[header: string, rows: readonly string[], window: object, columns?: Partial<LedgerMapping>]>([
  ['Date,Time', ['18/11/2026,09:00'], minute],
  ['Date,Time', ['2026-11-18,9:00 AM'], minute],
  ['Order Date,Order Time', ['18 Nov 2026,09:00:00'], second],
  ['তারিখ,সময়', ['১৮/১১/২০২৬,০৯:০০'], minute],
  ['created_at,Time', ['2026-11-18,09:00'], minute],
  ['Txn Date,Txn Time', ['18/11/2026,09:00:00'], second],
  ['Booking Date,Booking Time', ['18/11/2026,09:00'], minute, {columns: {created_at: 'Booking Date'}}],
  ['Booking Date,Time', ['18/11/2026,09:00'], day, {columns: {created_at: 'Booking Date'}}],
  ['Date,Time', ['2026-11-18,09:00', '2026-11-18,'], day],
  ['Date,Time', ['2026-11-18,09:00', '2026-11-18,later'], day],
  // A time of something else, two times, a time that the date has already, a column that a person chose or left out.
  ['Date,Paid Time', ['2026-11-18,09:00'], day],
  ['Date,Time,Order Time', ['2026-11-18,09:00,09:01'], day],
  ['Date,Time', ['2026-11-18 09:00,10:00'], minute],
  ['Date,Time', ['2026-11-18,25:00'], day],
  ['Date,Time', ['2026-11-18,09:00'], day, {columns: {created_at: 'Date'}}],
  ['Date,Time', ['2026-11-18,09:00'], day, {ignoredColumns: ['Time']}],
  [
    'Date,Time',
    ['2026-11-18,09:00'],
    minute,
    {columns: {created_at: 'Date'}, import: {columns: {created_at: 'Date'}, sheet: null}},
  ],
])('a date and its time in two columns: %s with %j', async (header, rows, window, mapping = {}) => {
  const text = `order_no,${header}\n${rows.map((row, index) => `A${index},${row}\n`).join('')}`
  const options = {mapping: {...defaultLedgerMapping, ...mapping}, day: dayOfRows}
  expect((await read(text, options)).window).toEqual(window)
})

test('a time that is still to come does not stretch the window, and is named', async () => {
  const nowMs = Date.parse('2026-11-20T12:00:00Z')
  const row = (at: string) => `D-${at},500.00,${at}\n`
  const head = 'order_no,amount,created_at\n'
  const past = `${head}${row('2026-11-20T09:00:00Z')}`
  const {window} = await read(past, {nowMs})
  for (const later of ['2062-11-20T09:00:00Z', '2026-11-21', '2026-11-20T12:03:00Z']) {
    const seen = await read(`${past}${row(later)}`, {nowMs})
    expect(seen.window).toEqual(window)
    expect(seen.unreadTimes).toMatch(new RegExp(`on line 3 of .* reads "${later}", which is later than now$`))
  }
  expect(await read(`${past}${row('2026-11-20T12:01:00Z')}`, {nowMs})).toMatchObject({unreadTimes: null})
  const alone = await read(`${head}${row('2062-11-20T09:00:00Z')}`, {nowMs})
  expect(alone.window).toMatchObject({ok: false, because: expect.stringContaining('later than now')})
})

describe('dates that can be read in two ways are of the business day, where that is known', () => {
  const cells = ['02/12/2026 09:00', '03/12/2026 09:00']
  const readOf = async (date: string | null) => {
    const fromMs = date === null ? 0 : Date.parse(`${date}T00:00:00+06:00`)
    const day = date === null ? null : {fromMs, toMs: fromMs + 86_400_000 - 1}
    const rows = cells.map((cell, index) => `A${index},${quoted(cell)}\n`).join('')
    return (await read(`order_no,created_at\n${rows}`, {day})).window
  }

  test.each<[what: string, date: string | null, window: object]>([
    ['the day first', '2026-12-03', at('2026-12-02T03:00:00Z', '2026-12-03T03:00:59.999Z')],
    ['the month first', '2026-03-12', at('2026-02-12T03:00:00Z', '2026-03-12T03:00:59.999Z')],
    ['neither', '2026-12-05', {ok: false}],
    ['no day known', null, {ok: false}],
  ])('%s', async (_, date, window) => {
    expect(await readOf(date)).toMatchObject(window)
  })
})
