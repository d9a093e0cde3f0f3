import {expect, test} from 'vitest'

import WebhooksResend from '../../src/commands/webhooks/resend.ts'
import {openJournal} from '../../src/journal/journal.ts'
import {type Answering, json, merchantId} from '../api/fixture.ts'
import {claimed} from '../journal/sample.ts'
import {id, legacyApi, row} from './legacy-api.ts'
import type {Shell} from './run-command.ts'

const failed = ['--status', 'failed', '--wait', '0s', '--rate', '1000', '--yes', '--json']

interface Report {
  readonly runId: string
  readonly resends: Readonly<Record<string, number>>
  readonly records: readonly {
    readonly merchant_order_id: string
    readonly state: string
    readonly why: string | null
  }[]
}

async function resend(shell: Shell, ...argv: string[]) {
  const ran = await shell.run(WebhooksResend, ...argv)
  const report = ran.json() as unknown as Report
  const states = Object.fromEntries(report.records.map((record) => [record.merchant_order_id, record.state]))
  return {...ran, report, states}
}

/** Failed records by number, and what a resend of each comes to; `nothing`: accepted, and no attempt is ever made. */
function legacyWhere(states: Record<number, 'heals' | 'fails' | 'refused' | 'lost' | 'nothing'>) {
  const rows = Object.keys(states).map((n) => row(Number(n)))
  const answer: Answering = (response, call, nth) => {
    const target = rows.find(({id: known}) => call.path.includes(known))
    const state = states[Number(target?.merchant_order_id.slice(2))]
    if (target && (state === 'heals' || state === 'fails')) {
      Object.assign(target, {
        ...{status: state === 'heals' ? 'success' : 'failed', response_code: state === 'heals' ? 200 : 500},
        ...{attempts: target.attempts + 1, sent_at: new Date().toISOString()},
      })
    }
    if (state === 'lost') response.socket?.destroy()
    else
      json(
        state === 'refused' ? {success: false, message: 'no'} : {success: true},
        state === 'refused' ? 400 : 200,
      )(response, call, nth)
  }
  return {rows, open: () => legacyApi(rows, answer)}
}

/** Enough for a canary, and the first one fails. */
const badFirst = {1: 'fails', 2: 'heals', 3: 'heals', 4: 'heals', 5: 'heals', 6: 'heals'} as const

test('a run that ended is resumed with the same report, and sends nothing', async () => {
  const {shell, resent} = await legacyWhere({
    1: 'heals',
    2: 'fails',
    3: 'refused',
    4: 'lost',
    5: 'nothing',
  }).open()
  const first = await resend(shell, ...failed)
  const again = await resend(shell, '--resume', first.report.runId, '--yes', '--wait', '0s', '--json')
  expect(first.states).toEqual({
    'D-1': 'delivered',
    'D-2': 'still_failing',
    'D-3': 'refused',
    'D-4': 'unknown',
    'D-5': 'sent',
  })
  expect(again.report).toEqual(first.report)
  expect([first.status, again.status]).toEqual([6, 6])
  expect(resent()).toEqual([1, 2, 3, 4, 5].map(id))
})

test('a run that was killed between its last healing and its end is ended by --resume', async () => {
  const {shell, resent} = await legacyWhere({1: 'heals', 2: 'fails'}).open()
  const {report, status} = await resend(shell, ...failed)
  const journal = openJournal(shell.dataDir, {environment: 'sandbox', merchantId})
  await journal.resumeRun(report.runId)
  const again = await resend(shell, '--resume', report.runId, '--yes', '--json')
  expect(again.report).toEqual(report)
  expect(await journal.findRun(report.runId)).toMatchObject({status: 'finished', exitStatus: status})
  expect(resent()).toEqual([id(1), id(2)])
  await journal.close()
})

test('a run begun with --no-canary is resumed without one', async () => {
  const {shell, resent} = await legacyWhere(badFirst).open()
  const whole = await resend(shell, ...failed, '--no-canary')
  const killed = await legacyWhere(badFirst).open()
  const journal = openJournal(killed.shell.dataDir, {environment: 'sandbox', merchantId})
  // As a kill before the first intent leaves it.
  const begun = openJournal(shell.dataDir, {environment: 'sandbox', merchantId})
  const run = await begun.findRun(whole.report.runId)
  if (run) await journal.startRun({...run, reportDir: null})
  for (const one of [journal, begun]) await one.close()
  const resumed = await resend(
    killed.shell,
    '--resume',
    whole.report.runId,
    '--yes',
    '--wait',
    '0s',
    '--json',
  )
  expect(resumed.states).toEqual(whole.states)
  expect(killed.resent()).toEqual(resent())
})

test('what had no end is watched on by --resume', async () => {
  const service = legacyWhere({1: 'nothing'})
  const {shell, resent} = await service.open()
  const first = await resend(shell, ...failed)
  expect([first.states, first.status]).toEqual([{'D-1': 'sent'}, 8])
  expect(first.stderr).toContain(`Continue this run: hisab webhooks resend --resume ${first.report.runId}`)
  Object.assign(service.rows[0] ?? {}, {status: 'success', attempts: 6, response_code: 200})
  const again = await resend(shell, '--resume', first.report.runId, '--yes', '--wait', '0s', '--json')
  expect([again.states, again.status, resent().length]).toEqual([{'D-1': 'delivered'}, 0, 1])
})

test('a canary that did not heal leaves the rest for --resume, which sends it once the server is mended', async () => {
  const outcomes: Record<number, 'heals' | 'fails'> = {
    1: 'fails',
    2: 'heals',
    3: 'heals',
    4: 'heals',
    5: 'heals',
    6: 'heals',
  }
  const {shell, resent} = await legacyWhere(outcomes).open()
  const first = await resend(shell, ...failed)
  expect(first.states).toMatchObject({'D-1': 'still_failing', 'D-2': 'skipped', 'D-6': 'skipped'})
  expect(first.report.records[1]?.why).toMatch(/^Not sent: D-1 was sent first and not delivered.*HTTP 500/)
  expect([first.status, resent()]).toEqual([8, [id(1)]])
  const again = await resend(
    shell,
    '--resume',
    first.report.runId,
    '--yes',
    '--wait',
    '0s',
    '--rate',
    '1000',
    '--json',
  )
  expect(again.report.resends).toMatchObject({planned: 6, sent: 6, delivered: 5, stillFailing: 1})
  expect([again.status, resent()]).toEqual([7, [1, 2, 3, 4, 5, 6].map(id)])
})

test.each([
  ['while the rest waited', []],
  ['by a resend of another command', ['--include-delivered']],
])('what your server took since, %s: nothing is left to send, and the run ends', async (_how, flags) => {
  const {rows, open} = legacyWhere({...badFirst, 1: 'heals'})
  const {shell, resent} = await open()
  const begun = await resend(shell, ...failed, ...flags, '--no-canary', '--max-resends', '6')
  const runId = `${begun.report.runId}-2`
  const journal = openJournal(shell.dataDir, {environment: 'sandbox', merchantId})
  const run = await journal.findRun(begun.report.runId)
  // As a run is left that came to none of its records, after which the service or a person sent them.
  if (run) await journal.startRun({...run, id: runId, startedAtMs: run.startedAtMs - 60_000, reportDir: null})
  await journal.finishRun(runId, {finishedAtMs: Date.now(), status: 'finished', exitStatus: 8})
  await journal.close()
  const again = await resend(shell, '--resume', runId, '--yes', '--json')
  expect([again.status, resent()]).toEqual([0, rows.map(({id}) => id)])
  expect(again.report.records.map(({state}) => state)).toEqual(rows.map(() => 'skipped'))
  for (const {why} of again.report.records)
    expect(why).toMatch(/^Your server took it at \d{4}-\d\d-\d\d \d\d:\d\d\. Nothing is left to send\.$/)
  expect(again.stderr).toContain('6 planned, 0 sent, 6 already delivered')
  expect(again.stderr).not.toMatch(/Continue this run|ignore-cooldown|include-delivered/)
})

test('--no-canary sends on until five in a row have failed', async () => {
  const {shell, resent} = await legacyWhere({
    1: 'fails',
    2: 'fails',
    3: 'fails',
    4: 'fails',
    5: 'fails',
    6: 'fails',
    7: 'fails',
  }).open()
  const ran = await resend(shell, ...failed, '--no-canary')
  expect(resent()).toHaveLength(5)
  expect(ran.report.records[6]?.why).toMatch(/^Not sent: the run stopped after 5 failed resends in a row/)
})

test('no more than five: no canary', async () => {
  const {shell, resent} = await legacyWhere({
    1: 'fails',
    2: 'heals',
    3: 'heals',
    4: 'heals',
    5: 'heals',
  }).open()
  const ran = await resend(shell, ...failed)
  expect([ran.report.resends.delivered, resent().length]).toEqual([4, 5])
})

test('what never left is skipped, also when the run is looked at again', async () => {
  const {shell} = await legacyWhere({1: 'heals'}).open()
  const journal = openJournal(shell.dataDir, {environment: 'sandbox', merchantId})
  const line = {id: id(1), orderId: 'order-1', merchantOrderId: 'D-1', event: 'order.completed', why: null}
  const overrides = {includeDelivered: false, ignoreCooldown: false, retryUnknown: false}
  const options = JSON.stringify({
    selectedBy: 'filter',
    incompleteBecause: [],
    overrides,
    resendsMax: 100,
    lines: [line],
  })
  await journal.startRun({id: 'run-1', command: 'resend', startedAtMs: 1, options, reportDir: null})
  const intent = await claimed(journal, {
    ...{
      runId: 'run-1',
      deliveryId: id(1),
      orderId: 'order-1',
      event: 'order.completed',
      kind: null,
      orderNo: 'D-1',
    },
    ...{
      intentAtMs: 1,
      baselineAttempts: 5,
      baselineSentAt: null,
      baselineStatus: 'failed',
      baselineNextRetryAt: null,
    },
    ...{baselineResponseCode: null, overrides: [], cause: null},
  })
  await journal.recordResendOutcome(intent, 'not_sent', {detail: 'Not sent: the connection was refused.'})
  await journal.close()
  const ran = await resend(shell, '--resume', 'run-1', '--yes', '--json', '--wait', '0s')
  expect(ran.report.records).toMatchObject([{state: 'delivered', why: null}])
  expect(ran.status).toBe(0)
})

test.each(['fails', 'refused', 'lost'] as const)(
  'held back after five that are %s in a row, and mended: --resume sends the rest',
  async (bad) => {
    const states: Record<number, 'heals' | 'fails' | 'refused' | 'lost'> = {}
    for (let n = 1; n <= 8; n += 1) states[n] = bad
    const {shell, resent} = await legacyWhere(states).open()
    const first = await resend(shell, ...failed, '--no-canary')
    expect(resent()).toHaveLength(5)
    for (let n = 1; n <= 8; n += 1) states[n] = 'heals'
    const again = await resend(shell, '--resume', first.report.runId, '--yes', '--wait', '0s', '--json')
    expect(resent()).toHaveLength(8)
    expect(again.report.resends).toMatchObject({delivered: 3})
  },
)

test('more than --max-resends at first: the resumed run keeps what was allowed', async () => {
  const many = Object.fromEntries(
    Array.from({length: 102}, (_, n) => [n + 1, n === 0 ? 'fails' : 'heals']),
  ) as Record<number, 'heals' | 'fails'>
  const {shell, resent} = await legacyWhere(many).open()
  const first = await resend(shell, ...failed, '--max-resends', '102')
  expect(resent()).toHaveLength(1)
  const again = await resend(
    shell,
    '--resume',
    first.report.runId,
    '--yes',
    '--wait',
    '0s',
    '--rate',
    '100000',
    '--json',
  )
  expect(again.report.resends).toMatchObject({planned: 102, sent: 102, delivered: 101})
})

test.each<[what: string, argv: string[], hint: string]>([
  ['a run there is none of', ['--resume', 'nobody', '--yes'], 'runs list'],
  ['a run of reconcile', ['--resume', 'run-r', '--yes'], 'hisab reconcile --resume run-r'],
  ['a run that kept no plan', ['--resume', 'run-old', '--yes'], 'original command again'],
  ['with ids', ['--resume', 'run-old', id(1), '--yes'], '--resume run-old'],
  ['with an override', ['--resume', 'run-old', '--retry-unknown', '--yes'], 'alone'],
  ['with a filter', ['--resume', 'run-old', '--code', '503', '--yes'], 'alone'],
  ['without a terminal and without --yes', ['--resume', 'run-old'], '--yes'],
  ['--pick without a terminal', ['--pick'], '--status'],
])('%s: 2, and it says what to do', async (_what, argv, hint) => {
  const {shell, resent} = await legacyWhere({1: 'heals'}).open()
  const journal = openJournal(shell.dataDir, {environment: 'sandbox', merchantId})
  await journal.startRun({id: 'run-r', command: 'reconcile', startedAtMs: 1, options: '{}', reportDir: null})
  await journal.startRun({
    id: 'run-old',
    command: 'resend',
    startedAtMs: 1,
    options: '{"ids":[]}',
    reportDir: null,
  })
  await journal.close()
  const ran = await shell.run(WebhooksResend, ...argv, '--json')
  expect(ran.json()).toMatchObject({error: {exitCode: 2, hint: expect.stringContaining(hint)}})
  expect(resent()).toEqual([])
})
