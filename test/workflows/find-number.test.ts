import {expect, onTestFinished, test} from 'vitest'

import type {DeliveryFilter} from '../../src/core/delivery-filter.ts'
import {orderKey} from '../../src/core/reconcile/orders.ts'
import {openJournal} from '../../src/journal/journal.ts'
import {type FindPorts, findNumber} from '../../src/workflows/find-number.ts'
import {listPage} from '../../src/workflows/records/list.ts'
import {listOrder} from '../../src/workflows/resend/order-records.ts'
import {delivery, order} from '../core/reconcile/sample.ts'
import {claimed, exhaustedDelivery, live, nightlyRun, payout} from '../journal/sample.ts'
import {tempDir} from '../temp-dir.ts'
import {FakeClient, FakeClock, failure} from './fake-client.ts'

const recordId = 'd1c7f8aa-2222-4333-8444-955556666777'
const platformId = 'a3f0c6d2-1111-4222-8333-944445555666'
const wallet = '01712345678'
const every: DeliveryFilter = {
  ...{sinceMs: null, untilMs: null, event: null, merchantOrderId: null},
  ...{codes: [], host: null, urlStart: null},
}

/** D-1 at the service, its webhook failed, resent by a run of rahima's that did not end; P-1 was sent to a wallet. */
async function known() {
  const client = new FakeClient(new FakeClock())
  const paid = order({orderNo: 'D-1', platformOrderNo: platformId})
  client.orders.set(orderKey(paid), paid)
  client.records.set(recordId, delivery({id: recordId, orderId: platformId}))
  const journal = openJournal(tempDir(), live, {author: 'rahima'})
  onTestFinished(() => journal.close())
  await journal.startRun(nightlyRun)
  await claimed(journal, {...exhaustedDelivery, deliveryId: recordId.toUpperCase(), orderNo: 'D-1'})
  const payeeFingerprint = journal.fingerprint(wallet, payout.amount ?? 0n)
  const pay = (n: number) =>
    journal.claimNumber({
      ...payout,
      orderNo: `P-${n}`,
      bodyDigest: `${n}`,
      intentDigest: `${n}`,
      payeeFingerprint,
    })
  await pay(1)
  const find = (number: string, ports: Partial<FindPorts> = {}) =>
    findNumber(number, {
      ...{client, width: 2, profileName: 'live', journal, received: () => [], onProgress: () => {}},
      ...ports,
    })
  return {client, journal, find, pay}
}

test.each([
  ['its number', 'D-1'],
  ['the platform’s number', platformId],
  ['the id of its delivery record', recordId],
])('an order is found by %s, with what is in doubt of it and by whom', async (_what, number) => {
  const {find} = await known()
  const {orders, incompleteBecause} = await find(number)
  expect(incompleteBecause).toEqual([])
  expect(orders).toMatchObject([
    {
      ...{orderNo: 'D-1', requests: [], received: [], agreed: [], findings: [], rows: []},
      sides: {deposit: {is: 'found'}, payout: {is: 'absent'}},
      records: [{id: recordId}],
      resends: [{runId: 'run-1', by: 'rahima'}],
      doubts: [{kind: 'resend', orderNo: 'D-1'}],
    },
  ])
})

test('an order that a run found final is named with that run', async () => {
  const {find, journal} = await known()
  const final = order({orderNo: 'D-1', platformOrderNo: platformId, amount: 50_000n})
  await journal.recordFinalOrders('run-1', 1, [{ledgerAmount: 50_000n, order: final}], [])
  expect((await find('D-1')).orders).toMatchObject([{agreed: [{runId: 'run-1', orderNo: 'D-1'}]}])
})

test('what is known here alone, at the service alone, and nowhere', async () => {
  const {find, client} = await known()
  const other = order({kind: 'payout', orderNo: 'P-9'})
  client.orders.set(orderKey(other), other)
  const numbers = async (number: string, ports: Partial<FindPorts> = {}) =>
    (await find(number, ports)).orders.map(({orderNo}) => orderNo)
  expect(await numbers('P-1')).toEqual(['P-1'])
  expect(await numbers('P-9')).toEqual(['P-9'])
  expect(await numbers('nobody')).toEqual([])
  const noJournal = {journal: null}
  expect((await find('D-1', noJournal)).orders).toMatchObject([
    {
      requests: [],
      resends: [],
      findings: [],
      agreed: [],
      rows: [],
      doubts: [],
      said: {deposit: [], payout: []},
    },
  ])
  expect(await numbers('P-1', noJournal)).toEqual([])
  const event = {orderNo: 'D-7'} as never
  expect(await numbers('D-7', {received: (number) => (number === 'D-7' ? [event] : [])})).toEqual(['D-7'])
})

test('a doubt about one of its records is of the order, whatever number it was sent under', async () => {
  const {find, client, journal} = await known()
  const id = 'aaaaaaaa-2222-4333-8444-955556666777'
  client.records.set(id, delivery({id, orderId: platformId}))
  await claimed(journal, {
    ...exhaustedDelivery,
    deliveryId: id.toUpperCase(),
    orderId: 'per-delivery',
    orderNo: 'D-8',
  })
  const [found] = (await find('D-1')).orders
  expect(found?.doubts.map(({orderNo}) => orderNo).sort()).toEqual(['D-1', 'D-8'])
})

test('of a wallet ten numbers are looked at, its own among them, and how many more there are is said', async () => {
  const {find, pay} = await known()
  for (let n = 2; n <= 9; n++) await pay(n)
  expect(await find(wallet)).toMatchObject({orders: {length: 9}, incompleteBecause: []})
  for (let n = 10; n <= 11; n++) await pay(n)
  const {orders, incompleteBecause} = await find(wallet)
  expect(orders.map(({orderNo}) => orderNo)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `P-${n}`))
  expect(incompleteBecause).toEqual(['2 more orders are not shown'])
})

test.each<
  [what: string, number: string, code: Parameters<typeof failure>[0], calls: RegExp, because: string[]]
>([
  [
    'the service cannot be reached',
    'D-1',
    'service_unreachable',
    /./,
    [
      'the delivery records of D-1 could not be read: No answer',
      'the deposit query got no answer: No answer',
      'the payout query got no answer: No answer',
    ],
  ],
  [
    'one of its addresses is silent, and the other knows the order',
    'D-1',
    'service_busy',
    /^query payout/,
    [],
  ],
  [
    'one of its addresses is silent, and the other does not know the order',
    'P-1',
    'service_busy',
    /^query payout/,
    ['the payout query got no answer: No answer'],
  ],
  [
    'there are no records',
    'D-1',
    'legacy_unavailable',
    /^list/,
    ['the delivery records of D-1 could not be read: No answer'],
  ],
  [
    'a record of an unknown id',
    'ffffffff-2222-4333-8444-955556666777',
    'service_busy',
    /^(list|get)/,
    ['the delivery records could not be read: No answer'],
  ],
])(
  '%s: what is known is shown, and what may be missing is said',
  async (_what, number, code, calls, because) => {
    const {find, client} = await known()
    client.before = (call) => {
      if (calls.test(call)) throw failure(code, 'No answer')
    }
    const {orders, incompleteBecause} = await find(number)
    expect(incompleteBecause).toEqual(because)
    expect(orders.map(({orderNo}) => orderNo)).toEqual(number.includes('-1') ? [number] : [])
  },
)

test.each<[call: string, thrown: Error]>([
  ['query', failure('credentials_rejected', 'Wrong key')],
  ['query', new TypeError('A defect')],
  ['list', failure('credentials_rejected', 'Wrong key')],
  ['list', failure('credentials_missing', 'No key')],
  ['list', failure('interrupted', 'Stopped')],
  ['list', new TypeError('A defect')],
])('a %s that ends with %s ends the search', async (asked, thrown) => {
  const {find, client} = await known()
  client.before = (call) => {
    if (call.startsWith(asked)) throw thrown
  }
  await expect(find('D-1')).rejects.toBe(thrown)
})

test.each<
  [records: number, page: number, limit: number, shown: number, complete: boolean, because: string | null]
>([
  [0, 1, 20, 0, true, null],
  [0, 2, 20, 0, true, null],
  [20, 1, 20, 20, true, null],
  [21, 1, 20, 20, false, 'this is page 1 of 2; --all reads every page'],
  [21, 2, 20, 1, false, 'this is page 2 of 2; --all reads every page'],
  [1, 2, 20, 0, false, 'this is page 2 of 1; --all reads every page'],
])(
  'of %d records, page %d of %d: %d shown, all of them: %s',
  async (count, page, limit, shown, complete, because) => {
    const client = new FakeClient(new FakeClock())
    for (let n = 0; n < count; n++) client.records.set(`${n}`, delivery({id: `${n}`}))
    const {records, ...read} = await listPage(client, {page, limit}, every)
    expect(records).toHaveLength(shown)
    expect(read).toEqual({
      ...{complete, because, isCut: false},
      pagination: {page, limit, total: count, total_pages: Math.ceil(count / limit)},
    })
  },
)

test('of a page only records that pass are shown, and one that cannot be read is no part of it', async () => {
  const client = new FakeClient(new FakeClock())
  for (const [id, merchantOrderId] of Object.entries({a: 'D-1', b: 'D-2'}))
    client.records.set(id, delivery({id, merchantOrderId}))
  const listDeliveries = async (filter: object) => ({
    ...(await client.listDeliveries(filter)),
    odd: [{id: 'c', at: 0, why: 'it has no status', orderId: null, merchantOrderId: null}] as never,
    total: 3,
  })
  const {records, ...read} = await listPage({listDeliveries}, {}, {...every, merchantOrderId: 'D-2'})
  expect(records.map(({id}) => id)).toEqual(['b'])
  expect(read).toMatchObject({
    complete: false,
    isCut: true,
    because: expect.stringContaining('it has no status'),
  })
})

test.each<[what: string, asked: Parameters<typeof listOrder>[0], ids: string[]]>([
  ['all', {}, ['a', 'b', 'c']],
  ['of a state', {status: 'failed'}, ['a', 'c']],
  ['of an order id, in any case', {orderId: 'PLATFORM-1'}, ['a', 'b']],
  ['of a state and an order id', {status: 'failed', orderId: 'platform-1'}, ['a']],
  ['of an order id that none has', {orderId: 'platform-9'}, []],
])('the records of a number are listed: %s', async (_what, asked, ids) => {
  const client = new FakeClient(new FakeClock())
  const taken = {status: 'success', responseCode: 200} as const
  client.records.set('a', delivery({id: 'a', orderId: 'platform-1', merchantOrderId: 'D-1'}))
  client.records.set('b', delivery({id: 'b', orderId: 'platform-1', merchantOrderId: 'D-1', ...taken}))
  client.records.set('c', delivery({id: 'c', orderId: 'per-delivery', merchantOrderId: 'D-1'}))
  client.records.set('d', delivery({id: 'd', orderId: 'platform-2', merchantOrderId: 'D-2'}))
  const ports = {client, width: 2, onProgress: () => {}}
  const {records, ...read} = await listOrder(asked, {...every, merchantOrderId: 'D-1'}, ports)
  expect(records.map(({id}) => id)).toEqual(ids)
  const pagination = {page: 1, limit: ids.length, total: ids.length, total_pages: 1}
  expect(read).toEqual({pagination, complete: true, because: null, isCut: false})
})

test('records of a number that cannot be read whole are none, with the reason', async () => {
  const client = new FakeClient(new FakeClock())
  for (let n = 0; n < 150; n++) client.records.set(`${n}`, delivery({id: `${n}`, merchantOrderId: 'D-1'}))
  client.before = (call) => {
    if (call === 'list page 2') throw failure('service_busy', 'HTTP 503')
  }
  const ports = {client, width: 2, onProgress: () => {}}
  const read = await listOrder({}, {...every, merchantOrderId: 'D-1'}, ports)
  expect(read).toMatchObject({records: [], complete: false, isCut: true, because: expect.stringMatching(/./)})
})
