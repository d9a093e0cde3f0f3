import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {setImmediate as nextTurn} from 'node:timers/promises'
import {expect, test} from 'vitest'

import type {DeliveryFilter, DeliveryPage} from '../../src/api/client.ts'
import {readFullList} from '../../src/workflows/records/full-list-read.ts'
import {failure} from './fake-client.ts'
import {LiveList} from './live-list.ts'
import {ScenarioBench} from './scenario-run.ts'

// What the simulator of whole histories found: each was once left out of a report that said all was well.

const day = '2026-11-20T09:00:00Z'

/** One row for each number, `D-1` and on, paid and open in the ledger unless the row says otherwise. */
function bench(rows: readonly string[], service: readonly object[], options: object = {}): ScenarioBench {
  const sections = new Map([
    ['ledger.csv', `order_no,kind,status,amount,created_at\n${rows.join('\n')}\n`],
    ['service.json', JSON.stringify(service)],
    ['deliveries.json', JSON.stringify([{orderNo: 'D-1'}])],
    ['options.json', JSON.stringify({yes: true, ...options})],
  ])
  return new ScenarioBench({path: 'no silence', sections})
}

/** `run-1` is killed when all is sent and written and only its end is not yet in the journal. */
async function runKilledAtItsEnd(scenario: ScenarioBench): Promise<void> {
  const {journal} = scenario
  const finish = journal.finishRun
  journal.finishRun = () => {
    throw new Error('killed')
  }
  await expect(scenario.run('run-1')).rejects.toThrow('killed')
  journal.finishRun = finish
}

test('stopped before the orders no row names were asked for, the report does not say that it looked', async () => {
  const rows = [
    `D-7,deposit,failed,500.00,2026-11-19T09:00:00Z`,
    `D-8,deposit,failed,500.00,2026-11-20T11:59:00Z`,
  ]
  const stopped = bench(rows, [{orderNo: 'D-1'}], {stopAt: 'list page 1'})
  const {report, status} = await stopped.run('run-1')
  expect(report.missingInLedger).toEqual({checked: false, because: 'the run was interrupted'})
  expect(status).toBe(130)
})

test('an order no row names, whose number a row of the other kind has, and which got no answer: it is not left out', async () => {
  const rows = [
    `D-1,payout,completed,500.00,2026-11-19T09:00:00Z`,
    `D-8,deposit,failed,,2026-11-20T11:59:00Z`,
  ]
  const service = [
    {orderNo: 'D-1', kind: 'payout'},
    {orderNo: 'D-1', kind: 'deposit', failure: 'answer_untrusted'},
  ]
  const {report, status} = await bench(rows, service).run('run-1')
  expect(report.findings).toContainEqual(
    expect.objectContaining({line: null, kind: 'deposit', orderNo: 'D-1', verdict: 'query_failed'}),
  )
  expect([report.complete, status]).toEqual([false, 8])
})

test.each([
  ['the list', 'list'],
  ['the order', 'query'],
])('a resend in doubt is told by --resume although %s cannot be read any more', async (_what, call) => {
  const killed = bench([`D-1,deposit,open,500.00,${day}`], [{orderNo: 'D-1'}])
  const [id = ''] = killed.client.records.keys()
  killed.client.effects.set(id, 'lost')
  const recordOutcome = killed.journal.recordResendOutcome.bind(killed.journal)
  killed.journal.recordResendOutcome = async (...args) => {
    await recordOutcome(...args)
    throw new Error('killed')
  }
  await expect(killed.run('run-1')).rejects.toThrow('killed')
  killed.journal.recordResendOutcome = recordOutcome
  killed.client.before = (name) => {
    if (name.startsWith(call)) throw failure('answer_untrusted', 'HTTP 200 with HTML')
  }
  const {report, status} = await killed.run('run-1', {resume: true})
  expect(report.findings[0]?.resend?.state).toBe('unknown')
  expect(status).toBe(6)
  expect(killed.client.log.filter((name) => name.startsWith('resend'))).toHaveLength(1)
})

test('a list that is given up leaves no page on its way behind (P10)', async () => {
  const [begun, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const list = new LiveList(1_000)
  let calls = 0
  let isBehind = false
  const client = {
    async listDeliveries(filter: DeliveryFilter): Promise<DeliveryPage> {
      calls += 1
      // After both ends four are on their way: one of them fails once the next has left, and so does all that follows.
      if (calls === 3) await begun.promise
      if (calls === 3 || calls > 6) throw failure('service_busy', 'HTTP 503')
      if (calls === 4) {
        isBehind = true
        begun.resolve()
        await late.promise
        isBehind = false
      }
      return await list.listDeliveries(filter)
    },
  }
  const reading = readFullList(client, {filter: {}, width: 4})
  await begun.promise
  expect(await Promise.race([reading, nextTurn('still reading')])).toBe('still reading')
  late.resolve()
  expect(await reading).toMatchObject({complete: false})
  expect(isBehind).toBe(false)
})

test('a resend that never left before the run was stopped is sent by the resumed run, and where it cannot be, it says so', async () => {
  const stopped = bench([`D-1,deposit,open,500.00,${day}`], [{orderNo: 'D-1'}])
  const [id = ''] = stopped.client.records.keys()
  stopped.client.effects.set(id, 'unreachable')
  stopped.client.before = (call) => {
    if (call.startsWith('resend')) stopped.stop.abort(failure('interrupted', 'Stopped'))
  }
  expect((await stopped.run('run-1')).status).toBe(130)
  stopped.stop = new AbortController()
  stopped.client.before = () => {}
  const {report, status} = await stopped.run('run-1', {resume: true})
  expect(report.findings[0]?.resend?.state).toBe('skipped')
  expect([report.complete, status]).toEqual([false, 8])
  stopped.client.effects.set(id, 'delivers')
  const mended = await stopped.run('run-1', {resume: true})
  expect([mended.report.complete, mended.status]).toEqual([true, 0])
})

test.each(['delivers', 'fails'] as const)(
  'a resumed run shows a record that was sent again though delivered as it stood before (%s)',
  async (effect) => {
    const options = {includeDelivered: true}
    const killed = bench([`D-1,deposit,open,500.00,${day}`], [{orderNo: 'D-1'}], options)
    for (const [id, record] of killed.client.records) {
      killed.client.records.set(id, {...record, status: 'success', responseCode: 200})
      killed.client.payloads.set(id, {orderNo: 'D-1', amount: '500.00'})
      killed.client.effects.set(id, effect)
    }
    await runKilledAtItsEnd(killed)
    const [before] = JSON.parse(
      readFileSync(join(killed.dir, 'report', 'run-1', 'report.json'), 'utf8'),
    ).findings
    const {report} = await killed.run('run-1', {resume: true})
    expect(report.findings[0]).toMatchObject({delivery: before.delivery, delivered: before.delivered})
  },
)

test.each([
  ['its query got no answer', 'deposit,open,500.00', {failure: 'answer_untrusted'}],
  ['its row cannot be read', 'deposit,open,-', {}],
  ['no row names it, and its query got no answer', null, {failure: 'answer_untrusted'}],
])(
  'the webhook of a deposit is never sent again for the payout of its number: %s',
  async (_what, row, answer) => {
    const rows = [
      'D-1,payout,open,500.00,2026-11-19T00:00:00Z',
      'D-8,deposit,failed,,2026-11-20T11:59:00Z',
      ...(row ? [`D-1,${row},${day}`] : []),
    ]
    const service = [
      {orderNo: 'D-1', kind: 'payout'},
      {orderNo: 'D-1', kind: 'deposit', ...answer},
    ]
    const scenario = bench(rows, service)
    const {report} = await scenario.run('run-1')
    const payout = report.findings.find(({kind, orderNo}) => kind === 'payout' && orderNo === 'D-1')
    expect(payout).toMatchObject({verdict: 'missing_completion', cause: 'no_delivery_record', delivery: null})
    expect(scenario.client.log.filter((call) => call.startsWith('resend'))).toEqual([])
  },
)

test('nor is the webhook of a payout whose row cannot be read sent for the deposit of its number, which has no row', async () => {
  const rows = ['D-1,payout,open,-,2026-11-19T00:00:00Z', 'D-8,deposit,failed,,2026-11-20T11:59:00Z']
  const scenario = bench(rows, [{orderNo: 'D-1', kind: 'deposit'}], {includeMissing: true})
  for (const [id, record] of scenario.client.records) {
    // One of each; which of the two the list shows as the newer must not matter.
    scenario.client.records.set(id, {...record, createdAt: '2026-11-20T10:00:00Z'})
    const other = id.replace(/1$/, '2')
    scenario.client.records.set(other, {
      ...record,
      id: other,
      orderId: 'platform-payout-D-1',
      createdAt: '2026-11-20T11:00:00Z',
    })
  }
  const {report} = await scenario.run('run-1')
  const deposit = report.findings.find(({kind, orderNo}) => kind === 'deposit' && orderNo === 'D-1')
  expect(deposit).toMatchObject({verdict: 'missing_in_ledger', delivery: {orderId: 'platform-D-1'}})
  // Its own is held as well: the row may be the deposit, with the wrong kind.
  expect(deposit?.action).toBe('review')
  expect(scenario.client.log.filter((call) => call.startsWith('resend'))).toEqual([])
})

test('a record that was joined by its number alone is told by the resumed run as well', async () => {
  const killed = bench([`D-1,deposit,open,500.00,${day}`], [{orderNo: 'D-1'}])
  for (const [id, record] of killed.client.records)
    killed.client.records.set(id, {...record, orderId: 'elsewhere'})
  await runKilledAtItsEnd(killed)
  const {report} = await killed.run('run-1', {resume: true})
  expect(report.findings[0]?.explanation).toContain('was joined although its order_id elsewhere')
})

test('two orders no row names share a number, one paid outside the window: that one is not called missing by the record of the other', async () => {
  const rows = ['D-7,deposit,failed,,2026-11-19T00:00:00Z', 'P-8,payout,failed,,2026-11-20T11:59:00Z']
  const scenario = bench(rows, [{orderNo: 'D-1'}, {orderNo: 'D-1', kind: 'payout'}])
  for (const [id, record] of scenario.client.records) {
    scenario.client.records.set(id, {...record, createdAt: '2026-11-20T10:00:00Z'})
    const other = id.replace(/1$/, '2')
    const outside = {orderId: 'platform-payout-D-1', createdAt: '2026-11-22T11:00:00Z'}
    scenario.client.records.set(other, {...record, ...outside, id: other})
  }
  const {report} = await scenario.run('run-1')
  const missing = report.findings.filter(({line}) => line === null)
  expect(missing).toMatchObject([{kind: 'deposit', orderNo: 'D-1', delivery: {orderId: 'platform-D-1'}}])
})
