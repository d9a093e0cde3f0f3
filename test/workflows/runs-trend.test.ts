import {expect, test} from 'vitest'

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
  expect(trendText(days, plain, false)).not.toMatch(/[▁-█]/)
})

test('a bar is as high as its value is of the greatest one', () => {
  expect(sparkline([0, null, 7, 14])).toBe('▁ ▅█')
  expect(sparkline([0, 0])).toBe('▁▁')
})
