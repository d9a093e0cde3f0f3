import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {parse} from 'csv-parse/sync'
import {describe, expect, test} from 'vitest'

import {order} from '../core/reconcile/sample.ts'
import {failure} from './fake-client.ts'
import {ScenarioBench} from './scenario-run.ts'

const rows = [
  'D-1,deposit,open,500.00,2026-11-18T09:00:00Z',
  'P-1,payout,failed,250.00,2026-11-18T09:00:00Z',
  // Of each of these something is not certain.
  'NO-TIME,deposit,open,502.00,',
  'NO-AMOUNT,deposit,open,,2026-11-18T09:00:00Z',
  'TWICE,deposit,open,503.00,2026-11-18T09:00:00Z',
  'TWICE,deposit,open,503.00,2026-11-18T09:00:00Z',
  'OTHER,deposit,open,504.00,2026-11-18T09:00:00Z',
  'ALIKE,deposit,open,777.00,2026-11-18T09:00:00Z',
  'BOOKED,deposit,completed,505.00,2026-11-18T09:00:00Z',
  'UNPAID,deposit,open,506.00,2026-11-18T09:00:00Z',
]
const orders = [
  {orderNo: 'D-1'},
  {kind: 'payout', orderNo: 'P-1', amount: '250.00'},
  {orderNo: 'YOUNG', amount: '501.00'},
  {orderNo: 'NO-TIME', amount: '502.00'},
  {orderNo: 'NO-AMOUNT', amount: null},
  {orderNo: 'TWICE', amount: '503.00'},
  {orderNo: 'OTHER', amount: '999.00'},
  {orderNo: 'ALIKE', amount: '777.00'},
  {orderNo: 'BOOKED', amount: '505.00'},
  {orderNo: 'UNPAID', status: 'processing', amount: '506.00'},
]

test.each([
  ['the service has no list of webhooks', false],
  ['it has no record of them', true],
])('booking.csv has what is paid and not booked for certain, and nothing else: %s', async (_, legacyApi) => {
  const sections = new Map([
    ['ledger.csv', ''],
    ['options.json', JSON.stringify({yes: true, legacyApi})],
    ['service.json', JSON.stringify(orders)],
    ['deliveries.json', '[]'],
  ])
  const bench = new ScenarioBench({path: 'booking', sections})
  const young = 'YOUNG,deposit,open,501.00,2026-11-18T09:00:00Z'
  bench.rewrite(`${header}\n${rows.join('\n')}\n`)
  // A clerk booked one under a number of another system.
  bench.addLedger('order_no,kind,status,amount\nX-7,deposit,completed,777.00\n')
  const {report: first} = await bench.run('eve')
  const header0 = readFileSync(first.reports.booking ?? '', 'utf8')
  expect(parse(header0, {bom: true})).toHaveLength(1)
  bench.clock.ms += 8 * 3_600_000
  // Ordered days ago and paid only now: the service's own retries go on.
  bench.rewrite(`${header}\n${[...rows, young].join('\n')}\n`)
  bench.exportAgain()
  const {report} = await bench.run('run')
  const text = readFileSync(report.reports.booking ?? '', 'utf8')
  const booked = parse(text, {columns: true, bom: true}) as Record<string, string>[]
  expect(booked.map(({order_no: number}) => number)).toEqual(['D-1', 'P-1'])
  expect(booked[0]).toMatchObject({
    ...{dedup_key: 'platform-D-1 D-1', kind: 'deposit', amount: '500.00', ledger_status: 'open', line: '2'},
    ordered_at: '2026-11-18T15:00:00+06:00',
  })
})

const header = 'order_no,kind,status,amount,created_at'
const at = ({clock}: ScenarioBench) => new Date(clock.ms).toISOString()
const unbooked = 'order_no,kind,status,amount,created_at\nD-1,deposit,open,500.00,2026-11-18T09:00:00Z\n'

/** D-1 is paid. In the first run the service has no list of webhooks, later its webhook is there, failed for good. */
function listed(path: string) {
  const sections = new Map([
    ['ledger.csv', unbooked],
    ['options.json', JSON.stringify({yes: true})],
    ['service.json', JSON.stringify([{orderNo: 'D-1'}])],
    ['deliveries.json', '[]'],
  ])
  const bench = new ScenarioBench({path, sections})
  const credited: string[] = []
  let isDown = true
  bench.client.before = (call) => {
    if (isDown && call.startsWith('list'))
      throw failure('legacy_unavailable', 'The legacy API answered HTTP 404')
    if (call.startsWith('resend ')) credited.push('webhook')
  }
  let isFirst = true
  const run = async (name: string, change: Parameters<ScenarioBench['run']>[1] = {}) => {
    if (isFirst) await bench.run('eve')
    if (isFirst) {
      bench.clock.ms += 24 * 3_600_000
      bench.exportAgain()
    }
    isFirst = false
    const {report} = await bench.run(name, change)
    const csv = report.reports.booking
    const rows = csv ? (parse(readFileSync(csv), {columns: true, bom: true}) as {order_no: string}[]) : []
    credited.push(...rows.map(({order_no: number}) => `by hand ${number}`))
    return report
  }
  const listIsGone = () => {
    isDown = true
    bench.clock.ms += 24 * 3_600_000
  }
  const listIsBack = (change: object = {}) => {
    isDown = false
    bench.addRecord({orderNo: 'D-1', createdAt: '2026-11-18T09:00:00Z', ...exhausted, ...change})
    bench.clock.ms += 24 * 3_600_000
  }
  return {bench, run, listIsBack, listIsGone, credited}
}

const exhausted = {
  status: 'failed',
  attempts: 6,
  responseCode: 503,
  nextRetryAt: null,
  resend: 'delivers',
} as const

test.each([
  ['not yet in the ledger', unbooked],
  ['in the ledger', unbooked.replace('open', 'completed')],
  [
    'under a number of its own beside the row',
    `${unbooked}M-1,deposit,completed,500.00,2026-11-19T03:00:00Z\n`,
  ],
  ['under a number of its own alone', unbooked.replace('D-1,deposit,open', 'M-1,deposit,completed')],
  [
    'in a ledger of another day',
    'order_no,kind,status,amount,created_at\nM-1,deposit,completed,1.00,2026-11-19T03:00:00Z\n',
  ],
])('what a booking.csv had is credited once: the next run it is %s', async (name, ledger) => {
  const {bench, run, listIsBack, credited} = listed(`listed-${name.replaceAll(' ', '-')}`)
  await run('first')
  expect(credited).toEqual(['by hand D-1'])
  listIsBack()
  bench.rewrite(ledger)
  for (const name of ['second', 'third', 'fourth']) {
    await run(name)
    bench.clock.ms += 24 * 3_600_000
  }
  bench.rewrite(unbooked)
  const {findings} = await run('older')
  expect(credited).toEqual(['by hand D-1'])
  expect(findings.filter(({action}) => action === 'resend')).toEqual([])
})

test('a booking.csv has an order once, a dry run or a run that did not look has none, and the resumed run has its own', async () => {
  const {bench, run, credited} = listed('listed-once')
  await run('dry', {dryRun: true})
  await bench.run('blind', {}, {skipDeliveries: true})
  expect(readFileSync(`${bench.dir}/report/blind/booking.csv`, 'utf8')).not.toContain('D-1')
  expect(credited).toEqual([])
  await run('first')
  await run('first', {resume: true})
  expect(credited).toEqual(['by hand D-1', 'by hand D-1'])
  const {findings} = await run('second')
  expect(credited).toHaveLength(2)
  expect(findings[0]?.explanation).toContain('booking.csv of run first')
})

test.each([
  ['was resent', 'delivers', ['webhook']],
  ['had a webhook that the server took', null, []],
] as const)('no booking.csv has what %s', async (name, resend, before) => {
  const {bench, run, listIsBack, listIsGone, credited} = listed(`webhook-${name.replaceAll(' ', '-')}`)
  listIsBack(resend === null ? {status: 'success', attempts: 1} : {})
  await run('first')
  expect(credited).toEqual(before)
  listIsGone()
  await run('second')
  expect(credited).toEqual(before)
  expect(bench.asked).toBe(before.length)
})

describe('a clock that cannot be trusted lists nothing', () => {
  const hourMs = 3_600_000
  /** D-1 was paid an hour ago, the service's first retries go on, and a run has seen it. */
  const paid = async (name: string, skewMs: number | null) => {
    const {bench, run, listIsGone} = listed(name)
    listIsGone()
    bench.client.clockSkewMs = skewMs
    await bench.run('seen')
    const runLater = () => {
      bench.exportAgain()
      return bench.run('run')
    }
    return {bench, run: runLater, seen: run}
  }
  const listedOf = async (run: Promise<{report: {reports: {booking: string | null}; notes?: unknown}}>) =>
    readFileSync((await run).report.reports.booking ?? '', 'utf8').includes('D-1')

  test.each([
    ['ahead since then', 0, 9 * hourMs, -6 * hourMs],
    ['not read now', 0, 9 * hourMs, null],
    // The machine's clock was 6 h behind, and is right now, 3 h later.
    ['behind then', 6 * hourMs, 9 * hourMs, 0],
    ['not read then', null, 9 * hourMs, 0],
  ] as const)('%s', async (name, then, laterMs, now) => {
    const {bench, run} = await paid(`clock-${name.replaceAll(' ', '-')}`, then)
    bench.clock.ms += laterMs
    bench.client.clockSkewMs = now
    expect(await listedOf(run())).toBe(false)
    // Once it is right, and 8 hours of the service's have passed.
    bench.clock.ms += 24 * hourMs
    bench.client.clockSkewMs = 0
    bench.exportAgain()
    expect(await listedOf(bench.run('later'))).toBe(then !== null)
  })

  test('and says so', async () => {
    const {bench, run} = await paid('clock-said', 0)
    bench.clock.ms += 9 * hourMs
    bench.client.clockSkewMs = -6 * hourMs
    const {notes} = (await run()).report
    expect(notes).toContainEqual(expect.stringMatching(/360 min behind .*booking.csv lists no new order/))
  })
})

test('the list of another run in the same folder is kept beside the new one', async () => {
  const {bench, run} = listed('same-folder')
  await run('first')
  const reportDir = join(bench.dir, 'report', 'first')
  bench.clock.ms += 3_600_000
  await bench.run('second', {reportDir})
  expect(readFileSync(join(reportDir, 'booking.csv'), 'utf8')).not.toContain('D-1')
  expect(readFileSync(join(reportDir, 'booking.first.csv'), 'utf8')).toMatch(/D-1.*,first,/)
})

test('what is older than the list reaches may have a webhook, and is not listed', async () => {
  const {bench, run, listIsBack, credited} = listed('older-than-list')
  bench.addRecord({orderNo: 'D-0', createdAt: '2026-11-18T20:00:00Z', status: 'success', attempts: 1})
  listIsBack({orderNo: 'D-2', createdAt: '2026-11-18T21:00:00Z'})
  const {findings} = await run('first')
  expect(credited).toEqual([])
  expect(findings.find(({orderNo}) => orderNo === 'D-1')?.explanation).toMatch(
    /list of delivery records, which starts at .* after the order was made/,
  )
})

test.each([
  ['taken', {event: 'order.paid', status: 'success', attempts: 1}],
  ['given up', {event: 'payment.success'}],
  ['of another order_id', {event: 'order.completed.v2', orderId: 'foreign'}],
])('no booking.csv has what a webhook of another event may have told: %s', async (name, record) => {
  const {run, listIsBack, credited} = listed(`other-event-${name.replaceAll(' ', '-')}`)
  listIsBack(record)
  const {findings} = await run('first')
  expect(credited).toEqual([])
  expect(findings[0]).toMatchObject({
    ...{orderNo: 'D-1', cause: 'no_delivery_record', action: 'review'},
    explanation: expect.stringContaining(`It has a record of ${record.event}.`),
  })
})

test.each(['', 'd-1', 'M1-D-1', '1'])(
  'no booking.csv while a webhook belongs to nobody knows which order: "%s"',
  async (orderNo) => {
    const {run, listIsBack, credited} = listed(`orphan-${orderNo}`)
    listIsBack({orderNo, orderId: 'foreign', status: 'success', attempts: 1})
    await run('first')
    expect(credited).toEqual([])
  },
)

test('webhooks of other orders that the service knows keep nothing off booking.csv', async () => {
  const {bench, listIsBack, run, credited} = listed('other-orders')
  for (const orderNo of ['D-50', 'D-51']) {
    bench.client.orders.set(`deposit\0${orderNo}`, order({orderNo, platformOrderNo: `platform-${orderNo}`}))
    listIsBack({orderNo, createdAt: '2026-11-18T08:30:00Z', status: 'success', attempts: 1})
  }
  await run('first')
  expect(credited).toEqual(['by hand D-1'])
})

/** At 02:30 a run sees D-1 open; at 05:50 the service's last retry credits it; the export is of 00:30. */
test.each([
  ['the same export again', () => {}],
  [
    'the same export, saved again',
    (bench: ScenarioBench) => bench.rewrite(unbooked.replaceAll('\n', '\r\n')),
  ],
  [
    'an export that was written before the retries were over',
    (bench: ScenarioBench) => {
      bench.clock.ms -= 2 * 3_600_000
      bench.exportAgain()
      bench.clock.ms += 2 * 3_600_000
    },
  ],
  [
    'with a new one of other orders',
    (bench: ScenarioBench) => bench.addLedger(`${header}\nD-9,deposit,failed,1.00,${at(bench)}\n`),
  ],
])('an old export proves nothing of what the last retries did: %s', async (name, give) => {
  const {bench, listIsGone} = listed(`old-export-${name.replaceAll(' ', '-')}`)
  listIsGone()
  bench.rewrite(unbooked)
  await bench.run('first')
  bench.clock.ms += 9 * 3_600_000
  give(bench)
  await bench.run('again')
  expect(readFileSync(`${bench.dir}/report/again/booking.csv`, 'utf8')).not.toContain('D-1')
  bench.exportAgain()
  await bench.run('new')
  expect(readFileSync(`${bench.dir}/report/new/booking.csv`, 'utf8')).toContain('D-1')
})
