import {describe, expect, test} from 'vitest'

import {defaultDialect} from '../../src/core/dialect.ts'
import {reconciledBy} from '../../src/workflows/resend/seen.ts'
import {hourMs} from '../core/reconcile/sample.ts'
import {ScenarioBench} from './scenario-run.ts'

const at = '2026-11-20T09:00:00Z'
const credits = (...orderNos: string[]) =>
  `order_no,amount,created_at\n${orderNos.map((orderNo) => `${orderNo},500.00,${at}\n`).join('')}`
const orders = (...rows: (readonly [orderNo: string, status: string])[]) =>
  `order_no,status,amount,created_at\n${rows.map(([orderNo, status]) => `${orderNo},${status},500.00,${at}\n`).join('')}`

/** A service that answers for `d-5` with the order D-5: its books have two payments of 500.00, A-1 and D-5. */
function merchant(ledger: string, options: object = {}): ScenarioBench {
  const known = [{orderNo: 'A-1'}, {orderNo: 'D-5'}, {orderNo: 'd-5', platformOrderNo: 'platform-D-5'}]
  const records = [
    {orderNo: 'A-1', createdAt: at, status: 'success'},
    {orderNo: 'D-5', createdAt: at},
  ]
  return new ScenarioBench({
    path: 'two numbers',
    sections: new Map([
      ['ledger.csv', ledger],
      ['service.json', JSON.stringify(known)],
      ['deliveries.json', JSON.stringify(records)],
      ['options.json', JSON.stringify({yes: true, ...options})],
    ]),
  })
}

const sent = ({client}: ScenarioBench) => client.log.filter((call) => call.startsWith('resend ')).length
const said = ({report}: Awaited<ReturnType<ScenarioBench['run']>>) =>
  report.findings.filter(({verdict}) => verdict !== 'matched')

describe('two numbers that the service has as one order', () => {
  test('an order whose row has the other number is booked, in this ledger and in the next', async () => {
    const bench = merchant(credits('A-1', 'd-5'))
    const first = await bench.run('day-1')
    expect([said(first), first.status, sent(bench)]).toEqual([[], 0, 0])
    expect(first.report.tieOut).toMatchObject({ledgerCompleted: '1000.00', providerCompleted: '1000.00'})
    bench.rewrite(credits('A-1'))
    const next = await bench.run('day-2')
    expect([said(next), next.status, sent(bench)]).toEqual([[], 0, 0])
    bench.rewrite(orders(['A-1', 'completed'], ['D-5', 'pending']))
    const open = await bench.run('day-3')
    expect(said(open)).toMatchObject([{orderNo: 'D-5', verdict: 'missing_completion', action: 'review'}])
    expect([open.status, sent(bench)]).toEqual([7, 0])
  })

  test('what a run alone matched, `webhooks resend` leaves out', async () => {
    const bench = merchant(credits('A-1', 'd-5'), {skipDeliveries: true})
    await bench.run('day-1')
    const reading = {dialect: defaultDialect, nowMs: bench.clock.ms, timeZone: 'UTC'}
    const records = [...bench.client.records.values()].filter(
      ({merchantOrderId}) => merchantOrderId === 'D-5',
    )
    const seen = await Promise.all(records.map(await reconciledBy(bench.journal, reading, records)))
    expect(seen).toMatchObject([{why: expect.stringContaining('day-1')}])
  })

  test.each([
    ['both booked', credits('A-1', 'D-5', 'd-5'), 'matched', '1500.00', false],
    ['both booked, and listed', credits('A-1', 'D-5', 'd-5'), 'matched', '1500.00', true],
    [
      'one open',
      orders(['A-1', 'paid'], ['D-5', 'pending'], ['d-5', 'paid']),
      'missing_completion',
      '1000.00',
      false,
    ],
    [
      'one failed',
      orders(['A-1', 'paid'], ['D-5', 'failed'], ['d-5', 'paid']),
      'missing_completion',
      '1000.00',
      true,
    ],
  ])(
    'both on rows are a duplicate, never resent, and paid once: %s',
    async (_what, ledger, cause, booked, listAll) => {
      const bench = merchant(ledger)
      for (const runId of ['day-1', 'day-2']) {
        const run = await bench.run(runId, {listAll}, {skipFinal: runId === 'day-2'})
        expect(said(run)).toMatchObject([
          {orderNo: 'D-5', verdict: 'duplicate_in_ledger', cause, action: 'review', line: 3},
          {orderNo: 'd-5', verdict: 'duplicate_in_ledger', cause: 'matched', action: 'review', line: 4},
        ])
        expect(said(run)[0]?.explanation).toContain('one order, platform-D-5: D-5, d-5')
        const {tieOut, counts} = run.report
        expect(tieOut).toMatchObject({
          ledgerCompleted: booked,
          providerCompleted: '1000.00',
          unexplained: '0.00',
        })
        expect(counts).toMatchObject({matched: 1, duplicate_in_ledger: 2})
        expect(run.report.findings.filter(({verdict}) => verdict === 'matched')).toHaveLength(listAll ? 1 : 0)
        expect([run.status, sent(bench)]).toEqual([7, 0])
        bench.clock.ms += hourMs
      }
    },
  )

  test('a payout of that number is another order', async () => {
    const bench = merchant(credits('A-1'))
    bench.client.orders.delete('deposit\0d-5')
    const run = await bench.run('day-1')
    expect(said(run)).toMatchObject([{orderNo: 'D-5', action: 'resend'}])
    expect(sent(bench)).toBe(1)
  })
})

test.each([
  ['a dry run', '', true],
  ['a run that did not read the status', ',Stage', false],
])(
  'a row that %s alone saw booked is named where a ledger of the same time lacks it',
  async (_what, header, dryRun) => {
    const ledger = credits('A-1', 'D-5').replaceAll('Z\n', header ? 'Z,Pending\n' : 'Z\n')
    const bench = merchant(ledger.replace('created_at', `created_at${header}`))
    await bench.run('weak', {dryRun})
    bench.rewrite(credits('A-1'))
    const run = await bench.run('day-1')
    const explanation = expect.stringContaining('Run weak matched it')
    expect(said(run)).toMatchObject([
      {orderNo: 'D-5', verdict: 'missing_in_ledger', action: 'review', explanation},
    ])
    expect([run.status, sent(bench)]).toEqual([7, 0])
  },
)

test('a row that a dry run saw booked in the ledger before is booked', async () => {
  const bench = merchant(credits('D-5').replace(at, '2026-11-20T08:50:00Z'))
  await bench.run('dry', {dryRun: true})
  bench.rewrite(credits('A-1'))
  const run = await bench.run('day-1')
  expect([said(run), run.status, sent(bench)]).toEqual([[], 0, 0])
})

test('a run that did not read the status column knows less than a row that has a status', async () => {
  const unread = orders(['A-1', 'completed'], ['D-5', 'pending']).replace('status', 'Stage')
  const bench = merchant(unread)
  await bench.run('unread')
  expect(sent(bench)).toBe(0)
  bench.rewrite(unread.replace('Stage', 'status'))
  const run = await bench.run('day-1')
  expect(said(run)).toMatchObject([{orderNo: 'D-5', verdict: 'missing_completion', action: 'resend'}])
  expect(sent(bench)).toBe(1)
})

test.each([
  ['failed', 8],
  ['success', 0],
] as const)(
  'a %s record with the id of an unknown order and the number of a booked one',
  async (status, ended) => {
    const bench = merchant(credits('A-1', 'D-5'))
    bench.addRecord({orderNo: 'A-1', orderId: 'platform-LOST', createdAt: at, status})
    const run = await bench.run('day-1')
    expect([run.status, sent(bench)]).toEqual([ended, 0])
    const said =
      /delivery records have the order_id of an unknown order .*: \S+ \(A-1\)\. The unknown order may be paid/
    if (ended === 8) expect(run.report.incompleteBecause.join()).toMatch(said)
  },
)

test.each([
  ['2036-01-01T00:00:00Z', 8],
  ['1970-01-01T00:00:00Z', 8],
  ['2026-10-20T09:00:00Z', 0],
] as const)('a failed record of %s and of no known order: %i', async (createdAt, ended) => {
  const bench = merchant(credits('A-1', 'D-5'))
  bench.addRecord({orderNo: 'LOST', createdAt})
  const {status, report} = await bench.run('day-1')
  expect(status).toBe(ended)
  if (ended === 8) expect(report.incompleteBecause.join()).toContain('(LOST) has the time')
})
