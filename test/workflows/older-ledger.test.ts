import {describe, expect, test} from 'vitest'

import {defaultDialect} from '../../src/core/dialect.ts'
import type {Failure} from '../../src/core/failure.ts'
import type {Delivery, ServiceOrder} from '../../src/core/order.ts'
import type {ReconcileOptions, RunRequest} from '../../src/workflows/reconcile/types.ts'
import {reconciledBy} from '../../src/workflows/resend/seen.ts'
import {hourMs, order} from '../core/reconcile/sample.ts'
import {failure} from './fake-client.ts'
import {ScenarioBench} from './scenario-run.ts'

/** A ledger of orders: HAND is paid, its webhook failed for good, and a clerk booked it after the first export. */
const ledger = (status: string, amount = '500.00') =>
  `order_no,status,amount,created_at\nHAND,${status},${amount},2026-11-20T09:00:00Z\n`

function merchant(): ScenarioBench {
  return new ScenarioBench({
    path: 'older ledger',
    sections: new Map([
      ['ledger.csv', ledger('pending')],
      ['service.json', JSON.stringify([{orderNo: 'HAND'}])],
      ['deliveries.json', JSON.stringify([{orderNo: 'HAND'}])],
      ['options.json', JSON.stringify({yes: true})],
    ]),
  })
}

/** What the merchant's server got, by the service's own log. */
const resends = ({client}: ScenarioBench) => client.log.filter((call) => call.startsWith('resend ')).length

test.each<[what: string, again: (bench: ScenarioBench, nth: number) => ReturnType<ScenarioBench['run']>]>([
  ['given again', (bench, nth) => bench.run(`again-${nth}`)],
  ['given again, with --skip-final', (bench, nth) => bench.run(`again-${nth}`, {}, {skipFinal: true})],
  ['as a run that is resumed', (bench) => bench.run('v1', {resume: true})],
])('what a newer ledger showed as booked, an older one does not resend: %s', async (_what, again) => {
  const bench = merchant()
  await bench.run('v1', {dryRun: true})
  bench.rewrite(ledger('completed'))
  expect((await bench.run('v2')).status).toBe(0)
  bench.rewrite(ledger('pending'))
  for (const nth of [1, 2]) {
    bench.clock.ms += hourMs
    const {report, status} = await again(bench, nth)
    expect(report.findings).toMatchObject([
      {
        ...{verdict: 'missing_completion', cause: 'delivery_exhausted', action: 'review'},
        explanation: expect.stringContaining('run v2 found it booked'),
      },
    ])
    expect([resends(bench), status]).toEqual([0, 7])
    expect(await bench.journal.findFinalOrders('deposit', ['HAND'])).toMatchObject([{isTakenBack: false}])
  }
  bench.rewrite(ledger('completed'))
  expect((await bench.run('v3')).status).toBe(0)
})

/** The newer ledger has HAND booked by hand, and its run comes to another end than `matched`. */
type Newer = {
  readonly rows: string
  readonly answer?: ServiceOrder | Failure
  readonly options?: Partial<ReconcileOptions>
  readonly change?: Partial<RunRequest>
  readonly kind?: 'payout'
  readonly stopAt?: string
}
const row = (orderNo: string, amount = '500.00', status = 'completed') =>
  `${orderNo},${status},${amount},2026-11-20T09:00:00Z\n`
const lagging = (status: string): ServiceOrder => ({...paid, status: 'open', rawStatus: status})
const paid = order({orderNo: 'HAND', platformOrderNo: 'platform-HAND'})

test.each<[what: string, newer: Newer]>([
  ['no amount', {rows: row('HAND', '')}],
  ['no answer', {rows: row('HAND'), answer: failure('service_busy', 'HTTP 503')}],
  ['the service lags', {rows: row('HAND'), answer: lagging('processing')}],
  [
    'a word nobody knows',
    {rows: row('HAND'), answer: {...paid, status: 'unknown_status', rawStatus: 'SETTLED'}},
  ],
  ['the service stated no amount', {rows: row('HAND'), answer: {...paid, amount: null}}],
  ['the service stated another amount', {rows: row('HAND', '450.00'), answer: {...paid, amount: 450_00n}}],
  ['another amount', {rows: row('HAND', '450.00')}],
  ['twice', {rows: row('HAND') + row('HAND')}],
  ['a dry run of another amount', {rows: row('HAND', '450.00'), change: {dryRun: true}}],
  ['no delivery records read', {rows: row('HAND', '450.00'), options: {skipDeliveries: true}}],
  ['an amount nobody can read', {rows: row('HAND', '5oo')}],
  ['a damaged number', {rows: row('hand')}],
  ['a number that cannot be one', {rows: row(' HAND')}],
  ['a number beyond recognition', {rows: row('H_AND')}],
  ['no number', {rows: row('')}],
  ['no number and no status', {rows: row('', '500.00', '')}],
  ['a number that a spreadsheet shortened', {rows: row('1.2E+12')}],
  ['a number that is too long', {rows: row('BKASH-TRX-8F7G6H5J4K3L2M1N0P9Q8R7S6T5')}],
  ['a number that got no answer', {rows: row('X-9'), answer: failure('service_busy', 'HTTP 503')}],
  ['one field more', {rows: `${row('D-0')}${row('X-9').trim()},karim\n`}],
  ['a number and a status that nobody knows', {rows: row('X-9', '500.00', 'approved')}],
  ['a number that nobody knows and no status', {rows: row('X-9', '500.00', '')}],
  ['a word as its status', {rows: row('HAND', '500.00', 'refunded')}],
  ['no status', {rows: row('HAND', '500.00', '')}],
  ['a word as its amount', {rows: row('HAND', 'given', 'pending')}],
  ['a field too many', {rows: row('HAND,karim', '500.00', 'pending')}],
  ['a number that nobody knows and an amount nobody can read', {rows: row('X-9', '5oo')}],
  ['the number of the platform', {rows: row('platform-HAND', '490.00')}],
  ['read as payouts', {rows: row('HAND'), kind: 'payout'}],
  ['stopped before it was asked for', {rows: row('D-0') + row('HAND'), stopAt: 'query deposit D-0'}],
  ['killed as it read the list', {rows: row('HAND') + row('D-0', '80.00', 'pending'), stopAt: 'list page 1'}],
  [
    'killed as it read the list, another amount',
    {rows: row('HAND', '450.00') + row('D-0', '80.00', 'pending'), stopAt: 'list page 1'},
  ],
])('however the finding of the newer row ended: %s', async (_what, {rows, ...newer}) => {
  for (const how of ['given again', 'resumed', 'webhooks resend'] as const) {
    const bench = merchant()
    bench.client.orders.set('deposit\0D-0', {...paid, orderNo: 'D-0', platformOrderNo: 'platform-D-0'})
    await bench.run('v1', {dryRun: true})
    await readNewer(bench, rows, newer)
    bench.rewrite(ledger('pending'))
    bench.clock.ms += hourMs
    if (how === 'webhooks resend') {
      // What the fold of a number does not tell, only a ledger's amounts do.
      if (!/(?<!H_|x)HAND/i.test(rows)) continue
      expect(await whyHeld(bench)).toMatchObject({
        why: expect.stringMatching(/[Rr]un v2/),
      })
      continue
    }
    const {report, status} = await bench.run(how === 'resumed' ? 'v1' : 'again', {resume: how === 'resumed'})
    expect([how, resends(bench), status]).toEqual([how, 0, 7])
    expect(report.findings.find(({line}) => line !== null)).toMatchObject({
      ...{action: 'review', explanation: expect.stringMatching(/[Rr]un v2/)},
    })
  }
})

async function readNewer(bench: ScenarioBench, rows: string, newer: Omit<Newer, 'rows'>): Promise<void> {
  const {client} = bench
  bench.rewrite(`order_no,status,amount,created_at\n${rows}`)
  if (newer.answer) client.orders.set(`deposit\0${rows.includes('X-9') ? 'X-9' : 'HAND'}`, newer.answer)
  if (newer.kind) Object.assign(bench.options, {kind: newer.kind})
  client.before = (call) => {
    if (call !== newer.stopAt) return
    if (call.startsWith('list')) throw new Error('killed')
    bench.stop.abort()
  }
  await bench.run('v2', newer.change, newer.options).catch((error) => {
    if (!newer.stopAt?.startsWith('list')) throw error
  })
  Object.assign(bench, {stop: new AbortController()})
  client.before = () => {}
  client.orders.set('deposit\0HAND', paid)
  client.orders.delete('deposit\0X-9')
  Object.assign(bench.options, {kind: null})
}

test.each([
  ['a damaged row that is not completed', row('HAND', '"500,0"', 'pending')],
  ['a row that failed', row('hand', '500.00', 'failed')],
  ['a row of another order, explained', row('D-0')],
  ['a row of another order, with a status that nobody knows', row('D-0', '500.00', 'approved')],
  ['a row without a number, not completed', row('', '500.00', 'pending')],
  ['a row without a number, of another amount', row('', '80.00')],
  ['a row without a number, that this ledger has too', row('HAND', '500.00', 'pending') + row('', '490.00')],
  ['headings', `${row('D-0')}All of the morning\n--- morning ---,,,\n`],
  ['a row that nothing explains, of another amount', row('X-9', '80.00')],
  [
    'a row that nothing explains, and that this ledger has too',
    row('HAND', '500.00', 'pending') + row('X-9', '490.00'),
  ],
])('another run’s ledger holds nothing back by %s', async (what, rows) => {
  const bench = merchant()
  bench.client.orders.set('deposit\0D-0', {...paid, orderNo: 'D-0', platformOrderNo: 'platform-D-0'})
  await readNewer(bench, rows, {change: {dryRun: true}})
  const too = row(what.includes('number') ? '' : 'X-9', '490.00')
  bench.rewrite(ledger('pending') + (what.includes('too') ? too : ''))
  await bench.run('again')
  expect(resends(bench)).toBe(1)
})

/** `webhooks resend`, which reads no ledger. */
async function whyHeld(bench: ScenarioBench) {
  const reading = {dialect: defaultDialect, nowMs: bench.clock.ms, timeZone: 'UTC'}
  const [record] = bench.client.records.values()
  return record && (await (await reconciledBy(bench.journal, reading, [record]))(record))
}

const remark = (word: string) =>
  `order_no,status,amount,created_at,remarks\n${row('HAND', '500.00', 'pending').trim()},${word}\n`

test('words in a ledger that a dry run read hold a resend back, though a later ledger has its row without them', async () => {
  const bench = merchant()
  bench.rewrite(remark('booked by hand'))
  await bench.run('v1', {dryRun: true})
  expect(await whyHeld(bench)).toMatchObject({
    why: expect.stringContaining('Words in the ledger of run v1 of reconcile may say that it is booked.'),
  })
  bench.clock.ms += hourMs
  bench.rewrite(remark(''))
  await bench.run('v2')
  expect(resends(bench)).toBe(0)
  bench.clock.ms += hourMs
  bench.client.orders.set('deposit\0D-0', {...paid, orderNo: 'D-0', platformOrderNo: 'platform-D-0'})
  const laterRow = row('D-0').replace('2026-11-20T09:00:00Z', new Date(bench.clock.ms).toISOString())
  bench.rewrite(`${remark('')}${laterRow.trim()},\n`)
  await bench.run('v3')
  expect(resends(bench)).toBe(0)
})

test.each<[what: string, answer: ServiceOrder | Failure | null]>([
  ['says that it is still open', lagging('processing')],
  ['does not know it', null],
  ['gives no answer', failure('service_busy', 'HTTP 503')],
  ['says a status that nobody knows', {...paid, status: 'unknown_status', rawStatus: 'settling'}],
])('words in its own row hold it also if the service %s first', async (_what, answer) => {
  const bench = merchant()
  bench.rewrite(remark('player got it'))
  if (answer === null) bench.client.orders.delete('deposit\0HAND')
  else bench.client.orders.set('deposit\0HAND', answer)
  await bench.run('v1')
  bench.client.orders.set('deposit\0HAND', paid)
  expect(await whyHeld(bench)).toMatchObject({why: expect.stringContaining('may say that it is booked')})
  bench.clock.ms += hourMs
  bench.rewrite(ledger('pending'))
  await bench.run('v2')
  expect(resends(bench)).toBe(0)
})

test('words of an order that is still open, and of no booking, hold nothing once it is paid', async () => {
  const bench = merchant()
  bench.rewrite(remark('waiting'))
  bench.client.orders.set('deposit\0HAND', lagging('processing'))
  await bench.run('v1')
  bench.client.orders.set('deposit\0HAND', paid)
  bench.clock.ms += hourMs
  bench.rewrite(ledger('pending'))
  await bench.run('v2')
  expect(resends(bench)).toBe(1)
})

test.each<[what: string, ledger: string]>([
  ['in its row', remark('booked by hand')],
  ['below the rows', `${remark('')}booked by hand: HAND,,,,\n`],
  ['as a sentence below the rows', `${remark('')}All of the outage booked by hand,,,,\n`],
])(
  'words %s of a newer export hold what an older one planned, given again or resumed',
  async (_what, newer) => {
    const bench = merchant()
    bench.rewrite(remark(''))
    await bench.run('v1', {dryRun: true})
    bench.rewrite(newer)
    bench.clock.ms += hourMs
    await bench.run('v2')
    bench.rewrite(remark(''))
    bench.clock.ms += hourMs
    await bench.run('v1', {resume: true})
    await bench.run('v3')
    expect(resends(bench)).toBe(0)
  },
)

test.each(['as it was', 'copied, so that it looks new'])(
  'words in a shorter list hold what the whole older file says, %s',
  async (what) => {
    const bench = merchant()
    const whole = `${remark('')}${row('D-0').trim().replace('09:00', '09:30')},\n`
    bench.client.orders.set('deposit\0D-0', {...paid, orderNo: 'D-0', platformOrderNo: 'platform-D-0'})
    bench.rewrite(whole)
    await bench.run('v1', {dryRun: true})
    bench.clock.ms += hourMs
    bench.rewrite(remark('booked by hand'))
    await bench.run('v2')
    bench.clock.ms += hourMs
    bench.rewrite(whole, bench.clock.ms - (what === 'as it was' ? 2 * hourMs : 0))
    await bench.run('v1', {resume: true})
    await bench.run('v3')
    bench.addLedger(`order_no,status,amount,created_at\n${row('D-0').replace('-20T', '-21T')}`)
    await bench.run('v4')
    expect(resends(bench)).toBe(0)
  },
)

test('words of an earlier run over the same file are read again there', async () => {
  const bench = merchant()
  bench.rewrite(remark('ticket 441'))
  expect((await bench.run('v1')).status).toBe(7)
  await bench.run('v2', {}, {ignoredColumns: ['remarks']})
  expect(resends(bench)).toBe(1)
})

test('words in the ledger of another day are not forgotten by the next run over its own', async () => {
  const bench = merchant()
  bench.client.orders.set('deposit\0D-0', {...paid, orderNo: 'D-0', platformOrderNo: 'platform-D-0'})
  const nextRetryAt = new Date(bench.clock.ms + hourMs).toISOString()
  for (const [id, record] of bench.client.records) bench.client.records.set(id, {...record, nextRetryAt})
  await bench.run('day 1')
  bench.rewrite(`order_no,status,amount,created_at\n${row('D-0')}booked by hand: HAND,,,\n`)
  bench.clock.ms += 2 * hourMs
  await bench.run('day 2')
  bench.rewrite(ledger('pending'))
  for (const [id, record] of bench.client.records)
    bench.client.records.set(id, {...record, nextRetryAt: null})
  const {report} = await bench.run('day 1 again')
  expect([resends(bench), report.findings[0]?.action]).toEqual([0, 'review'])
  expect(report.findings[0]?.explanation).toContain(
    'words in the ledger of run day 2 may say that it is booked',
  )
  expect(await whyHeld(bench)).not.toBeNull()
})

test.each(['order.refunded', 'order.paid'])(
  'an order with a taken webhook %s is not resent',
  async (event) => {
    const bench = merchant()
    bench.addRecord({orderNo: 'HAND', event, status: 'success', attempts: 1})
    const {report, status} = await bench.run('v1')
    expect([resends(bench), status]).toEqual([0, 7])
    expect(report.findings[0]?.explanation).toContain(`Not resent. It has a record of ${event}.`)
  },
)

const isoOf = (ms: number) => new Date(ms).toISOString()

test.each<[what: string, record: (nowMs: number) => Partial<Delivery>, why: string | null]>([
  ['will be retried', (ms) => ({nextRetryAt: isoOf(ms + hourMs)}), 'is still sending another'],
  ['was due for its retry', (ms) => ({nextRetryAt: isoOf(ms - 10_000)}), 'is still sending another'],
  [
    'was sent a minute ago',
    (ms) => ({status: 'pending', sentAt: isoOf(ms - 60_000)}),
    'is still sending another',
  ],
  ['was taken an hour ago', (ms) => ({status: 'success', sentAt: isoOf(ms - hourMs)}), 'took another record'],
  ['was sent yesterday', () => ({status: 'pending', sentAt: '2026-11-19T17:00:00Z'}), null],
  [
    'was taken an hour ago by another name',
    (ms) => ({event: 'orderCompleted', status: 'success', sentAt: isoOf(ms - hourMs)}),
    'took another record',
  ],
  [
    'was taken before the last row by another name',
    () => ({event: 'orderCompleted', status: 'success', sentAt: '2026-11-19T17:00:00Z'}),
    null,
  ],
  ['was taken before the last row', () => ({status: 'success', sentAt: '2026-11-19T17:00:00Z'}), null],
])('an order with an older record that %s', async (_, record, why) => {
  const bench = merchant()
  bench.addRecord({orderNo: 'HAND', createdAt: '2026-11-19T17:00:00Z', ...record(bench.clock.ms)})
  const {report, status} = await bench.run('v1')
  expect([resends(bench), status === 7]).toEqual(why === null ? [1, false] : [0, true])
  if (why !== null) expect(report.findings[0]?.explanation).toContain(why)
})

/** A record that the service made for an order an hour after its completion. */
const hourAfter = {createdAt: '2026-11-20T11:00:00Z', status: 'success', attempts: 1} as const

test.each(['order.complete', 'order.completed.v2', 'payment.callback', 'deposit', 'order.adjusted'])(
  'an order with a later taken webhook %s is not resent, for nobody knows what it said',
  async (event) => {
    const bench = merchant()
    bench.addRecord({orderNo: 'HAND', event, ...hourAfter})
    const {report, status} = await bench.run('v1')
    expect([resends(bench), status]).toEqual([0, 7])
    expect(report.findings[0]?.explanation).toContain(`Not resent. It has a record of ${event}.`)
    expect(await whyHeld(bench)).not.toBeNull()
  },
)

test('an event that delivered orders have as well says nothing', async () => {
  const bench = merchant()
  const others = ['D-1', 'D-2', 'D-3']
  for (const orderNo of others) {
    bench.client.orders.set(`deposit\0${orderNo}`, {...paid, orderNo, platformOrderNo: `platform-${orderNo}`})
    bench.addRecord({orderNo, status: 'success', attempts: 1})
  }
  for (const orderNo of ['HAND', ...others]) bench.addRecord({orderNo, event: 'order.settled', ...hourAfter})
  bench.rewrite(ledger('pending') + others.map((orderNo) => row(orderNo)).join(''))
  await bench.run('v1')
  expect(resends(bench)).toBe(1)
})

test('records without an order_id of their own are not resent', async () => {
  for (const orderId of ['', 'shared']) {
    const bench = merchant()
    for (const [id, record] of bench.client.records) bench.client.records.set(id, {...record, orderId})
    bench.addRecord({orderNo: 'D-9', orderId})
    const {report, status} = await bench.run('v1')
    expect([resends(bench), status]).toEqual([0, 7])
    expect(report.findings[0]?.explanation).toMatch(
      /Not resent\. Its (delivery record has no|order_id is also)/,
    )
  }
})

test.each(['hand', ' HAND', 'ＨＡＮＤ'])(
  'a taken webhook of "%s" and of no known order may be its own: not resent',
  async (orderNo) => {
    const bench = merchant()
    bench.addRecord({orderNo, orderId: 'foreign', status: 'success', attempts: 1})
    const {report, status} = await bench.run('v1')
    expect([resends(bench), status]).toEqual([0, 7])
    expect(report.findings[0]?.explanation).toContain('was taken by your server and may be of this order')
  },
)

test('what no run saw booked is resent', async () => {
  const bench = merchant()
  await bench.run('v1', {dryRun: true})
  await bench.run('v1-again')
  expect(resends(bench)).toBe(1)
})

test('another order under the number was not booked', async () => {
  const bench = merchant()
  bench.rewrite(ledger('completed'))
  await bench.run('v2')
  const known = bench.client.orders.get('deposit\0HAND')
  if (!known || known instanceof Error) throw new Error('HAND is no order')
  bench.client.orders.set('deposit\0HAND', {...known, platformOrderNo: 'platform-other'})
  bench.addRecord({orderNo: 'HAND', orderId: 'platform-other'})
  bench.rewrite(ledger('pending'))
  await bench.run('v3')
  expect(resends(bench)).toBe(1)
})

/** Another row of the very ledger whose own row of HAND is open. */
test.each<[what: string, rows: string, sent: number]>([
  ['a damaged number', row('hand', '490.00'), 0],
  ['a number that cannot be one', row(' HAND'), 0],
  ['other text beside it', row('HAND manual', '490.00'), 0],
  ['other signs', row('#H-A-N-D', '490.00'), 0],
  ['the number of the platform', row('platform-HAND', '490.00'), 0],
  ['two orders in one row', row('HAND/D-0', '1000.00'), 0],
  ['its amount alone', row('X-9'), 0],
  ['nearly its amount alone', row('X-9', '490.00'), 1],
  ['a damaged number, not booked', row('hand', '490.00', 'pending'), 1],
])('what another row of the same ledger shows as booked is not resent: %s', async (_what, rows, sent) => {
  const bench = merchant()
  for (const id of ['v1', 'v2']) {
    bench.rewrite(ledger('pending') + rows)
    await bench.run(id, {dryRun: sent === 1 && id === 'v1'})
  }
  expect(resends(bench)).toBe(sent)
})

const credits = (rows: Readonly<Record<string, string>>) =>
  `order_no,amount,created_at\n${Object.entries(rows)
    .map(([orderNo, time]) => `${orderNo},500.00,2026-11-${time}:00Z\n`)
    .join('')}`
const older = {'A-1': '18T02:00', 'A-2': '18T20:00'}
const newer = {'B-1': '19T02:00', 'B-2': '19T20:00'}

/** LOST is in no row of the 18th; its webhook failed for good. */
function creditor(): ScenarioBench {
  const numbers = ['A-1', 'A-2', 'B-1', 'B-2', 'LOST']
  const bench = new ScenarioBench({
    path: 'a later ledger of credits',
    sections: new Map([
      ['ledger.csv', credits(older)],
      ['service.json', JSON.stringify(numbers.map((orderNo) => ({orderNo})))],
      ['deliveries.json', JSON.stringify([{orderNo: 'LOST', createdAt: '2026-11-18T09:00:00Z'}])],
      ['options.json', JSON.stringify({yes: true})],
    ]),
  })
  bench.clock.ms = Date.parse('2026-11-20T03:00:00Z')
  return bench
}

test.each([
  ['booked on the day after', {...newer, 'MANUAL-9': '19T12:00'}, 0],
  ['nothing unexplained on the day after', newer, 1],
])('an order that no row names, and a later ledger read before: %s', async (_what, later, sent) => {
  const bench = creditor()
  bench.rewrite(credits(later))
  await bench.run('later', {dryRun: true})
  bench.rewrite(credits(older))
  const {report} = await bench.run('older')
  expect(resends(bench)).toBe(sent)
  const held = {action: 'review', explanation: expect.stringContaining('line 4 ("MANUAL-9")')}
  expect(report.findings.find(({orderNo}) => orderNo === 'LOST')).toMatchObject(
    sent ? {resend: {state: 'delivered'}} : held,
  )
})

test('a row that was mended in the same ledger holds nothing back any more', async () => {
  const bench = creditor()
  bench.rewrite(credits({'A-1': '18T02:00', 'MANUAL-9': '18T12:00', 'A-2': '18T20:00'}))
  await bench.run('first')
  expect(resends(bench)).toBe(0)
  bench.rewrite(credits({'A-1': '18T02:00', 'B-1': '18T12:00', 'A-2': '18T20:00'}))
  await bench.run('mended')
  expect(resends(bench)).toBe(1)
})

const handMade = (...rows: readonly string[]) =>
  `order_no,amount,created_at,player_ref\nA-1,500.00,2026-11-18T02:00:00Z,pl-1\n${rows.map((cells) => `${cells}\n`).join('')}A-2,500.00,2026-11-18T20:00:00Z,pl-2\n`

/** What the first export has beside, and the new one of the same name in its place. */
const leftOut: readonly [what: string, first: readonly string[], then: readonly string[], sent: number][] = [
  ['its amount under a number of its own', ['MAN-1,500.00,2026-11-18T18:00:00Z,pl-7'], [], 0],
  ['no number', [',500.00,2026-11-18T18:00:00Z,pl-7'], [], 0],
  [
    'no number, and another such row is left',
    [',500.00,2026-11-18T18:00:00Z,pl-7'],
    [',500.00,2026-11-18T18:10:00Z,pl-8'],
    0,
  ],
  ['a bonus', ['MAN-1,550.00,2026-11-18T18:00:00Z,pl-7'], [], 0],
  ['parts', ['MAN-1,200.00,2026-11-18T18:00:00Z,pl-7', 'MAN-2,300.00,2026-11-18T18:01:00Z,pl-7'], [], 0],
  [
    'its number given to a row of another time',
    ['MAN-1,500.00,2026-11-18T18:00:00Z,pl-7'],
    ['MAN-1,80.00,2026-11-18T19:00:00Z,pl-9'],
    0,
  ],
  [
    'an order that was booked at its time before',
    ['MAN-1,500.00,2026-11-18T18:00:00Z,', 'B-1,500.00,2026-11-18T18:00:00Z,'],
    ['B-1,500.00,2026-11-18T18:00:00Z,'],
    0,
  ],
  [
    'the order of another player at its time',
    ['MAN-1,500.00,2026-11-18T18:00:00Z,pl-7'],
    ['B-1,500.00,2026-11-18T18:00:00Z,pl-8'],
    0,
  ],
  [
    'an order that the service does not know at its time',
    ['MAN-1,500.00,2026-11-18T18:00:00Z,pl-7'],
    ['MAN-2,500.00,2026-11-18T18:00:00Z,pl-7'],
    0,
  ],
  [
    'the number of its order',
    ['MAN-1,500.00,2026-11-18T18:00:00Z,pl-7'],
    ['B-1,500.00,2026-11-18T18:00:00Z,pl-7'],
    1,
  ],
]

describe.each(['run', 'dry run', 'run without the list'])(
  'a new export without the hand-made rows that a %s saw',
  (how) => {
    test.each(leftOut)('%s', async (_what, first, then, sent) => {
      const bench = creditor()
      for (const id of bench.client.records.keys())
        bench.client.payloads.set(id, {orderNo: 'LOST', amount: '500.00', playerRef: 'pl-7'})
      bench.rewrite(handMade(...first))
      bench.client.before = (call) => {
        if (how === 'run without the list' && call.startsWith('list'))
          throw failure('service_busy', 'HTTP 503')
      }
      await bench.run('first', {dryRun: how === 'dry run'}).catch(() => {})
      bench.client.before = () => {}
      bench.clock.ms += hourMs
      bench.rewrite(handMade(...then))
      const {report} = await bench.run('again')
      expect(resends(bench)).toBe(sent)
      if (sent === 0 && then.length === 0)
        expect(report.findings.find(({orderNo}) => orderNo === 'LOST')?.explanation).toMatch(
          /in the ledger of run first, line 3 .* This is a new export of that ledger without the row\..*hisab webhooks resend --order-no LOST --include-delivered/,
        )
    })
  },
)

test.each([
  ['2026-11-20 00:00', 0],
  ['2026-11-20', 0],
  ['2026-11-19 00:00', 1],
  ['2026-11-20 00:01', 1],
])('a booking by hand of the player, in the same file, dated %s', async (date, sent) => {
  const bench = merchant()
  bench.rewrite(
    `order_no,status,amount,created_at,player_ref\nHAND,pending,500.00,2026-11-20 15:00,pl-7\nMAN-1,completed,500.00,${date},pl-7\n`,
  )
  await bench.run('v1')
  expect(resends(bench)).toBe(sent)
})

const full = `${ledger('pending')}${row('D-0').replace('09:00', '11:00')}`
const manual = (time: string) =>
  `order_no,status,amount,created_at\nMAN-1,completed,500.00,2026-11-20T${time}:00Z\n`

test.each<[what: string, time: string, night: 'both' | 'alone' | 'daily', sent: number]>([
  ['beside the ledger in an earlier run', '10:30', 'both', 0],
  ['of its day, with that of the next day in the next night', '10:30', 'daily', 0],
  ['in a run of its own before', '10:30', 'alone', 0],
  ['in a run of its own before, booked before the order was made', '08:30', 'alone', 1],
])('a booking by hand in another file %s', async (_what, time, night, sent) => {
  const bench = merchant()
  bench.client.orders.set('deposit\0D-0', {...paid, orderNo: 'D-0', platformOrderNo: 'platform-D-0'})
  bench.rewrite(full)
  const {ledger: path} = bench
  bench.addLedger(manual(time))
  if (night === 'alone') bench.ledger = bench.others.pop() ?? ''
  await bench.run('night A')
  bench.ledger = path
  // The number in the name of the next one is another.
  if (night === 'daily') bench.addLedger(manual('11:30').replace('MAN-1', 'D-0').replace('-20T', '-21T'))
  bench.others.splice(0, night === 'daily' ? 1 : 2)
  bench.clock.ms += hourMs
  const {report} = await bench.run('night B')
  expect(resends(bench)).toBe(sent)
  if (sent === 0)
    expect(report.findings.find(({orderNo}) => orderNo === 'HAND')?.explanation).toContain('MAN-1')
})

test('an order that is followed up: the row of this ledger that may be it is named', async () => {
  const bench = creditor()
  const [known] = bench.client.records.values()
  if (!known) throw new Error('LOST has no record')
  bench.client.records.set(known.id, {...known, nextRetryAt: '2026-11-20T04:00:00Z'})
  await bench.run('first')
  bench.client.records.set(known.id, {...known, nextRetryAt: null})
  bench.clock.ms += 24 * hourMs
  bench.rewrite(credits({...newer, 'MANUAL-9': '19T12:00'}))
  const {report} = await bench.run('second')
  expect(report.findings.find(({orderNo}) => orderNo === 'LOST')).toMatchObject({
    ...{action: 'review', explanation: expect.stringMatching(/line 4 of .*"MANUAL-9"/)},
  })
  bench.rewrite(credits(older))
  await bench.run('third')
  expect(resends(bench)).toBe(0)
})
