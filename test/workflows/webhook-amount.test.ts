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

test.each([
  ['500.00', 0],
  ['400.00', 7],
])(
  'amounts differed; the service states none any more, and the webhook was taken with %s',
  async (says, status) => {
    const bench = new ScenarioBench({
      path: 'webhook amount',
      sections: new Map([
        ['ledger.csv', 'order_no,status,amount,created_at\nD-1,paid,500.00,2026-11-20T06:00:00Z\n'],
        ['service.json', JSON.stringify([{orderNo: 'D-1', amount: '77.00'}])],
        [
          'deliveries.json',
          JSON.stringify([{orderNo: 'D-1', status: 'success', says, createdAt: '2026-11-20T06:00:00Z'}]),
        ],
      ]),
    })
    expect((await bench.run('run-1', {listAll: false})).status).toBe(7)
    const [[key, order] = []] = bench.client.orders
    if (key === undefined || !order || order instanceof Error) throw new Error('there is no order')
    bench.client.orders.set(key, {...order, amount: null})
    const run = await bench.run('run-2', {listAll: false})
    expect(run.status).toBe(status)
    expect(await bench.journal.openFindings()).toHaveLength(status === 0 ? 0 : 1)
  },
)
