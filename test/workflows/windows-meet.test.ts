import {join} from 'node:path'
import {expect, test} from 'vitest'

import {defaultLedgerMapping} from '../../src/core/profile.ts'
import {readLedger} from '../../src/ledger/read-ledger.ts'
import type {ReconcileOptions, RunRequest} from '../../src/workflows/reconcile/types.ts'
import {ScenarioBench} from './scenario-run.ts'

/** A ledger of credits: an outage from 23:00 to 01:00 lies between its evening and its morning. */
function outageAtMidnight(): ScenarioBench {
  const lost = ['L-1', 'L-2', 'L-3']
  const sections = new Map([
    ['ledger.csv', 'order_no,amount,created_at\nD-1,500.00,2026-11-19 12:00\n'],
    ['service.json', JSON.stringify(['D-1', ...lost].map((orderNo) => ({orderNo})))],
    [
      'deliveries.json',
      JSON.stringify(lost.map((orderNo) => ({orderNo, createdAt: '2026-11-19T18:00:00.000Z'}))),
    ],
    ['options.json', JSON.stringify({yes: true})],
  ])
  return new ScenarioBench({path: 'outage at midnight', sections})
}

/** What the merchant's server got, by the service's own log. */
const resends = ({client}: ScenarioBench): number =>
  client.log.filter((call) => call.startsWith('resend ')).length

const evening = ['2026-11-19T06:00:00Z', '2026-11-19T16:59:59.999Z'] as const
const morning = ['2026-11-19T19:00:00Z', '2026-11-20T05:00:59.999Z'] as const

async function play(
  bench: ScenarioBench,
  id: string,
  times: readonly [string, string] | null,
  options: Partial<ReconcileOptions> = {},
  change: Partial<RunRequest> = {},
) {
  const sink = {entry: () => {}, unreadable: () => {}, line: () => {}}
  const reading = {mapping: defaultLedgerMapping, kind: null}
  const ledger = await readLedger([join(bench.dir, 'ledger.csv')], reading, sink)
  const window = times
    ? {ok: true as const, fromMs: Date.parse(times[0]), toMs: Date.parse(times[1])}
    : {ok: false as const, because: 'no row has a created_at'}
  const {report, status} = await bench.run(id, {ledger: {...ledger, window}, ...change}, options)
  return {status, report, named: report.findings.flatMap(({orderNo}) => orderNo ?? []), window: report.window}
}

const gap = {from: '2026-11-19T23:00:00+06:00', to: '2026-11-20T00:59:59+06:00'}

test('what lies between the windows of two runs is said', async () => {
  const bench = outageAtMidnight()
  const first = await play(bench, 'run-1', evening)
  expect(first.window.kinds).toEqual([{kind: 'deposit', lastRun: null, lastEnd: null, between: null}])
  const second = await play(bench, 'run-2', morning)
  expect(second.window.kinds).toMatchObject([{kind: 'deposit', lastRun: 'run-1', between: gap}])
  expect(second.report.notes.join()).toContain(`from ${gap.from} to ${gap.to}, between run run-1 and this`)
})

test('--since-last-run looks there too, and the windows meet', async () => {
  const bench = outageAtMidnight()
  await play(bench, 'run-1', evening)
  const second = await play(bench, 'run-2', morning, {sinceLastRun: true})
  expect(second.named).toEqual(expect.arrayContaining(['L-1', 'L-2', 'L-3']))
  expect(second.window.kinds).toMatchObject([{between: null}])
  expect(second.report.missingInLedger).toMatchObject({from: gap.from})
})

test.each<[hours: number, skew: 'measured' | 'unknown']>([
  [0, 'measured'],
  [6, 'measured'],
  [48, 'measured'],
  [-6, 'measured'],
  [6, 'unknown'],
])(
  'a window ends with the time that is over by both clocks: this machine is %i h fast, the difference is %s',
  async (hours, skew) => {
    const bench = outageAtMidnight()
    const later = new Map(bench.client.records)
    bench.client.records.clear()
    bench.clock.ms = Date.parse('2026-11-19T17:30:00Z')
    bench.clock.setByMs = hours * 3_600_000
    bench.client.clockSkewMs = skew === 'measured' ? -bench.clock.setByMs : null
    await play(bench, 'run-1', evening, {sinceMs: Date.parse('2026-11-18T18:00:00Z')})
    for (const [id, record] of later) bench.client.records.set(id, record)
    bench.clock.ms += 12 * 3_600_000
    bench.clock.setByMs = 0
    bench.client.clockSkewMs = 0
    const {named} = await play(bench, 'run-2', morning, {sinceLastRun: true})
    expect(named).toEqual(expect.arrayContaining(['L-1', 'L-2', 'L-3']))
  },
)

test('a dry run, and one that could not look, move nothing: the next begins where the last window ended', async () => {
  const bench = outageAtMidnight()
  await play(bench, 'run-1', evening)
  await play(bench, 'try', morning, {}, {dryRun: true})
  await play(bench, 'unread', morning, {skipDeliveries: true})
  const third = await play(bench, 'run-2', morning, {sinceLastRun: true})
  expect(third.window.kinds).toMatchObject([{lastRun: 'run-1'}])
  expect(third.named).toEqual(expect.arrayContaining(['L-1', 'L-2', 'L-3']))
})

test('an older ledger again takes nothing back, and is not looked at less', async () => {
  const bench = outageAtMidnight()
  await play(bench, 'run-1', evening)
  await play(bench, 'run-2', morning, {sinceLastRun: true})
  const again = await play(bench, 'again', evening, {sinceLastRun: true})
  expect(again.report.missingInLedger).toMatchObject({from: '2026-11-19T12:00:00+06:00'})
  const third = await play(bench, 'run-3', morning)
  expect(third.window.kinds).toMatchObject([{lastRun: 'run-2', between: null}])
})

test('ledgers out of order leave no gap: each is looked at once a later ledger is given', async () => {
  const hour = (hours: number) =>
    new Date(Date.parse('2026-11-18T00:00:00Z') + hours * 3_600_000).toISOString()
  const span = (from: number, to: number) => [hour(from), hour(to)] as const
  const lost = ['L-20', 'L-39']
  const sections = new Map([
    ['ledger.csv', 'order_no,amount,created_at\nD-1,500.00,2026-11-18 12:00\n'],
    ['service.json', JSON.stringify(['D-1', ...lost].map((orderNo) => ({orderNo})))],
    [
      'deliveries.json',
      JSON.stringify([0, 20, 39].map((at) => ({orderNo: at === 0 ? 'D-1' : `L-${at}`, createdAt: hour(at)}))),
    ],
    ['options.json', JSON.stringify({yes: false})],
  ])
  const bench = new ScenarioBench({path: 'out of order', sections})
  const sinceLastRun = {sinceLastRun: true}
  expect((await play(bench, 'first', span(40, 58), sinceLastRun)).named).not.toContain('L-39')
  // Its ledger was not given yet.
  expect((await play(bench, 'second', span(0, 18), sinceLastRun)).named).not.toContain('L-20')
  const third = await play(bench, 'third', span(22, 38), sinceLastRun)
  expect([third.named.includes('L-20'), third.named.includes('L-39'), third.status]).toEqual([true, false, 7])
  const unasked = await play(bench, 'unasked', span(58, 60), {}, {dryRun: true})
  expect(unasked.window.kinds).toMatchObject([{between: {from: '2026-11-19T20:00:00+06:00'}}])
  const fourth = await play(bench, 'fourth', span(58, 60), sinceLastRun)
  expect(fourth.named).toContain('L-39')
  expect(fourth.window.kinds).toMatchObject([{between: null}])
})

const dayBefore = ['2026-11-18T06:00:00Z', '2026-11-18T16:59:59.999Z'] as const
const dayBetween = ['2026-11-18T19:00:00Z', '2026-11-19T18:30:00Z'] as const

test('the stretch between two neighbouring ledgers is covered: what is lost there is resent', async () => {
  const bench = outageAtMidnight()
  await play(bench, 'run-1', evening)
  await play(bench, 'run-2', morning, {sinceLastRun: true})
  expect(resends(bench)).toBe(3)
})

test.each<[what: string, first: readonly [string, string], change: (bench: ScenarioBench) => void]>([
  ['a day whose ledger was never given', dayBefore, () => {}],
  [
    'a stretch where an order was delivered that stands in neither ledger',
    evening,
    ({client}) => {
      const [[id, record] = []] = client.records
      if (id && record) client.records.set(id, {...record, status: 'success', responseCode: 200})
    },
  ],
])(
  '%s is looked at and named, and nothing of it is resent before its ledger was given',
  async (_what, first, change) => {
    const bench = outageAtMidnight()
    change(bench)
    await play(bench, 'run-1', first)
    const {report, status} = await play(bench, 'run-3', morning, {sinceLastRun: true})
    const lost = report.findings.filter(({orderNo}) => orderNo === 'L-2' || orderNo === 'L-3')
    expect(lost).toHaveLength(2)
    for (const finding of lost) {
      expect(finding).toMatchObject({
        ...{verdict: 'missing_in_ledger', cause: 'delivery_exhausted', action: 'review'},
        explanation: expect.stringContaining('no ledger covers the time from 2026-11-1'),
      })
    }
    expect([resends(bench), status]).toEqual([0, 7])
    await play(bench, 'its ledger', dayBetween)
    expect(resends(bench)).toBeGreaterThanOrEqual(2)
  },
)

test('a ledger without times covers none', async () => {
  const bench = outageAtMidnight()
  await play(bench, 'run-1', evening)
  const untimed = await play(bench, 'untimed', null, {sinceLastRun: true})
  expect([untimed.named.includes('L-2'), resends(bench)]).toEqual([true, 0])
})

test('times that may be of two days leave the run incomplete, also where the window begins with the last end', async () => {
  const bench = outageAtMidnight()
  await play(bench, 'run-1', evening)
  bench.rewrite('order_no,amount,created_at\nD-1,500.00,01/11/2026 09:00\n')
  const {report} = await bench.run('run-2', {}, {sinceLastRun: true})
  expect(report.incompleteBecause.join()).toContain('no row shows whether the day or the month is first')
  expect(report.incompleteBecause.join()).toContain('--dates day_first')
})
