import {describe, expect, test} from 'vitest'

import {defaultDialect} from '../../src/core/dialect.ts'
import {sheetOf, xlsx} from '../../src/report/xlsx.ts'
import {reconciledBy} from '../../src/workflows/resend/seen.ts'
import {hourMs, noOverrides} from '../core/reconcile/sample.ts'
import {failure} from './fake-client.ts'
import {ScenarioBench} from './scenario-run.ts'

/*
 * DEP000017 of 20 November is paid and its webhook failed for good. Somebody booked it by hand and wrote so in the ledger of
 * the next day, which is read first: no run had seen the order. Its own ledger still has it as pending.
 */
const header = 'order_no,status,amount,created_at,remarks\n'
const lost = `${header}DEP000016,completed,300.00,2026-11-20T09:00:00Z,\nDEP000017,pending,500.00,2026-11-20T10:00:00Z,\nDEP000018,completed,300.00,2026-11-20T11:00:00Z,\n`
const next = (remark: string, below = '') =>
  `${header}DEP000118,completed,300.00,2026-11-21T09:00:00Z,${remark}\nDEP000119,completed,300.00,2026-11-21T20:00:00Z,\n${below}`

function merchant(as = (text: string) => text): ScenarioBench {
  const orders = ['DEP000016', 'DEP000018', 'DEP000118', 'DEP000119', 'DEP000201']
  const bench = new ScenarioBench({
    path: 'told elsewhere',
    sections: new Map(
      [
        ['ledger.csv', lost],
        [
          'service.json',
          JSON.stringify([
            ...orders.map((orderNo) => ({orderNo, amount: '300.00'})),
            {orderNo: 'DEP000017'},
            {orderNo: 'DEP000202'},
          ]),
        ],
        [
          'deliveries.json',
          JSON.stringify([
            ...orders.map((orderNo) => ({orderNo, status: 'success', createdAt: '2026-11-20T09:00:00Z'})),
            {orderNo: 'DEP000017', createdAt: '2026-11-20T10:01:00Z'},
            {orderNo: 'DEP000202', createdAt: '2026-11-22T10:01:00Z'},
          ]),
        ],
        ['options.json', JSON.stringify({yes: true})],
      ].map(([name = '', text = '']) => [name, as(text)] as const),
    ),
  })
  bench.clock.ms = Date.parse('2026-11-23T03:00:00Z')
  return bench
}

const resent = ({client}: ScenarioBench) =>
  client.log
    .filter((call) => call.startsWith('resend '))
    .map((call) => client.records.get(call.slice(7))?.merchantOrderId)

const places: readonly [where: string, ledger: string][] = [
  ['words below the rows', next('', 'booked by hand: DEP000017,,,,\n')],
  ['remarks of another row', next('also DEP000017 credited by hand')],
  ['a shorter number', next('DEP17 manual')],
  ['a range', next('', 'DEP000015 - DEP000019 booked manually,,,,\n')],
  ['a list of tails', next('', '"booked by hand: DEP000016, 17",,,,\n')],
  ['a heading with the number below it', next('', 'Booked by hand:,,,,\nDEP000017,,,,\n')],
  ['money that went back', next('', 'DEP000017 refunded,,,,\n')],
  ['a sentence of all', next('', 'All of the outage booked by hand,,,,\n')],
]

describe.each(places)('%s', (_where, ledger) => {
  test.each(['run', 'dry run'])('of a %s hold the resend of a later one', async (how) => {
    const bench = merchant()
    bench.rewrite(ledger)
    await bench.run('v2', {dryRun: how === 'dry run'})
    bench.rewrite(lost)
    bench.clock.ms += hourMs
    const {report, status} = await bench.run('v1')
    expect(resent(bench)).toEqual([])
    expect(report.findings.find(({orderNo}) => orderNo === 'DEP000017')).toMatchObject({
      ...{action: 'review', explanation: expect.stringContaining('words in the ledger of run v2')},
    })
    expect(status).toBe(7)
  })

  test('hold webhooks resend', async () => {
    const bench = merchant()
    bench.rewrite(ledger)
    await bench.run('v2')
    const [record] = [...bench.client.records.values()].filter(
      ({merchantOrderId}) => merchantOrderId === 'DEP000017',
    )
    if (!record) throw new Error('no record')
    const why = await reconciledBy(
      bench.journal,
      {dialect: defaultDialect, nowMs: bench.clock.ms, timeZone: 'Asia/Dhaka'},
      [record],
    )
    expect(await why(record)).toMatchObject({isOpen: true, why: expect.stringContaining('run v2')})
  })
})

const ofPlayers = (below = '', remark = '') =>
  `order_no,status,amount,created_at,player_ref,remarks\nDEP000118,completed,300.00,2026-11-21T09:00:00Z,pl-118,${remark}\nDEP000119,completed,300.00,2026-11-21T20:00:00Z,pl-17,\n${below}`
const withPlayers = (ledger: string) =>
  ledger
    .replace('remarks', 'player_ref')
    .replaceAll(/^DEP0000(\d\d).*$/gm, (row, number) => `${row}${number === '17' ? 'pl-17' : 'pl-99'}`)
const withoutStates = (ledger: string) =>
  ledger
    .split('\n')
    .filter((line) => !line.includes(',pending,'))
    .map((line) => line.replace(/,(?:status|completed),/, ','))
    .join('\n')

describe.each<[kind: string, of: (ledger: string) => string]>([
  ['orders', (ledger) => ledger],
  ['credits', withoutStates],
])('a ledger of %s of the next day, read first', (_kind, of) => {
  test.each<[what: string, next: string, holds: boolean]>([
    ['names the player below its rows', ofPlayers('pl-17 500 given,,,,,\n'), true],
    ['names the player without a word', ofPlayers('pl-17 500,,,,,\n'), true],
    [
      'has the player in place of a number',
      ofPlayers('pl-17,completed,500.00,2026-11-21T10:00:00Z,,\n'),
      true,
    ],
    [
      'has a remark of more than the row beside it',
      ofPlayers('').replace('pl-17,', 'pl-17,also gave prev pending'),
      true,
    ],
    ['has a remark of him beside the row of another player', ofPlayers('', 'pl-17 500 booked by hand'), true],
    ['has a remark of another amount for him', ofPlayers('', 'pl-17 90 booked by hand'), true],
    ['has a remark of another player', ofPlayers('', 'pl-16 500 booked by hand'), false],
    ['has a remark without a word', ofPlayers('', 'referred by pl-17'), false],
    ['has a remark without a word, with his amount', ofPlayers('', 'referred by pl-17 500'), true],
    ['has an order of the player', ofPlayers(), false],
    ['names another player', ofPlayers('pl-171 500 given,,,,,\n'), false],
    ['has a usual footer', ofPlayers('Exported by Karim 500,,,,,\nTotal,,600.00,,,\n'), false],
  ])('%s', async (_what, next, holds) => {
    const bench = merchant()
    for (const [id, {merchantOrderId}] of bench.client.records)
      if (merchantOrderId === 'DEP000017')
        bench.client.payloads.set(id, {orderNo: 'DEP000017', amount: '500.00', playerRef: 'pl-17'})
      else if (merchantOrderId.startsWith('DEP0002')) bench.client.records.delete(id)
    bench.rewrite(of(next))
    await bench.run('v2')
    bench.rename('of-the-20th.csv')
    bench.rewrite(of(withPlayers(lost)))
    bench.clock.ms += hourMs
    const {report} = await bench.run('v1', {}, {overrides: {...noOverrides, includeMissing: true}})
    expect(resent(bench)).toEqual(holds ? [] : ['DEP000017'])
    if (holds)
      expect(report.findings.find(({orderNo}) => orderNo === 'DEP000017')?.explanation).toMatch(
        /in the ledger of run v2(?: name its player|, line 4)/,
      )
  })
})

test.each([
  ['measured', 65 * hourMs],
  ['unknown', null],
])(
  'words hold the resend if the run that saw them began days early by its clock: the difference is %s',
  async (_what, skewMs) => {
    const bench = merchant()
    bench.rewrite(next('', 'All of the outage booked by hand,,,,\n'))
    bench.clock.setByMs = -65 * hourMs
    bench.client.clockSkewMs = skewMs
    await bench.run('v2')
    bench.rewrite(lost)
    bench.clock.setByMs = 0
    bench.client.clockSkewMs = 0
    bench.clock.ms += hourMs
    await bench.run('v1')
    expect(resent(bench)).toEqual([])
  },
)

/** `DEP000017`, `DEP000118` as other merchants write them. */
const written: readonly (readonly [what: string, as: (text: string) => string])[] = [
  ['as they are', (text) => text],
  [
    'with the day in them',
    (text) =>
      text.replace(/DEP0000(\d\d)/g, 'D261120-156$1').replace(/DEP000([12])(\d\d)/g, 'D26112$1-157$2'),
  ],
  [
    'of digits',
    (text) => text.replace(/DEP0*(\d+)/g, (_, digits: string) => String(8_120_000 + Number(digits))),
  ],
  ['as long codes', (text) => text.replace(/DEP000(\d+)/g, 'LG2611$1F7K604')],
]

describe.each(written)('numbers %s', (_what, as) => {
  test.each([
    ['words below the rows', next('', 'DEP000017 booked by hand,,,,\n')],
    ['romanised Bangla', next('', 'DEP000017 hate disi,,,,\n')],
    ['a remark of another row', next('manual: DEP000017')],
    ['a remark in romanised Bangla', next('DEP000017 hate diye disi')],
  ])('%s hold the resend of a later run', async (_where, ledger) => {
    const bench = merchant(as)
    bench.rewrite(as(ledger))
    await bench.run('v2')
    bench.rewrite(as(lost))
    bench.clock.ms += hourMs
    await bench.run('v1')
    expect(resent(bench)).toEqual([])
  })
})

test.each([
  ['a remark of its own booked order', next('DEP000118 credited')],
  ['a title of its own rows', next('', 'Credited: DEP000118 - DEP000119,,,,\n')],
  ['a sentence without a word of booking', next('', 'DEP000017 called,,,,\n')],
  ['a total', next('', 'Total credited,2,600.00,,\n')],
])('%s holds nothing', async (_what, ledger) => {
  const bench = merchant()
  bench.rewrite(ledger)
  await bench.run('v2')
  bench.rewrite(lost)
  await bench.run('v1')
  expect(resent(bench)).toEqual(['DEP000017'])
})

/** The ledger ends on 21 November at 20:00, and DEP000202 is made on the 22nd at 10:00. */
test.each([
  ['before the order was made', '2026-11-21T22:00:00Z', ['DEP000202']],
  ['after it was made, within a day of its end', '2026-11-22T12:00:00Z', []],
  ['days after its end, which counts as a day', '2026-11-25T12:00:00Z', []],
])('a sentence in a ledger that is read %s', async (_when, readAt, sent) => {
  const bench = merchant()
  bench.rewrite(next('', 'All of the outage booked by hand,,,,\n'))
  bench.clock.ms = Date.parse(readAt)
  await bench.run('v2')
  bench.clock.ms = Date.parse('2026-11-26T03:00:00Z')
  bench.rewrite(
    `${header}DEP000201,completed,300.00,2026-11-22T09:00:00Z,\nDEP000202,pending,500.00,2026-11-22T10:00:00Z,\n`,
  )
  await bench.run('v3')
  expect(resent(bench)).toEqual(sent)
})

test.each(['it stands in', 'has lost it'])(
  'a person says that a text below the rows tells of no booking, as a file that %s is read: what an earlier run saw holds nothing either',
  async (again) => {
    const footer = 'Rafi, Mim, Karim bhai'
    const below = `${lost}"${footer}",,,,\n`
    const bench = merchant()
    bench.rewrite(below)
    const {report} = await bench.run('v1')
    expect(resent(bench)).toEqual([])
    expect(report.findings.find(({orderNo}) => orderNo === 'DEP000017')?.explanation).toContain(
      `stands below the rows and is no usual footer: it may tell of bookings. If that text says nothing of bookings, --ignore-text="${footer}" leaves it out`,
    )
    bench.rewrite(lost)
    bench.clock.ms += hourMs
    const later = await bench.run('v2')
    expect(resent(bench)).toEqual([])
    expect(later.report.findings.find(({orderNo}) => orderNo === 'DEP000017')?.explanation).toContain(
      `words in the ledger of run v1 ("${footer}") may say that it is booked. If that text says nothing of bookings, --ignore-text="${footer}" leaves it out.`,
    )
    if (again === 'it stands in') bench.rewrite(below)
    await bench.run('v3', {}, {ignoredTexts: ['rafi,  mim, karim bhai']})
    expect(resent(bench)).toEqual(['DEP000017'])
  },
)

/** Nobody takes back in a later export what a person wrote in an earlier one; what an export writes, it writes anew. */
test.each<[where: string, ledger: string, name: string, isFreed: boolean]>([
  ['words below the rows', `${lost}DEP000017 booked by hand,,,,\n`, 'ledger.csv', false],
  [
    'remarks of another row',
    lost.replace('T11:00:00Z,', 'T11:00:00Z,DEP000017 given by karim'),
    'ledger.csv',
    false,
  ],
  ['a sentence', `${lost}All of the outage booked by hand,,,,\n`, 'ledger.csv', false],
  ['the name of the file', lost, 'outage booked by hand.csv', false],
  ['a remark of its own row', lost.replace('T10:00:00Z,', 'T10:00:00Z,player got it'), 'ledger.csv', false],
  [
    'a cell that an export wrote into its own row',
    lost.replace('remarks', 'Wallet Ref').replace('T10:00:00Z,', 'T10:00:00Z,9AB1'),
    'ledger.csv',
    true,
  ],
])('%s and a later export with the order open and without them', async (_where, ledger, name, isFreed) => {
  const bench = merchant()
  bench.rename(name)
  bench.rewrite(ledger)
  await bench.run('v1')
  bench.rename('ledger.csv')
  bench.rewrite(lost)
  bench.clock.ms += hourMs
  await bench.run('v2')
  expect(resent(bench)).toEqual([])
  bench.clock.ms += hourMs
  bench.rewrite(`${lost}DEP000118,completed,300.00,${new Date(bench.clock.ms).toISOString()},\n`)
  await bench.run('v3')
  expect(resent(bench)).toEqual(isFreed ? ['DEP000017'] : [])
  const items = (await bench.journal.listItems()).filter(({orderNo}) => orderNo === 'DEP000017')
  const note = {what: 'noted', text: 'not booked', by: 'zara', atMs: bench.clock.ms} as const
  await bench.journal.recordItemEvents(items, note)
  bench.clock.ms += hourMs
  await bench.run('v4')
  expect(resent(bench)).toEqual(['DEP000017'])
})

test.each<[what: string, onSheet: readonly string[], isListRead: boolean, sent: boolean]>([
  ['lost orders, and nobody knew them', ['DEP000017'], false, false],
  ['the orders that the ledger has, too', ['DEP000016', 'DEP000017', 'DEP000018'], false, true],
  ['numbers of another day', ['DEP000217'], false, true],
  ['lost orders, and the run weighed it', ['DEP000017'], true, false],
])('a sheet without a word that the next export lacks: %s', async (_what, onSheet, isListRead, sent) => {
  const bench = merchant()
  for (const [id, {merchantOrderId}] of bench.client.records)
    if (!/^DEP00001[678]$/.test(merchantOrderId)) bench.client.records.delete(id)
  const column = (title: string, at: number) =>
    ({title, kind: 'text', width: 9, value: (row: readonly string[]) => row[at] ?? ''}) as const
  const orders = ['DEP000016 09', 'DEP000018 11'].map((row) => {
    const [orderNo = '', hour] = row.split(' ')
    return [orderNo, '300.00', `2026-11-20T${hour}:00:00Z`]
  })
  const read = sheetOf('Orders', ['order_no', 'amount', 'created_at'].map(column), orders)
  const other = sheetOf(
    'Sheet2',
    ['No', 'Amt'].map(column),
    onSheet.map((orderNo) => [orderNo, '500']),
  )
  bench.rename('ledger.xlsx')
  bench.rewrite(Buffer.concat([...xlsx([read, other])]))
  bench.client.before = (call) => {
    if (!isListRead && call.startsWith('list')) throw failure('service_busy', 'HTTP 503')
  }
  await bench.run('v1')
  bench.client.before = () => {}
  bench.clock.ms += hourMs
  bench.rewrite(Buffer.concat([...xlsx([read])]))
  await bench.run('v2')
  expect(resent(bench)).toEqual(sent ? ['DEP000017'] : [])
})

test.each([
  ['booked', 'y', []],
  ['not booked', 'n', ['DEP000017']],
])('a sheet of the next day lists the order as %s', async (_what, done, sent) => {
  const bench = merchant()
  const column = (title: string, at: number) =>
    ({title, kind: 'text', width: 9, value: (row: readonly string[]) => row[at] ?? ''}) as const
  const orders = ['DEP000118', 'DEP000119'].map((no) => [no, 'completed', '300.00', '2026-11-21T20:00:00Z'])
  const sheets = [
    sheetOf('Orders', ['order_no', 'status', 'amount', 'created_at'].map(column), orders),
    sheetOf('baki', ['Order', 'done'].map(column), [['DEP000017', done]]),
  ]
  bench.rename('ledger.xlsx')
  bench.rewrite(Buffer.concat([...xlsx(sheets)]))
  await bench.run('v2')
  bench.rename('of-the-20th.csv')
  bench.rewrite(lost)
  bench.clock.ms += hourMs
  await bench.run('v1')
  expect(resent(bench)).toEqual(sent)
})

test.each([
  ['its number', 'DEP000017'],
  ['its number and that of an order of another day', 'DEP000017 and DEP000999'],
  ['a sentence', 'all of the outage booked by hand'],
])(
  'the same file without its sheet with %s is not held by what the first run saw there',
  async (_what, said) => {
    const bench = merchant()
    for (const [id, {merchantOrderId}] of bench.client.records)
      if (!/^DEP00001[678]$/.test(merchantOrderId)) bench.client.records.delete(id)
    const column = (title: string, at: number) =>
      ({title, kind: 'text', width: 9, value: (row: readonly string[]) => row[at] ?? ''}) as const
    const orders = ['DEP000016 09', 'DEP000018 11'].map((row) => {
      const [orderNo = '', hour] = row.split(' ')
      return [orderNo, '300.00', `2026-11-20T${hour}:00:00Z`]
    })
    const sheets = [
      sheetOf('Orders', ['order_no', 'amount', 'created_at'].map(column), orders),
      sheetOf('Look', [column('Look', 0)], [[said]]),
    ]
    bench.rename('ledger.xlsx')
    bench.rewrite(Buffer.concat([...xlsx(sheets)]))
    await bench.run('v1')
    expect(resent(bench)).toEqual([])
    bench.clock.ms += hourMs
    await bench.run('v2', {}, {ignoredSheets: ['Look']})
    expect(resent(bench)).toEqual(['DEP000017'])
  },
)
