import {expect, test} from 'vitest'

import {hourMs} from '../core/reconcile/sample.ts'
import {ScenarioBench} from './scenario-run.ts'

const header = 'order_no,kind,status,amount,created_at\n'
const clean = 'D-2,deposit,open,500.00,2026-11-19T09:00:00Z\n'

/** D-2 is paid and its webhook lost; somebody wrote into the number of its row. */
function bench(rows: string): ScenarioBench {
  const sections = new Map([
    ['ledger.csv', `${header}D-1,deposit,paid,500.00,2026-11-19T08:00:00Z\n${rows}`],
    ['service.json', JSON.stringify(['D-1', 'D-2'].map((orderNo) => ({orderNo})))],
    [
      'deliveries.json',
      JSON.stringify([
        {orderNo: 'D-1', createdAt: '2026-11-19T08:00:00Z', status: 'success'},
        {orderNo: 'D-2', createdAt: '2026-11-19T09:01:00Z'},
      ]),
    ],
    ['options.json', JSON.stringify({yes: true})],
  ])
  return new ScenarioBench({path: 'marked', sections})
}

const resends = ({client}: ScenarioBench) => client.log.filter((one) => one.startsWith('resend ')).length

async function nextNight(of: ScenarioBench, id: string, rows: string) {
  of.clock.ms += 24 * hourMs
  of.rewrite(`${header}D-1,deposit,paid,500.00,2026-11-19T08:00:00Z\n${rows}`)
  return await of.run(id)
}

test.each([
  ['D-2 (credited)', 'open', '500.00'],
  ['D-2*', 'open', '500.00'],
  ['D-2-paid', 'open', '500.00'],
  ['✓D-2', 'open', '500.00'],
  ['d2 (credited)', 'open', '500.00'],
  ['D_2*', 'open', '500.00'],
  ['D-2 karim', 'open', '5x0.00'],
])(
  '%s in a row that is %s: held until a newer ledger has the row without it',
  async (number, status, amount) => {
    const one = bench(`${number},deposit,${status},${amount},2026-11-19T09:00:00Z\n`)
    await one.run('marked')
    const next = await nextNight(one, 'older rows', clean)
    expect([next.status, resends(one)]).toEqual([7, 0])
    one.clock.ms += 24 * hourMs
    one.exportAgain()
    await one.run('newer rows')
    expect(resends(one)).toBe(1)
  },
)

test('beside a row of its own it is named, once, with what stands there', async () => {
  const one = bench(`${clean}D-2 (credited),deposit,open,500.00,2026-11-19T09:00:00Z\n`)
  const {status, report} = await one.run('both')
  expect([status, resends(one)]).toEqual([7, 0])
  expect(report.findings.find(({orderNo}) => orderNo === 'D-2')?.explanation).toContain(
    'Not resent: line 4 ("D-2 (credited)") may be this order under a damaged number. Look whether it was booked by hand.',
  )
})

test.each(['D-2-2', 'E-7'])('a row %s that is not at the service holds nothing', async (number) => {
  const one = bench(`${clean}${number},deposit,open,500.00,2026-11-19T09:00:00Z\n`)
  await one.run('both')
  expect(resends(one)).toBe(1)
})
