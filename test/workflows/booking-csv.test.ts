import {readFileSync} from 'node:fs'
import {parse} from 'csv-parse/sync'
import {expect, test} from 'vitest'

import {ScenarioBench} from './scenario-run.ts'

const rows = [
  'D-1,deposit,open,500.00,2026-11-18T09:00:00Z',
  'P-1,payout,failed,250.00,2026-11-18T09:00:00Z',
  // Of each of these something is not certain.
  'YOUNG,deposit,open,501.00,SOON',
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
  const soon = new Date(bench.clock.ms - 3_600_000).toISOString()
  bench.rewrite(`order_no,kind,status,amount,created_at\n${rows.join('\n').replace('SOON', soon)}\n`)
  // A clerk booked one under a number of another system.
  bench.addLedger('order_no,kind,status,amount\nX-7,deposit,completed,777.00\n')
  const {report} = await bench.run('night')
  const text = readFileSync(report.reports.booking ?? '', 'utf8')
  const booked = parse(text, {columns: true, bom: true}) as Record<string, string>[]
  expect(booked.map(({order_no: number}) => number)).toEqual(['D-1', 'P-1'])
  expect(booked[0]).toMatchObject({
    ...{dedup_key: 'platform-D-1 D-1', kind: 'deposit', amount: '500.00', ledger_status: 'open', line: '2'},
    ordered_at: '2026-11-18T15:00:00+06:00',
  })
})
