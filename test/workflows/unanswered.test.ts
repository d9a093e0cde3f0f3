import {expect, test} from 'vitest'

import {ageingText} from '../../src/report/ageing-text.ts'
import {plain} from '../../src/report/table.ts'
import type {ReconcileOptions} from '../../src/workflows/reconcile/types.ts'
import {hourMs} from '../core/reconcile/sample.ts'
import {failure} from './fake-client.ts'
import {ScenarioBench} from './scenario-run.ts'

const credits = 'order_no,amount,created_at\n'
const orders = 'order_no,status,amount,created_at\n'
const day = '2026-11-20T09:00:00Z'
const nightly = {sinceLastRun: true}

/** LOST is paid; its webhook failed for good and the merchant's server has never taken it. */
function merchant(ledger: string, options: object = {}): ScenarioBench {
  const numbers = ['D-1', 'D-2', 'LOST', 'N-1', 'N-2']
  const sections = new Map([
    ['ledger.csv', ledger],
    ['service.json', JSON.stringify(numbers.map((orderNo) => ({orderNo})))],
    [
      'deliveries.json',
      JSON.stringify([
        ...['D-1', 'D-2'].map((orderNo) => ({orderNo, createdAt: day, status: 'success'})),
        {orderNo: 'LOST', createdAt: '2026-11-20T09:30:00Z'},
      ]),
    ],
    ['options.json', JSON.stringify({yes: true, ...options})],
  ])
  return new ScenarioBench({path: 'unanswered', sections})
}

const inNoRow = `${credits}D-1,500.00,${day}\nD-2,500.00,2026-11-20T10:00:00Z\n`
const onRow = (status: string, amount = '500.00') =>
  `${orders}D-1,paid,500.00,${day}\nLOST,${status},${amount},2026-11-20T09:30:00Z\nD-2,paid,500.00,2026-11-20T10:00:00Z\n`

function silence({client}: ScenarioBench): () => void {
  const known = client.orders.get('deposit\0LOST')
  client.orders.set('deposit\0LOST', failure('service_busy', 'HTTP 500'))
  return () => {
    if (known) client.orders.set('deposit\0LOST', known)
  }
}

const resends = ({client}: ScenarioBench) => client.log.filter((call) => call.startsWith('resend ')).length

/** The next run, with the ledger of the next day, whose orders the merchant's server took. */
async function nextRun(bench: ScenarioBench, options: Partial<ReconcileOptions> = nightly) {
  bench.clock.ms += 24 * hourMs
  const at = (hours: number) => new Date(bench.clock.ms - hours * hourMs).toISOString()
  bench.rewrite(`${credits}N-1,500.00,${at(5)}\nN-2,500.00,${at(3)}\n`)
  const {report, status} = await bench.run(`run-${bench.clock.ms}`, {}, options)
  return {report, status, about: report.findings.find(({orderNo}) => orderNo === 'LOST')}
}

test.each<[what: string, ledger: string, then: object | undefined, status: number]>([
  ['no row', inNoRow, {verdict: 'missing_in_ledger', action: 'review'}, 7],
  ['a pending row', onRow('pending'), {verdict: 'missing_completion', action: 'review'}, 7],
  ['a failed row', onRow('failed'), {verdict: 'missing_completion', action: 'review'}, 7],
  ['a booked row of another amount', onRow('paid', '450.00'), {verdict: 'amount_mismatch'}, 7],
  ['a booked row', onRow('paid'), undefined, 0],
])(
  'an order without an answer is asked for by every later run until it has one: %s',
  async (_what, ledger, then, status) => {
    const bench = merchant(ledger)
    const mend = silence(bench)
    expect((await bench.run('run-1', {}, nightly)).status).toBe(8)
    for (const _run of [2, 3]) {
      const still = await nextRun(bench)
      expect([still.about?.verdict, still.status]).toEqual(['query_failed', 8])
      expect(still.about?.explanation).toContain('Followed up from run run-')
    }
    mend()
    const answered = await nextRun(bench)
    if (then) expect(answered.about).toMatchObject({...then, line: null})
    else expect(answered.about).toBeUndefined()
    expect([answered.status, answered.report.tieOut.unexplained]).toEqual([status, '0.00'])
    // By the service's books: paid, and delivered by nobody's hand but a person's.
    expect(resends(bench)).toBe(0)
    expect((await bench.journal.openFindings()).filter(({verdict}) => verdict === 'query_failed')).toEqual([])
  },
)

test('the answer of its own ledger is one, and nothing is left but to confirm it', async () => {
  const bench = merchant(onRow('pending'))
  const mend = silence(bench)
  await bench.run('run-1', {}, nightly)
  mend()
  expect((await bench.run('run-1 again', {}, nightly)).status).toBe(0)
  expect(resends(bench)).toBe(1)
  const next = await nextRun(bench)
  expect([next.about?.cause, next.status]).toEqual(['delivered', 0])
})

test('one that a person set aside is let alone', async () => {
  const bench = merchant(inNoRow)
  silence(bench)
  await bench.run('run-1', {}, nightly)
  const open = (await bench.journal.openFindings()).find(({orderNo}) => orderNo === 'LOST')
  if (!open) throw new Error('LOST is not open')
  const words = {
    reason: 'asked the service',
    by: 'ops',
    atMs: bench.clock.ms,
    expiresAtMs: bench.clock.ms + 90 * hourMs,
  }
  await bench.journal.addIgnore({findingId: open.id, atRisk: open.atRisk, ...words})
  const next = await nextRun(bench)
  expect([next.about, next.status]).toEqual([undefined, 0])
})

type FirstRun = (bench: ScenarioBench) => Promise<unknown>
const whileListIsDown: FirstRun = async (bench) => {
  const {before} = bench.client
  bench.client.before = (call) => {
    if (call.startsWith('list')) throw failure('service_busy', 'HTTP 500')
  }
  expect((await bench.run('run-1', {}, nightly)).status).toBe(8)
  bench.client.before = before
}
const refused: FirstRun = async (bench) =>
  expect((await bench.run('run-1', {}, {...nightly, resendsMax: 0})).status).toBe(2)

test.each<[what: string, firstRun: FirstRun, ledger: string, verdict: string]>([
  ['its list was down, no row', whileListIsDown, inNoRow, 'missing_in_ledger'],
  ['--max-resends refused it, no row', refused, inNoRow, 'missing_in_ledger'],
  // It is an open item with the row that it had.
  ['--max-resends refused it, a pending row', refused, onRow('pending'), 'missing_completion'],
])('a first run that did not look leaves its window open: %s', async (_what, firstRun, ledger, verdict) => {
  const bench = merchant(ledger)
  await firstRun(bench)
  const next = await nextRun(bench)
  expect(next.about).toMatchObject({verdict, action: 'review'})
  expect(next.status).toBe(7)
  expect(resends(bench)).toBe(0)
})

test('a window that was left open is no stretch that a ledger covers, and without --since-last-run it is said', async () => {
  const bench = merchant(inNoRow)
  await whileListIsDown(bench)
  const next = await nextRun(bench, {})
  expect(next.report.notes.join()).toContain(
    'No run searched for missing deposits from 2026-11-20T15:00:00+06:00',
  )
})

test.each([
  ['a dry run', {dryRun: true}, {}],
  ['one that was told to leave the records', {}, {skipDeliveries: true}],
])('%s was not to look, and leaves nothing open', async (_what, change, options) => {
  const bench = merchant(inNoRow)
  await bench.run('try', change, options)
  expect((await nextRun(bench)).about).toBeUndefined()
})

const failedLost = onRow('failed')
const noRecord = (bench: ScenarioBench) => {
  for (const [id, {merchantOrderId}] of bench.client.records)
    if (merchantOrderId === 'LOST') bench.client.records.delete(id)
}

test.each<[what: string, prepare: (bench: ScenarioBench) => unknown, status: number]>([
  ['it proves absence where nothing else speaks of the order', noRecord, 0],
  ['it gives way to a webhook of the order', () => {}, 8],
  [
    'it gives way to an earlier run that found the order',
    async (bench) => {
      noRecord(bench)
      bench.rewrite(onRow('paid'))
      expect((await bench.run('run-0', {}, nightly)).status).toBe(0)
      bench.rewrite(failedLost)
    },
    8,
  ],
])(
  'a 404 without a word of an order, of a paid order that failed in the ledger: %s',
  async (_what, prepare, status) => {
    const bench = merchant(failedLost)
    await prepare(bench)
    bench.client.bare.add('LOST')
    const ran = await bench.run('run-1', {}, nightly)
    expect([ran.status, ran.report.counts.query_failed, ran.report.tieOut.unexplained]).toEqual([
      status,
      status / 8,
      '0.00',
    ])
    expect(resends(bench)).toBe(0)
  },
)

test('what is new is said beside what was not checked', async () => {
  const bench = merchant(inNoRow)
  await bench.run('run-1', {}, {...nightly, resendsMax: 0})
  silence(bench)
  const known = bench.client.orders.get('deposit\0N-1')
  bench.client.orders.delete('deposit\0N-1')
  const {report} = await nextRun(bench)
  expect(known).toBeDefined()
  expect(ageingText(report, plain, 200)).toBe(
    'Earlier runs  1 new\n              1 open from earlier runs, not checked by this run: see report.html',
  )
})

test.each<[what: string, ledger: string, given: string | null, verdict: string]>([
  ['a later ledger without it', onRow('pending'), null, 'missing_completion'],
  ['its own ledger again', onRow('pending'), onRow('pending'), 'missing_completion'],
  ['its own ledger again, without a row', inNoRow, inNoRow, 'missing_in_ledger'],
  ['a later ledger, without a row', inNoRow, null, 'missing_in_ledger'],
])('without an answer an open item stays as it was: %s', async (_what, ledger, given, verdict) => {
  const bench = merchant(ledger)
  await bench.run('run-1', {}, {...nightly, resendsMax: 0})
  const item = async () =>
    (await bench.journal.listItems()).map(({closedMs, atRisk, lastRunId, ...one}) => ({
      ...{orderNo: one.orderNo, verdict: one.verdict, cause: one.cause, closedMs, atRisk, lastRunId},
    }))
  const before = await item()
  expect(before).toMatchObject([
    {orderNo: 'LOST', verdict, closedMs: null, atRisk: 50_000n, lastRunId: 'run-1'},
  ])
  const mend = silence(bench)
  const again = async (id: string) => {
    bench.clock.ms += hourMs
    bench.rewrite(given ?? '')
    const {report, status} = await bench.run(id, {}, {...nightly, resendsMax: 0})
    return {report, status, about: report.findings.find(({orderNo}) => orderNo === 'LOST')}
  }
  const run = async (id: string) => (given === null ? await nextRun(bench) : await again(id))
  for (const id of ['run-2', 'run-3']) {
    const {report, status, about} = await run(id)
    expect([about?.verdict, about?.amountAtRisk, status]).toEqual(['query_failed', '500.00', 8])
    expect(about?.explanation).toContain('Its open item stays as run run-1 found it.')
    expect(report.memory).toMatchObject({
      new: 0,
      open: 0,
      closed: [],
      notExamined: [{orderNo: 'LOST', verdict}],
    })
    expect(report.statement[0]?.openItems).toEqual({
      ...{opening: {items: 1, amount: '500.00'}, new: {items: 0, amount: '0.00'}},
      ...{closed: {items: 0, amount: '0.00'}, revalued: '0.00', closing: {items: 1, amount: '500.00'}},
    })
    expect(await item()).toEqual(before)
  }
  mend()
  const {report, about} = await run('run-4')
  expect([about?.verdict, report.memory.new]).toEqual([verdict, 0])
  expect((await item()).map(({lastRunId}) => lastRunId)).not.toContain('run-1')
})
