import {expect, test} from 'vitest'

import {formatPaisa} from '../../src/core/money.ts'
import {hourMs} from '../core/reconcile/sample.ts'
import {ScenarioBench} from './scenario-run.ts'

const orders = 'order_no,kind,status,amount,created_at\n'
const yesterday = '2026-11-20T09:00:00Z'
const at = ({clock}: ScenarioBench, hours: number) => new Date(clock.ms - hours * hourMs).toISOString()

/** X was paid, its webhook taken and booked. */
function merchant(kind: string): ScenarioBench {
  const row = (orderNo: string, time: string) => `${orderNo},${kind},paid,500.00,${time}\n`
  const paid = ['D-1', 'D-3', 'X'].map((orderNo) => ({orderNo, kind}))
  const events = ['D-1', 'X'].map((orderNo) => ({orderNo, createdAt: yesterday, status: 'success'}))
  const sections = new Map([
    ['ledger.csv', orders + row('D-1', yesterday) + row('X', yesterday)],
    ['service.json', JSON.stringify(paid)],
    ['deliveries.json', JSON.stringify(events)],
    ['options.json', JSON.stringify({yes: true})],
  ])
  return new ScenarioBench({path: 'reversals', sections})
}

const xOf = ({client}: ScenarioBench, kind: string) => {
  const order = client.orders.get(`${kind}\0X`)
  if (!order || order instanceof Error) throw new Error('X is no order')
  return order
}

/** The service lists one more record of X, made three hours ago. */
function addRecord(bench: ScenarioBench, event: string, status: 'success' | 'failed'): void {
  const [record] = [...bench.client.records.values()].filter(({merchantOrderId}) => merchantOrderId === 'X')
  if (!record) throw new Error('X has no record')
  const id = `again-${bench.clock.ms}`
  const time = at(bench, 3)
  bench.client.records.set(id, {...record, id, event, status, createdAt: time, sentAt: time})
}

/** The run after, with the ledger of its own day alone. */
async function nextRun(bench: ScenarioBench, kind: string, hours = 24, happens = () => {}) {
  bench.clock.ms += hours * hourMs
  happens()
  bench.rewrite(`${orders}D-3,${kind},paid,500.00,${at(bench, 5)}\nD-1,${kind},paid,500.00,${at(bench, 2)}\n`)
  const {report, status} = await bench.run(`run-${bench.clock.ms}`)
  return {status, report, about: report.findings.filter(({orderNo}) => orderNo === 'X')}
}

const queries = ({client}: ScenarioBench) => client.log.filter((call) => call.endsWith(' X')).length

const changes = [
  ['fails', {status: 'failed', rawStatus: 'failed'}, 'order.failed', 'booked_but_failed'],
  ['is open again', {status: 'open', rawStatus: 'pending'}, 'order.reversed', 'booked_but_open'],
  [
    'fails, told as completed',
    {status: 'failed', rawStatus: 'failed'},
    'order.completed',
    'booked_but_failed',
  ],
  ['has another amount', {amount: 7700n}, 'order.completed', null],
] as const

test.each(['deposit', 'payout'].flatMap((kind) => changes.map((change) => [kind, ...change] as const)))(
  'a %s that was matched and %s since is named until the service takes it back',
  async (kind, _what, change, event, cause) => {
    const bench = merchant(kind)
    expect((await bench.run('run-1')).status).toBe(0)
    const before = xOf(bench, kind)
    const first = await nextRun(bench, kind, 24, () => {
      bench.client.orders.set(`${kind}\0X`, {...before, ...change})
      addRecord(bench, event, 'failed')
    })
    const verdict = cause === null ? 'amount_mismatch' : 'status_mismatch'
    const {rawStatus, amount} = {...before, ...change}
    const provider = {rawStatus, amount: formatPaisa(amount ?? 0n), platformOrderNo: before.platformOrderNo}
    const named = {line: null, verdict, cause, action: 'review', provider}
    expect(first.about).toMatchObject([
      {...named, explanation: expect.stringContaining('Run run-1 found it completed on both sides')},
    ])
    expect([first.status, first.report.tieOut.unexplained]).toEqual([7, '0.00'])
    const second = await nextRun(bench, kind)
    expect(second.about).toMatchObject([named])
    expect(second.status).toBe(7)
    expect(bench.client.log.filter((call) => call.startsWith('resend '))).toEqual([])
    bench.client.orders.set(`${kind}\0X`, before)
    const third = await nextRun(bench, kind)
    expect([third.status, third.about]).toEqual([0, []])
  },
)

test('a record of another event asks for its order, and an unchanged one says nothing', async () => {
  const bench = merchant('deposit')
  await bench.run('run-1')
  const asked = queries(bench)
  const run = await nextRun(bench, 'deposit', 24, () => addRecord(bench, 'order.failed', 'failed'))
  expect([run.status, run.about, queries(bench)]).toEqual([0, [], asked + 1])
})

test('an order that no earlier run matched is not asked for because of another event', async () => {
  const bench = merchant('deposit')
  const run = await nextRun(bench, 'deposit', 24, () => addRecord(bench, 'order.failed', 'failed'))
  expect([run.status, run.about, queries(bench)]).toEqual([0, [], 0])
})

test('another order of a matched number is missing in the ledger, and no change of the one that was matched', async () => {
  const bench = merchant('deposit')
  await bench.run('run-1')
  const {about, status} = await nextRun(bench, 'deposit', 24, () => {
    bench.client.orders.set('deposit\0X', {
      ...xOf(bench, 'deposit'),
      ...{platformOrderNo: 'platform-X-again', amount: 7700n},
    })
    addRecord(bench, 'order.completed', 'failed')
  })
  expect([about.map(({verdict}) => verdict), status]).toEqual([['missing_in_ledger'], 7])
})
