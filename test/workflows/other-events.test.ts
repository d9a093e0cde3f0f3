import {expect, test} from 'vitest'

import type {OddDelivery, OrderKind} from '../../src/core/order.ts'
import {whyOtherEvents} from '../../src/workflows/reconcile/events-seen.ts'
import {platformOf, ScenarioBench} from './scenario-run.ts'

const at = (hour: string) => `2026-11-20T${hour}:00.000Z`

/** Three orders booked and delivered, and LOST, paid and not booked, with the event of each record. */
function service(events: readonly [booked: string, ofLost: string], lost = true): ScenarioBench {
  const [booked, ofLost] = events
  const numbers = ['D-1', 'D-2', 'D-3']
  const rows = numbers.map((orderNo, index) => `${orderNo},500.00,${at(`0${6 + index}:00`)}`)
  const records = numbers.map((orderNo, index) => ({
    ...{orderNo, event: booked, createdAt: at(`0${6 + index}:00`)},
    ...{status: 'success', attempts: 1, responseCode: 200},
  }))
  const ofLostOrder = {orderNo: 'LOST', event: ofLost, createdAt: at('07:30')}
  return new ScenarioBench({
    path: 'other events',
    sections: new Map([
      ['ledger.csv', `order_no,amount,created_at\n${rows.join('\n')}\n`],
      ['service.json', JSON.stringify([...numbers, 'LOST'].map((orderNo) => ({orderNo})))],
      ['deliveries.json', JSON.stringify(lost ? [...records, ofLostOrder] : records)],
    ]),
  })
}

test.each<[booked: string, ofLost: string, named: RegExp]>([
  [
    'deposit.completed',
    'deposit.completed',
    /no completed deposit has a record of the event "order.completed", only of "deposit.completed"/,
  ],
  ['ORDER.COMPLETED', 'ORDER.COMPLETED', /only of "ORDER.COMPLETED"/],
  ['order.complete', 'order.reviewed', /only of "order.complete", so/],
])(
  'booked orders have "%s", the lost one "%s": nothing was checked, and it says so',
  async (booked, ofLost, named) => {
    const {report, status} = await service([booked, ofLost]).run('run-1')
    expect({status, complete: report.complete}).toEqual({status: 8, complete: false})
    expect(report.incompleteBecause.join()).toMatch(named)
  },
)

test.each<[booked: string, ofLost: string, status: number]>([
  ['order.completed', 'order.created', 0],
  ['order.completed', 'webhook.test', 0],
  ['order.completed', 'order.incomplete', 0],
  ['order.completed', 'order.completed', 7],
])('booked orders have "%s", another "%s": the list tells', async (booked, ofLost, status) => {
  const bench = service([booked, ofLost])
  const {report, status: ended} = await bench.run('run-1', {dryRun: true})
  expect({status: ended, complete: report.complete}).toEqual({status, complete: true})
})

test.each([
  ...['Order.Completed', 'order.completed ', '', 'order.complete', 'order.completed.v2', 'payment.success'],
  ...[
    'deposit.completed',
    'order.settled',
    'order.confirmed',
    'payment.captured',
    'topup.ok',
    'order.updated',
  ],
])('a paid order without a row that has a record of "%s" alone is named, taken or not', async (event) => {
  for (const status of ['failed', 'success'] as const) {
    const bench = service(['order.completed', ''], false)
    bench.addRecord({
      ...{orderNo: 'LOST', orderId: platformOf('deposit', 'LOST'), createdAt: at('07:30')},
      ...{event, status},
    })
    const {report, status: ended} = await bench.run('run-1')
    expect({ended, complete: report.complete}).toEqual({ended: 7, complete: true})
    expect(report.findings.filter(({action}) => action !== 'none')).toMatchObject([
      {orderNo: 'LOST', verdict: 'missing_in_ledger', cause: 'no_delivery_record', action: 'review'},
    ])
    expect(bench.client.log.filter((call) => call.startsWith('resend '))).toEqual([])
  }
})

test.each<[what: string, of: object, other: object | null]>([
  ['is not of the time of the ledger', {createdAt: at('12:30')}, null],
  ['comes beside the usual one', {}, {event: 'order.completed', status: 'success'}],
])('another event of a completed order that %s says nothing', async (_, of, other) => {
  const bench = service(['order.completed', ''], false)
  const record = {orderNo: 'LOST', orderId: platformOf('deposit', 'LOST'), createdAt: at('07:30')}
  bench.addRecord({...record, event: 'payment.success', ...of})
  if (other) bench.addRecord({...record, ...other})
  const {report} = await bench.run('run-1', {dryRun: true})
  expect(JSON.stringify(report)).not.toContain('payment.success')
})

test.each([
  ['payout', 'deposit'],
  ['deposit', 'payout'],
] as const)('a %s has an event of its own, beside a %s with the usual one', async (kind, usual) => {
  const rows = [...numbersOf(kind), ...numbersOf(usual)].map((orderNo, index) => {
    const of = orderNo.startsWith(kind) ? kind : usual
    return {
      of,
      orderNo,
      createdAt: at(`0${3 + index}:00`),
      event: of === kind ? `${kind}.completed` : 'order.completed',
    }
  })
  const lost = {orderNo: `${kind}-LOST`, orderId: platformOf(kind, `${kind}-LOST`), createdAt: at('04:30')}
  const bench = new ScenarioBench({
    path: 'an event for each kind',
    sections: new Map([
      [
        'ledger.csv',
        `order_no,kind,amount,created_at\n${rows.map(({orderNo, of, createdAt}) => `${orderNo},${of},500.00,${createdAt}\n`).join('')}`,
      ],
      [
        'service.json',
        JSON.stringify(
          [...rows, {of: kind, orderNo: lost.orderNo}].map(({of, orderNo}) => ({kind: of, orderNo})),
        ),
      ],
      [
        'deliveries.json',
        JSON.stringify([
          ...rows.map(({orderNo, of, createdAt, event}) => ({
            ...{orderNo, orderId: platformOf(of, orderNo), createdAt, event},
            ...{status: 'success', attempts: 1},
          })),
          {...lost, event: `${kind}.completed`},
        ]),
      ],
    ]),
  })
  const {report, status} = await bench.run('run-1')
  expect(status).toBe(8)
  expect(report.incompleteBecause.join()).toContain(
    `no completed ${kind} has a record of the event "order.completed", only of "${kind}.completed", so missing ${kind}s`,
  )
})

const numbersOf = (kind: OrderKind) => ['1', '2', '3'].map((number) => `${kind}-${number}`)

test.each(['lost', 'M1-LOST', 'LOS'])(
  'a lost webhook of "%s", which the service does not know, makes the run incomplete',
  async (orderNo) => {
    const bench = service(['order.completed', 'order.completed'], false)
    bench.addRecord({orderNo, orderId: platformOf('deposit', 'LOST'), createdAt: at('07:30')})
    const {report, status} = await bench.run('run-1')
    expect(status).toBe(8)
    expect(report.incompleteBecause.join()).toContain(`the webhooks of "${orderNo}" were not delivered`)
  },
)

test('booked orders that have no record, beside one of a test: nothing speaks against the list', async () => {
  const bench = service(['order.completed', 'webhook.test'])
  for (const [id, {event}] of bench.client.records)
    if (event === 'order.completed') bench.client.records.delete(id)
  const {report} = await bench.run('run-1')
  expect(report.complete).toBe(true)
})

test.each<[what: string, odd: Partial<OddDelivery>, isWhole: boolean]>([
  ['delivered', {status: 'success'}, true],
  ['of another event', {event: 'webhook.test'}, true],
  ['made before the window', {createdAt: '2026-10-20T07:30:00.000Z'}, true],
  ['made after the window', {createdAt: at('09:30')}, true],
  ['of the window, failed', {}, false],
  ['of the window, almost of the event', {event: 'Order.Completed'}, false],
  ['of an event that cannot be read', {event: null}, false],
  ['of a status that cannot be read', {status: null}, false],
  ['of a time that cannot be read', {createdAt: null}, false],
])('a record of nobody knows whom, %s', async (_, change, isWhole) => {
  const bench = service(['order.completed', 'order.completed'], false)
  const odd: OddDelivery = {
    ...{id: '00000000-0000-4000-8000-00000000000f', orderId: null, merchantOrderId: null},
    ...{
      event: 'order.completed',
      status: 'failed',
      createdAt: at('07:30'),
      why: 'order_id: expected a string',
      at: 0,
    },
    ...change,
  }
  withOdd(bench, [odd])
  const {report, status} = await bench.run('run-1')
  expect({status, complete: report.complete}).toEqual({status: isWhole ? 0 : 8, complete: isWhole})
  expect(JSON.stringify(report)).toContain(odd.id)
  if (isWhole) return
  expect(report.incompleteBecause.join()).toContain('; whose it is nobody can tell')
  withOdd(bench, [{...odd, id: '00000000-0000-4000-8000-00000000000e', at: 1}])
  expect((await bench.run('run-2')).report.incompleteBecause.join()).toContain(
    '; whose they are nobody can tell',
  )
})

/** Beside its records, and those that it lists so already. */
function withOdd({client}: ScenarioBench, odd: readonly OddDelivery[]): void {
  const list = client.listDeliveries.bind(client)
  client.listDeliveries = async (filter) => {
    const page = await list(filter)
    const isAll = filter?.orderId === undefined
    return isAll ? {...page, odd: [...page.odd, ...odd], total: page.total + odd.length} : page
  }
}

test.each<[what: string, instead: readonly string[], told: RegExp | null]>([
  ['as documented', [], null],
  ['another name for all', ['paid'], /only of "paid", so missing payouts cannot be found/],
  ['five other names', [...'abcde'], /only of "a", "b", "c", "d", "e", so/],
  ['seven other names', [...'abcdefg'], /only of "a", "b", "c", "d", "e" and 2 more, so/],
])('the events of records: %s', (_, instead, told) => {
  const why = whyOtherEvents({eventsInstead: () => [...instead]}, ['payout'])
  if (told === null) expect(why).toBeNull()
  else expect(why).toMatch(told)
})
