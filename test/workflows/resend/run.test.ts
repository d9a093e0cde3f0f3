import {expect, test} from 'vitest'

import {defaultDialect} from '../../../src/core/dialect.ts'
import type {Failure} from '../../../src/core/failure.ts'
import type {ServiceOrder} from '../../../src/core/order.ts'
import {orderKey} from '../../../src/core/reconcile/orders.ts'
import {type Journal, openJournal} from '../../../src/journal/journal.ts'
import type {RunRow} from '../../../src/journal/rows.ts'
import type {ResendLine} from '../../../src/report/resend-report.ts'
import {findStoredPlan, resumedWork} from '../../../src/workflows/resend/resume.ts'
import {carryOut, type ResendRunPorts, type ResendWork, workOf} from '../../../src/workflows/resend/run.ts'
import {delivery, noOverrides, order} from '../../core/reconcile/sample.ts'
import {live} from '../../journal/sample.ts'
import {tempDir} from '../../temp-dir.ts'
import {FakeClient, FakeClock, failure} from '../fake-client.ts'

const record = (name: string) =>
  delivery({
    id: `00000000-0000-4000-8000-00000000000${name}`,
    orderId: `platform-${name}`,
    merchantOrderId: `D-${name}`,
  })
const three = ['1', '2', '3'].map(record)

/** Planned resends and one record that was left out, over the real journal. */
function begin(planned = three) {
  const clock = new FakeClock()
  const client = new FakeClient(clock)
  const journal = openJournal(tempDir(), live)
  for (const one of planned) {
    client.records.set(one.id, one)
    const paid = order({orderNo: one.merchantOrderId, platformOrderNo: one.orderId})
    client.orders.set(orderKey(paid), paid)
  }
  const plan = {
    selectedBy: 'filter' as const,
    incompleteBecause: [],
    decisions: [
      ...planned.map((one) => ({
        id: one.id,
        delivery: one,
        resend: true as const,
        cause: 'delivery_exhausted' as const,
      })),
      {
        ...{id: record('9').id, delivery: record('9'), resend: false as const, isOpen: false},
        why: 'It is due again by itself.',
      },
    ],
  }
  return {clock, client, journal, work: workOf(plan, noOverrides)}
}

const statesOf = (lines: readonly ResendLine[]) => lines.map(({outcome}) => outcome.state)

function portsOf({clock, client}: {clock: FakeClock; client: FakeClient}, journal: Journal): ResendRunPorts {
  return {
    ...{client, journal, runId: 'run-1', resendsMax: 100, mayUseCanary: true, dialect: defaultDialect},
    ...{
      now: clock.now,
      monotonic: clock.monotonic,
      sleep: clock.sleep,
      ratePerSecond: 5,
      waitMs: 0,
      signal: new AbortController().signal,
      onProgress: () => {},
    },
    resumeCommand: 'hisab webhooks resend --resume run-1',
  }
}

test('a full disk before the second intent: what was sent is watched and told, and --resume sends the others', async () => {
  const bench = begin()
  const {client, journal, work} = bench
  const failing: Journal = {
    ...journal,
    async claimResend(intent, time) {
      if (client.calls.resend === 1) throw failure('storage_failed', 'The disk is full')
      return await journal.claimResend(intent, time)
    },
  }
  const {lines: told, failure: why} = await carryOut(work, portsOf(bench, failing), () => 8)
  expect(why).toMatchObject({
    code: 'storage_failed',
    hint: expect.stringContaining('hisab webhooks resend --resume run-1'),
  })
  expect(statesOf(told)).toEqual(['delivered', 'skipped', 'skipped', 'skipped'])
  expect(told[1]?.outcome.why).toMatch(/^Not sent: The disk is full/)
  expect(client.calls.resend).toBe(1)
  expect(await journal.findRun('run-1')).toMatchObject({status: 'finished', exitStatus: 8})

  const rest = await resumed(bench)
  expect(statesOf(rest.lines)).toEqual(['delivered', 'planned', 'planned', 'skipped'])
  const {lines} = await carryOut(rest, portsOf(bench, journal), () => 0)
  expect(statesOf(lines)).toEqual(['delivered', 'delivered', 'delivered', 'skipped'])
  expect(lines[3]?.outcome.why).toBe('It is due again by itself.')
  expect(client.calls.resend).toBe(3)
})

test.each([
  ['was delivered: the others go', 'delivers', 8],
  ['was not taken: one is sent ahead of the others', 'fails', 2],
] as const)('what the run sent before it was stopped %s', async (_what, effect, sent) => {
  const bench = begin([...'12345678'].map(record))
  const {client, journal, work} = bench
  for (const id of client.records.keys()) client.effects.set(id, 'nothing')
  client.effects.set(record('1').id, effect)
  const failing: Journal = {
    ...journal,
    async claimResend(intent, time) {
      if (client.calls.resend === 1) throw failure('storage_failed', 'The disk is full')
      return await journal.claimResend(intent, time)
    },
  }
  await carryOut(work, {...portsOf(bench, failing), mayUseCanary: false}, () => 8)
  await carryOut(await resumed(bench), portsOf(bench, journal), () => 8)
  expect(client.calls.resend).toBe(sent)
})

test('an intent a killed process left is unknown from then on, and is watched and not sent', async () => {
  const bench = begin()
  const {client, journal, work} = bench
  const killed: Journal = {
    ...journal,
    async claimResend(intent, time) {
      await journal.claimResend(intent, time)
      throw new Error('killed')
    },
  }
  await expect(carryOut(work, portsOf(bench, killed), () => 0)).rejects.toThrow('killed')
  const rest = await resumed(bench)
  expect(statesOf(rest.lines)).toEqual(['unknown', 'planned', 'planned', 'skipped'])
  // To look at what is left writes nothing down: that is for the run itself.
  expect((await journal.resendsOfRun('run-1')).map(({state}) => state)).toEqual(['intent'])

  const {lines} = await carryOut(rest, portsOf(bench, journal), () => 6)
  expect(statesOf(lines)).toEqual(['unknown', 'delivered', 'delivered', 'skipped'])
  expect(client.log.filter((call) => call.startsWith('resend'))).toEqual(
    [2, 3].map((n) => `resend ${record(`${n}`).id}`),
  )
})

test('what delivered by itself in the meantime is not sent by --resume', async () => {
  const bench = begin()
  await bench.journal.startRun({
    id: 'run-1',
    command: 'resend',
    startedAtMs: 1,
    reportDir: null,
    options: storedBy(bench.work),
  })
  bench.client.records.set(record('2').id, {...record('2'), status: 'success', attempts: 6})
  const rest = await resumed(bench)
  expect(statesOf(rest.lines)).toEqual(['planned', 'skipped', 'planned', 'skipped'])
  expect(rest.lines[1]?.outcome.why).toContain('Nothing is left to send')
})

test.each<[what: string, run: Partial<RunRow> | null, refusal: RegExp | null]>([
  ['there is none', null, /^There is no run run-1 of this profile and merchant/],
  ['it is a reconciliation', {command: 'reconcile'}, /^The run run-1 is a reconciliation/],
  ['it did not keep its plan', {options: '{}'}, /^An earlier version of hisab made the run run-1/],
  [
    'a colleague is at work on it',
    {isAlive: true, by: 'karim', machine: 'desk-b'},
    /^karim@desk-b is at work on the run run-1\. Nothing was sent/,
  ],
  ['somebody is at work on it', {isAlive: true}, /^hisab@\? is at work on the run run-1/],
  ['it was killed', {isAlive: false}, null],
  ['nobody can tell whether it was killed', {isAlive: null}, null],
  ['it is over', {isAlive: true, status: 'finished'}, null],
])('a run is resumed by its plan, or says why not: %s', async (_what, run, refusal) => {
  const {journal, work} = begin()
  await journal.startRun({
    ...{id: 'run-1', command: 'resend', startedAtMs: 1, reportDir: null},
    options: storedBy(work),
  })
  const row = await journal.findRun('run-1')
  const found = findStoredPlan({...journal, findRun: async () => run && row && {...row, ...run}}, 'run-1')
  if (refusal) await expect(found).rejects.toThrow(refusal)
  else expect((await found).lines).toHaveLength(4)
})

async function resumed({client, clock, journal}: ReturnType<typeof begin>): Promise<ResendWork> {
  const earlierResend = () => null
  const ports = {
    ...{
      client,
      earlierResend,
      waitsSince: () => null,
      reconciled: () => () => null,
      dialect: defaultDialect,
      overrides: noOverrides,
      timeZone: 'UTC',
      now: clock.now,
      width: 1,
      onProgress: () => {},
    },
  }
  return resumedWork(await findStoredPlan(journal, 'run-1'), 'run-1', journal, ports)
}

function storedBy({selectedBy, incompleteBecause, overrides, lines}: ResendWork): string {
  const kept = lines.map(({isPlanned, outcome, ...line}) => ({...line, why: isPlanned ? null : outcome.why}))
  return JSON.stringify({selectedBy, incompleteBecause, overrides, resendsMax: 100, lines: kept})
}

const lostDeposit = order()
const lostPayout = order({kind: 'payout', platformOrderNo: 'platform-2'})

test.each<[what: string, answers: (ServiceOrder | Failure)[], sent: number, kinds: (string | null)[]]>([
  ['two known orders: both', [lostDeposit, lostPayout], 2, ['deposit', 'payout']],
  ['one known order: one', [lostDeposit], 1, ['deposit']],
  [
    'the other order has another ID: one',
    [lostDeposit, {...lostPayout, platformOrderNo: 'other'}],
    1,
    ['deposit'],
  ],
  ['both have one ID: one', [lostDeposit, {...lostPayout, platformOrderNo: 'platform-1'}], 1, [null]],
  ['a query has no answer: one', [lostDeposit, failure('service_refused', 'HTTP 400')], 1, [null]],
])('lost webhooks of a deposit and a payout with one number: %s', async (_what, answers, sent, kinds) => {
  const bench = begin([record('1'), {...record('2'), merchantOrderId: 'D-1'}])
  const {client, journal, work} = bench
  client.orders.clear()
  for (const [n, one] of answers.entries())
    client.orders.set(orderKey(n === 0 ? lostDeposit : lostPayout), one)
  const {lines} = await carryOut(work, portsOf(bench, journal), () => 8)
  expect(client.calls.resend).toBe(sent)
  expect((await journal.resendsOfRun('run-1')).map(({kind}) => kind)).toEqual(kinds)
  expect(lines[1]?.outcome.why ?? null).toBe(
    sent === 2 ? null : 'Not sent: hisab resent this event of its order number less than 8 hours ago.',
  )
})
