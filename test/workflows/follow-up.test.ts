import {expect, test} from 'vitest'
import {lastSeenItems} from '../../src/core/reconcile/item.ts'
import {type FollowedUp, readRecordsOf} from '../../src/workflows/reconcile/follow-up.ts'
import {hourMs, order} from '../core/reconcile/sample.ts'
import {exhaustedDelivery, nightlyRun} from '../journal/sample.ts'
import {failure} from './fake-client.ts'
import {ScenarioBench} from './scenario-run.ts'

const credits = 'order_no,amount,created_at\n'
const orders = 'order_no,status,amount,created_at\n'
const yesterday = '2026-11-20T09:00:00Z'
const paid = (orderNo: string, at = yesterday) => `${orderNo},500.00,${at}\n`

/** D-2 is paid; its record of the day before says `record`. The merchant's server answers a resend as `resend` says. */
function merchant(ledger: string, record: object): ScenarioBench {
  const sections = new Map([
    ['ledger.csv', ledger],
    ['service.json', JSON.stringify(['D-1', 'D-2', 'D-3'].map((orderNo) => ({orderNo})))],
    ['deliveries.json', JSON.stringify([taken, {orderNo: 'D-2', createdAt: yesterday, ...record}])],
    ['options.json', JSON.stringify({yes: true})],
  ])
  return new ScenarioBench({path: 'follow-up', sections})
}

const taken = {orderNo: 'D-1', createdAt: yesterday, status: 'success'}
const scheduled = {attempts: 3, nextRetryAt: '2026-11-20T14:00:00Z'}
const fresh = {
  status: 'pending',
  attempts: 0,
  responseCode: null,
  sentAt: null,
  createdAt: '2026-11-20T11:50:00Z',
}
const toFail = {resend: 'fails'}
const inNoRow = credits + paid('D-1') + paid('D-3', '2026-11-20T11:55:00Z')
const onAnOpenRow = `${orders}D-1,paid,500.00,${yesterday}\nD-2,open,500.00,${yesterday}\n`

/** As it was at the beginning. */
function nowPaid({client}: ScenarioBench): void {
  const like = client.orders.get('deposit\0D-1')
  if (!like || like instanceof Error) throw new Error('D-1 is no order')
  client.orders.set('deposit\0D-2', {...like, orderNo: 'D-2', platformOrderNo: 'platform-D-2'})
}

const resends = ({client}: ScenarioBench) => client.log.filter((call) => call.startsWith('resend ')).length
const about = ({report}: Awaited<ReturnType<ScenarioBench['run']>>) =>
  report.findings.find(({orderNo}) => orderNo === 'D-2')

/** The run after, with the ledger of the next day. */
async function nextRun(bench: ScenarioBench, id: string, hours = 24) {
  bench.clock.ms += hours * hourMs
  const at = new Date(bench.clock.ms - 3 * hourMs).toISOString()
  bench.rewrite(credits + paid('D-3', at))
  return await bench.run(id)
}
function move(bench: ScenarioBench, change: object): void {
  for (const [id, record] of bench.client.records) {
    if (record.merchantOrderId === 'D-2') bench.client.records.set(id, {...record, ...change})
  }
}
const exhausted = {status: 'failed', attempts: 6, responseCode: 503, nextRetryAt: null}

test.each([
  ['no row, a retry scheduled', inNoRow, scheduled, 0],
  ['no row, its webhook just made', inNoRow, fresh, 0],
  ['an open row, a retry scheduled', onAnOpenRow, scheduled, 0],
  ['an open row, its webhook just made', onAnOpenRow, fresh, 0],
  ['no row, resent in vain', inNoRow, toFail, 7],
])('a wait that ends badly is named by every later run: %s', async (_what, ledger, record, first) => {
  const bench = merchant(ledger, record)
  expect((await bench.run('day-1')).status).toBe(first)
  const sent = resends(bench)
  move(bench, exhausted)
  for (const id of ['day-2', 'day-3']) {
    const run = await nextRun(bench, id)
    expect(about(run)).toMatchObject({
      ...{line: null, cause: 'delivery_exhausted', action: 'review'},
      explanation: expect.stringContaining('Followed up from run day-'),
    })
    expect([run.status, run.report.tieOut.unexplained]).toEqual([7, '0.00'])
  }
  expect(resends(bench)).toBe(sent)
})

test.each([
  ['still scheduled', {nextRetryAt: '2026-11-23T14:00:00Z'}, {action: 'wait'}],
  [
    'delivered by itself',
    {status: 'success', responseCode: 200, nextRetryAt: null, sentAt: '2026-11-20T14:00:00Z'},
    {action: 'none'},
  ],
])('a wait that goes on, or ended well, is told and asks nothing: %s', async (_what, change, finding) => {
  const bench = merchant(inNoRow, scheduled)
  await bench.run('day-1')
  move(bench, change)
  const second = await nextRun(bench, 'day-2', 10)
  expect(about(second)).toMatchObject(finding)
  expect(second.status).toBe(0)
  const queries = () => bench.client.log.filter((call) => call === 'query deposit D-2').length
  const asked = queries()
  expect((await nextRun(bench, 'day-3', 10)).status).toBe(0)
  expect(queries() - asked).toBe(1)
})

test('what cannot be asked again leaves the run incomplete', async () => {
  const bench = merchant(inNoRow, scheduled)
  await bench.run('day-1')
  bench.client.orders.set('deposit\0D-2', failure('service_busy', 'HTTP 503'))
  const run = await nextRun(bench, 'day-2')
  expect([about(run)?.verdict, run.status]).toEqual(['query_failed', 8])
  expect(run.report.memory.notExamined.map(({orderNo}) => orderNo)).toEqual(['D-2'])
})

function nowCalled(bench: ScenarioBench, status: 'failed' | 'open', rawStatus: string): void {
  const known = bench.client.orders.get('deposit\0D-2')
  if (!known || known instanceof Error) throw new Error('D-2 is no order')
  bench.client.orders.set('deposit\0D-2', {...known, status, rawStatus})
}

test.each<[what: string, says: string, change: (bench: ScenarioBench) => void]>([
  ['failed', 'Now the service has the status "failed"', (bench) => nowCalled(bench, 'failed', 'failed')],
  [
    'open again',
    'Now the service has the status "processing"',
    (bench) => nowCalled(bench, 'open', 'processing'),
  ],
  ['unknown', 'Now the service knows no such order', ({client}) => void client.orders.delete('deposit\0D-2')],
  [
    'without its record',
    'Now the service has no record of its webhook any more',
    ({client}) => {
      for (const [id, record] of client.records)
        if (record.merchantOrderId === 'D-2') client.records.delete(id)
    },
  ],
])('worse news of an order is named until it is closed: %s', async (_what, says, change) => {
  for (const ledger of [inNoRow, onAnOpenRow]) {
    const bench = merchant(ledger, scheduled)
    await bench.run('day-1')
    change(bench)
    for (const id of ['day-2', 'day-3', 'day-4']) {
      const run = await nextRun(bench, id)
      expect(about(run)).toMatchObject({action: 'review', explanation: expect.stringContaining(says)})
      expect(run.status).toBe(7)
    }
    bench.rewrite(credits + paid('D-1') + paid('D-3', '2026-11-20T11:55:00Z') + paid('D-2'))
    nowPaid(bench)
    await bench.run('its ledger')
    expect((await nextRun(bench, 'day-5')).status).toBe(0)
    expect(resends(bench)).toBe(0)
  }
})

test('an order that its day’s ledger shows as booked since is closed, and one that it does not is resent', async () => {
  for (const [row, sent] of [
    [paid('D-2'), 0],
    ['', 1],
  ] as const) {
    const bench = merchant(inNoRow, scheduled)
    await bench.run('day-1')
    move(bench, exhausted)
    await nextRun(bench, 'day-2')
    bench.rewrite(credits + paid('D-1') + row + paid('D-3', '2026-11-20T11:55:00Z'))
    await bench.run('day-1-again')
    expect(resends(bench)).toBe(sent)
    expect((await nextRun(bench, 'day-3')).status).toBe(0)
  }
})

test.each([
  ['before it was named', '2026-11-20T11:00:00Z', 7, 'delivered_not_booked'],
  ['since, as by the service itself', '2026-11-21T01:00:00Z', 0, 'delivered'],
])('what was delivered and not booked, delivered %s', async (_what, sentAt, status, cause) => {
  const bench = merchant(onAnOpenRow, {status: 'success', sentAt: '2026-11-20T11:00:00Z'})
  expect((await bench.run('day-1')).status).toBe(7)
  move(bench, {sentAt})
  const run = await nextRun(bench, 'day-2')
  expect([run.status, about(run)?.cause]).toEqual([status, cause])
})

async function ignore(bench: ScenarioBench, untilMs: number, what?: string): Promise<void> {
  const finding = (await bench.journal.openFindings()).find(
    ({orderNo, verdict}) => orderNo === 'D-2' && verdict === (what ?? verdict),
  )
  if (!finding) throw new Error('nothing is open of D-2')
  const words = {reason: 'booked by hand', by: 'ops', atMs: bench.clock.ms, expiresAtMs: untilMs}
  await bench.journal.addIgnore({findingId: finding.id, atRisk: finding.atRisk, ...words})
}

test('one that cannot be asked again is let alone while a person says so, and comes back', async () => {
  const bench = merchant(inNoRow, scheduled)
  await bench.run('day-1')
  const known = bench.client.orders.get('deposit\0D-2')
  bench.client.orders.set('deposit\0D-2', failure('service_busy', 'HTTP 503'))
  expect((await nextRun(bench, 'day-2')).status).toBe(8)
  await ignore(bench, bench.clock.ms + 60 * hourMs)
  for (const id of ['day-3', 'day-4']) {
    const run = await nextRun(bench, id)
    expect([about(run), run.status]).toEqual([undefined, 0])
    expect(new Set(run.report.memory.notExamined.map(({orderNo}) => orderNo))).toEqual(new Set(['D-2']))
  }
  expect((await nextRun(bench, 'day-5')).status).toBe(8)
  // What is heard of it again is told, whatever was said before.
  await ignore(bench, bench.clock.ms + 60 * hourMs)
  if (known) bench.client.orders.set('deposit\0D-2', known)
  move(bench, exhausted)
  expect((await nextRun(bench, 'day-6')).status).toBe(7)
})

test('one that a later ledger has twice is open as that in the next, and no more missing', async () => {
  const bench = merchant(inNoRow, scheduled)
  await bench.run('day-1')
  move(bench, exhausted)
  bench.clock.ms += 24 * hourMs
  const at = new Date(bench.clock.ms - 3 * hourMs).toISOString()
  bench.rewrite(credits + paid('D-2', at) + paid('D-2', at) + paid('D-3', at))
  const twice = await bench.run('day-2')
  expect([about(twice)?.verdict, twice.status]).toEqual(['duplicate_in_ledger', 7])
  const run = await nextRun(bench, 'day-3')
  expect([about(run)?.verdict, about(run)?.explanation, run.status]).toEqual([
    'duplicate_in_ledger',
    expect.stringContaining('Open since run day-2'),
    7,
  ])
  expect(run.report.memory.notExamined.map(({orderNo}) => orderNo)).toContain('D-2')
  await ignore(bench, bench.clock.ms + 60 * hourMs, 'duplicate_in_ledger')
  expect((await nextRun(bench, 'day-4')).status).toBe(0)
})

const noRecord = ({client}: ScenarioBench) => client.records.clear()
const row = (status: string, amount = '500.00') =>
  `${orders}D-1,paid,500.00,${yesterday}\nD-2,${status},${amount},${yesterday}\n`
const withTaken = {status: 'success', responseCode: 200, sentAt: '2026-11-20T09:00:01Z'}
const unknown = ({client}: ScenarioBench) => void client.orders.delete('deposit\0D-2')

test.each<[what: string, ledger: string, record: object, change: (bench: ScenarioBench) => void]>([
  ['paid, and no record of its webhook', row('open'), exhausted, noRecord],
  ['its webhook was taken before, and not booked', row('open'), withTaken, () => {}],
  ['taken, and in no row', inNoRow, withTaken, () => {}],
  ['not at the service', row('open'), exhausted, unknown],
  ['booked, and not at the service', row('paid'), exhausted, unknown],
  [
    'a word nobody knows',
    row('open'),
    exhausted,
    ({client}) => {
      const known = client.orders.get('deposit\0D-2')
      if (!known || known instanceof Error) throw new Error('D-2 is no order')
      client.orders.set('deposit\0D-2', {...known, status: 'unknown_status', rawStatus: 'SETTLED'})
    },
  ],
  ['another amount', row('paid', '450.00'), exhausted, () => {}],
  ['booked, and failed', row('paid'), exhausted, (bench) => nowCalled(bench, 'failed', 'failed')],
  ['a row that cannot be read', row('open', '5oo'), exhausted, noRecord],
])('an open item is one in every later run: %s', async (_what, ledger, record, change) => {
  const bench = merchant(ledger, record)
  change(bench)
  expect((await bench.run('day-1')).status).toBe(7)
  for (const id of ['day-2', 'day-3']) {
    const run = await nextRun(bench, id)
    expect([about(run)?.action, run.status, run.report.tieOut.unexplained]).toEqual(['review', 7, '0.00'])
    expect(about(run)?.history).toMatchObject({state: 'open'})
  }
  expect(resends(bench)).toBe(0)
  await ignore(bench, bench.clock.ms + 30 * hourMs)
  expect((await nextRun(bench, 'day-4')).status).toBe(0)
  expect((await nextRun(bench, 'day-5')).status).toBe(7)
  // A new export of its ledger shows that it was booked, or has the row no more.
  bench.rewrite(credits + paid('D-1') + paid('D-2') + paid('D-3', '2026-11-20T11:55:00Z'))
  nowPaid(bench)
  expect((await bench.run('its ledger')).status).toBe(0)
  expect((await nextRun(bench, 'day-6')).status).toBe(0)
})

test.each([
  ['a damaged number', 'D_2'],
  ['twice', 'D-1'],
  ['not readable', 'D-2 '],
])('what a new export of its ledger has no more is closed: %s', async (_what, orderNo) => {
  const bench = merchant(inNoRow + paid(orderNo), exhausted)
  expect((await bench.run('day-1')).status).toBe(7)
  bench.rewrite(inNoRow + paid('D-2'))
  expect((await bench.run('day-1 again')).status).toBe(0)
  expect((await nextRun(bench, 'day-2')).status).toBe(0)
})

test('an order that is open on both sides is asked for again, for three days', async () => {
  const bench = merchant(row('open'), exhausted)
  noRecord(bench)
  const queries = () => bench.client.log.filter((call) => call === 'query deposit D-2').length
  nowCalled(bench, 'open', 'processing')
  expect((await bench.run('day-1')).status).toBe(0)
  const second = await nextRun(bench, 'day-2')
  expect([about(second), second.status, queries()]).toEqual([undefined, 0, 2])
  nowPaid(bench)
  for (const id of ['day-3', 'day-4']) {
    const run = await nextRun(bench, id)
    expect(about(run)).toMatchObject({verdict: 'missing_completion', cause: 'no_delivery_record'})
    expect(run.status).toBe(7)
  }
  const other = merchant(row('open'), exhausted)
  noRecord(other)
  nowCalled(other, 'open', 'processing')
  await other.run('day-1')
  const asked = () => other.client.log.filter((call) => call === 'query deposit D-2').length
  await nextRun(other, 'day-5', 73)
  expect(asked()).toBe(1)
})

test.each([
  ['a payout fails', 'payout', 'failed', {verdict: 'status_mismatch', cause: 'failed_not_booked'}],
  ['a payout is gone', 'payout', null, {verdict: 'missing_at_provider', cause: 'open'}],
  ['a deposit is gone', 'deposit', null, {verdict: 'missing_at_provider', cause: 'open'}],
  ['a deposit fails: nobody paid', 'deposit', 'failed', null],
] as const)(
  'what was open on both sides is asked for until it ends: %s',
  async (_what, kind, word, named) => {
    const pending = `order_no,kind,status,amount,created_at\nD-2,${kind},pending,500.00,${yesterday}\n`
    const bench = merchant(pending, {})
    bench.client.records.clear()
    const key = `${kind}\0D-2`
    const open = order({
      ...{kind, orderNo: 'D-2', platformOrderNo: 'platform-D-2'},
      ...{status: 'open', rawStatus: 'processing'},
    })
    bench.client.orders.set(key, open)
    expect((await bench.run('day-1')).status).toBe(0)
    for (const id of ['day-2', 'day-3']) expect((await nextRun(bench, id, 20)).status).toBe(0)
    if (word === null) bench.client.orders.delete(key)
    else bench.client.orders.set(key, {...open, rawStatus: word, status: 'failed'})
    for (const id of ['day-4', 'day-5']) {
      const run = await nextRun(bench, id, 20)
      expect([run.status, run.report.notes.filter((note) => note.includes('a webhook'))]).toEqual([
        named ? 7 : 0,
        [],
      ])
      if (named) expect(about(run)).toMatchObject({...named, action: 'review', line: null})
      else expect(about(run)).toBeUndefined()
    }
  },
)

/** An open item, as the service and an earlier run have it. */
function followed(
  orderNo: string,
  cause: string,
  {status = 'completed', is = 'found', ...change}: {status?: string; is?: string; isDelivered?: boolean} = {},
): FollowedUp {
  const paid = order({orderNo, status: status as 'completed', platformOrderNo: `platform-${orderNo}`})
  return {
    order: {kind: 'deposit', orderNo},
    ...{side: is === 'found' ? {is, order: paid} : {is}, remembered: {verdict: 'missing_completion', cause}},
    ...{row: null, isDelivered: false, ...change},
  } as FollowedUp
}

test.each<[what: string, items: readonly FollowedUp[], known: number, lookedUp: string, kept: string]>([
  [
    'what is paid is looked up, unless its record was read',
    [followed('D-1', 'delivery_exhausted'), followed('READ', 'delivery_exhausted')],
    ...([2, 'D-1', ''] as const),
  ],
  [
    'what is not paid, or not there, has nothing to look up',
    [
      followed('D-1', 'delivery_exhausted', {status: 'open'}),
      followed('D-2', 'delivery_exhausted', {is: 'absent'}),
      followed('D-3', 'delivery_exhausted', {is: 'no_answer'}),
    ],
    ...([0, '', ''] as const),
  ],
  [
    'what was delivered is not looked up again',
    [followed('D-1', 'delivery_exhausted', {isDelivered: true})],
    ...([1, '', 'D-1'] as const),
  ],
  [
    'of 500 all are looked up',
    Array.from({length: 500}, (_, n) => followed(`D-${n}`, 'delivery_exhausted')),
    ...([500, Array.from({length: 500}, (_, n) => `D-${n}`).join(' '), ''] as const),
  ],
  [
    'of more only those that may move by themselves',
    [
      ...Array.from({length: 500}, (_, n) => followed(`D-${n}`, 'retry_scheduled')),
      followed('LAST', 'delivery_exhausted'),
    ],
    ...([501, Array.from({length: 500}, (_, n) => `D-${n}`).join(' '), 'LAST'] as const),
  ],
])('the records of open items: %s', async (_what, items, known, lookedUp, kept) => {
  const seen: string[] = []
  const asked: string[] = []
  const result = await readRecordsOf(
    items,
    {
      know: ({orderNo}) => void seen.push(orderNo),
      hasRead: ({orderNo}) => orderNo === 'READ',
      addOrders: async (orders) => void asked.push(...orders.map(({orderNo}) => orderNo)),
    },
    null,
  )
  expect([seen.length, asked.join(' ')]).toEqual([known, lookedUp])
  expect(result.map(({order}) => order.orderNo)).toEqual(items.map(({order}) => order.orderNo))
  expect(
    result
      .filter(({isRecordKept}) => isRecordKept)
      .map(({order}) => order.orderNo)
      .join(' '),
  ).toBe(kept)
})

type Bench = ScenarioBench
const turned =
  (kind: 'deposit' | 'payout', change: object) =>
  ({client}: Bench): void => {
    const key = `${kind}\0D-2`
    const known = client.orders.get(key)
    if (!known || known instanceof Error) throw new Error('D-2 is no order')
    client.orders.set(key, {...known, ...change})
  }
const wordsOf = (status: 'open' | 'failed' | 'completed' | 'unknown_status', rawStatus: string = status) => ({
  status,
  rawStatus,
})
const payoutRow = (status: string) =>
  `order_no,kind,status,amount,created_at\nD-2,payout,${status},500.00,${yesterday}\n`

/** A payout of the service, without a record. */
function withPayout(bench: Bench): void {
  noRecord(bench)
  bench.client.orders.set(
    'payout\0D-2',
    order({kind: 'payout', orderNo: 'D-2', platformOrderNo: 'platform-D-2'}),
  )
}

async function close(bench: Bench): Promise<void> {
  const chosen = (await bench.journal.listItems()).filter(
    ({orderNo, closedMs}) => orderNo === 'D-2' && closedMs === null,
  )
  expect(await bench.journal.closeItems(chosen, {reason: 'agreed', by: 'ops', atMs: bench.clock.ms})).toBe(1)
}
const asked = ({client}: Bench) => client.log.filter((call) => /^query \w+ D-2$/.test(call)).length

/** By what the service had when a person closed it, and what became of it. */
const closedItems: [
  what: string,
  ledger: string,
  first: (bench: Bench) => void,
  then: (bench: Bench) => void,
  news: object,
][] = [
  [
    'a payout that was to be paid failed',
    payoutRow('paid'),
    turned('payout', wordsOf('open', 'processing')),
    turned('payout', wordsOf('failed')),
    {cause: 'booked_but_failed'},
  ],
  [
    'a payout whose money went back is paid',
    payoutRow('failed'),
    turned('payout', wordsOf('open', 'processing')),
    turned('payout', wordsOf('completed')),
    {verdict: 'missing_completion'},
  ],
  [
    'a payout that failed is paid with another amount',
    payoutRow('paid'),
    turned('payout', wordsOf('failed')),
    turned('payout', {...wordsOf('completed'), amount: 5_000_00n}),
    {verdict: 'amount_mismatch'},
  ],
  [
    'a payout that failed, and was given back by hand, is paid',
    payoutRow('open'),
    turned('payout', wordsOf('failed')),
    turned('payout', wordsOf('completed')),
    {verdict: 'missing_completion'},
  ],
  [
    'a booked deposit failed',
    row('paid'),
    turned('deposit', wordsOf('open', 'processing')),
    turned('deposit', wordsOf('failed')),
    {cause: 'booked_but_failed'},
  ],
  [
    'the amounts differ by more',
    row('paid', '450.00'),
    () => {},
    turned('deposit', {amount: 90_000_00n}),
    {verdict: 'amount_mismatch', amountAtRisk: '89550.00'},
  ],
  [
    'an order that the service did not know is paid',
    row('open'),
    unknown,
    nowPaid,
    {verdict: 'missing_completion', cause: 'no_delivery_record'},
  ],
  [
    'a word that nobody knew became failed',
    row('paid'),
    turned('deposit', wordsOf('unknown_status', 'SETTLED')),
    turned('deposit', wordsOf('failed')),
    {cause: 'booked_but_failed'},
  ],
  [
    'an order that was open again is paid',
    row('failed'),
    turned('deposit', wordsOf('open', 'processing')),
    turned('deposit', wordsOf('completed')),
    {verdict: 'missing_completion', cause: 'no_delivery_record'},
  ],
  [
    'an order that was booked by hand failed',
    row('open'),
    () => {},
    turned('deposit', wordsOf('failed')),
    {verdict: 'missing_completion'},
  ],
  [
    'an order that was booked by hand has another amount',
    row('open'),
    () => {},
    turned('deposit', {amount: 9_500_00n}),
    {verdict: 'amount_mismatch'},
  ],
]

test.each(closedItems)(
  'what a person closed is asked about, is quiet while it is the same, and comes back: %s',
  async (_what, ledger, first, then, news) => {
    const bench = merchant(ledger, exhausted)
    if (ledger.includes('payout')) withPayout(bench)
    else noRecord(bench)
    first(bench)
    expect((await bench.run('day-1')).status).toBe(7)
    await close(bench)
    for (const id of ['day-2', 'day-3']) {
      const before = asked(bench)
      const run = await nextRun(bench, id)
      const {report} = run
      const notes = report.notes.filter((note) => note.includes('a webhook'))
      expect([run.status, about(run), notes, report.memory.notExamined]).toEqual([0, undefined, [], []])
      expect(report.statement.map(({openItems}) => openItems.closing.items)).toEqual([0])
      expect(asked(bench) - before).toBe(1)
    }
    then(bench)
    for (const id of ['day-4', 'day-5']) {
      const run = await nextRun(bench, id)
      expect([run.status, about(run)]).toEqual([7, expect.objectContaining({...news, action: 'review'})])
    }
    expect(about(await nextRun(bench, 'day-6'))?.history).toMatchObject({state: 'open'})
    expect(resends(bench)).toBe(0)
  },
)

test('what a person closed is not asked about when it has ended, without an answer it is quiet, and after 30 days it is over', async () => {
  const bench = merchant(row('paid'), exhausted)
  noRecord(bench)
  nowCalled(bench, 'open', 'processing')
  await bench.run('day-1')
  await close(bench)
  const known = bench.client.orders.get('deposit\0D-2')
  bench.client.orders.set('deposit\0D-2', failure('service_busy', 'HTTP 503'))
  expect((await nextRun(bench, 'no answer')).status).toBe(0)
  if (known) bench.client.orders.set('deposit\0D-2', known)
  const before = asked(bench)
  expect((await nextRun(bench, 'day-29', 28 * 24)).status).toBe(0)
  expect(asked(bench) - before).toBe(1)
  nowCalled(bench, 'failed', 'failed')
  expect((await nextRun(bench, 'day-31', 48)).status).toBe(0)
  expect(asked(bench) - before).toBe(1)
  // A ledger that names it brings it back all the same.
  bench.rewrite(row('paid'))
  expect((await bench.run('its ledger')).status).toBe(7)
})

test.each([
  ['delivered', row('open'), exhausted],
  ['twice in the ledger', `${row('paid')}D-2,paid,500.00,${yesterday}\n`, exhausted],
])(
  'what cannot get worse at the service is not asked about after closing: %s',
  async (_what, ledger, record) => {
    const bench = merchant(ledger, record)
    await bench.run('day-1')
    await close(bench)
    const before = asked(bench)
    expect((await nextRun(bench, 'day-2')).status).toBe(0)
    expect(asked(bench) - before).toBe(0)
  },
)

test('a wait that a person closed comes back when it ends badly, and what was to be resent then is quiet', async () => {
  const waiting = merchant(onAnOpenRow, {...scheduled, nextRetryAt: '2026-11-23T14:00:00Z'})
  await waiting.run('day-1')
  await close(waiting)
  const same = await nextRun(waiting, 'day-2')
  expect([same.status, about(same)]).toEqual([0, undefined])
  move(waiting, exhausted)
  const worse = await nextRun(waiting, 'day-3')
  expect([worse.status, about(worse)?.explanation]).toEqual([
    7,
    expect.stringContaining('The closing of 2026-11-20 by ops no longer applies'),
  ])
  const lost = merchant(onAnOpenRow, exhausted)
  lost.options.yes = false
  expect(about(await lost.run('day-1'))).toMatchObject({cause: 'delivery_exhausted', action: 'resend'})
  await close(lost)
  for (const change of [withTaken, exhausted]) {
    move(lost, change)
    const still = await nextRun(lost, JSON.stringify(change))
    expect([still.status, about(still)]).toEqual([0, undefined])
  }
  // Its record is in the window of a ledger of later times.
  move(lost, {createdAt: '2026-11-20T10:00:00Z'})
  const window = {sinceMs: Date.parse(yesterday) + hourMs / 2, untilMs: lost.clock.ms}
  const inWindow = await lost.run('in the window', {}, window)
  expect([inWindow.status, about(inWindow)]).toEqual([0, undefined])
  noRecord(lost)
  expect((await nextRun(lost, 'no record')).status).toBe(0)
  const stuck = merchant(onAnOpenRow, {...fresh, createdAt: yesterday})
  stuck.options.yes = false
  expect(about(await stuck.run('day-1'))).toMatchObject({cause: 'delivery_stuck', action: 'resend'})
  await close(stuck)
  const later = await nextRun(stuck, 'day-2')
  expect([later.status, about(later)]).toEqual([0, undefined])
})

test('an order whose trouble grows is one open item, as the last run found it', async () => {
  const open = async ({journal}: Bench) =>
    lastSeenItems(await journal.listItems()).flatMap(({verdict, closedMs}) =>
      closedMs === null ? verdict : [],
    )
  const bench = merchant(row('open'), exhausted)
  noRecord(bench)
  await bench.run('day-1')
  turned('deposit', {amount: 9_500_00n})(bench)
  for (const id of ['day-2', 'day-3']) {
    const {report} = await nextRun(bench, id)
    expect(report.statement[0]?.openItems.closing).toEqual({items: 1, amount: '9000.00'})
    expect(report.atRisk.total).toBe('9000.00')
    expect(await open(bench)).toEqual(['amount_mismatch'])
  }
  // Its webhook says completed, and the query does not.
  const failed = merchant(row('paid'), withTaken)
  nowCalled(failed, 'open', 'processing')
  await failed.run('day-1')
  nowCalled(failed, 'failed', 'failed')
  for (const id of ['day-2', 'day-3']) {
    const {report} = await nextRun(failed, id)
    expect(report.statement[0]?.openItems.closing).toEqual({items: 1, amount: '500.00'})
    expect(report.memory.notExamined).toEqual([])
    expect(await open(failed)).toEqual(['status_mismatch'])
  }
})

test('a deposit that failed and was not booked is an open item until a run that does not have it', async () => {
  const bench = merchant(row('open'), exhausted)
  noRecord(bench)
  nowCalled(bench, 'failed', 'failed')
  const open = async () => (await bench.journal.listItems()).filter(({closedMs}) => closedMs === null)
  for (const id of ['day-1', 'the same again']) {
    expect((await bench.run(id)).status).toBe(7)
    expect(await open()).toMatchObject([{orderNo: 'D-2', cause: 'failed_not_booked'}])
  }
  const before = asked(bench)
  const {status, report} = await nextRun(bench, 'day-2')
  expect([status, report.memory.closed]).toMatchObject([0, [{orderNo: 'D-2', closedBy: 'service'}]])
  expect([asked(bench) - before, await open()]).toEqual([0, []])
})

test('a booked row that the service never had is closed by the export that no longer has it', async () => {
  const bench = merchant(row('paid'), exhausted)
  unknown(bench)
  expect(about(await bench.run('day-1'))).toMatchObject({verdict: 'missing_at_provider'})
  bench.rewrite(row('paid').replace(/D-2.*\n/, ''))
  const {report} = await bench.run('day-2')
  expect(report.memory.closed).toMatchObject([{orderNo: 'D-2', closedBy: 'ledger'}])
})

test.each([
  ['another row in the ledger of the next day', '2026-11-20T20:00:00Z', '2026-11-20T19:00:00Z', 7],
  ['another row in a new export without the first', '2026-11-20T20:00:00Z', yesterday, 0],
  ['the corrected row in a rolling export', yesterday, '2026-11-20T08:59:00Z', 0],
])('an order that was booked with another amount has %s', async (_what, at, from, status) => {
  const bench = merchant(`${inNoRow}D-2,450.00,${yesterday}\n`, {status: 'success', sentAt: yesterday})
  expect((await bench.run('run-1')).status).toBe(7)
  bench.clock.ms += 24 * hourMs
  bench.rewrite(`${credits}D-1,500.00,${from}\n${paid('D-2', at)}${paid('D-3', '2026-11-21T09:00:00Z')}`)
  for (const id of ['run-2', 'run-3']) {
    const run = await bench.run(id)
    expect([run.status, run.report.tieOut.unexplained]).toEqual([status, '0.00'])
    const open = (await bench.journal.listItems()).filter(({closedMs}) => closedMs === null)
    expect(open).toMatchObject(status === 0 ? [] : [{orderNo: 'D-2', verdict: 'amount_mismatch'}])
    if (status !== 0) expect(about(run)?.explanation).toMatch(/with BDT 450.00.*with BDT 500.00/)
  }
  expect((await nextRun(bench, 'run-4')).status).toBe(status)
})

test.each<[what: string, third: string, second: string | null, isSameName: boolean, status: number]>([
  ['without the second file', '', null, true, 7],
  ['with that of another day', '', '2026-11-21T08:00:00Z', false, 7],
  ['with a new export of it', '', '2026-11-20T08:00:00Z', false, 0],
  ['with a new export of it, of the same name', '', '2026-11-20T11:00:00Z', true, 0],
  ['with a third row', 'D-1,paid,500.00,2026-11-21T08:00:00Z\n', null, true, 7],
])(
  'an order that is booked in two files stays booked twice: %s',
  async (_, third, second, isSame, status) => {
    const row = (orderNo: string, at: string) => `${orderNo},paid,500.00,${at}\n`
    const own = row('D-1', yesterday)
    const bench = merchant(orders + own + row('D-2', yesterday) + row('D-3', '2026-11-20T11:55:00Z'), {
      status: 'success',
    })
    bench.addLedger(orders + row('D-1', '2026-11-20T10:00:00Z'))
    expect((await bench.run('run-1')).status).toBe(7)
    bench.clock.ms += 24 * hourMs
    bench.rewrite(orders + (third || own) + row('D-3', '2026-11-21T09:00:00Z'))
    bench.others.length = 0
    if (!isSame) bench.others.push('')
    if (second !== null) bench.addLedger(orders + row('D-2', second))
    if (!isSame) bench.others.shift()
    const ended = await bench.run('the next night')
    const verdicts = ended.report.findings.flatMap(({orderNo, verdict}) => (orderNo === 'D-1' ? verdict : []))
    expect([ended.status, verdicts]).toEqual([status, [status === 0 ? 'matched' : 'duplicate_in_ledger']])
  },
)

test.each<[what: string, change: (bench: ScenarioBench) => void]>([
  ['booked and unknown', unknown],
  ['booked and failed', (bench) => nowCalled(bench, 'failed', 'failed')],
])('a row of a second file is open until that file has a new export: %s', async (_what, change) => {
  const spans = (to: string) => `${orders}D-1,paid,500.00,${yesterday}\nD-3,paid,500.00,${to}\n`
  const bench = merchant(spans('2026-11-20T11:55:00Z'), {...exhausted, createdAt: '2026-11-18T09:00:00Z'})
  noRecord(bench)
  change(bench)
  bench.addLedger(`${orders}D-2,paid,500.00,2026-11-20T10:00:00Z\n`)
  const open = async () =>
    (await bench.journal.listItems()).flatMap((one) => (one.closedMs === null ? one.orderNo : []))
  expect([(await bench.run('run-1')).status, await open()]).toEqual([7, ['D-2']])
  bench.others.length = 0
  bench.clock.ms += 24 * hourMs
  bench.rewrite(spans('2026-11-21T09:00:00Z'))
  expect([(await bench.run('the first file')).status, await open()]).toEqual([7, ['D-2']])
  bench.addLedger(`${orders}D-8,failed,500.00,2026-11-20T10:00:00Z\n`)
  await bench.run('both files')
  expect(await open()).not.toContain('D-2')
})

test.each<[when: string, at: string, status: number]>([
  ['by the resend', '2026-11-20T12:01:00Z', 0],
  ['by hand, two hours after it was paid and before the resend', '2026-11-20T11:00:00Z', 7],
  ['by hand, six minutes after it was paid', '2026-11-20T09:06:00Z', 7],
  ['by hand, in digits with the day first', '20/11/2026 17:00', 7],
  ['before the resend by less than clocks differ', '2026-11-20T11:57:00Z', 0],
  ['with the time of its order', yesterday, 0],
  ['on that day', '2026-11-20', 0],
])('an order that was resent and is in the next ledger, booked %s: %s', async (_when, at, status) => {
  const bench = merchant(inNoRow, exhausted)
  expect(about(await bench.run('run-1'))).toMatchObject({resend: {state: 'delivered'}})
  const sentAt = (await bench.journal.resendsOfRun('run-1')).map(({sentAtMs}) => sentAtMs)
  expect(sentAt).toEqual([Date.parse('2026-11-20T12:00:00Z')])
  bench.clock.ms += 24 * hourMs
  bench.rewrite(credits + paid('D-2', at) + paid('D-3', '2026-11-21T09:00:00Z'))
  const next = await bench.run('run-2')
  expect([next.status, next.report.incompleteBecause]).toEqual([status, []])
  // Whoever runs it again, and whatever the later ledgers have, until a person closes it.
  expect((await bench.run('run-3')).status).toBe(status)
  bench.clock.ms += 72 * hourMs
  expect((await bench.run('run-4')).status).toBe(status)
  const open = (await bench.journal.listItems()).filter(({closedMs}) => closedMs === null)
  const item = {orderNo: 'D-2', verdict: 'status_mismatch', cause: 'booked_before_resent', atRisk: 500_00n}
  expect(open).toMatchObject(status === 0 ? [] : [item])
  if (status === 0) return
  const without = await nextRun(bench, 'without its row')
  expect([without.status, about(without)?.explanation]).toEqual([
    7,
    'Open since run run-2: booked before hisab resent its webhook. It may be booked twice. Look in your books, then close the item.',
  ])
  // The credit of the resent webhook, also in a new export that no longer has the other row.
  const ownRow = paid('D-2', '2026-11-20T12:01:00Z')
  for (const [first, ofD2] of [
    ['2026-11-20T12:00:30Z', ownRow],
    [yesterday, ownRow],
    [yesterday, ''],
  ] as const) {
    bench.rewrite(credits + paid('D-1', first) + ofD2 + paid('D-3', new Date(bench.clock.ms).toISOString()))
    expect((await bench.run(`${first} ${ofD2}`)).status).toBe(7)
    expect((await bench.journal.listItems()).filter(({closedMs}) => closedMs === null)).toMatchObject([item])
  }
  await close(bench)
  expect((await nextRun(bench, 'closed')).status).toBe(0)
  bench.rewrite(credits + paid('D-2', at) + paid('D-3', '2026-11-21T09:00:00Z'))
  expect((await bench.run('closed, with its row')).status).toBe(0)
})

const spanning = (head: string, from: string, to: string) =>
  head === credits
    ? credits + paid('D-1', from) + paid('D-3', to)
    : `${orders}D-1,paid,500.00,${from}\nD-3,paid,500.00,${to}\n`

test.each<[what: string, ledger: string, status: number]>([
  ['covers it', spanning(credits, '2026-11-20T10:30:00Z', '2026-11-20T18:00:00Z'), 7],
  [
    'covers it and has the times of the orders',
    spanning(credits, '2026-11-20T10:30:00Z', '2026-11-20T18:00:00Z'),
    0,
  ],
  ['covers it with the one before', spanning(credits, '2026-11-20T11:56:00Z', '2026-11-20T18:00:00Z'), 7],
  ['ends too soon after it', spanning(credits, '2026-11-20T10:30:00Z', '2026-11-20T12:40:00Z'), 0],
  ['begins after it', spanning(credits, '2026-11-21T10:30:00Z', '2026-11-21T18:00:00Z'), 0],
  ['is of orders', spanning(orders, '2026-11-20T10:30:00Z', '2026-11-20T18:00:00Z'), 0],
])(
  'a webhook that was taken and is in no row of a later ledger that %s: %s',
  async (what, ledger, status) => {
    for (const by of ['a resend', 'the service']) {
      const bench = merchant(inNoRow, by === 'a resend' ? exhausted : scheduled)
      expect((await bench.run('run-1')).status).toBe(0)
      if (what.endsWith('of the orders'))
        for (const [id, record] of bench.client.records)
          if (record.merchantOrderId === 'D-1')
            bench.client.records.set(id, {...record, createdAt: '2026-11-20T10:33:00Z'})
      if (by === 'the service')
        move(bench, {status: 'success', responseCode: 200, nextRetryAt: null, sentAt: '2026-11-20T12:00:00Z'})
      bench.clock.ms += 48 * hourMs
      const days = ledger.startsWith(orders) ? orders : credits
      for (const text of [spanning(days, '2026-11-21T20:00:00Z', '2026-11-21T20:00:00Z'), ledger]) {
        bench.rewrite(text)
        const run = await bench.run(text)
        const isBreak = text === ledger && status === 7
        expect([run.status, about(run)?.cause, about(run)?.action], `${by}, ${what}`).toEqual(
          isBreak ? [7, 'delivered_not_booked', 'review'] : [0, 'delivered', 'none'],
        )
      }
      for (const id of ['run-4', 'run-5']) expect((await nextRun(bench, id)).status).toBe(status)
      bench.rewrite(credits + paid('D-2', '2026-11-20T12:01:00Z') + paid('D-3', '2026-11-24T09:00:00Z'))
      expect((await bench.run('booked')).status).toBe(0)
      expect(resends(bench)).toBe(by === 'a resend' ? 1 : 0)
    }
  },
)

/** As `webhooks resend` before the first run. */
async function resendByHand(bench: ScenarioBench): Promise<void> {
  const [record] = [...bench.client.records.values()].filter(({merchantOrderId}) => merchantOrderId === 'D-2')
  if (!record) throw new Error('no record of D-2')
  const resend = {...exhaustedDelivery, runId: 'by hand', deliveryId: record.id, orderId: record.orderId}
  await bench.journal.startRun({...nightlyRun, id: 'by hand', command: 'resend'})
  const time = {nowMs: bench.clock.now(), skewMs: 0}
  const claim = await bench.journal.claimResend({...resend, orderNo: 'D-2', intentAtMs: time.nowMs}, time)
  if (!claim.claimed) throw new Error('not claimed')
  await bench.journal.recordResendOutcome(claim.id, 'accepted', {sentAtMs: time.nowMs})
  await bench.journal.recordResendOutcome(claim.id, 'delivered', {})
}

test.each([
  ['two hours after it was paid', '2026-11-20T11:00:00Z', 7],
  ['with the time of its order', yesterday, 0],
])('an order that `webhooks resend` sent before any run saw it, booked %s', async (_when, at, status) => {
  const bench = merchant(credits + paid('D-1') + paid('D-2', at), exhausted)
  await resendByHand(bench)
  move(bench, {status: 'success', attempts: 7, responseCode: 200})
  bench.clock.ms += 24 * hourMs
  const {status: ended, report} = await bench.run('run-1')
  expect([ended, report.findings.flatMap(({cause}) => cause ?? [])]).toEqual([
    status,
    status === 0 ? [] : ['booked_before_resent'],
  ])
})

test.each<[what: string, by: 'hisab' | 'the service', takenAt: string, ending: [number, string, string]]>([
  ['resent on the day after', 'hisab', '2026-11-21T01:00:00Z', [0, 'delivered', 'none']],
  ['resent on its own day', 'hisab', '2026-11-20T13:00:00Z', [7, 'delivered_not_booked', 'review']],
  [
    'taken from the service then',
    'the service',
    '2026-11-21T01:00:00Z',
    [7, 'delivered_not_booked', 'review'],
  ],
])(
  'an order without a row in a ledger of credits that ends at midnight, %s, before the first run',
  async (_what, by, takenAt, ending) => {
    const bench = merchant(credits + paid('D-1') + paid('D-3', '2026-11-20T17:30:00Z'), exhausted)
    bench.clock.ms = Date.parse(takenAt)
    if (by === 'hisab') await resendByHand(bench)
    move(bench, {...{status: 'success', attempts: 7, responseCode: 200}, sentAt: takenAt})
    bench.clock.ms = Date.parse('2026-11-21T01:45:00Z')
    const run = await bench.run('run-1')
    expect([run.status, about(run)?.cause, about(run)?.action]).toEqual(ending)
    expect(resends(bench)).toBe(0)
  },
)

test.each([
  ['a webhook that failed', exhausted, 'delivery_exhausted'],
  ['another event alone', {event: 'order.paid'}, 'no_delivery_record'],
])('an open item of %s stays open, whatever other events its order has', async (_what, record, cause) => {
  const bench = merchant(inNoRow, record)
  bench.options.yes = false
  // So many that the later run reads the new end of the list alone.
  for (let nth = 0; nth < 900; nth++)
    bench.addRecord({
      ...{
        orderNo: `D-${100 + nth}`,
        orderId: `platform-D-${100 + nth}`,
        event: 'order.created',
        status: 'success',
      },
      createdAt: new Date(Date.parse('2026-11-20T10:00:00Z') + nth * 1_000).toISOString(),
    })
  expect(about(await bench.run('run-1'))).toMatchObject({cause})
  expect(about(await bench.run('again'))).toMatchObject({cause})
  bench.addRecord({
    ...{orderNo: 'D-2', orderId: 'platform-D-2', event: 'order.updated', status: 'success'},
    createdAt: '2026-11-21T09:00:00Z',
  })
  const next = await nextRun(bench, 'run-2')
  expect(next.report.memory.closed).toEqual([])
  expect(about(next)).toMatchObject({cause, action: 'review'})
  // Its webhook is made much later.
  bench.addRecord({orderNo: 'D-2', orderId: 'platform-D-2', createdAt: '2026-11-21T20:00:00Z', attempts: 6})
  const last = await nextRun(bench, 'run-3')
  expect(last.report.memory.closed).toEqual([])
  expect(about(last)).toMatchObject({cause: 'delivery_exhausted', action: 'review'})
  expect(resends(bench)).toBe(0)
})
