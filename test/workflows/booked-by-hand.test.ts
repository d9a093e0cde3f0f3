import {createHash} from 'node:crypto'
import {describe, expect, test} from 'vitest'
import {defaultDialect} from '../../src/core/dialect.ts'
import {inBangla} from '../../src/core/in-bangla.ts'
import {formatPaisa} from '../../src/core/money.ts'
import type {OpenItem} from '../../src/core/reconcile/item.ts'
import type {LedgerFile} from '../../src/ledger/ledger.ts'
import {FileScan} from '../../src/ledger/mention-scan.ts'
import {saysMoneyBack} from '../../src/ledger/money-back.ts'
import {NameIndex} from '../../src/ledger/name-index.ts'
import {OtherOrderTexts} from '../../src/ledger/other-order-texts.ts'
import {reconciledBy} from '../../src/workflows/resend/seen.ts'
import {ScenarioBench} from './scenario-run.ts'

/*
 * Somebody booked a lost order by hand and wrote so somewhere in the ledger, not as its row. The books of the merchant
 * know: a resend would credit it twice. LOST is paid and its webhook failed for good; D-1 and D-2 are booked as usual.
 */
const beginMs = Date.parse('2026-11-09T00:00:00+06:00')
const hourMs = 3_600_000

function bench(name: string) {
  const {one, sent} = emptyBench(name)
  for (const [nth, orderNo] of ['D-1', 'D-2', 'LOST-7', 'FREE-8'].entries()) {
    const order = {
      kind: 'deposit',
      orderNo,
      platformOrderNo: `6f1c-${nth}-platform`,
      amount: 50_000n,
    } as const
    one.client.orders.set(`deposit\0${orderNo}`, {...order, rawStatus: 'completed', status: 'completed'})
    const at = new Date(beginMs + (10 + nth) * hourMs).toISOString()
    one.addRecord(
      nth < 2
        ? {orderNo, createdAt: at, status: 'success', attempts: 1, sentAt: at, nextRetryAt: null}
        : {orderNo, createdAt: at, status: 'failed', attempts: 6, responseCode: 503, nextRetryAt: null},
    )
  }
  return {one, sent}
}

function emptyBench(path: string) {
  const sections = new Map([
    ['options.json', JSON.stringify({yes: true})],
    ['ledger.csv', ''],
  ])
  const one = new ScenarioBench({path, sections})
  const sent: string[] = []
  one.client.before = (call) => {
    const record = call.startsWith('resend ') ? one.client.records.get(call.slice(7)) : undefined
    if (record) sent.push(record.merchantOrderId)
  }
  one.clock.ms = beginMs + 30 * hourMs
  return {one, sent}
}

const at = (hour: number) => new Date(beginMs + hour * hourMs).toISOString()
const credits = `order_no,amount,created_at\nD-1,500.00,${at(9)}\nD-2,500.00,${at(20)}\n`
const orders = `order_no,amount,status,created_at\nD-1,500.00,completed,${at(9)}\nLOST-7,500.00,pending,${at(12)}\nFREE-8,500.00,pending,${at(13)}\nD-2,500.00,completed,${at(20)}\n`

const places: readonly [where: string, of: (ledger: string) => string][] = [
  ['words below the rows', (ledger) => `${ledger}manual LOST-7\n`],
  ['words with others', (ledger) => `${ledger}"booked by hand: A-1, LOST-7 (Karim)"\n`],
  ['the number of the platform', (ledger) => `${ledger}manual 6f1c-2-platform\n`],
  ['a column without a header', (ledger) => beside(ledger, '', 'LOST-7')],
  ['a row that cannot be read', (ledger) => `${ledger}X-1,LOST-7,${at(21)}\n`],
  ['a column that is not read', (ledger) => beside(ledger, 'remarks', 'see lost 7')],
  [
    'a row under a number that is none',
    (ledger) => `${ledger}"LOST-7, cash",500.00,${ledger === orders ? 'completed,' : ''}${at(20)}\n`,
  ],
]

function beside(ledger: string, header: string, text: string): string {
  const lines = ledger.trimEnd().split('\n')
  return `${lines.map((line, nth) => `${line},${nth === 0 ? header : nth === 1 ? text : ''}`).join('\n')}\n`
}

describe.each([
  ['credits', credits],
  ['orders', orders],
])('a ledger of %s', (kind, ledger) => {
  test.each(places)('%s hold the order back', async (where, of) => {
    const {one, sent} = bench(`hand-${kind}-${where.replaceAll(' ', '-')}`)
    one.rewrite(of(ledger))
    const {report, status} = await one.run('run', {}, {sinceMs: beginMs, untilMs: beginMs + 24 * hourMs})
    expect(sent).not.toContain('LOST-7')
    // The place, not this run's memory of it.
    expect(report.findings.find(({orderNo}) => orderNo === 'LOST-7')).toMatchObject({
      action: 'review',
      explanation: expect.not.stringContaining('words in the ledger of run'),
    })
    expect(status).toBe(7)
  })

  test.each([
    ['500.00', false],
    ['490.75', false],
    ['510.00', false],
    ['450.00', true],
  ])('another file with a number of its own and %s: resent %s', async (amount, isSent) => {
    const {one, sent} = bench(`hand-${kind}-${amount}`)
    one.rewrite(ledger)
    one.addLedger(`order_no,amount,created_at\nM-1,${amount},${at(20)}\n`)
    await one.run('run', {}, {sinceMs: beginMs, untilMs: beginMs + 24 * hourMs})
    expect(sent.includes('LOST-7')).toBe(isSent)
  })

  test.each([
    [',500.00', false],
    ['1.2E+12,500.00', false],
    [',500.00,x', false],
    [',450.00', true],
    ['--- evening ---,', kind === 'orders'],
    ['Page 1 of 2', true],
  ])('another file with the row %j: resent %s', async (cells, isSent) => {
    const {one, sent} = bench(`unread-${kind}-${cells}`)
    one.rewrite(ledger)
    const row = cells.includes('Page')
      ? cells
      : `${cells.replace(',x', '')},${at(20)}${cells.endsWith(',x') ? ',x' : ''}`
    one.addLedger(`order_no,amount,created_at\nD-2,500.00,${at(20)}\n${row}\n`)
    one.rewrite(ledger.replace(/D-2.*\n/, ''))
    await one.run('run', {}, {sinceMs: beginMs, untilMs: beginMs + 24 * hourMs})
    expect(sent.includes('LOST-7')).toBe(isSent)
  })

  test.each([
    ['500.00', false],
    ['490.75', kind === 'orders'],
    ['510.00', kind === 'orders'],
    ['450.00', true],
  ])('a row of the same file without a number and with %s: resent %s', async (amount, isSent) => {
    const {one, sent} = bench(`unnumbered-${kind}-${amount}`)
    const [booked = ''] = /^D-2.*\n/m.exec(ledger) ?? []
    one.rewrite(`${ledger}${booked.replace('D-2', '').replace('500.00', amount)}`)
    await one.run('run', {}, {sinceMs: beginMs, untilMs: beginMs + 24 * hourMs})
    expect(sent.includes('LOST-7')).toBe(isSent)
  })

  test('without a word of it the order is resent', async () => {
    const {one, sent} = bench(`hand-${kind}-none`)
    one.rewrite(beside(ledger, 'remarks', 'LOST-70, A-LOST, 7'))
    await one.run('run', {}, {sinceMs: beginMs, untilMs: beginMs + 24 * hourMs})
    expect(sent.toSorted()).toEqual(['FREE-8', 'LOST-7'])
  })
})

test.each([
  ['Refund', [], 8],
  ['Refund', ['Type'], 0],
  ['Deposit', [], 0],
  ['booked by hand', [], 0],
])(
  'a credit of the type %s for a webhook that failed, ignored %j: %i',
  async (type, ignoredColumns, status) => {
    const {one, sent} = bench(`undelivered-${type}-${ignoredColumns}`)
    one.rewrite(
      `order_no,amount,created_at,Type\nD-1,500.00,${at(9)},Deposit\nD-2,500.00,${at(20)},Deposit\nLOST-7,500.00,${at(12)},${type}\nFREE-8,500.00,${at(13)},Deposit\n`,
    )
    const ran = await one.run('run', {}, {sinceMs: beginMs, untilMs: beginMs + 24 * hourMs, ignoredColumns})
    expect([sent, ran.status]).toEqual([[], status])
    if (status === 8)
      expect(ran.report.incompleteBecause).toEqual([
        expect.stringMatching(/^line 4 of .*"Type" has "Refund", unlike other booked rows/),
      ])
  },
)

test.each([
  ['l1.csv', []],
  ['ledger19.csv', []],
  ['dep17.csv', []],
  ['DEP00017.csv', ['DEP00017']],
  ['booked by hand L-1.csv', ['L-1']],
  ['outage_booked_by_hand.csv', ['L-1', '19', 'DEP00017']],
  ['ledger (credited manually).csv', ['L-1', '19', 'DEP00017']],
  ['manual deposits 22-11.csv', []],
  ['booked orders.csv', []],
])('the name %s names %s', (path, named) => {
  const index = new NameIndex(
    ['L-1', '19', 'DEP00017'].map((orderNo) => ({orderNo, platformOrderNo: `6f1c-of-${orderNo}`})),
  )
  const found: string[] = []
  const file = {path} as LedgerFile
  new FileScan({file, isBooked: () => false}, index, new Set(), (orderNo) => found.push(orderNo))
  expect([...new Set(found)]).toEqual(named)
})

test.each([
  ['7f3b21c0', 1],
  ['cash, 44445555666A', 1],
  ['11112222', 0],
  ['4333', 0],
  ['a33a572d', 1],
  ['also 4C61C1 credited', 1],
  ['a33a57', 1],
  ['a33a', 0],
  ['2FU9N3', 1],
  ['U9N3', 1],
  ['PAY20261121A', 0],
  ['PAY202', 0],
  ['1A0017', 0],
])('of a code, %s names %i order', (text, count) => {
  const index = new NameIndex([
    {orderNo: 'L-1', platformOrderNo: '7f3b21c0-1111-4222-8333-44445555666a'},
    {orderNo: 'L-2', platformOrderNo: '11112222-1111-4222-8333-444455556666'},
    {orderNo: 'a33a572d000000000000000000' + '4c61c1', platformOrderNo: ''},
    {orderNo: 'TXQ7R2M82FU9N3', platformOrderNo: ''},
    {orderNo: 'PAY20261121A0017', platformOrderNo: ''},
  ])
  expect(index.find(text)).toHaveLength(count)
})

/*
 * What a bookkeeper writes of lost orders, where, and whether it holds them: 24 orders of a day, one an hour; nine in the
 * middle were lost, all but the last of them booked by hand. The books of the merchant judge: what was booked by hand and
 * resent is credited twice; what nothing names must be resent.
 */
interface Day {
  /** Of all orders of the day. */
  readonly all: readonly string[]
  readonly byHand: readonly string[]
  /** The rows of the file, the header first. */
  readonly rows: string[][]
}

const lostFrom = 11
const lostTill = 20
/** A ledger of orders has some that were never paid. */
const unpaid = new Set([1, 4, 6, 7, 10, 20])

async function resentOf(
  name: string,
  numberOf: (nth: number) => string,
  of: (day: Day) => string,
  holds = 'orders',
  ignoredColumns: readonly string[] = [],
) {
  const {one, sent} = emptyBench(`day-${name}`)
  const all = Array.from({length: 24}, (_, nth) => numberOf(nth))
  const isLost = (nth: number) => nth >= lostFrom && nth < lostTill
  const isUnpaid = (nth: number) => holds === 'orders' && unpaid.has(nth)
  const rows = [
    holds === 'orders'
      ? ['order_no', 'status', 'amount', 'created_at']
      : ['order_no', 'amount', 'created_at'],
  ]
  for (const [nth, orderNo] of all.entries()) {
    const amount = BigInt(30_000 + 700 * nth)
    one.client.orders.set(`deposit\0${orderNo}`, {
      ...{
        kind: 'deposit',
        orderNo,
        platformOrderNo: `6f1c-${String.fromCharCode(97 + nth)}-platform`,
        amount,
      },
      ...(isUnpaid(nth)
        ? ({rawStatus: 'pending', status: 'open'} as const)
        : ({rawStatus: 'completed', status: 'completed'} as const)),
    })
    const at = new Date(beginMs + (nth + 0.3) * hourMs).toISOString()
    if (!isUnpaid(nth))
      one.addRecord(
        isLost(nth)
          ? {orderNo, createdAt: at, status: 'failed', attempts: 6, responseCode: 503, nextRetryAt: null}
          : {orderNo, createdAt: at, status: 'success', attempts: 1, sentAt: at, nextRetryAt: null},
      )
    if (holds !== 'orders' && isLost(nth)) continue
    const status = holds === 'orders' ? [isLost(nth) || isUnpaid(nth) ? 'pending' : 'completed'] : []
    rows.push([orderNo, ...status, formatPaisa(amount), at])
  }
  const lost = all.slice(lostFrom, lostTill)
  const byHand = lost.slice(0, -1)
  one.rewrite(of({all, byHand, rows}))
  await one.run('run', {}, {sinceMs: beginMs, untilMs: beginMs + 24 * hourMs, ignoredColumns})
  const twice = sent.filter((orderNo) => byHand.includes(orderNo)).length
  return {twice, notResent: lost.length - sent.length, lost: lost.length, sent}
}

const csv = (rows: readonly (readonly string[])[]) =>
  `${rows.map((row) => row.map((cell) => (/[",\n]/.test(cell) ? `"${cell}"` : cell)).join(',')).join('\n')}\n`
const column = (header: string, cellOf: (nth: number, day: Day) => string) => (day: Day) =>
  csv(day.rows.map((row, nth) => [...row, nth === 0 ? header : cellOf(nth - 1, day)]))
const noted = (header: string, of: (orderNo: string) => string) =>
  column(header, (nth, {byHand}) => (byHand[nth] === undefined ? '' : of(byHand[nth])))
const below = (of: (byHand: readonly string[]) => string) => (day: Day) =>
  `${csv(day.rows)}"${of(day.byHand)}"\n`
const digitsOf = (orderNo: string) => orderNo.replace(/\D/g, '')
const countOf = (orderNo: string) => digitsOf(orderNo).replace(/^0+/, '')
const ends = (byHand: readonly string[]) => [byHand[0] ?? '', byHand.at(-1) ?? ''] as const

const dep = (nth: number) => `DEP${String(nth + 1).padStart(5, '0')}`
const four = (nth: number) => String(5001 + nth)
const six = (nth: number) => String(100_001 + nth)
const l = (nth: number) => `L-${nth}`
const two = (nth: number) => String(nth + 11)

const player = (of: (orderNo: string) => string) =>
  column('player_ref', (nth, {byHand}) => (byHand[nth] === undefined ? `P${nth}` : of(byHand[nth])))

const ownRow = 'in the row of the order itself'
const heldNotes: readonly [what: string, numberOf: (nth: number) => string, of: (day: Day) => string][] = [
  ['manual 5017 in remarks', four, noted('remarks', (no) => `manual ${no}`)],
  ['booked by hand 12 in remarks', dep, noted('remarks', (no) => `booked by hand ${countOf(no)}`)],
  ['manual 22 in remarks', two, noted('remarks', (no) => `manual ${no}`)],
  ['হাতে 5017 in remarks', four, noted('remarks', (no) => `হাতে ${no}`)],
  ['manual 5012, 5013 below', four, below((all) => `manual ${all.join(', ')}`)],
  ['booked by hand: 22 23 below', two, below((all) => `booked by hand: ${all.join(' ')}`)],
  ['12 Tk 544.84 below', dep, below((all) => all.map((no) => `${countOf(no)} Tk 544.84 booked`).join('; '))],
  ['5012 ৳500.00 below', four, below((all) => all.map((no) => `${no} ৳500.00 by hand`).join('; '))],
  ['5012 Karim below', four, below((all) => all.map((no) => `${no} Karim`).join('; '))],
  ['DEP00012/13/14 below', dep, below((all) => `hand DEP000${all.map((no) => no.slice(-2)).join('/')}`)],
  ['a range with a dash', dep, below((all) => ends(all).join(' - '))],
  ['a range with dots', dep, below((all) => `Karim ${ends(all).join('..')}`)],
  ['a range of tails', dep, below(([first = '', ...all]) => `Karim ${first}-${all.at(-1)?.slice(-2)}`)],
  ['a range in words', l, below((all) => `Booked by hand: ${ends(all).join(' to ')}`)],
  ['a range in Bangla', dep, below((all) => `${ends(all).join(' থেকে ')} পর্যন্ত`)],
  ['a range through', l, below((all) => ends(all).join(' through '))],
  ['a range of four digits', four, below((all) => `manual ${ends(all).join(' until ')}`)],
  ['a range of six digits', six, below((all) => `Karim ${ends(all).join('-')}`)],
  ['a range in remarks', dep, noted('remarks', (no) => (no === 'DEP00012' ? 'DEP00012 to DEP00019' : ''))],
  ['a player, words of another order', dep, player((no) => `also ${no} by hand`)],
  ['a player, the number of another order', dep, player((no) => no)],
  ['12.00 below', dep, below((all) => all.map((no) => `by hand ${countOf(no)}.00`).join('; '))],
  ['5012.00 in remarks', four, noted('remarks', (no) => `credited ${no}.00`)],
  ['a header cell', dep, (day) => column(`by hand: ${day.byHand.join(' ')}`, () => '')(day)],
  ['digits alone beside the rows', dep, noted('', digitsOf)],
  ['digits without zeros beside', dep, noted('', countOf)],
  ['another prefix in a column', dep, noted('Ref', (no) => `D-${digitsOf(no)}`)],
  ['blanks between letters and digits', dep, noted('remarks', (no) => `hand DEP ${no.slice(3)}`)],
  ['blanks between all', dep, below((all) => `Karim ; ${all.map((no) => [...no].join(' ')).join(' ; ')}`)],
  ['signs between', dep, below((all) => all.map((no) => `DEP-000-${no.slice(-2)}`).join(' ; '))],
  ['letters for zeros', dep, noted('remarks', (no) => `hand ${no.replaceAll('0', 'O')}`)],
  ['D.E.P.', dep, noted('remarks', (no) => [...no].join('.'))],
  ['glued to an amount', dep, below((all) => all.map((no) => `${no}BDT500`).join(' '))],
  [
    'words beside a time',
    dep,
    (day) => {
      const rows = day.rows.map((row, nth) => [
        ...row.slice(0, -1),
        `${row.at(-1)}${nth > 0 && day.byHand[nth - 1] ? ` (${day.byHand[nth - 1]})` : ''}`,
      ])
      return csv(rows)
    },
  ],
  [
    ownRow,
    four,
    (day) =>
      csv(
        day.rows.map((row, nth) => [
          ...row,
          nth === 0 ? 'remarks' : day.byHand.includes(row[0] ?? '') ? 'booked by hand, Karim' : '',
        ]),
      ),
  ],
  ...['booked', 'Credited - Karim', 'Balance added', 'paid to player'].map(
    (said): (typeof heldNotes)[number] => [
      `${ownRow}: ${said}`,
      dep,
      column('remarks', (nth, {rows, byHand}) => (byHand.includes(rows[nth + 1]?.[0] ?? '') ? said : '')),
    ],
  ),
  [
    `${ownRow}, on most of the rows`,
    dep,
    (day) => {
      const kept = day.rows.filter(([no = ''], nth) => nth < 3 || day.all.indexOf(no) >= lostFrom)
      const word = (no = '') => (day.byHand.includes(no) ? 'booked by hand' : 'auto')
      const few = kept.filter(([no = '']) => day.all.indexOf(no) < lostTill)
      return csv(few.map((row, nth) => [...row, nth === 0 ? 'remarks' : word(row[0])]))
    },
  ],
  [
    'a list that fills all rows',
    dep,
    (day) =>
      csv([
        ['order_no', 'amount', 'created_at', ''],
        ...day.rows
          .slice(1, 9)
          .map((row, nth) => [row[0] ?? '', row[2] ?? '', row[3] ?? '', day.byHand[nth] ?? '']),
      ]),
  ],
  [
    'notes in a column of references',
    dep,
    column('remarks', (nth, {byHand}) =>
      byHand[nth] === undefined ? `agent ${nth + 40}` : `agent 7, ${byHand[nth]} done`,
    ),
  ],
]

/** Sentences that tell of bookings and not, or not only, by numbers of which: any order may be one. */
const statements = [
  ...[
    'All of the outage (06:00-20:00) booked by hand - Karim',
    'All 8 pending rows were credited manually at 01:00',
  ],
  ...[
    'Booked by hand, see cash book',
    'Pending: credited',
    'Manual credits, 5000.00',
    'by hand: 300.00, 307.00',
  ],
  ...['বাকি সব অর্ডার হাতে যোগ করা হয়েছে', 'baki shob hate jog kora hoyeche', 'shobgulo manual kore diyechi'],
  ...['everything from DEP00012 on was booked by hand', 'booked by hand: DEP00012 and the 7 after it'],
  ...[
    'Do not resend',
    'webhooks must not be resent',
    'We have already paid out the stuck players',
    'already handled',
  ],
  ...['No need to resend', 'resend not needed', 'players already got coins', 'hate hate kora hoise'],
  ...['Cleared by support', 'done by CS', 'outage orders completed in admin panel'],
  ...['Wallet updated for all stuck orders', 'Everyone got their money'],
  ...['DEP00012 থেকে সব হাতে', 'by hand up to DEP00019', 'pending - done', 'Karim credited the outage'],
  ...['^ credited by Karim', 'Credited by Karim on 23/11', 'booked by hand on 22-11'],
  ...['All pending cleared manually', 'sob pending clear kora hoise'],
] as const

/** With a count or a time, which is no order's number, or with words of a trouble, of staff and of players. */
const statementsOfCounts = [
  ...[
    'No webhook came so credited by hand',
    'All pending credited by hand, open orders: 0',
    'credited by hand, 0 pending',
  ],
  ...[
    '4 orders booked by hand',
    'Four orders booked by hand',
    '12 orders booked by hand',
    '4 manual credits',
  ],
  ...[
    '4 failed orders booked by hand',
    '4টি অর্ডার হাতে যোগ করা হয়েছে',
    'Booked by hand: 4',
    '9 order manual kore disi',
  ],
  ...['Manual credits 4 nos', '4 players credited manually', 'Booked by hand: 4 orders, BDT 815.00'],
  ...[
    '1012 orders booked by hand',
    'Booked by hand (8)',
    'by hand, total 8150',
    '8 booked by hand at 23:10',
    '4+4 booked by hand',
  ],
  ...[
    'Booked by hand 3 bKash, 5 Nagad',
    '12 jon player ke hate dewa hoise',
    'Ticket 441: orders booked by hand',
  ],
  ...['Callback issue, balance dewa hoyeche', 'Callback issue 7:05, balance dewa hoyeche'],
  ...['7-8 am orders booked by hand', '7am - 8am booked by hand', 'Outage 07:00-08:00 booked by hand'],
  ...['৭টা থেকে ৮টা হাতে জমা', 'booked by hand 2300hrs', 'hour 12 booked by hand', 'booked by hand, 18th'],
  ...['Webhook down 7:00-8:00, credited from backend', 'Webhook down, credited from backend'],
  ...['Server down 07:00-08:00 - players credited from backend', 'Credited from backend: 4 players'],
  ...[
    'Players credited from backend',
    'Credited from backend',
    'Credited from admin panel',
    'orders adjusted by ops',
  ],
  ...['4 orders adjusted by ops', '4 pending adjusted in admin', 'Webhook problem, paid to wallet by ops'],
  ...['Callback failed, resolved (credited).', 'Callback failed 07:00-08:00, resolved (credited).'],
  ...[
    '* Failed callbacks: done',
    'Missing deposits loaded by support (see Slack)',
    'Missed callbacks - posted',
  ],
  ...['Missing deposits credited by support (4)', 'Downtime 7-8am: recharge given from admin'],
  ...['সকালের ডাউনটাইমের অর্ডারগুলো ব্যাকএন্ড থেকে ক্রেডিট করা হয়েছে', 'Backend theke dewa hoise'],
  ...[
    '7am outage orders credited from admin panel',
    'Incident INC-221: affected deposits posted from back office',
  ],
  ...[
    'Note: failed webhooks were fixed in DB by dev',
    'gateway issue, users paid',
    'Callback somossa, taka add kora hoise',
  ],
  ...[
    'API timeout 23/11: credited to players',
    'Credited to wallet by Sadia',
    'balance credited by support team',
  ],
] as const

/** Titles of ordinary files. */
const usualTitles: readonly string[] = [
  ...['Paid orders only', 'Deposits credited 22/11/2026', 'All deposits processed on 22/11/2026'],
  ...['Manual deposits', 'Deposits credited by day', 'Pending and booked orders', 'পরিশোধিত অর্ডার'],
]
/** Their footers, and what is still to be done. */
const usualLines: readonly string[] = [
  ...['Credited by: Karim', 'Total credited by bKash', 'not credited by Karim'],
  ...['Booked by: Karim', 'Total credited'],
  ...[
    'Status: completed = credited, pending = not credited',
    'Filter: method = bKash (manual), status = completed',
  ],
  ...[
    'Pending orders must be credited manually',
    'Please book the pending orders by hand',
    'not booked: all pending',
  ],
  ...[
    'Pending deposits are credited once the SMS arrives',
    'বাকি অর্ডার যোগ করতে হবে',
    'baki gulo jog korte hobe',
  ],
  ...[
    'Prepared by: ____ Checked by: ____ Posted by: ____',
    'This file was exported by hand',
    'file ta hate kora hoyeche',
    'resend failed webhooks',
    'Please resend, no resend was sent yet',
    'Done by: Karim',
    'Pending not cleared by bank',
  ],
]

/** The same with counts, troubles, staff and players; the last ones name other orders. */
const usualCounts: readonly string[] = [
  ...[
    'Booked by hand: 0',
    '0 orders booked by hand',
    'Manual credits: nil',
    'Manual credits: 0.00',
    'booked by hand - none',
  ],
  ...['No orders were booked by hand', 'হাতে জমা: ০'],
  ...[
    'Credited 40, failed 3',
    'Webhook status: success = credited',
    'Credited by webhook',
    'Callback: posted',
  ],
  ...[
    'Webhook down 7:00-8:00',
    'Callback issue, not credited yet',
    'Server down, will be credited from backend',
  ],
  ...[
    'Please credit from backend',
    'Exported from backend by Karim',
    'Orders from admin panel',
    'Report from back office',
  ],
  ...[
    'Credited amount, failed amount',
    'Failed callbacks: 4',
    'credited automatically after webhook issue',
    'Players credited',
  ],
  ...[
    'Total players credited: 40',
    'Players paid: 40',
    'Credited to: wallet',
    'Paid to players',
    'Downtime: none',
  ],
  ...[
    'If callback failed, credit from admin',
    'Deposits credited to players 22/11/2026',
    'Payment issue? Call support',
  ],
  ...[
    'Amount credited in BDT',
    'Credited in system',
    'Deposits posted in ledger',
    'Orders processed by gateway',
    'Data from DB, posted only',
  ],
]

/** Cells of an export and words that name nothing: nothing was booked by hand, and all that was lost must be sent. */
const exportCells: readonly [what: string, numberOf: (nth: number) => string, of: (day: Day) => string][] = [
  ['a serial number without a header', four, column('', (nth) => String(4996 + nth))],
  ['an index without a header', two, column('', (nth) => String(nth))],
  ['an internal id', six, column('Internal ID', (nth) => String(100_006 + nth))],
  ['the order before', dep, column('Previous Order', (nth, {all}) => (nth ? (all[nth - 1] ?? '') : ''))],
  [
    'the order before, in words',
    dep,
    column('remarks', (nth, {all}) => `paid after ${all[Math.max(nth - 1, 0)]}`),
  ],
  [
    'the order before, of a third',
    dep,
    column('Parent Order', (nth, {all}) => (nth % 3 === 1 ? (all[nth - 1] ?? '') : '')),
  ],
  [
    'the order after, of half',
    dep,
    column('Bonus Order', (nth, {all}) => (nth % 2 ? (all[nth + 1] ?? '') : '')),
  ],
  ['a balance', six, column('Balance', (nth) => `${100_000 + nth * 3}.00`)],
  ['a balance without decimals', six, column('Balance', (nth) => String(100_000 + nth * 3))],
  [
    'small amounts and counts in remarks',
    two,
    column('remarks', (nth) => (nth % 5 ? '' : `slip ${nth + 10}, 25.00 at 12:30`)),
  ],
  ['a shift', two, column('Shift', (nth) => String((nth % 3) + 20))],
  ['a day below', two, below(() => 'Generated 22-11-2026 23:30, page 1 of 1')],
  ['what the file has', dep, below(() => 'Orders DEP00001 to DEP00024')],
  ['own numbers again', dep, column('Reference', (nth, {rows}) => `Deposit ${rows[nth + 1]?.[0]}`)],
  [
    'a reference of letters and digits',
    dep,
    column('Txn Ref', (nth) =>
      createHash('md5')
        .update(String(nth))
        .digest('hex')
        .replace(/(.{8})(.{4})/, '$1-$2-'),
    ),
  ],
  ['an amount with its currency', two, below(() => 'credited 12 Tk, 13 BDT and Tk 14')],
  ['an agent', two, column('Agent', (nth) => (nth % 4 ? '' : `A-${nth + 11}`))],
  ['what is not booked', dep, column('remarks', (nth) => (nth < lostFrom ? '' : 'not credited yet'))],
  ['how all were paid', dep, column('remarks', () => 'paid by bKash')],
  ['a way of paying', dep, column('Channel', (nth) => (nth % 3 ? 'auto' : 'manual'))],
]

/** A word in the own rows of what was lost and booked by hand, another each; `of` says what the other rows have. */
const own =
  (
    header: string,
    words: readonly string[],
    of: (nth: number, row: readonly string[]) => string = () => '',
  ) =>
  (day: Day) => {
    const wordOf = new Map(day.byHand.map((orderNo, nth) => [orderNo, words[nth % words.length] ?? '']))
    const cellOf = (nth: number) => {
      const row = day.rows[nth + 1] ?? []
      return wordOf.get(row[0] ?? '') ?? of(nth, row)
    }
    return column(header, cellOf)(day)
  }
const ofBooked = (text: string) => (_: number, row: readonly string[]) => (row[1] === 'completed' ? text : '')
const onlyOpen = (of: (day: Day) => string) => (day: Day) =>
  of({...day, rows: day.rows.filter(([, status], nth) => nth === 0 || status === 'pending')})

const heldOwn: readonly [what: string, of: (day: Day) => string][] = [
  ['remarks', own('Remarks', ['booked', 'credited', 'paid', 'Booked-Karim', 'done', 'given', '✓', 'solved'])],
  [
    'sentences',
    own('Narration', [
      ...['paid to player', 'Balance added', 'credit given', 'already in ledger', 'posted 01:10', 'adjusted'],
      ...['pending - booked by hand', 'not in the system booked by hand'],
    ]),
  ],
  [
    'Bangla',
    own('মন্তব্য', [
      ...[
        'যোগ করা হয়েছে',
        'হাতে দেওয়া হয়েছে',
        'ম্যানুয়াল',
        'পরিশোধ',
        'hate deya hoyeche',
        'jog kora',
        'mnl',
        'দিয়েছি',
      ],
    ]),
  ],
  ['words in another column', own('Gateway', ['entered', 'recorded', 'manual', 'handled', 'booked'])],
  ['a list of open orders', onlyOpen(own('Remarks', ['booked by hand']))],
  [
    'a list of open orders with numbers',
    onlyOpen(own('Remarks', ['booked by hand JV-300', 'manual 01:10', '7 by hand'])),
  ],
  ['others not booked', onlyOpen(own('Remarks', ['booked by hand'], () => 'not booked'))],
  ['a booked row, too', own('Remarks', ['booked by hand'], (nth) => (nth < 4 ? 'booked by hand' : ''))],
  ['one booked row, too', own('Channel', ['manual'], (nth) => (nth === 2 ? 'manual' : ''))],
  ...[
    ...[
      ['Credited at', '2026-11-23 01:00'],
      ['Manual', 'Y'],
      ['Manually booked', 'TRUE'],
      ['Hand', 'yes'],
      ['হাতে', 'হ্যাঁ'],
    ],
    ...[
      ['Manual credit', '500'],
      ['Booked By', 'Karim'],
      ['Posted', 'x'],
      ['Settled On', '23/11/2026'],
    ],
    ...[
      ['Correction', 'yes'],
      ['Adj. voucher', 'JV-17'],
      ['Processed by', 'Karim'],
      ['ByHand', '1'],
    ],
  ].map(([header = '', text = '']): (typeof heldOwn)[number] => [`a column ${header}`, own(header, [text])]),
  [
    'a time where booked rows have one',
    own('Credited at', ['2026-11-23 01:00'], ofBooked('2026-11-09 10:00')),
  ],
  ['a name where booked rows have one', own('Booked By', ['Karim'], ofBooked('auto'))],
  ['a word that warns', own('Risk', ['BLOCK'], ofBooked('LOW'))],
  [
    'any remark, where most rows have none',
    own('Remarks', ['player got it', 'wallet updated', 'joma', 'see ticket 441', 'CR', 'forced', '👍', 'x']),
  ],
  ['a name that no other row has', own('Agent', ['Karim'])],
  [
    'a list with one unpaid order in it',
    column('Remarks', (nth) => (nth >= lostFrom && nth !== lostTill - 1 ? 'given' : '')),
  ],
  ...['Manual', 'Cleared', 'Credited', 'Given to player', 'Settled'].map(
    (heading): (typeof heldOwn)[number] => [
      `a heading ${heading} above it`,
      ({rows, byHand}) => {
        const isByHand = ([orderNo = '']: readonly string[]) => byHand.includes(orderNo)
        const others = rows.filter((row) => !isByHand(row))
        return csv([...others, [heading, '', '', ''], ...rows.filter(isByHand)])
      },
    ],
  ),
]

/** The money went back to the player, or somebody wrote that the order must not be credited. Each word is a row of its own. */
const moneyBack: readonly (readonly [language: string, words: readonly string[]])[] = [
  [
    'English',
    [
      ...[
        'DO NOT CREDIT',
        'fraud - do not credit',
        "don't book",
        'must not be credited',
        'not to be credited',
      ],
      ...[
        'money returned',
        'customer repaid',
        'sent back TrxID 9AB12CD34',
        'paid him back by Nagad',
        'refunded',
      ],
      ...['refunded by hand', 'refunded to player 01:10', 'to be refunded', 'refund pending', 'reimbursed'],
      ...['chargeback', 'charge-back by bank', 'reversed', 'void', 'voided', 'write-off', 'written off'],
      ...['blocked by risk', 'hold', 'dispute', 'returned to sender'],
    ],
  ],
  [
    'Bangla',
    [
      'টাকা ফেরত দেওয়া হয়েছে',
      'ফেরৎ',
      'রিফান্ড',
      'ফেরত দিতে হবে',
      'ক্রেডিট করবেন না',
      'জমা করা যাবে না',
      'চার্জব্যাক',
      'প্রতারণা',
    ],
  ],
  [
    'romanised Bangla',
    [
      'taka ferot',
      'ferot deya hoyeche',
      'firot dite hobe',
      'credit korben na',
      'jog kora jabe na',
      'joma hobe na',
    ],
  ],
]
const moneyBackColumns: readonly (readonly [header: string, text: string])[] = [
  ...([
    ['Refund', '3100.50'],
    ['Refunded At', '2026-11-23 01:00'],
    ['Refund TrxID', '9AB12CD34'],
    ['refund_status', 'initiated'],
  ] as const),
  ...([
    ['Chargeback', 'yes'],
    ['Reversed', 'TRUE'],
    ['Void', 'Y'],
    ['Returned On', '2026-11-23'],
    ['ফেরত', 'হ্যাঁ'],
  ] as const),
  ...([
    ['Fraud', '1'],
    ['Hold', 'Y'],
    ['doNotCredit', 'yes'],
  ] as const),
]
/** Ordinary words, and what says that no money went back. */
const noMoneyBack = [
  ...[
    'refundable',
    'non-refundable',
    'no refund',
    'not refunded',
    'refund not possible',
    'avoid',
    'household',
  ],
  ...[
    'webhook returned 503',
    'callback blocked by firewall',
    'did not credit',
    'never credited',
    'no chargeback',
  ],
  ...['ফেরত দেওয়া হয়নি', 'ferot deya hoy nai', '{refunded: false, void: 0}', 'back office', 'send money'],
]

const lostOnes = (header: string, text: string) =>
  column(header, (nth) => (nth >= lostFrom && nth < lostTill ? text : ''))

/** What no unpaid order has holds the lost ones, until a person says that its column tells nothing of bookings. */
const heldUnlessIgnored: readonly [what: string, header: string, of: (day: Day) => string][] = [
  ['what went wrong', 'last_error', lostOnes('last_error', 'no route to host')],
  ['what went wrong, in any column', 'detail', lostOnes('detail', 'webhook timeout')],
  ['when it expires', 'expires_at', lostOnes('expires_at', '2026-11-09 10:00')],
  ['a queue', 'queue', lostOnes('queue', 'night shift')],
  ['who booked it', 'Booked By', own('Booked By', ['auto'], ofBooked('auto'))],
  [
    'what is not done yet',
    'Remarks',
    own('Remarks', ['not booked', 'to be credited', 'pls book', 'waiting', 'paid, not credited', 'যোগ হয়নি']),
  ],
]

/** What unpaid orders have as well. */
const sentOwn: readonly [what: string, of: (day: Day) => string][] = [
  ['a name of some', column('Referred by', (nth) => (nth % 3 ? '' : `Name${'abcdefgh'[nth / 3]}`))],
  ['a code of some', column('Promo', (nth) => (nth % 4 ? '' : `EID${nth * 37}Q`))],
  ['not booked in a list of open orders', onlyOpen(own('Remarks', ['not booked'], () => 'not booked'))],
  [
    'a way of paying',
    column('Channel', (nth) => ['bKash (manual)', 'Nagad (manual)', 'auto'][nth % 3] ?? ''),
  ],
  [
    'how it was matched',
    column('Remarks', (nth) => ['manual review', 'manual SMS match', 'auto'][nth % 3] ?? ''),
  ],
  ['when it was booked', column('Credited at', (nth) => (nth < lostFrom ? '2026-11-09 10:00' : ''))],
  ['when the player paid', column('Paid at', () => '2026-11-09 10:00')],
  ['who booked it', own('Booked By', ['-', 'pending'], ofBooked('auto'))],
  ['a column that says no', own('Manual', ['N', 'no', '0', 'FALSE', ''], () => 'N')],
  ['who pays', column('Payment', (nth) => (nth % 2 ? 'paid by player' : 'paid via agent'))],
]

describe('the rows of the orders themselves', () => {
  test.each(heldOwn)('%s: not resent', async (what, of) => {
    const {twice, notResent} = await resentOf(`own-${what}`, dep, of)
    expect({twice, notResent}).toEqual({twice: 0, notResent: 8})
  })

  test.each(sentOwn)('%s: resent', async (what, of) => {
    expect(await resentOf(`own-${what}`, dep, of)).toMatchObject({notResent: 0})
  })

  test.each(heldUnlessIgnored)('%s: not resent unless the column is ignored', async (what, header, of) => {
    expect((await resentOf(`own-${what}`, dep, of)).notResent).toBeGreaterThan(0)
    expect(await resentOf(`own-${what}`, dep, of, 'orders', [header])).toMatchObject({notResent: 0})
  })

  const resentWith = (header: string, words: readonly string[], of?: Parameters<typeof own>[2]) =>
    resentOf(`back-${header}-${words[0]}`, dep, own(header, words, of))

  /** Those words whose rows were resent. A day has eight. */
  async function resentWords(words: readonly string[]) {
    const resent: string[] = []
    for (let from = 0; from < words.length; from += 8) {
      const some = words.slice(from, from + 8)
      const {sent} = await resentWith('Remarks', some)
      resent.push(...some.filter((_, nth) => sent.includes(dep(lostFrom + nth))))
    }
    return resent
  }

  test.each(moneyBack)('the money went back, in %s: not resent', async (_, words) => {
    expect(await resentWords(words)).toEqual([])
  })

  test.each(moneyBackColumns)('a column %s says %s: not resent', async (header, text) => {
    expect(await resentWith(header, [text])).toMatchObject({twice: 0, notResent: 8})
    const some = (nth: number) => (nth < 4 ? text : '')
    expect(await resentWith(header, [text], some)).toMatchObject({twice: 0, notResent: 8})
  })

  test('words that are no money back', () => {
    expect(noMoneyBack.filter((text) => saysMoneyBack(text, true) !== null)).toEqual([])
  })

  test.each([
    ['Remarks', 'hold, SMS late'],
    ['Terms', 'Refund by hand within 7 days'],
    ['Refund', '0.00'],
    ['Refund', '৳0.00'],
    ['Refunded', 'no'],
    ['Chargeback', 'none'],
    ['Refund policy', '7 days'],
    ['Return URL', 'https://shop.example/return'],
    ['Fraud check', 'passed'],
  ])('a column %s of %s in all rows: resent', async (header, text) => {
    expect(
      await resentOf(
        `usual-${header}-${text}`,
        dep,
        column(header, () => text),
      ),
    ).toMatchObject({
      notResent: 0,
    })
  })
})

describe.each(['orders', 'credits'])('a day of %s', (holds) => {
  const hasRows = holds === 'orders'
  test.each(heldNotes.filter(([what]) => hasRows || !what.startsWith(ownRow)))(
    '%s: not resent',
    async (what, numberOf, of) => {
      const {twice, notResent} = await resentOf(`${holds}-${what}`, numberOf, of, holds)
      expect({twice, notResent}).toEqual({twice: 0, notResent: 8})
    },
  )

  test('a sentence that tells of bookings and of no order: nothing is resent', async () => {
    const {twice, notResent, lost} = await resentOf(
      `${holds}-states`,
      dep,
      below(() => statements[0]),
      holds,
    )
    expect({twice, notResent}).toEqual({twice: 0, notResent: lost})
  })

  test.each(exportCells)('%s: resent', async (what, numberOf, of) => {
    expect(await resentOf(`${holds}-${what}`, numberOf, of, holds)).toMatchObject({notResent: 0})
  })
})

test('usual titles and footers: resent', async () => {
  const [titles, footers] = [usualTitles, usualLines].map((lines) =>
    lines.map((line) => `${line}\n`).join(''),
  )
  expect(
    await resentOf('usual', dep, (day) => `${titles}${footers}${csv(day.rows)}${footers}`),
  ).toMatchObject({
    notResent: 0,
  })
})

test.each([
  ['DEP00012', dep],
  ['DEP1012', (nth: number) => `DEP${1001 + nth}`],
])('sentences that tell of bookings and not of which hold all, of orders like %s', (_, numberOf) => {
  const lost = Array.from({length: 8}, (_, nth) => numberOf(nth + lostFrom))
  const index = new NameIndex(
    lost.map((orderNo, nth) => ({orderNo, platformOrderNo: `6f1c-${nth}`})),
    new OtherOrderTexts(Array.from({length: 24}, (_, nth) => numberOf(nth))),
  )
  const holdsAll = (line: string) => {
    const held = new Set<string>()
    const scan = new FileScan(
      {file: {path: '-'} as LedgerFile, isBooked: () => false},
      index,
      new Set(),
      (no) => held.add(no),
    )
    const notes = scan.notes(() => '')
    notes.take([line], 1)
    notes.finish()
    scan.finish()
    return held.size === lost.length
  }
  const told = [...(numberOf === dep ? statements : []), ...statementsOfCounts]
  expect(told.filter((line) => !holdsAll(line))).toEqual([])
  expect([...usualTitles, ...usualLines, ...usualCounts].filter(holdsAll)).toEqual([])
})

test.each([
  [
    'closed',
    (one: ScenarioBench, items: readonly OpenItem[]) =>
      one.journal.closeItems(items, {reason: 'booked by hand', by: 'zara', atMs: one.clock.ms}),
  ],
  [
    'ignored',
    (one: ScenarioBench, items: readonly OpenItem[]) =>
      Promise.all(
        items.map(({id: findingId, atRisk}) =>
          one.journal.addIgnore({
            ...{findingId, atRisk, reason: 'booked by hand', by: 'zara'},
            ...{atMs: one.clock.ms, expiresAtMs: one.clock.ms + 24 * hourMs},
          }),
        ),
      ),
  ],
])('an item that is %s after the plan is not resent, and the report has who and why', async (word, say) => {
  const {one, sent} = bench(`hand-late-${word}`)
  one.rewrite(orders)
  const window = {sinceMs: beginMs, untilMs: beginMs + 24 * hourMs}
  one.options.yes = false
  await one.run('asked', {}, window)
  one.options.yes = true
  const {before} = one.client
  one.client.before = async (call) => {
    before?.(call)
    if (sent.length === 1)
      await say(
        one,
        (await one.journal.listItems()).filter(({orderNo}) => orderNo !== sent[0]),
      )
  }
  const {report, status} = await one.run('run', {}, window)
  expect(sent).toHaveLength(1)
  expect(status).toBe(7)
  expect(
    report.findings.find(({action, orderNo}) => action === 'resend' && orderNo !== sent[0])?.resend,
  ).toMatchObject({
    state: 'skipped',
    why: `Not sent: zara ${word} it before its turn: booked by hand`,
  })
})

test.each([
  [['credited by hand'], 'zara noted "credited by hand"'],
  [['money given back'], 'zara noted "money given back"'],
  [['credited by hand', 'told the player'], 'zara noted "told the player"'],
  [['credited by hand', 'not booked, asked Karim'], null],
  [['player got it'], 'zara noted "player got it"'],
  [['player got it, not booked'], 'zara noted "player got it, not booked"'],
  [['credited by hand', 'asked karim: not booked?'], 'zara noted "asked karim: not booked?"'],
  [['not booked', 'asked the service, ticket 4711'], 'zara noted "asked the service, ticket 4711"'],
])('an open item with the notes %j', async (notes, why) => {
  const {one, sent} = bench(`noted-${notes.join()}`)
  one.rewrite(orders)
  const window = {sinceMs: beginMs, untilMs: beginMs + 24 * hourMs}
  one.options.yes = false
  await one.run('asked', {}, window)
  const items = (await one.journal.listItems()).filter(({orderNo}) => orderNo === 'LOST-7')
  for (const [nth, text] of notes.entries())
    await one.journal.recordItemEvents(items, {what: 'noted', text, by: 'zara', atMs: one.clock.ms + nth})
  const record = [...one.client.records.values()].filter(({merchantOrderId}) => merchantOrderId === 'LOST-7')
  const reading = {dialect: defaultDialect, nowMs: one.clock.ms, timeZone: 'UTC'}
  const seen = await reconciledBy(one.journal, reading, record)
  const [left] = await Promise.all(record.map(seen))
  expect(left?.why ?? null).toEqual(why && expect.stringContaining(why))
  one.options.yes = true
  const {report} = await one.run('run', {}, window)
  expect(sent).toEqual(why === null ? ['LOST-7', 'FREE-8'] : ['FREE-8'])
  const finding = report.findings.find(({orderNo}) => orderNo === 'LOST-7')
  if (why !== null) {
    expect(finding?.explanation).toContain(`Not resent: ${why}. If it is not booked`)
    expect(inBangla(finding?.explanation ?? '')).not.toMatch(/noted|not booked,|Look/)
  }
})

test.each([
  ['note', 'not booked, but LOST-7 was credited by hand', true],
  ['note', 'all of the outage credited by hand', true],
  ['note', 'credited by hand', false],
  ['note', 'same player as LOST-7', false],
  ['close', 'credited by hand together with LOST-7', true],
  ['sign-off', 'LOST-7 credited by hand', true],
  ['sign-off', 'all lost ones credited by hand', true],
  ['sign-off', 'checked with the bank', false],
  ['denied', 'LOST-7 credited by hand', false],
] as const)('a %s under another order or of the run, "%s", holds LOST-7: %s', async (what, text, isHeld) => {
  const {one, sent} = bench(`said-${what}-${text}`)
  one.rewrite(orders)
  const window = {sinceMs: beginMs, untilMs: beginMs + 24 * hourMs}
  one.options.yes = false
  await one.run('first', {}, window)
  one.options.yes = true
  const items = await one.journal.listItems()
  const of = (orderNo: string) => items.filter((item) => item.orderNo === orderNo)
  const said = {text, by: 'zara', atMs: one.clock.ms}
  if (what === 'note') await one.journal.recordItemEvents(of('FREE-8'), {what: 'noted', ...said})
  else if (what === 'close')
    await one.journal.closeItems(of('FREE-8'), {reason: text, by: 'zara', atMs: one.clock.ms})
  else await one.journal.signOff('first', {by: 'zara', note: text, isAlone: true, atMs: one.clock.ms})
  const denial = {what: 'noted', text: 'not booked', by: 'karim', atMs: one.clock.ms + 1} as const
  if (what === 'denied') await one.journal.recordItemEvents(of('LOST-7'), denial)
  const record = [...one.client.records.values()].filter(({merchantOrderId}) => merchantOrderId === 'LOST-7')
  const seen = await reconciledBy(
    one.journal,
    {dialect: defaultDialect, nowMs: one.clock.ms, timeZone: 'UTC'},
    record,
  )
  expect((await Promise.all(record.map(seen))).some((why) => why !== null)).toBe(isHeld)
  await one.run('second', {}, window)
  expect(sent.includes('LOST-7')).toBe(!isHeld)
})

const legendIn =
  (at: 'header' | 'beside') =>
  (text: string): ((day: Day) => string) =>
  ({rows}) =>
    csv(rows.map((row, nth) => [...row, '', nth === (at === 'header' ? 0 : 3) ? text : '']))

test.each([
  'Green = booked by hand',
  'green rows booked by hand',
  'Yellow: credited manually',
  'সবুজ = হাতে জমা',
  'green = hate joma',
])('a legend of colours beside the table or around it holds every order: %s', async (legend) => {
  for (const of of [legendIn('header')(legend), legendIn('beside')(legend), below(() => legend)]) {
    const {sent} = await resentOf('legend', dep, of)
    expect(sent).toEqual([])
  }
})

test.each(['Green Delta', 'colour of the chip: red', 'green', 'booked by hand'])(
  'what is no legend beside a booked row holds no other: %s',
  async (text) => {
    const {sent, lost} = await resentOf('no-legend', dep, legendIn('beside')(text))
    expect(sent).toHaveLength(lost)
  },
)

/** Columns beside the rows of a ledger with players, each line with what stands there in that row. */
const listBeside =
  (headers: readonly string[], cellsOf: (nth: number) => readonly string[], gap = ['']) =>
  ({rows}: Day) =>
    csv(
      rows.map((row, nth) => {
        const cells = nth === 0 ? headers : cellsOf(nth - 1)
        const blank = nth === 0 ? gap : gap.map(() => '')
        return [
          ...row,
          nth === 0 ? 'player_ref' : playerOf(nth - 1),
          ...blank,
          ...headers.map((_, at) => cells[at] ?? ''),
        ]
      }),
    )
const playerOf = (nth: number) => `pl-${nth + 100}`
/** The list begins in the first row; those booked by hand are `lostFrom` and more. */
const ofLost = (cellsOf: (player: string) => readonly string[]) => (nth: number) =>
  nth < lostTill - lostFrom - 1 ? cellsOf(playerOf(nth + lostFrom)) : []

test.each<[what: string, notResent: number, of: (day: Day) => string]>([
  [
    'players below Booked by hand',
    8,
    listBeside(
      ['Booked by hand', 'Taka', 'By'],
      ofLost((who) => [who, '570', 'Karim']),
    ),
  ],
  [
    'the same without a blank column',
    8,
    listBeside(
      ['Booked by hand', 'Taka'],
      ofLost((who) => [who, '570']),
      [],
    ),
  ],
  [
    'players below Given to',
    8,
    listBeside(
      ['Given to'],
      ofLost((who) => [who]),
    ),
  ],
  [
    'players and amounts in one cell',
    8,
    listBeside(
      ['Credited players'],
      ofLost((who) => [`${who.toUpperCase()} 570`]),
    ),
  ],
  [
    'words behind the player',
    8,
    listBeside(
      ['Who', 'Taka', 'Note'],
      ofLost((who) => [who, '570', 'booked by hand']),
    ),
  ],
  [
    'players and their amounts below any header',
    8,
    listBeside(['Karim', ''], (nth) =>
      nth < lostTill - lostFrom - 1 ? [playerOf(nth + lostFrom), String(300 + 7 * (nth + lostFrom))] : [],
    ),
  ],
  ['names and amounts', 9, listBeside(['Manual credit'], (nth) => (nth === 0 ? ['Rahim 8000'] : []))],
  ['telephones', 9, listBeside(['Credited by hand'], (nth) => (nth === 0 ? ['01711000130'] : []))],
  [
    'players of other orders',
    0,
    listBeside(['Booked by hand', 'Taka'], (nth) => (nth < 5 ? [playerOf(nth + 21), '570'] : [])),
  ],
  ["the row's own player", 0, listBeside(['Credited to'], (nth) => (nth < 11 ? [playerOf(nth)] : []), [])],
  ['a yes', 0, listBeside(['Booked by hand', 'At'], (nth) => (nth < 3 ? ['Y', '23/11 10:20'] : []))],
  ["the row's own amount", 0, listBeside(['Manual credit'], (nth) => (nth < 1 ? ['300'] : []))],
  [
    'players below another header',
    0,
    listBeside(['Referred by'], (nth) => (nth < 9 ? [playerOf(nth + 11)] : [])),
  ],
])('a list beside the rows of a ledger, %s: %i are held', async (what, held, of) => {
  expect(await resentOf(`list-${what}`, dep, of)).toMatchObject({notResent: held})
})

test.each<[title: string, row: readonly string[], held: readonly string[]]>([
  ['Manual credits 22/11', ['pl-7', '570'], ['L-1', 'L-2']],
  ['Adjustments 22/11', ['pl-7', '570'], ['L-1', 'L-2']],
  ['Deposits 22/11', ['pl-7', '570', 'manual'], ['L-1']],
  ['Deposits 22/11', ['pl-9', '570', 'manual'], []],
  ['Deposits 22/11', ['pl-7', '570', 'bKash'], []],
  ['Manual deposits 22/11', ['pl-7', '570'], []],
  ['Adjustments 22/11', ['L-1', '570'], []],
])('another sheet with the title %s and the row %j holds %j', (title, row, held) => {
  const index = new NameIndex(
    ['L-1', 'L-2'].map((orderNo) => ({orderNo, platformOrderNo: `6f1c-${orderNo}`})),
  )
  const found = new Set<string>()
  const columns = {order_no: 'no', status: 'status', player_ref: 'player'}
  const file = {path: '-', columns, headerLine: 1, totals: []} as unknown as LedgerFile
  const scan = new FileScan({file, isBooked: () => false}, index, new Set(), (orderNo) => found.add(orderNo))
  const rows = scan.linesOfRows(() => '')
  for (const [nth, line] of [
    ['no', 'status', 'player'],
    ['L-1', 'open', 'pl-7'],
    ['L-2', 'open', 'pl-8'],
  ].entries())
    rows.take(line, nth + 1)
  rows.finish()
  found.clear()
  const sheet = scan.sheetByHand('Sheet2', false, '')
  for (const [nth, line] of [[title], ['Player', 'Amount', 'Mode'], row].entries()) sheet(line, nth + 1)
  scan.finish()
  expect([...found]).toEqual(held)
})

/** Rows and lines of a ledger whose order DEP1007, of pl-7, is lost; the last line is no row of an order that the service knows. */
function scanned(
  last: readonly string[],
  {header = 'Mobile', ignored = [] as string[], cellOf = (nth: number) => `mob-${nth}`} = {},
) {
  const index = new NameIndex([{orderNo: 'DEP1007', platformOrderNo: '6f1c-7'}])
  const columns = {order_no: 'no', status: 'status', amount: 'amount', player_ref: 'player'}
  const file = {path: '-', columns, headerLine: 1, totals: [], format: 'csv'} as unknown as LedgerFile
  const lines = [
    ['no', 'status', 'amount', 'player', header],
    ...Array.from({length: 30}, (_, nth) => [
      `DEP${1000 + nth}`,
      nth === 7 ? 'open' : 'paid',
      '500',
      `pl-${nth}`,
      cellOf(nth),
    ]),
    [...last],
  ]
  const found: string[] = []
  const rest = {isBooked: (status: string) => status === 'paid', ignoredColumns: ignored}
  const takeShared = ({orderNo, header}: {orderNo: string; header: string}) =>
    found.push(`${orderNo}: ${header}`)
  const scan = new FileScan({file, ...rest, takeShared}, index, new Set([lines.length]), (...[no, , , how]) =>
    found.push(`${no}: ${how}`),
  )
  const rows = scan.linesOfRows(() => '')
  for (const [nth, line] of lines.entries()) rows.take(line, nth + 1)
  rows.finish()
  scan.finish()
  // A place says it first; what says the same of it in other words follows.
  return found.filter((text) => !text.endsWith('unlike others')).slice(0, 1)
}

test.each<[line: string, held: boolean]>([
  ['pl-7 800 given', true],
  ['PL7,800.00,given', true],
  ['pl-7', true],
  ['pl-7 manual,paid,800.00,', true],
  ['pl-77,800.00,given', false],
  ['X-1,paid,800.00,pl-7', false],
  ['X-1,paid,8,00.00,,pl-7', false],
])('a line that is no row and names the player of a lost order, %s: %s', (line, held) => {
  expect(scanned(line.split(','))).toEqual(held ? ['DEP1007: player named'] : [])
})

test.each<[what: string, cell: string, given: Parameters<typeof scanned>[1], found: readonly string[]]>([
  ['the same value', 'MOB 7', {}, ['DEP1007: Mobile']],
  ['the same value below another header', 'MOB 7', {header: 'খেলোয়াড়'}, ['DEP1007: খেলোয়াড়']],
  ['another value', 'mob-77', {}, []],
  [
    'a value that many rows have',
    'bKash',
    {cellOf: (nth) => (nth % 4 === 3 ? 'bKash' : `mob-${nth}`), header: 'Via'},
    [],
  ],
  ['a value of a column with few', 'city-1', {cellOf: (nth) => `city-${nth % 6}`, header: 'City'}, []],
  ['a column that is ignored', 'MOB 7', {ignored: ['Mobile']}, []],
])('a booked row that nothing explains, with %s', (_, cell, given, found) => {
  expect(scanned(['X-1', 'paid', '570', '', cell], given)).toEqual(found)
})

test.each<[number: string, isNamed: boolean]>([
  ['DEP1007', true],
  ['dep1007', true],
  ['manual DEP1007', true],
  ['DEP1007-B', true],
  ['BON1007', false],
  ['DEP1008', false],
])('a row of a kind that is no order, numbered %s, names the lost order: %s', (number, isNamed) => {
  const index = new NameIndex([{orderNo: 'DEP1007', platformOrderNo: '6f1c-7'}])
  const columns = {order_no: 'no', kind: 'type', status: 'status', amount: 'amount'}
  const file = {path: '-', columns, headerLine: 1, totals: [], format: 'csv'} as unknown as LedgerFile
  const named = new Set<string>()
  const isBooked = (status: string) => status === 'paid'
  const scan = new FileScan(
    {file, isBooked, isOther: (kind) => kind === 'Bonus'},
    index,
    new Set(),
    (orderNo) => void named.add(orderNo),
  )
  const rows = scan.linesOfRows(() => '')
  for (const [nth, line] of [
    ['no', 'type', 'status', 'amount'],
    ...Array.from({length: 12}, (_, n) => [`DEP${1000 + n}`, 'deposit', n === 7 ? 'open' : 'paid', '500']),
    [number, 'Bonus', 'paid', '50'],
  ].entries())
    rows.take(line, nth + 1)
  rows.finish()
  expect([...named]).toEqual(isNamed ? ['DEP1007'] : [])
})

/** Beside another booked row stands a remark that may have the last digits of the lost order; some row has each amount. */
test.each<[orderNo: string, remark: string, isNamed: boolean]>([
  ['D261208-38103', '8103 manual', true],
  ['D261208-38103', '8103', true],
  ['D261208-38103', '38103 o', true],
  ['D261208-11220', '1220 o', true],
  ['8151064', '1064 o', true],
  ['8154950', 'also 4950', true],
  ['8154950', '54950 & 1064', true],
  ['8154950', '৪৯৫০ ও', true],
  ['8154950', '950 o', false],
  ['8154950', '14950', false],
  ['8154950', 'TXN4950', false],
  ['8154950', '01711004950', false],
  ['8154950', 'ending 4950', false],
  ['8154950', '0171 100 4950', false],
  ['8154950', 'tk 4950', false],
  ['8154950', '4950.00', false],
  ['8151500', '1500', false],
  ['8151500', '1500 given', false],
  ['8151640', '1640', false],
  ['8151640', '1640 manual', true],
  ['8150700', '0700 o', true],
  ['8151105', '1105', false],
  ['8154321', '4321 given', false],
  ['8152026', 'november 2026', false],
  ['8152026', 'paid 22 nov 2026', false],
  ['8151220', '1220 te call', false],
])('of the lost order %s, the remark %s beside another row names it: %s', (orderNo, remark, isNamed) => {
  const index = new NameIndex([
    {orderNo, platformOrderNo: '6f1c-7'},
    {orderNo: 'E1-77777', platformOrderNo: ''},
  ])
  const columns = {order_no: 'no', status: 'status', amount: 'amount'}
  const file = {path: '-', columns, headerLine: 1, totals: [], format: 'csv'} as unknown as LedgerFile
  const named = new Set<string>()
  const scan = new FileScan({file, isBooked: () => true}, index, new Set(), (no) => void named.add(no))
  const rows = scan.linesOfRows(() => '')
  for (const [nth, line] of [
    ['no', 'amount', 'Mobile', 'Remarks'],
    ['8004321', '1,105.00', '01711000007', remark],
    ...['1500.00', '1640', '2,200.00'].map((amount, n) => [`800000${n}`, amount, '01711000008', '']),
  ].entries())
    rows.take(line, nth + 1)
  rows.finish()
  scan.finish()
  expect([...named]).toEqual(isNamed ? [orderNo] : [])
})

test.each<[text: string, named: readonly string[]]>([
  ['8103 credited by hand', ['D261208-38103']],
  ['8103', []],
  ['1500 credited', []],
])('a text box that has %s names %j', (text, orders) => {
  const index = new NameIndex(['D261208-38103', '8151500'].map((orderNo) => ({orderNo, platformOrderNo: ''})))
  const columns = {order_no: 'no', amount: 'amount'}
  const file = {path: '-', columns, headerLine: 1, totals: [], format: 'csv'} as unknown as LedgerFile
  const named: string[] = []
  const scan = new FileScan({file, isBooked: () => true}, index, new Set(), (no, _, __, how) => {
    if (how === 'named') named.push(no)
  })
  const beside = scan.beside()
  beside.take({text, at: null, isSentence: true, part: '1'})
  beside.finish()
  const rows = scan.linesOfRows(() => '')
  for (const [nth, line] of [
    ['no', 'amount'],
    ['8000001', '1500'],
  ].entries())
    rows.take(line, nth + 1)
  rows.finish()
  scan.finish()
  expect(named).toEqual(orders)
})
