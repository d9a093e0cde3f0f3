import {expect, test} from 'vitest'

import {itemsOfRun, readTotals} from '../../src/report/run-totals.ts'
import {plain} from '../../src/report/table.ts'
import {sparkline, trendText} from '../../src/report/trend-text.ts'
import {runTrend} from '../../src/workflows/runs/trend.ts'
import {hourMs} from '../core/reconcile/sample.ts'
import {ScenarioBench} from './scenario-run.ts'

const timeZone = 'Asia/Dhaka'

/** Two paid deposits whose webhook was lost and one that is booked; the merchant's server is mended by the third run. */
const mended = () =>
  new ScenarioBench({
    path: 'trend',
    sections: new Map([
      [
        'ledger.csv',
        'order_no,status,amount,created_at\nD-1,open,500.00,2026-11-20T09:00:00Z\nD-2,paid,500.00,2026-11-20T09:00:00Z\n',
      ],
      ['service.json', JSON.stringify([{orderNo: 'D-1'}, {orderNo: 'D-2'}])],
      [
        'deliveries.json',
        JSON.stringify([
          {orderNo: 'D-1', status: 'failed', attempts: 6, responseCode: 503, nextRetryAt: null},
          {orderNo: 'D-2', status: 'success'},
        ]),
      ],
    ]),
  })

test('a day has what its last run found: breaks, ages of open items, the share of webhooks delivered, by server', async () => {
  const bench = mended()
  await bench.run('run-1')
  bench.clock.ms += hourMs
  await bench.run('dry', {dryRun: true})
  bench.clock.ms += 24 * hourMs
  await bench.run('run-2')
  await bench.run('run-3')

  const days = await runTrend(bench.journal, {sinceMs: 0, timeZone})
  expect(days.map(({runIds, breaks, newBreaks}) => ({runIds, breaks, newBreaks}))).toEqual([
    {runIds: ['run-1'], breaks: 1, newBreaks: 1},
    {runIds: ['run-3'], breaks: 1, newBreaks: 0},
  ])
  expect(days.map(({openByAge, oldestDays}) => ({openByAge, oldestDays}))).toEqual([
    {openByAge: [1, 0, 0, 0, 0], oldestDays: 0},
    {openByAge: [0, 1, 0, 0, 0], oldestDays: 1},
  ])
  expect(days[1]).toMatchObject({deliveryRate: 0.5, webhooks: {records: 2, delivered: 1}, atRisk: '500.00'})
  expect(days[1]?.receivers).toMatchObject([{records: 2, delivered: 1}])
  expect(days[1]?.receivers[0]?.host).not.toContain('/')
  expect(await runTrend(bench.journal, {sinceMs: bench.clock.ms - hourMs, timeZone})).toHaveLength(1)
  expect(trendText(days, plain, true)).toMatch(/Breaks +██ {2}last 1, least 1, most 1/)
  expect(trendText(days, plain, true)).toMatch(/BDT at risk +██ {2}last 500.00, least 500.00, most 500.00/)
  expect(trendText(days, plain, false)).not.toMatch(/[▁-█]/)
})

test('of a day the last run of each kind of ledger counts, and the day is complete where all of them were', async () => {
  const dayMs = 24 * hourMs
  const firstMs = Date.parse('2026-11-20T18:30:00Z')
  const totals = (more: object = {}) => ({
    ...{
      complete: true,
      dryRun: false,
      breaks: 1,
      counts: {rows: 9, matched: 5, in_flight: 1, amount_mismatch: 3},
    },
    ...{atRisk: {total: '100.50'}, memory: {new: 1, closed: 2}, resends: {sent: 3, delivered: 2}},
    ...{ledger: {deposit: {}}, receivers: [{host: 'shop.example', records: 4, delivered: 3}]},
    ...more,
  })
  type Run = readonly [id: string, hours: number, totals: object | null, run?: object]
  const runs: readonly Run[] = [
    ['before', -1, totals()],
    ['deposits', 0, totals({complete: false})],
    ['payouts', 1, totals({ledger: {payout: {}}, breaks: 2, complete: false})],
    ['deposits again', 2, totals({breaks: undefined})],
    ['both', 26, totals({ledger: {payout: {}, deposit: {}}, receivers: undefined})],
    ['both, in the other order', 27, totals({ledger: {deposit: {}, payout: {}}, receivers: []})],
    ['dry', 28, totals({dryRun: true})],
    ['without figures', 28, null],
    ['resends', 28, totals(), {command: 'resend'}],
    ['stopped', 28, totals(), {status: 'interrupted'}],
    ['at work', 28, totals(), {finishedAtMs: null}],
  ]
  const rows = runs.map(([id, hours, , more]) => ({
    ...{id, command: 'reconcile', status: 'finished', startedAtMs: firstMs + hours * hourMs},
    ...{finishedAtMs: firstMs + (hours + 1) * hourMs, ...more},
  }))
  let orders = 0
  const item = (openedMs: number, closedMs: number | null = null, cause = 'delivery_exhausted') => ({
    ...{kind: 'deposit', orderNo: `D-${++orders}`},
    openedMs,
    closedMs,
    cause,
  })
  const journal = {
    listRuns: async () => rows.toReversed(),
    findTotals: async (id: string) => JSON.stringify(runs.find(([one]) => one === id)?.[2] ?? null),
    listItems: async () => [
      item(firstMs),
      item(firstMs - 3 * dayMs),
      // The same order, whose trouble has another name since.
      {...item(firstMs), orderNo: 'D-2'},
      item(firstMs, firstMs + 10 * hourMs),
      item(firstMs, null, 'delivered'),
      item(firstMs + 28 * hourMs),
      item(firstMs + 28 * hourMs + 1),
    ],
  } as unknown as Parameters<typeof runTrend>[0]
  const days = await runTrend(journal, {sinceMs: firstMs, timeZone})
  expect(days).toEqual([
    {
      ...{day: '2026-11-21', runIds: ['deposits again', 'payouts'], complete: false},
      ...{breaks: 3, newBreaks: 2, closed: 4, atRisk: '100.50', resends: {sent: 6, delivered: 4}},
      ...{webhooks: {records: 8, delivered: 6}, deliveryRate: 0.75},
      receivers: [{host: 'shop.example', records: 8, delivered: 6}],
      ...{openByAge: [3, 1, 0, 0, 0], oldestDays: 3},
    },
    {
      ...{day: '2026-11-22', runIds: ['both, in the other order'], complete: true},
      ...{breaks: 1, newBreaks: 1, closed: 2, atRisk: '100.50', resends: {sent: 3, delivered: 2}},
      ...{webhooks: {records: 0, delivered: 0}, deliveryRate: null, receivers: []},
      ...{openByAge: [1, 2, 1, 0, 0], oldestDays: 4},
    },
  ])
  expect(await runTrend(journal, {sinceMs: firstMs + 29 * hourMs, timeZone})).toEqual([])
})

test('a bar is as high as its value is of the greatest one', () => {
  expect(sparkline([0, null, 7, 14])).toBe('▁ ▅█')
  expect(sparkline([0, 0])).toBe('▁▁')
})

test('items that several runs of a day follow up count once', async () => {
  const bench = mended()
  await bench.run('run-1')
  bench.clock.ms += hourMs
  bench.rewrite('order_no,kind,status,amount,created_at\nP-1,payout,open,100.00,2026-11-20T10:00:00Z\n')
  const {report} = await bench.run('payouts')
  const [day] = await runTrend(bench.journal, {sinceMs: 0, timeZone})
  expect(day).toMatchObject({
    runIds: ['run-1', 'payouts'],
    breaks: report.breaks,
    atRisk: report.atRisk.total,
  })
  const open = (await bench.journal.listItems()).filter(({closedMs}) => closedMs === null)
  expect(day?.openByAge.reduce((sum, count) => sum + count, 0)).toBe(open.length)
  const totals = readTotals(await bench.journal.findTotals('payouts'))
  expect(totals && itemsOfRun(totals)).toEqual({open: open.length, new: open.length - 1, closed: 0})
})

test('the open items of a run are those at its end, as its statement counts them', () => {
  const count = (items: number) => ({items, amount: '0.00'})
  const openItems = {opening: count(3), new: count(29), closed: count(4), closing: count(28)}
  const memory = {new: 29, open: 0, changed: 1, reopened: 1, closed: 4, notExamined: 2}
  const of = (more: object) => itemsOfRun({memory, dryRun: false, ...more} as never)
  expect(of({statement: [{openItems}, {openItems}]})).toEqual({open: 56, new: 58, closed: 8})
  expect(of({statement: [{openItems}], dryRun: true})).toEqual({open: 3, new: 0, closed: 0})
  expect(of({})).toEqual({open: 33, new: 29, closed: 4})
})
