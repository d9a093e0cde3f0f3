import {expect, test} from 'vitest'

import {defaultDialect} from '../../../src/core/dialect.ts'
import {planResends, type ResendPlanPorts, type ResendSelection} from '../../../src/workflows/resend/plan.ts'
import {reconciledBy} from '../../../src/workflows/resend/seen.ts'
import {delivery, noOverrides, order} from '../../core/reconcile/sample.ts'
import {FakeClient, FakeClock, failure} from '../fake-client.ts'
import {ScenarioBench} from '../scenario-run.ts'

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
  const told: string[] = []
  const ports: ResendPlanPorts = {
    ...{
      client,
      earlierResend: () => null,
      waitsSince: () => null,
      reconciled: () => () => null,
      dialect: defaultDialect,
      timeZone: 'UTC',
      now: client.clock.now,
      width: 2,
      onProgress: (stage, done, total) => void told.push(`${stage} ${done}/${total}`),
    },
    overrides,
  }
  const plan = () => planResends({by: 'filter', status: 'failed', local: everything}, ports)
  return {client, plan, ports, told}
}

test('a service that ignores the filter does not widen the plan', async () => {
  const {client, plan} = bench()
  const list = client.listDeliveries.bind(client)
  client.listDeliveries = ({status: _, ...filter}) => list(filter)
  const {decisions} = await plan()
  expect(decisions.map(({id, resend}) => [id, resend])).toEqual([[failed.id, true]])
})

test.each([
  [noOverrides, false],
  [{...noOverrides, includeDelivered: true}, true],
])('what the own receiver handed on is not sent without a word: %o', async (overrides, isSent) => {
  const {client, ports} = bench(overrides)
  const why = 'your server took its order.completed, which hisab handed on'
  const received = () => ({event: 'order.completed', takenAtMs: 1, why})
  client.records.set(failed.id, failed)
  const {decisions} = await planResends({by: 'ids', ids: [failed.id]}, {...ports, received})
  expect(decisions).toMatchObject([
    isSent ? {resend: true} : {resend: false, isOpen: false, why: expect.stringContaining('handed on')},
  ])
})

test('of records that are named, one that is unknown or cannot be read is not sent, and no person has to decide', async () => {
  const {client, ports} = bench()
  const [unknown, unread] = [7, 8].map((n) => `00000000-0000-4000-8000-00000000000${n}`) as [string, string]
  client.before = (call) => {
    if (call.includes(unread)) throw failure('service_busy', 'HTTP 503')
  }
  const ids = [failed.id.toUpperCase(), unknown, unread, failed.id]
  const {decisions, incompleteBecause} = await planResends({by: 'ids', ids}, ports)
  const left = {delivery: null, resend: false, isOpen: false}
  expect(decisions).toHaveLength(3)
  expect(decisions).toEqual(
    expect.arrayContaining([
      expect.objectContaining({id: failed.id, resend: true}),
      {...left, id: unknown, why: 'The service has no such record.'},
      {...left, id: unread, why: 'It could not be read: HTTP 503.'},
    ]),
  )
  expect(incompleteBecause).toEqual([`the record ${unread} could not be read`])
  await expect(planResends({by: 'ids', ids: [failed.id, 'D-1']}, ports)).rejects.toThrow(
    '"D-1" is not the id',
  )
})

test.each<[what: string, selection: Partial<Extract<ResendSelection, {by: 'filter'}>>, selected: number]>([
  ['of a state', {status: 'failed'}, 1],
  ['of a number', {status: 'failed', local: {...everything, merchantOrderId: 'D-1'}}, 0],
  ['of a number, in any state', {status: null, local: {...everything, merchantOrderId: 'D-1'}}, 0],
  ['of an outage', {outage: 'all'}, 1],
])(
  'a list that cannot be read whole makes the plan incomplete: records %s',
  async (_what, selection, selected) => {
    const {client, ports} = bench()
    for (let n = 0; n < 150; n++) client.records.set(`x-${n}`, {...delivered, id: `x-${n}`})
    client.before = (call) => {
      if (call === 'list page 2') throw failure('service_busy', 'HTTP 503')
    }
    const list = client.listDeliveries.bind(client)
    client.listDeliveries = ({status: _, ...filter}) => list(filter)
    const plan = await planResends({by: 'filter', status: 'failed', local: everything, ...selection}, ports)
    expect(plan.incompleteBecause[0]).toMatch(/^the list could not be read whole: /)
    expect(plan.decisions).toHaveLength(selected)
  },
)

test.each<[what: string, selection: Partial<Extract<ResendSelection, {by: 'filter'}>>, says: RegExp]>([
  ['an outage that is over', {outage: 'deadbeef'}, /^There is no outage deadbeef any more/],
  [
    'a number without records',
    {local: {...everything, merchantOrderId: 'D-404'}},
    /^The service has no failed record of D-404 that passes the filters/,
  ],
  [
    'a number whose record has another state',
    {local: {...everything, merchantOrderId: 'D-2'}},
    /^The service has no failed record of D-2/,
  ],
  [
    'a number whose records are of another time',
    {status: null, local: {...everything, merchantOrderId: 'D-1', sinceMs: Date.UTC(2030, 0)}},
    /^The service has no delivery record of D-1/,
  ],
])('what selects nothing is said: %s', async (_what, selection, says) => {
  const {ports} = bench()
  const named = planResends({by: 'filter', status: 'failed', local: everything, ...selection}, ports)
  await expect(named).rejects.toThrow(
    expect.objectContaining({code: 'not_found', message: expect.stringMatching(says)}),
  )
})

test('an order whose records cannot be read to their end is not resent, and the plan says so (P9)', async () => {
  const {client, plan} = bench()
  client.pageSize = 1
  client.orders.set('deposit\0D-1', order({platformOrderNo: failed.orderId}))
  const again = {id: '00000000-0000-4000-8000-000000000003', status: 'success'} as const
  client.records.set(again.id, {...failed, ...again})
  for (let n = 0; n < 10; n++) client.records.set(`x-${n}`, {...delivered, id: `x-${n}`})
  client.before = (call) => {
    if (call === 'list of platform-1 page 2') throw failure('service_busy', 'HTTP 503')
  }
  const {decisions, incompleteBecause} = await plan()
  expect(decisions).toMatchObject([{id: failed.id, resend: false}])
  expect(incompleteBecause).toEqual(['not all records of 1 order could be read'])
})

test.each([
  ['alone', []],
  ['and another record of its order stays', [{...failed, id: 'older', createdAt: '2020-01-01T00:00:00Z'}]],
])(
  'a record that leaves the list before its send makes the plan incomplete (P9): %s',
  async (_what, others) => {
    const {client, plan} = bench()
    for (const other of others) client.records.set(other.id, other)
    let lists = 0
    client.before = (call) => {
      if (call.startsWith('list') && ++lists === 2) client.records.delete(failed.id)
    }
    const {decisions, incompleteBecause} = await plan()
    expect(decisions.find(({id}) => id === failed.id)).toMatchObject({
      resend: false,
      why: 'It was not among the records of its order when they were read.',
    })
    expect(incompleteBecause).toEqual(['1 record left the list while it was read'])
  },
)

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

const newer = {createdAt: '2099-01-01T00:00:00Z'}
const taken = {...newer, status: 'success', attempts: 1, responseCode: 200} as const

test.each<[what: string, other: Partial<typeof failed>]>([
  ['a success under a foreign order_id', {...taken, orderId: 'foreign'}],
  ['a success under the order_id in upper case', {...taken, orderId: failed.orderId.toUpperCase()}],
  ['a success without an order_id', {...taken, orderId: ''}],
  ['a success without a number', {...taken, merchantOrderId: ''}],
  [
    'a success of the number in another case, under a foreign order_id',
    {...taken, ...{orderId: 'foreign', merchantOrderId: 'd-1'}},
  ],
  ['a success of the event in another case', {...taken, event: 'ORDER.COMPLETED '}],
  ['a success of an event that says the same', {...taken, event: 'payment.success'}],
  [
    'a scheduled retry under a foreign order_id',
    {...newer, orderId: 'foreign', status: 'pending', nextRetryAt: '2099-01-02T00:00:00Z'},
  ],
  [
    'an older scheduled retry under a foreign order_id',
    {orderId: 'foreign', createdAt: '2020-01-01T00:00:00Z', nextRetryAt: '2099-01-02T00:00:00Z'},
  ],
])('what stands under another order_id speaks against a resend as well: %s', async (_, other) => {
  for (const by of ['filter', 'id', 'filter, long list of an unproven key'] as const) {
    const {client, plan, ports} = bench(noOverrides)
    client.records.set('other', {...failed, id: 'other', ...other})
    if (by.endsWith('key')) client.pageSize = 2
    const {decisions} = await (by === 'id' ? planResends({by: 'ids', ids: [failed.id]}, ports) : plan())
    expect(
      decisions.filter(({resend}) => resend).map(({id}) => id),
      by,
    ).toEqual([])
  }
})

/** So many pages of older records, the newest first. */
function fillTo({records}: FakeClient, pages: number): void {
  const beforeMs = Date.parse(failed.createdAt) - 7_200_000
  for (let n = 0; n < pages * 100 - 50; n++) {
    const createdAt = new Date(beforeMs - n * 1000).toISOString()
    records.set(`x-${n}`, {...delivered, id: `x-${n}`, createdAt})
  }
}

test.each<[what: string, platformOrderNo: string | null, pages: number, read: string[]]>([
  ['as cheap as the look-up: the whole list', failed.orderId, 1, ['list page 1']],
  ['short, the key proven: the whole list', failed.orderId, 3, ['list page 1', 'list page 2', 'list page 3']],
  [
    'longer, the key proven: the look-up, and what is younger',
    failed.orderId,
    11,
    ['list page 1', 'list of platform-1 page 1'],
  ],
  ['longer, the key disproven: the whole list', 'another', 11, ['list page 1', 'list page 2', 'list page 3']],
  ['longer, no such order: the whole list', null, 11, ['list page 1', 'list page 2', 'list page 3']],
])(
  'the records of an order are read by the cheapest way that proves: %s',
  async (_, platformOrderNo, pages, read) => {
    const {client, ports} = bench(noOverrides)
    fillTo(client, pages)
    if (platformOrderNo !== null) client.orders.set('deposit\0D-1', order({platformOrderNo}))
    const {decisions} = await planResends({by: 'ids', ids: [failed.id]}, ports)
    expect(decisions).toMatchObject([{id: failed.id, resend: true}])
    const lists = [...new Set(client.log.filter((call) => call.startsWith('list')))]
    expect(
      lists
        .filter((call) => !/page (?:[^123]|1\d)/.test(call))
        .slice(0, 3)
        .toSorted(),
    ).toEqual(read.toSorted())
  },
)

test.each<[what: string, by: 'ids' | 'filter', pages: number, isFound: boolean, told: object]>([
  [
    'records by their ids, and their orders',
    'ids',
    11,
    true,
    {records: '1/1', pages: '2/2', 'look-ups': '1/1'},
  ],
  ['records by their ids, and the whole list', 'ids', 11, false, {records: '1/1', pages: '12/12'}],
  ['records by their state, and their orders', 'filter', 11, true, {pages: '2/2', 'look-ups': '1/1'}],
])('the screen is told what is read for a plan, to its end: %s', async (_what, by, pages, isFound, told) => {
  const {client, plan, ports, told: all} = bench(noOverrides)
  fillTo(client, pages)
  if (isFound) client.orders.set('deposit\0D-1', order({platformOrderNo: failed.orderId}))
  await (by === 'ids' ? planResends({by, ids: [failed.id]}, ports) : plan())
  expect(Object.fromEntries(all.map((text) => text.split(' ') as [string, string]))).toEqual(told)
})

test.each<
  [what: string, pages: number, otherAt: number, mixed: boolean, resent: boolean, why: RegExp | null]
>([
  ['younger than it', 12, 3_600_000, false, false, null],
  ['a little older', 12, -600_000, false, false, null],
  ['in a list of no order', 12, -86_400_000, true, false, null],
  [
    'in a list of no order that is too long',
    102,
    600_000,
    true,
    true,
    /^records with an order's number .* no order of time$/,
  ],
])(
  'a success of the number under another order_id speaks against a resend in a long list: %s',
  async (_what, pages, otherAt, mixed, resent, why) => {
    for (const selection of [
      {by: 'ids', ids: [failed.id]},
      {by: 'filter', status: 'failed', local: everything},
      {by: 'filter', status: null, local: {...everything, merchantOrderId: 'D-1'}},
    ] satisfies ResendSelection[]) {
      const {client, ports} = bench(noOverrides)
      client.records.clear()
      const createdAt = new Date(Date.parse(failed.createdAt) + otherAt).toISOString()
      const other = {...failed, ...taken, id: 'other', orderId: 'foreign', event: 'order.refunded', createdAt}
      if (otherAt > 0 && !mixed) client.records.set(other.id, other)
      client.records.set(failed.id, failed)
      if (otherAt < 0 && !mixed) client.records.set(other.id, other)
      fillTo(client, pages)
      if (mixed) {
        const [one, ...rest]: [string, typeof failed][] = [...client.records]
        client.records.clear()
        const half = rest.splice(rest.length / 2)
        for (const entry of [...rest.toReversed(), ['other', other] as [string, typeof failed], ...half])
          client.records.set(...entry)
        if (one) client.records.set(...one)
      }
      client.orders.set('deposit\0D-1', order({platformOrderNo: failed.orderId}))
      const {decisions, incompleteBecause} = await planResends(selection, ports)
      expect(decisions).toMatchObject([{id: failed.id, resend: resent}])
      expect(incompleteBecause).toEqual(why === null ? [] : [expect.stringMatching(why)])
    }
  },
)

test('of two that fail and say the same under two names one is resent', async () => {
  const {client, plan} = bench(noOverrides)
  client.records.set('other', {...failed, ...newer, id: 'other', event: 'Order.Completed'})
  const {decisions} = await plan()
  expect(decisions.filter(({resend}) => resend).map(({id}) => id)).toEqual(['other'])
})

test('a record of the number that is not as documented speaks against the resend, and the plan says so', async () => {
  const {client, plan} = bench(noOverrides)
  const list = client.listDeliveries.bind(client)
  const odd = {...{id: 'odd', orderId: null, merchantOrderId: 'D-1', event: 'order.completed'}, at: 0}
  client.listDeliveries = async (filter) => {
    const page = await list(filter)
    if (filter.status) return page
    return {...page, total: 3, odd: [{...odd, createdAt: null, status: 'success', why: 'order_id is null'}]}
  }
  const {decisions, incompleteBecause} = await plan()
  expect(decisions).toMatchObject([{resend: false, why: expect.stringContaining('order_id is null')}])
  expect(incompleteBecause).toContain('not all records of 1 order could be read')
})

/** D-2 is paid, its webhook failed for good, and somebody booked it by hand. */
async function reconciled(rows: string, change: (scene: ScenarioBench) => void = () => {}) {
  const scene = new ScenarioBench({
    path: 'reconciled',
    sections: new Map([
      ['ledger.csv', `order_no,amount,created_at\n${rows}`],
      ['service.json', JSON.stringify([{orderNo: 'D-2'}, {orderNo: 'D-3'}])],
      [
        'deliveries.json',
        JSON.stringify([
          {orderNo: 'D-2', createdAt: at},
          {orderNo: 'D-3', event: 'order.created'},
        ]),
      ],
      ['options.json', JSON.stringify({yes: false})],
    ]),
  })
  await scene.run('run-1')
  change(scene)
  return async (overrides = noOverrides) => {
    const {client, journal, clock} = scene
    const {decisions} = await planResends(
      {by: 'filter', status: 'failed', local: everything},
      {
        ...{
          client,
          earlierResend: () => null,
          waitsSince: () => null,
          dialect: defaultDialect,
          timeZone: 'UTC',
          now: clock.now,
          width: 2,
          onProgress: () => {},
          overrides,
        },
        reconciled: (selected) =>
          reconciledBy(journal, {dialect: defaultDialect, nowMs: clock.ms, timeZone: 'UTC'}, selected),
      },
    )
    const planned = decisions.filter(({resend}) => resend).map(({delivery}) => delivery?.merchantOrderId)
    return {planned, left: decisions.find(({delivery}) => delivery?.merchantOrderId === 'D-2')}
  }
}
const at = '2026-11-20T09:00:00Z'
const ignored = async ({journal, clock}: ScenarioBench): Promise<void> => {
  const finding = (await journal.openFindings()).find(({orderNo}) => orderNo === 'D-2')
  if (!finding) throw new Error('D-2 is not open')
  const word = {reason: 'booked by hand', by: 'amina', atMs: clock.ms, expiresAtMs: clock.ms + 86_400_000}
  await journal.addIgnore({findingId: finding.id, atRisk: null, ...word})
}

test.each<
  [what: string, rows: string, change: (scene: ScenarioBench) => void, says: string, isOpen: boolean]
>([
  ['found booked', `D-2,500.00,${at}\n`, () => {}, 'Run run-1 of reconcile found it booked', false],
  ['of another amount', `D-2,700.00,${at}\n`, () => {}, 'found it "amounts differ"', true],
  ['booked twice', `D-2,500.00,${at}\n`.repeat(2), () => {}, 'found it "more than once in the ledger"', true],
  [
    'set aside by a person',
    `D-9,80.00,${at}\nD-3,500.00,2026-11-20T01:00:00Z\n`,
    ignored,
    'amina ignored it',
    false,
  ],
])(
  'what reconcile saw of an order speaks against its resend: %s',
  async (_what, rows, change, says, isOpen) => {
    const plan = await reconciled(rows, change)
    expect(await plan()).toMatchObject({
      planned: ['D-3'],
      left: {resend: false, isOpen, why: expect.stringContaining(says)},
    })
    const sent = await plan({...noOverrides, includeDelivered: true})
    expect(sent.planned.toSorted()).toEqual(['D-2', 'D-3'])
  },
)

test('an order that reconcile never saw is resent; what it held back as perhaps booked needs a word', async () => {
  const plan = await reconciled(`D-9,80.00,${at}\n`)
  expect(await plan()).toMatchObject({
    planned: ['D-3'],
    left: {resend: false, isOpen: true, why: expect.stringContaining('held it back')},
  })
  const sent = await plan({...noOverrides, includeDelivered: true})
  expect(sent.planned.toSorted()).toEqual(['D-2', 'D-3'])
})

/** The journal knows a resend by order_id and event. */
test.each([
  ['no order_id', '', 'D-9', /no order_id/],
  ['the order_id of another order', failed.orderId, 'D-9', /also that of D-9/],
  ['an order_id of its own', 'platform-9', 'D-9', null],
  ['its order_id beside its number in another spelling', failed.orderId, 'd-1', null],
])('a record with %s', async (_, orderId, merchantOrderId, why) => {
  const {client, plan} = bench(noOverrides)
  if (orderId === '') client.records.set(failed.id, {...failed, orderId})
  const createdAt = '2020-01-01T00:00:00Z'
  client.records.set('other', {...failed, id: 'other', orderId, merchantOrderId, createdAt})
  const {decisions} = await plan()
  const decision = decisions.find(({id}) => id === failed.id)
  expect(decision).toMatchObject(
    why ? {resend: false, isOpen: true, why: expect.stringMatching(why)} : {resend: true},
  )
})

test.each([
  ...[
    'order.refunded',
    'order_reversed',
    'deposit.chargeback',
    'order.adjusted',
    'payment.callback',
    'order.failed',
  ].map((event) => ['order.completed', event]),
  ...['order.refunded', 'payout.reversal', 'balance.restored', 'order.completed'].map((event) => [
    'order.failed',
    event,
  ]),
])('no %s is resent beside %s', async (resent, event) => {
  const {client, plan} = bench(noOverrides)
  const createdAt = new Date(Date.parse(failed.createdAt) + 3_600_000).toISOString()
  client.records.set(failed.id, {...failed, event: resent})
  client.records.set('back', {...failed, id: 'back', event, status: 'success', createdAt})
  const {decisions} = await plan()
  expect(decisions.find(({id}) => id === failed.id)).toMatchObject({
    ...{resend: false, isOpen: true, why: expect.stringContaining(`has a record of ${event}`)},
  })
})

test.each<[what: string, payoutId: string | null, isSent: boolean]>([
  ['of a payout with the same number', 'platform-payout', true],
  ['of nobody that the service knows', null, false],
  ['of a payout that is another one', 'platform-other', false],
])('a deposit’s lost webhook, beside a newer one %s', async (_, payoutId, isSent) => {
  const {client, ports} = bench(noOverrides)
  const newer = delivery({
    ...{
      id: '00000000-0000-4000-8000-000000000003',
      orderId: 'platform-payout',
      merchantOrderId: failed.merchantOrderId,
    },
    ...{status: 'success', responseCode: 200, createdAt: '2026-11-20T09:59:00Z'},
  })
  client.records.set(newer.id, newer)
  const {orderId, merchantOrderId: orderNo} = failed
  client.orders.set(`deposit\0${orderNo}`, order({orderNo, platformOrderNo: orderId}))
  if (payoutId !== null)
    client.orders.set(`payout\0${orderNo}`, order({kind: 'payout', orderNo, platformOrderNo: payoutId}))
  const kinds: (string | null)[] = []
  const earlierResend: ResendPlanPorts['earlierResend'] = (_record, kind) => {
    kinds.push(kind)
    return null
  }
  const asked = {...ports, earlierResend}
  const {decisions} = await planResends({by: 'filter', status: 'failed', local: everything}, asked)
  expect(decisions.map(({id, resend}) => [id, resend])).toEqual([[failed.id, isSent]])
  // A resend of the payout does not hold it.
  expect(kinds).toEqual(isSent ? ['deposit'] : [])
})
