import {expect, test} from 'vitest'

import {hourMs} from '../core/reconcile/sample.ts'
import {ScenarioBench} from './scenario-run.ts'

/** A ledger of orders: HAND is paid, its webhook failed for good, and a clerk booked it after the first export. */
const ledger = (status: string, amount = '500.00') =>
  `order_no,status,amount,created_at\nHAND,${status},${amount},2026-11-20T09:00:00Z\n`

function merchant(): ScenarioBench {
  return new ScenarioBench({
    path: 'older ledger',
    sections: new Map([
      ['ledger.csv', ledger('pending')],
      ['service.json', JSON.stringify([{orderNo: 'HAND'}])],
      ['deliveries.json', JSON.stringify([{orderNo: 'HAND'}])],
      ['options.json', JSON.stringify({yes: true})],
    ]),
  })
}

/** What the merchant's server got, by the service's own log. */
const resends = ({client}: ScenarioBench) => client.log.filter((call) => call.startsWith('resend ')).length

test.each<[what: string, again: (bench: ScenarioBench, night: number) => ReturnType<ScenarioBench['run']>]>([
  ['given again', (bench, night) => bench.run(`again-${night}`)],
  ['given again, with --skip-final', (bench, night) => bench.run(`again-${night}`, {}, {skipFinal: true})],
  ['as a run that is resumed', (bench) => bench.run('v1', {resume: true})],
])('what a newer ledger showed as booked, an older one does not resend: %s', async (_what, again) => {
  const bench = merchant()
  await bench.run('v1', {dryRun: true})
  bench.rewrite(ledger('completed'))
  expect((await bench.run('v2')).status).toBe(0)
  bench.rewrite(ledger('pending'))
  for (const night of [1, 2]) {
    bench.clock.ms += hourMs
    const {report, status} = await again(bench, night)
    expect(report.findings).toMatchObject([
      {
        ...{verdict: 'missing_completion', cause: 'delivery_exhausted', action: 'review'},
        explanation: expect.stringContaining('run v2 found it booked'),
      },
    ])
    expect([resends(bench), status]).toEqual([0, 7])
  }
  bench.rewrite(ledger('completed'))
  expect((await bench.run('v3')).status).toBe(0)
})

test('what no run saw booked is resent', async () => {
  const bench = merchant()
  await bench.run('v1', {dryRun: true})
  await bench.run('v1-again')
  expect(resends(bench)).toBe(1)
})

test('another order under the number was not booked', async () => {
  const bench = merchant()
  bench.rewrite(ledger('completed'))
  await bench.run('v2')
  const known = bench.client.orders.get('deposit\0HAND')
  if (!known || known instanceof Error) throw new Error('HAND is no order')
  bench.client.orders.set('deposit\0HAND', {...known, platformOrderNo: 'platform-other'})
  bench.addRecord({orderNo: 'HAND', orderId: 'platform-other'})
  bench.rewrite(ledger('pending'))
  await bench.run('v3')
  expect(resends(bench)).toBe(1)
})
