import {expect, test} from 'vitest'

import {ScenarioBench} from './scenario-run.ts'

// The service completed D-1 and states no amount (A2); the ledger has 500.00.
test.each([
  ['50000.00', false],
  ['500.00', true],
])('the webhook says %s, the service nothing: sent %s', async (says, isSent) => {
  const bench = new ScenarioBench({
    path: 'webhook amount',
    sections: new Map([
      ['ledger.csv', 'order_no,status,amount,created_at\nD-1,pending,500.00,2026-11-20T06:00:00Z\n'],
      ['service.json', JSON.stringify([{orderNo: 'D-1', amount: null}])],
      ['deliveries.json', JSON.stringify([{orderNo: 'D-1', says, createdAt: '2026-11-20T06:00:00Z'}])],
      ['options.json', JSON.stringify({yes: true})],
    ]),
  })
  const {report} = await bench.run('run-1')
  expect(bench.client.log.filter((call) => call.startsWith('resend '))).toHaveLength(isSent ? 1 : 0)
  if (isSent) return
  const held = {state: 'skipped', why: expect.stringContaining('your ledger has BDT 500.00')}
  expect(report.findings).toMatchObject([{orderNo: 'D-1', resend: held}])
})
