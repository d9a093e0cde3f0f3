import {expect, test} from 'vitest'

import {inBangla} from '../../src/core/in-bangla.ts'
import type {ServiceOrder} from '../../src/core/order.ts'
import type {BookedRow} from '../../src/core/reconcile/entry.ts'
import {Players} from '../../src/workflows/reconcile/players.ts'
import {order} from '../core/reconcile/sample.ts'
import {ScenarioBench} from './scenario-run.ts'

/** D-9 is paid by player p-9 and open in the ledger; its webhook failed for good. The others are booked. */
const numbers = ['D-1', 'D-2', 'D-3', 'D-9']
const ledger = (player: (orderNo: string) => string) =>
  `order_no,status,amount,created_at,player_ref\n${numbers
    .map(
      (orderNo) =>
        `${orderNo},${orderNo === 'D-9' ? 'pending' : 'completed'},500.00,2026-11-20T09:00:00Z,${player(orderNo)}\n`,
    )
    .join('')}`
const own = (orderNo: string) => orderNo.replace('D', 'p')

function merchant(rows: string, payload: object = {}): ScenarioBench {
  const bench = new ScenarioBench({
    path: 'players',
    sections: new Map([
      ['ledger.csv', rows],
      ['service.json', JSON.stringify(numbers.map((orderNo) => ({orderNo})))],
      ['deliveries.json', JSON.stringify([{orderNo: 'D-9', createdAt: '2026-11-20T09:05:00Z'}])],
      ['options.json', JSON.stringify({yes: true})],
    ]),
  })
  for (const [key, order] of bench.client.orders)
    bench.client.orders.set(key, {
      ...(order as ServiceOrder),
      playerRef: own((order as ServiceOrder).orderNo),
    })
  const [id = ''] = bench.client.records.keys()
  bench.client.payloads.set(id, {orderNo: 'D-9', amount: '500.00', ...payload})
  return bench
}

function withoutPlayers({client}: ScenarioBench): void {
  for (const [key, order] of client.orders)
    client.orders.set(key, {...(order as ServiceOrder), playerRef: undefined} as never)
}

const resent = ({client}: ScenarioBench) => client.log.filter((call) => call.startsWith('resend ')).length

test('a webhook of another player is not sent', async () => {
  const bench = merchant(ledger(own), {playerRef: 'p-OTHER'})
  const {report, status} = await bench.run('first')
  expect([resent(bench), status]).toEqual([0, 7])
  expect(report.findings.find(({orderNo}) => orderNo === 'D-9')?.resend).toMatchObject({
    ...{
      state: 'skipped',
      why: expect.stringContaining('for the player p-OTHER, but the service has the player p-9'),
    },
  })
})

test.each([
  ['the same player', own],
  ['in another case', (orderNo: string) => ` ${own(orderNo).toUpperCase()}`],
  ['without its sign', (orderNo: string) => own(orderNo).replace('-', '')],
  ['players of the ledger by other names', (orderNo: string) => `Rahim ${orderNo}`],
  ['no player', () => ''],
])('%s: the order is resent', async (_what, player) => {
  const bench = merchant(ledger(player), {playerRef: 'p-9'})
  const {status} = await bench.run('first')
  expect([resent(bench), status]).toEqual([1, 0])
})

test('a row of another player than the service has is not resent', async () => {
  const bench = merchant(ledger((orderNo) => (orderNo === 'D-9' ? 'p-7' : own(orderNo))))
  const {report, status} = await bench.run('first')
  expect([resent(bench), status]).toEqual([0, 7])
  expect(report.findings.find(({orderNo}) => orderNo === 'D-9')?.explanation).toContain(
    'Its row has player p-7, and the service has player p-9.',
  )
})

test('a row that is booked for another player makes the run incomplete', async () => {
  const bench = merchant(ledger((orderNo) => (orderNo === 'D-2' ? '01712345678' : own(orderNo))))
  const {report, status} = await bench.run('first')
  expect(status).toBe(8)
  expect(report.incompleteBecause).toEqual([
    'booked for another player than the service has: line 3 (D-2: 017****5678, the service has p-2). Find out who was credited',
  ])
})

test.each([
  ['less a fee', ['ADJ-1,completed,490.00,2026-11-20T09:30:00Z,P-9'], 0],
  ['without its sign', ['ADJ-1,completed,500.00,2026-11-20T09:30:00Z,p9'], 0],
  ['with a bonus', ['ADJ-1,completed,550.00,2026-11-20T09:30:00Z,p-9'], 0],
  [
    'in parts',
    ['ADJ-1,completed,300.00,2026-11-20T09:30:00Z,p-9', 'ADJ-2,completed,200.00,2026-11-20T09:30:00Z,p-9'],
    0,
  ],
  ['of another player', ['ADJ-1,completed,490.00,2026-11-20T09:30:00Z,p-1'], 1],
  ['before the order', ['ADJ-1,completed,490.00,2026-11-20T07:30:00Z,p-9'], 1],
  ['together with other orders', ['ADJ-1,completed,5000.00,2026-11-20T09:30:00Z,p-9'], 0],
])('a booking of the same player that the service does not know: %s', async (_what, rows, sent) => {
  for (const [credits, isEchoed] of [
    [true, true],
    [true, false],
    [false, true],
  ]) {
    const all = `${ledger(own)}${rows.join('\n')}\n`
    const lines = credits
      ? all
          .split('\n')
          .flatMap((line) => (line.includes('pending') ? [] : line.replace(/,(?:completed|status),/, ',')))
      : all.split('\n')
    const bench = merchant(lines.join('\n'), {playerRef: 'p-9'})
    // The query need not show the player; the webhook does.
    if (!isEchoed) withoutPlayers(bench)
    await bench.run(
      'first',
      {},
      credits
        ? {sinceMs: Date.parse('2026-11-20T00:00:00Z'), untilMs: Date.parse('2026-11-21T00:00:00Z')}
        : {},
    )
    expect([credits, isEchoed, resent(bench)]).toEqual([credits, isEchoed, sent])
  }
})

test.each([
  ['the same value', 'user-9', [], 0],
  ['another value', 'user-1', [], 1],
  ['the same value in a column that is ignored', 'user-9', ['Game ID'], 1],
])(
  'a booked row that nothing explains has, under an unread header, %s',
  async (_what, uid, ignoredColumns, sent) => {
    const all = `${ledger((orderNo) => orderNo.replace('D', 'user'))}X-1,completed,490.00,2026-11-20T11:00:00Z,${uid}\n`
    const bench = merchant(all.replace('player_ref', 'Game ID'), {playerRef: 'p-9'})
    const {report} = await bench.run('first', {}, {ignoredColumns})
    expect(resent(bench)).toBe(sent)
    const why = report.findings.find(({orderNo}) => orderNo === 'D-9')?.explanation ?? ''
    if (sent === 0) {
      expect(why).toContain(
        '("X-1") is booked with 490.00 and the same "Game ID", and the service does not know that number',
      )
      expect(inBangla(why)).not.toMatch(/booked|the same/)
    }
  },
)

test.each([
  ['of one player', 'p-9', 1],
  ['of two players', 'p-3', 3],
])('one booking in another file for two of three lost orders, %s', async (_what, player, sent) => {
  const rows = ledger((orderNo) => (orderNo === 'D-3' ? player : own(orderNo)))
  const bench = merchant(rows.replaceAll(/(D-[23]),completed/g, '$1,pending'))
  bench.client.payloads.clear()
  withoutPlayers(bench)
  for (const orderNo of ['D-2', 'D-3']) bench.addRecord({orderNo, createdAt: '2026-11-20T09:05:00Z'})
  bench.addLedger('order_no,amount,created_at\nM-1,1000.00,2026-11-20T10:00:00Z\n')
  await bench.run('first')
  expect(resent(bench)).toBe(sent)
})

test.each([
  ['of its player', 'completed,120.00,2026-11-20T11:00:00Z,P-9', 0],
  ['of its player, without a number', ',completed,499.00,2026-11-20T11:00:00Z,P-9', 0],
  ['of its player, in a ledger that ends before it', 'completed,120.00,2026-11-20T07:00:00Z,P-9', 1],
  ['of another player', 'completed,120.00,2026-11-20T11:00:00Z,p-1', 1],
])('a booking in the ledger of another run: %s', async (_what, cells, sent) => {
  const row = cells.startsWith(',') ? cells : `X-1,${cells}`
  const bench = merchant(`${ledger(own).split('\n')[0]}\n${row}\n`, {playerRef: 'p-9'})
  bench.rename('first.csv')
  await bench.run('first')
  bench.rewrite(ledger(own))
  bench.rename('ledger.csv')
  const {report} = await bench.run('second')
  expect(resent(bench)).toBe(sent)
  const why = report.findings.find(({orderNo}) => orderNo === 'D-9')?.explanation ?? ''
  if (sent === 0)
    expect(why).toContain(
      `in the ledger of run first, line 2 (${row.startsWith(',') ? 'no number) cannot be read' : '"X-1") is completed with 120.00 for its player'} and may be this order.`,
    )
  expect(inBangla(why)).not.toMatch(/completed|its player|may be/)
})

test.each([
  ['also gave 500 for p-9', 0],
  ['500 of his stuck order given too', 0],
  ['prev pending added here', 0],
  ['ager 500 o diye disi', 0],
  ['callback asheni, hate disi', 0],
  ['+5000 manual', 0],
  ['both deposits given', 0],
  ['agerta o dilam', 0],
  ['2 ta eksathe add korsi', 0],
  ['whatsapp e msg dise', 1],
  ['1.5k diye disi', 0],
  ['900 given', 0],
  ['manual review', 1],
  ['not booked by hand', 1],
  ['500 given', 1],
  ['আগেরটা সহ দেওয়া হয়েছে', 0],
  ['asked about his pending order', 1],
  ['credited by karim', 1],
  ['also VIP', 1],
  ['added by bonus', 1],
])('a remark beside another booked row of the player: %s', async (remark, sent) => {
  const [header = '', ...rows] = ledger((orderNo) =>
    orderNo === 'D-3' ? 'user-9' : orderNo.replace('D', 'user'),
  )
    .trim()
    .split('\n')
  const lines = rows.map((row) => `${row},${row.startsWith('D-3') ? remark : ''}`)
  const bench = merchant([`${header},Remarks`, ...lines, ''].join('\n'), {playerRef: 'p-9'})
  const {report} = await bench.run('first')
  expect(resent(bench)).toBe(sent)
  const why = report.findings.find(({orderNo}) => orderNo === 'D-9')?.explanation ?? ''
  if (sent === 0) {
    expect(why).toContain('speaks, beside another row of its player, of more than that row.')
    expect(inBangla(why)).not.toMatch(/speaks|beside/)
  }
})

test.each([
  ['mim53 done', 0],
  ['same for mim53', 0],
  ['jahid75 done', 1],
])(
  'players whose numbers are names of their own, and a remark of one without a row: %s',
  async (remark, sent) => {
    const rows = [
      'D-1,500.00,2026-11-20T09:00:00Z,jahid57,',
      `D-2,500.00,2026-11-20T12:00:00Z,nipa50,${remark}`,
    ]
    const bench = merchant(['order_no,amount,created_at,Username,Remarks', ...rows, ''].join('\n'), {
      playerRef: 'mim53',
    })
    withoutPlayers(bench)
    await bench.run('first')
    expect(resent(bench)).toBe(sent)
  },
)

/** A ledger of credits: the lost order D-9 has no row, and only its webhook says that user-57 paid it. */
test.each<[what: string, remark: string, below: string, sent: number]>([
  ['nearly his amount', '', 'user-57 490 given', 0],
  ['another amount', '', 'User-57 47 given', 0],
  ['no amount', '', 'done: user-57', 0],
  ['another player', '', 'user-3 490 given', 1],
  ['another number', '', 'user-577 490 given', 1],
  ['nobody', '', 'Total of the day', 1],
  ['a remark beside his other row', 'user-57,prev 500 also given', '', 0],
  ['a remark of his other row alone', 'user-57,credited', '', 1],
  ["a remark beside another player's row", 'user-5,prev 500 also given', '', 1],
])('a ledger of credits names the player of a lost order, %s', async (_what, remark, below, sent) => {
  const all = [
    'order_no,amount,created_at,player_ref,Remarks',
    ...['D-1', 'D-3'].map((no) => `${no},500.00,2026-11-20T09:00:00Z,${no.replace('D', 'user')},`),
    ...(remark === '' ? [] : [`D-4,500.00,2026-11-20T09:20:00Z,${remark}`]),
    'D-2,500.00,2026-11-20T12:00:00Z,user-2,',
    ...(below === '' ? [] : ['', below]),
  ]
  const bench = merchant(`${all.join('\n')}\n`, {playerRef: 'user-57'})
  withoutPlayers(bench)
  const order = bench.client.orders.get('deposit\0D-1') as ServiceOrder
  bench.client.orders.set('deposit\0D-4', {...order, orderNo: 'D-4', platformOrderNo: 'platform-4'})
  const {report} = await bench.run('first')
  expect(resent(bench)).toBe(sent)
  const why = report.findings.find(({orderNo}) => orderNo === 'D-9')?.explanation ?? ''
  if (sent === 0)
    expect(why).toMatch(
      /names its player|its player and its amount|another row of its player|tells of a booking/,
    )
  // The webhook is read once for its player.
  const asked = bench.client.log.filter((call) => call.startsWith('get ')).length
  expect(asked).toBeLessThan(4)
})

/** A ledger of credits with names and telephones: user-57, Rahim Uddin, has another row, user-58 has none. */
test.each<[what: string, remark: string, more: readonly string[], sent: number]>([
  ['his number', 'user-57 700 booked by hand', [], 0],
  ['his number, in romanised Bangla', 'user-57 er 700 taka hate diye disi', [], 0],
  ['his number, in Bangla', 'user-57 কে ৭০০ টাকা হাতে দেওয়া হয়েছে', [], 0],
  ['his number without an amount', 'user-57 booked by hand', [], 0],
  ['his number and a bonus', 'user-57 770 booked by hand', [], 0],
  ['his number, given', 'also user-57 700 given', [], 0],
  ['his name', 'Karim: gave Rahim Uddin 700 too', [], 0],
  ['his telephone', '01711000057 690 given', [], 0],
  ['an amount that is not its own', 'Habib Uddin - 700 booked by hand', [], 0],
  ['his number and amount, in words that say nothing', 'user-57 700 adjust korsi', [], 0],
  ['his number and amount alone', 'user-57 700', [], 0],
  ['his number and another amount, in such words', 'user-57 650 adjust korsi', [], 0],
  ['his number, in words of their own', 'user-57 er ta hoye gese', [], 0],
  ['his number and a bonus beside the amount', 'user-57 770 given with 10% bonus', [], 0],
  ['his number and two parts', '350+350 given user-57', [], 0],
  ['his number, and a friend', 'friend of user-57, called', [], 1],
  ['his number behind a bonus of the row', 'bonus claim; user-57 ke o dewa hoise', [], 0],
  ['his number behind another bonus of the row', 'reload bonus, also gave user-57', [], 0],
  ['his number, and the same', 'same for user-57', [], 0],
  ['his number behind the same', 'user-57 same', [], 0],
  ['a word of his name and his amount', 'Rahim er 700 add korsi', [], 0],
  ['a word of his name and his amount updated', 'rahim bhai er 700 balance update korsi', [], 0],
  ['a word of his name and another amount', 'Rahim er 400 add korsi', [], 1],
  ['his telephone below the table', '', ['', '01711000057 - 700'], 0],
  ['his telephone with a hyphen, alone', '01711-000057', [], 0],
  ['his telephone as a spreadsheet leaves it', '1711000057 done', [], 0],
  ["another's telephone", '01711000053 - 700 given', [], 1],
  ['his whole name, and no word', 'Rahim Uddin er tao', [], 0],
  ['an agent of his whole name', 'via agent Rahim Uddin', [], 1],
  ['a name that nobody has, his amount and a hand', 'Yasin 700 manual', [], 0],
  ['a telephone that nobody has, and his amount', '01381145249 700 er ta', [], 0],
  ['the end of a telephone, and his amount', 'last 4 digit 2067, 700 add', [], 0],
  ['a gift of his amount', 'VIP gift 700 dise', [], 1],
  ['a withdrawal of his amount', 'withdraw 700 dise', [], 1],
  ['a bonus of his amount, given', 'bonus given 700', [], 1],
  ['a list beside the table', ',user-57,700', [], 0],
  ['a list beside the table, by telephone', ',01711000057,700', [], 0],
  ['a list beside the table, of another player', ',user-3,700', [], 1],
  ['his telephone in place of a number', '', ['', '01711000057,700,bKash,,,,'], 0],
  ['what was sent to him', 'sent 100 to user-57 from backoffice', [], 0],
  ['his name and amount in one word', 'gave RahimUddin700', [], 0],
  ['a bonus for whom he brought', 'referral bonus for user-57 given', [], 1],
  ['his number and thousands', 'user-57 0.7k dilam', [], 0],
  ['another amount, given to him', 'user-57 50 given', [], 0],
  ['another player', 'user-3 700 booked by hand', [], 1],
  ['another player by name', 'Mina Begum 700 booked by hand', [], 1],
  ['nearly the amount, of nobody', '690 booked by hand', [], 1],
  ["the row's own amount", '500 booked by hand', [], 1],
  ['a bonus of the amount', 'bonus 700 given', [], 1],
  ['what is not given', 'user-57 700 not booked yet', [], 1],
  ['a review', 'manual review, 700', [], 1],
  ['his number, and no word', 'same device as user-57', [], 1],
  ['text beside the table', ',user-57 700 booked by hand', [], 0],
  ['an amount beside the table', ',Habib - 700 given', [], 0],
  ['his number and amount beside the table', ',user-57 700', [], 0],
  ['his name and amount below the table', '', ['', 'Rahim Uddin 700 given,,,,,,'], 0],
  ["another's name and amount below the table", '', ['', 'Mina Begum 700 given,,,,,,'], 1],
  ['his name above the table', '', ['^Rahim Uddin 700.00 given'], 0],
  ["another's name above the table", '', ['^Mina Begum 700.00 given'], 1],
  ['a row with his name alone', '', ['MAN-1,770.00,2026-11-20T11:00:00Z,,Rahim Uddin,,'], 0],
  ['a row with his telephone alone', '', ['MAN-1,770.00,2026-11-20T11:00:00Z,,,01711000057,'], 0],
  ['his telephone in place of his number', '', ['MAN-1,770.00,2026-11-20T11:00:00Z,01711000057,,,'], 0],
  ["a row with another's name", '', ['MAN-1,770.00,2026-11-20T11:00:00Z,,Mina Begum,,'], 1],
  [
    "a row with his name and another's number",
    '',
    ['MAN-1,770.00,2026-11-20T11:00:00Z,user-3,Rahim Uddin,,'],
    1,
  ],
])('a remark beside another row, or a row, has %s', async (_what, remark, more, sent) => {
  const row = (no: string, name: string, said: string) =>
    `${no},500.00,2026-11-20T09:00:00Z,${no === 'D-4' ? 'user-57' : no.replace('D', 'user')},${name},0171100005${no === 'D-4' ? 7 : no.slice(-1)},${said}`
  const all = [
    ...more.filter((line) => line.startsWith('^')).map((line) => line.slice(1)),
    'order_no,amount,created_at,player_ref,Full name,Mobile,Remarks',
    ...[row('D-1', 'Jui Khan', remark), row('D-3', 'Mina Begum', ''), row('D-4', 'Rahim Uddin', '')],
    ...more.filter((line) => line.startsWith('MAN')),
    'D-2,500.00,2026-11-20T12:00:00Z,user-2,Babu Ali,01711000052,',
    ...more.filter((line) => !/^(?:MAN|\^)/.test(line)),
  ]
  const bench = merchant(`${all.join('\n')}\n`, {playerRef: 'user-57', amount: '700.00'})
  withoutPlayers(bench)
  const order = bench.client.orders.get('deposit\0D-1') as ServiceOrder
  bench.client.orders.set('deposit\0D-4', {...order, orderNo: 'D-4', platformOrderNo: 'platform-4'})
  const lost = bench.client.orders.get('deposit\0D-9') as ServiceOrder
  bench.client.orders.set('deposit\0D-9', {...lost, amount: 70_000n})
  const {report} = await bench.run('first')
  const why = report.findings.find(({orderNo}) => orderNo === 'D-9')?.explanation ?? ''
  expect(resent(bench), why).toBe(sent)
  if (sent === 0) expect(inBangla(why)).not.toMatch(/beside|booking that|is booked/)
})

/** D-9, of user-109, and D-3, of user-103, are lost and have no row; the ledger has user-109 as Jahid Hasan, and user-101 as Mina Begum. */
test.each<[lines: readonly string[], resent: readonly string[], refOfOther?: string]>([
  [['user-109 ke 200 add kora hoise'], ['D-3']],
  [['USER109 er 500 tk dewa hoise - Rony'], ['D-3']],
  [['Jahid Hasan 500 hate dewa'], ['D-3']],
  [['01711000059 er 500 tk dewa hoise'], ['D-3']],
  [['Jahid Hasan (user-109) 1.5k credited from BO'], ['D-3']],
  [['user-103 ke 500 credited by hand'], ['D-9']],
  [['Mina Begum 500 hate dewa'], ['D-3', 'D-9']],
  [['Jahid Hasan 500 hate dewa', 'Exported by Karim'], ['D-3']],
  [['Jahid Hasan 500 hate dewa', 'user-103 ke 500 hate dewa'], []],
  [['Jahid Hasan 500 hate dewa', 'Rashed Ali 500 hate dewa'], []],
  [['Jahid Hasan 500 hate dewa', 'Rashed Ali 500'], []],
  [['user-109 ke 200 ar sobaike 500 add kora hoise'], []],
  [['user-109 and others 200 credited by hand'], []],
  [['user-109 soho baki gula 500 add kora hoise'], []],
  [['user-109 ar Rashed ke 500 dewa hoise'], []],
  [['user-109 500, user-101 300 hate dewa'], []],
  [['user-109 ke dewa hoise'], []],
  [['Rashed Ali 500 hate dewa'], []],
  [['PLX77 ke 200 add kora hoise'], []],
  // Usual footers, which say nothing of bookings: only their figures and names count.
  [['Nagad 500'], []],
  [['Approved by: Rafi 500'], []],
  [['500 taka'], []],
  [['Nagad 750'], ['D-3', 'D-9']],
  [['Nagad 50'], ['D-3', 'D-9']],
  [['Wallet: user-109'], ['D-3']],
  [['bKash 0059'], ['D-3']],
  [['bKash 01711-000059'], ['D-3']],
  [['bKash +880 1711 000059'], ['D-3']],
  [['Printed by: Jahid Hasan'], ['D-3', 'D-9']],
  [['Report of 2026'], ['D-3', 'D-9']],
  // The service has D-3's player by a number unlike those of the ledger: it may be any of its players.
  [['Mina Begum 500 hate dewa'], ['D-9'], 'X-77-B'],
])('below the table stands %j: %j are resent', async (lines, sent, refOfOther = 'user-103') => {
  const userOf = (no: string) => no.replace('D-', 'user-10')
  const row = (no: string, name: string) =>
    `${no},500.00,2026-11-20T${no === 'D-2' ? 12 : '09'}:00:00Z,${no === 'D-4' ? 'user-109' : userOf(no)},${name},0171100005${no === 'D-4' ? 9 : no.slice(-1)}`
  const all = [
    'order_no,amount,created_at,player_ref,Full name,Mobile',
    ...[
      row('D-1', 'Mina Begum'),
      row('D-4', 'Jahid Hasan'),
      row('D-2', 'Babu Ali'),
      '',
      ...lines.map((line) => `"${line}"`),
    ],
  ]
  for (const isEchoed of [true, false]) {
    const bench = merchant(`${all.join('\n')}\n`, {playerRef: 'user-109'})
    bench.addRecord({orderNo: 'D-3', createdAt: '2026-11-20T09:05:00Z'})
    const id = [...bench.client.records.keys()].at(-1) ?? ''
    bench.client.payloads.set(id, {orderNo: 'D-3', amount: '500.00', playerRef: refOfOther})
    const order = bench.client.orders.get('deposit\0D-1') as ServiceOrder
    bench.client.orders.set('deposit\0D-4', {
      ...order,
      orderNo: 'D-4',
      platformOrderNo: 'platform-4',
      playerRef: 'user-109',
    })
    for (const [key, one] of bench.client.orders)
      if (key !== 'deposit\0D-4')
        bench.client.orders.set(key, {
          ...(one as ServiceOrder),
          playerRef: key.endsWith('D-3') ? refOfOther : userOf((one as ServiceOrder).orderNo),
        })
    if (!isEchoed) withoutPlayers(bench)
    const {report} = await bench.run('first')
    const resent = bench.client.log
      .filter((call) => call.startsWith('resend '))
      .map((call) => bench.client.records.get(call.slice(7))?.merchantOrderId)
    expect(resent.toSorted(), report.findings.map((one) => one.explanation).join('\n')).toEqual(sent)
  }
})

test('a row is known by a telephone where the column of players has names, and another one their numbers', async () => {
  const rows = ['D-1', 'D-3', 'D-4'].map(
    (no, nth) =>
      `${no},500.00,2026-11-20T09:00:00Z,Rahim ${'ABC'[nth]},user-5${nth + 5},0171100005${nth + 5}`,
  )
  const all = [
    'order_no,amount,created_at,player_ref,User,Mobile',
    ...rows,
    'MAN-1,770.00,2026-11-20T11:00:00Z,,,01711000057',
    'D-2,500.00,2026-11-20T12:00:00Z,Babu Ali,user-2,01711000052',
  ]
  const bench = merchant(`${all.join('\n')}\n`, {playerRef: 'user-57'})
  withoutPlayers(bench)
  const order = bench.client.orders.get('deposit\0D-1') as ServiceOrder
  bench.client.orders.set('deposit\0D-4', {...order, orderNo: 'D-4', platformOrderNo: 'platform-4'})
  await bench.run('first')
  expect(resent(bench)).toBe(0)
})

test('a remark that many rows have in the same words holds nothing', async () => {
  const numbers = Array.from({length: 8}, (_, nth) => `D-${nth + 10}`)
  const rows = numbers.map((no, nth) => `${no},300.00,2026-11-20T09:00:00Z,user-${nth},700 credited by hand`)
  const all = [
    'order_no,amount,created_at,player_ref,Remarks',
    ...rows,
    'D-2,500.00,2026-11-20T12:00:00Z,user-2,',
  ]
  const bench = merchant(`${all.join('\n')}\n`, {playerRef: 'user-57', amount: '700.00'})
  withoutPlayers(bench)
  for (const [nth, orderNo] of [...numbers, 'D-9'].entries()) {
    const order = bench.client.orders.get('deposit\0D-9') as ServiceOrder
    const amount = orderNo === 'D-9' ? 70_000n : 30_000n
    bench.client.orders.set(`deposit\0${orderNo}`, {
      ...order,
      orderNo,
      platformOrderNo: `many-${nth}`,
      amount,
    })
  }
  await bench.run('first')
  expect(resent(bench)).toBe(1)
})

test.each<[what: string, agreed: number, others: number, files: number, told: RegExp | null]>([
  [
    'one',
    3,
    1,
    1,
    /^booked for another player than the service has: line 2 \(D-1: u-1, the service has w-1\)\./,
  ],
  ['one of two files', 3, 1, 2, /: line 2 of a\.csv \(D-1: u-1, the service has w-1\)\./],
  ['as many as agree', 1, 1, 1, null],
  ['more than agree', 2, 3, 1, null],
  ['six', 7, 6, 1, /: line 2 \(D-1: .*, line 6 \(D-5: u-5, the service has w-5\) and 1 more\. Find out/],
])('rows that are booked for another player: %s', (_, agreed, others, files, told) => {
  const players = new Players()
  const row = (n: number): BookedRow => ({
    ...{kind: 'deposit', orderNo: `D-${n}`, line: n + 1, file: 0, status: 'completed', amount: 1n},
  })
  for (let n = 1; n <= others; n++)
    players.see({...row(n), playerRef: `u-${n}`}, order({orderNo: `D-${n}`, playerRef: `w-${n}`}))
  for (let n = 100; n < 100 + agreed; n++)
    players.see({...row(n), playerRef: `U-${n}`}, order({orderNo: `D-${n}`, playerRef: `u-${n}`}))
  const why = players.whyBookedForOther([{path: 'a.csv'}, {path: 'b.csv'}].slice(0, files))
  if (told === null) expect(why).toBeNull()
  else expect(why).toMatch(told)
  expect(players.whyOther({kind: 'deposit', orderNo: 'D-1'}) === null).toBe(told === null)
  expect(players.whyOther({kind: 'payout', orderNo: 'D-1'})).toBeNull()
  expect(players.whyOther({kind: 'deposit', orderNo: 'D-100'})).toBeNull()
})
