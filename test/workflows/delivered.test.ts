import {describe, expect, test} from 'vitest'

import {Failure} from '../../src/core/failure.ts'
import type {ServiceOrder} from '../../src/core/order.ts'
import {hourMs} from '../core/reconcile/sample.ts'
import {failure} from './fake-client.ts'
import {ScenarioBench} from './scenario-run.ts'

const credits = 'order_no,amount,created_at\n'
const orders = 'order_no,status,amount,created_at\n'

/** D-2 is made at 23:58 and paid at 00:04; its webhook failed to its end. */
function midnight(ledger: string): ScenarioBench {
  const sections = new Map([
    ['ledger.csv', ledger],
    ['service.json', JSON.stringify(['D-1', 'D-2', 'D-3'].map((orderNo) => ({orderNo})))],
    [
      'deliveries.json',
      JSON.stringify([
        {orderNo: 'D-1', createdAt: '2026-11-19T09:00:00Z', status: 'success'},
        {orderNo: 'D-2', createdAt: '2026-11-20T00:04:00Z'},
        {orderNo: 'D-3', createdAt: '2026-11-20T09:00:00Z', status: 'success'},
      ]),
    ],
    ['options.json', JSON.stringify({yes: true})],
  ])
  return new ScenarioBench({path: 'midnight', sections})
}

const madeAt = '2026-11-19T23:58:00Z'
const dayOne = (status: string) =>
  `${orders}D-1,paid,500.00,2026-11-19T09:00:00Z\nD-2,${status},500.00,${madeAt}\n`
const dayTwo = `${orders}D-3,paid,500.00,2026-11-20T00:02:00Z\n`
const untilMs = Date.parse('2026-11-20T23:59:00Z')

const about = ({report}: Awaited<ReturnType<ScenarioBench['run']>>) =>
  report.findings.filter(({orderNo}) => orderNo === 'D-2')
const count = ({client}: ScenarioBench, call: string) =>
  client.log.filter((one) => one.startsWith(call)).length

async function runWith(bench: ScenarioBench, id: string, ledger: string, until: number | null = null) {
  bench.clock.ms += 24 * hourMs
  bench.rewrite(ledger)
  return await bench.run(id, {}, {untilMs: until})
}

test('an order that straddled midnight and was resent waits for a ledger, and is no break meanwhile', async () => {
  const bench = midnight(dayOne('open'))
  expect((await bench.run('run-1')).status).toBe(0)
  expect(await bench.journal.openFindings()).toMatchObject([{orderNo: 'D-2', cause: 'delivered'}])
  // Its record is in the window of the second run alone.
  for (const [id, until] of [
    ['run-2', untilMs],
    ['run-3', null],
  ] as const) {
    const asked = count(bench, 'query deposit D-2')
    const run = await runWith(bench, id, dayTwo, until)
    expect([run.status, about(run)]).toMatchObject([0, [{cause: 'delivered', action: 'none'}]])
    expect(run.report.atRisk.total).toBe('0.00')
    expect(count(bench, 'query deposit D-2') - asked).toBe(1)
  }
  const confirming = await runWith(bench, 'day 1 again', dayOne('paid'))
  expect(confirming.report.memory.closed).toMatchObject([{orderNo: 'D-2'}])
  expect([confirming.status, await bench.journal.openFindings(), count(bench, 'resend ')]).toEqual([0, [], 1])
})

test('a run that named it before it was delivered takes nothing back of what a later ledger shows', async () => {
  const bench = midnight(dayOne('open'))
  Object.assign(bench.options, {yes: false})
  await bench.run('planned')
  Object.assign(bench.options, {yes: true})
  bench.clock.ms += hourMs
  expect((await bench.run('run-1')).status).toBe(0)
  expect((await runWith(bench, 'day 1 again', dayOne('open'))).status).toBe(7)
  const later = await runWith(bench, 'run-3', dayTwo)
  expect([later.status, about(later)]).toMatchObject([7, [{cause: 'delivered_not_booked'}]])
  expect(count(bench, 'resend ')).toBe(1)
})

test('a ledger of its own time that still has it open is a break again, and in every later run', async () => {
  const bench = midnight(dayOne('open'))
  await bench.run('run-1')
  const again = await runWith(bench, 'day 1 again', dayOne('open'))
  expect([again.status, about(again)]).toMatchObject([7, [{cause: 'delivered_not_booked'}]])
  expect((await runWith(bench, 'run-3', dayTwo)).status).toBe(7)
  expect(count(bench, 'resend ')).toBe(1)
})

test.each<[what: string, change: object, found: object]>([
  ['another amount', {amount: 5_000n}, {cause: 'delivered_amount_differs'}],
  ['failed', {status: 'failed', rawStatus: 'failed'}, {cause: 'failed_not_booked'}],
])('worse news of what was delivered is a break in every later run: %s', async (_what, change, found) => {
  const bench = midnight(dayOne('open'))
  const [id = ''] = [...bench.client.records].find(([, record]) => record.merchantOrderId === 'D-2') ?? []
  bench.client.payloads.set(id, {orderNo: 'D-2', amount: '500.00'})
  await bench.run('run-1')
  const known = bench.client.orders.get('deposit\0D-2')
  if (!known || known instanceof Error) throw new Error('D-2 is no order')
  bench.client.orders.set('deposit\0D-2', {...known, ...change})
  for (const [id, ledger] of [
    ['day 1 again', dayOne('open')],
    ['run-3', dayTwo],
    ['run-4', dayTwo],
  ] as const) {
    const run = await runWith(bench, id, ledger)
    expect([id, run.status, about(run)]).toMatchObject([id, 7, [found]])
  }
})

test('an order that was resent without a row is confirmed by the ledger of the day on which it was booked', async () => {
  const inNoRow = `${credits}D-1,500.00,2026-11-19T09:00:00Z\nD-3,500.00,2026-11-20T09:00:00Z\n`
  const bench = midnight(inNoRow)
  expect((await bench.run('run-1')).status).toBe(0)
  expect(count(bench, 'resend ')).toBe(1)
  const next = await runWith(bench, 'run-2', `${credits}D-3,500.00,2026-11-20T20:00:00Z\n`)
  expect([next.status, about(next)]).toMatchObject([0, [{cause: 'delivered', action: 'none'}]])
  const booked = await runWith(bench, 'run-3', `${credits}D-2,500.00,2026-11-21T20:00:00Z\n`)
  expect([booked.status, await bench.journal.openFindings()]).toEqual([0, []])
})

test.each([
  [520, 1],
  [40, 2],
])('%i open items make at most %i calls each a run', async (items, calls) => {
  const numbers = Array.from({length: items}, (_, nth) => `OLD-${nth}`)
  const rows = numbers.map((orderNo) => `${orderNo},open,500.00,2026-11-19T09:00:00Z\n`)
  const sections = new Map([
    ['ledger.csv', orders + rows.join('')],
    ['service.json', JSON.stringify([...numbers, 'D-3'].map((orderNo) => ({orderNo})))],
    ['deliveries.json', JSON.stringify([{orderNo: 'D-3', createdAt: '2026-11-20T00:02:00Z'}])],
    ['options.json', JSON.stringify({yes: false})],
  ])
  const bench = new ScenarioBench({path: 'many', sections})
  for (const orderNo of numbers) bench.addRecord({orderNo, createdAt: '2026-11-19T09:00:00Z'})
  await bench.run('run-1', {}, {resendsMax: 1_000})
  const before = bench.client.log.length
  // Without a window nothing but look-ups is read.
  const run = await runWith(bench, 'run-2', 'order_no,status,amount\nD-3,paid,500.00\n')
  expect(run.report.findings.filter(({orderNo}) => orderNo?.startsWith('OLD-'))).toHaveLength(items)
  expect(run.status).toBe(8)
  expect(bench.client.log.length - before).toBeLessThanOrEqual(items * calls + 1)
})

describe('a webhook that was taken when nobody knew that the order is paid, and whose record fails later, is not sent again', () => {
  const query = 'query deposit D-2'
  const firsts: readonly [night: string, play: (bench: ScenarioBench) => Promise<unknown>][] = [
    ['the order got no answer', (bench) => playWith(bench, () => failure('service_busy', 'HTTP 503'))],
    ['the order was open', (bench) => playWith(bench, (known) => ({...known, status: 'open'}))],
    ['it was a dry run', (bench) => bench.run('run-1', {dryRun: true})],
  ]
  async function playWith(bench: ScenarioBench, change: (order: ServiceOrder) => ServiceOrder | Failure) {
    const known = bench.client.orders.get('deposit\0D-2')
    if (!known || known instanceof Failure) throw new Error(query)
    bench.client.orders.set('deposit\0D-2', change(known))
    const run = await bench.run('run-1')
    bench.client.orders.set('deposit\0D-2', known)
    return run
  }
  const includeDelivered = {includeDelivered: true, ignoreCooldown: false, retryUnknown: false}
  const noteOf = ({journal, clock}: ScenarioBench, text: string) =>
    journal.recordItemEvents([{kind: 'deposit', orderNo: 'D-2'}], {
      what: 'noted',
      text,
      by: 'zara',
      atMs: clock.ms,
    })
  const ends: readonly [
    what: string,
    act: (bench: ScenarioBench) => unknown,
    options: object,
    resends: number,
  ][] = [
    ['of itself', () => undefined, {}, 0],
    ['that somebody noted as not booked', (bench) => noteOf(bench, 'not booked'), {}, 1],
    ['with --include-delivered', () => undefined, {overrides: includeDelivered}, 1],
  ]
  test.each(firsts.flatMap(([night, play]) => ends.map((end) => [night, end[0], play, end] as const)))(
    '%s, %s',
    async (_night, _what, play, [, act, options, resends]) => {
      const bench = midnight(dayOne('open'))
      const [, lost] = [...bench.client.records]
      if (!lost) throw new Error('no record')
      const [id, record] = lost
      bench.client.records.set(id, {...record, status: 'success', attempts: 1, responseCode: 200})
      await play(bench)
      bench.client.records.set(id, record)
      bench.clock.ms += 24 * hourMs
      await act(bench)
      bench.rewrite(dayOne('open'))
      const {report, status} = await bench.run('run-2', {}, options)
      expect([count(bench, 'resend '), status]).toEqual([resends, resends === 0 ? 7 : 0])
      if (resends === 0)
        expect(report.findings.find(({orderNo}) => orderNo === 'D-2')?.explanation).toContain(
          'run run-1 saw that your server took its webhook. Look in your books.',
        )
    },
  )
})
