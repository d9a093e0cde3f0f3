import {expect, test} from 'vitest'

import {defaultDialect} from '../../src/core/dialect.ts'
import {type PlanPorts, planResends} from '../../src/workflows/resend-plan.ts'
import {delivery, noOverrides} from '../core/reconcile/sample.ts'
import {FakeClient, FakeClock, failure} from './fake-client.ts'

const failed = delivery()
const delivered = delivery({
  ...{id: '00000000-0000-4000-8000-000000000002', orderId: 'platform-2', merchantOrderId: 'D-2'},
  ...{status: 'success', responseCode: 200},
})

const everything = {
  ...{sinceMs: null, untilMs: null, event: null, merchantOrderId: null},
  ...{codes: [], host: null, urlStart: null},
}

function bench(overrides = {...noOverrides, includeDelivered: true}) {
  const client = new FakeClient(new FakeClock())
  for (const record of [failed, delivered]) client.records.set(record.id, record)
  const ports: PlanPorts = {
    ...{
      client,
      earlierResend: () => null,
      dialect: defaultDialect,
      timeZone: 'UTC',
      now: client.clock.now,
      width: 2,
    },
    overrides,
  }
  const plan = () => planResends({by: 'filter', status: 'failed', local: everything}, ports)
  return {client, plan}
}

test('a service that ignores the filter does not widen the plan', async () => {
  const {client, plan} = bench()
  const list = client.listDeliveries.bind(client)
  client.listDeliveries = ({status: _, ...filter}) => list(filter)
  const {decisions} = await plan()
  expect(decisions.map(({id, resend}) => [id, resend])).toEqual([[failed.id, true]])
})

test('an order whose records cannot be read to their end is not resent, and the plan says so (P9)', async () => {
  const {client, plan} = bench()
  client.pageSize = 1
  const again = {id: '00000000-0000-4000-8000-000000000003', status: 'success'} as const
  client.records.set(again.id, {...failed, ...again})
  client.before = (call) => {
    if (call === 'list of platform-1 page 2') throw failure('service_busy', 'HTTP 503')
  }
  const {decisions, incompleteBecause} = await plan()
  expect(decisions).toMatchObject([{id: failed.id, resend: false}])
  expect(incompleteBecause).toEqual(['the records of 1 order could not be read to their end'])
})

test.each<[what: string, other: Partial<typeof failed>, resent: string[]]>([
  [
    'failed, of another order_id, older',
    {orderId: 'per-delivery', createdAt: '2020-01-01T00:00:00Z'},
    [failed.id],
  ],
  [
    'failed, of another order_id, newer',
    {orderId: 'per-delivery', createdAt: '2099-01-01T00:00:00Z'},
    ['other'],
  ],
  ['older and succeeded', {status: 'success', createdAt: '2020-01-01T00:00:00Z'}, []],
  ['failed, of another event', {orderId: 'per-delivery', event: 'order.failed'}, [failed.id, 'other']],
  ['failed, of another number', {orderId: 'per-delivery', merchantOrderId: 'D-9'}, [failed.id, 'other']],
])('of one number and event at most one is resent: another record, %s', async (_, other, resent) => {
  const {client, plan} = bench(noOverrides)
  client.records.set('other', {...failed, id: 'other', ...other})
  const {decisions} = await plan()
  const sent = decisions.filter(({resend}) => resend).map(({id}) => id)
  expect(sent.toSorted()).toEqual(resent.toSorted())
})
