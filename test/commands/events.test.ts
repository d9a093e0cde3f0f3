import {once} from 'node:events'
import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'

import {expect, onTestFinished, test} from 'vitest'
import {closeWaiting} from '../../src/cli/webhooks/close-waiting.ts'
import Doctor from '../../src/commands/doctor.ts'
import EventsClose from '../../src/commands/events/close.ts'
import EventsForward from '../../src/commands/events/forward.ts'
import EventsList from '../../src/commands/events/list.ts'
import {asFailure, type Failure} from '../../src/core/failure.ts'
import {sandboxMerchantId} from '../../src/core/profile.ts'
import {acquireRunLock} from '../../src/journal/lock.ts'
import {openInbox} from '../../src/receiver/inbox.ts'
import type {StoredEvent} from '../../src/receiver/stored-events.ts'
import {readWebhook} from '../../src/receiver/webhook.ts'
import {forwardedEnd} from '../../src/report/received-text.ts'
import {sortedRules} from '../receiver/fixture.ts'
import {type Shell, shellWithSandbox} from './run-command.ts'

const account = {environment: 'sandbox', merchantId: sandboxMerchantId} as const

const eventOf = (fields: object) => ({
  ...{event: 'order.completed', playerRef: 'u-1', status: 'completed', amount: '500.00'},
  ...fields,
})

/** Events that the merchant's server refused, and `booked`, which it took. */
async function received({dataDir}: Shell, refused: number, booked: readonly object[] = []) {
  const inbox = openInbox({dataDir, account})
  const numbers = Array.from({length: refused}, (_, n) => ({platformOrderNo: `PF-${n}`, orderNo: `D-${n}`}))
  for (const [at, fields] of [...numbers, ...booked].entries()) {
    const webhook = readWebhook(eventOf(fields), sortedRules)
    const {id = 0, claim} = webhook ? await inbox.take(webhook, Date.now(), 1_000) : {}
    const isTaken = at >= refused
    if (claim)
      await inbox.recordForward(id, claim, {
        ...{httpStatus: isTaken ? 200 : 503, acknowledgedAtMs: isTaken ? Date.now() : null},
      })
  }
  inbox.close()
}

const eventsOf = async (shell: Shell) => {
  const {checks} = (await shell.run(Doctor, '--offline', '--json')).json() as {
    checks: {name: string; status: string; why: string; next: string | null}[]
  }
  const {status, why, next} = checks.find(({name}) => name === 'events') ?? {}
  return [status, why, next]
}

test('a list that leaves some out says so, and how to see them', async () => {
  const {shell} = await shellWithSandbox()
  await received(shell, 25)
  const short = await shell.run(EventsList, '--pending', '--json')
  expect(short.json()).toMatchObject({total: 25, events: {length: 20}})
  expect(short.stderr).toContain('The newest 20 of 25. For all: --limit 25.')
  const whole = await shell.run(EventsList, '--pending', '--limit', '25')
  expect([whole.stdout.trim().split('\n').length, whole.stderr]).toEqual([26, ''])
})

test('doctor names what your server has not acknowledged', async () => {
  const {shell} = await shellWithSandbox()
  expect(await eventsOf(shell)).toEqual(['ok', 'none received', null])
  const one = {platformOrderNo: 'PF-9', orderNo: 'D-9'}
  await received(shell, 0, [one])
  expect(await eventsOf(shell)).toEqual(['ok', 'none pending', null])
  await received(shell, 2, [{...one, amount: '900.00'}])
  const says = '2 events and 1 contradiction that your server has not acknowledged'
  expect(await eventsOf(shell)).toEqual(['warning', says, 'List them: hisab events list --pending.'])
})

test('what a person has seen to is closed, and no server gets it any more', async () => {
  const {shell} = await shellWithSandbox()
  const one = {platformOrderNo: 'PF-9', orderNo: 'D-9'}
  await received(shell, 2, [one, {...one, amount: '900.00'}])
  const close = async (orderNo: string, reason = 'booked by hand') => {
    const args = [orderNo, '--reason', reason, '--by', 'rima', '--json']
    const {status, stdout} = await shell.run(EventsClose, ...args)
    const {closed, events, error} = JSON.parse(stdout)
    return status === 0 ? {closed, events} : [status, error.message]
  }
  // A run that sends does not keep a person from it.
  const lock = acquireRunLock(shell.dataDir, account)
  onTestFinished(() => lock.release())
  const by = {forward: 'closed', closedBy: 'rima', closeReason: 'booked by hand', acknowledgedAt: null}
  expect(await close('pf-1')).toMatchObject({closed: 1, events: [{orderNo: 'D-1', conflict: false, ...by}]})
  expect(await close('D-9')).toMatchObject({closed: 1, events: [{amount: '900.00', conflict: true, ...by}]})
  expect(await close('D-9')).toEqual([7, expect.stringContaining('No event of D-9 waits here')])
  expect(await close('D-0', ' ')).toEqual([2, expect.stringContaining('reason is blank')])
  expect(await eventsOf(shell)).toEqual([
    'warning',
    '1 event that your server has not acknowledged',
    expect.anything(),
  ])

  lock.release()
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.end()
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const {port} = server.address() as AddressInfo
  const to = ['--to', `http://127.0.0.1:${port}/hook`, '--include-delivered', '--json']
  const forwarded = await shell.run(EventsForward, ...to)
  expect(forwarded.json()).toMatchObject({handedOn: 1, conflicts: 0, events: [{orderNo: 'D-0'}]})
  expect(asked).toEqual(['/hook'])

  // The service retries what was closed, the contradiction too.
  const inbox = openInbox({dataDir: shell.dataDir, account})
  onTestFinished(() => inbox.close())
  for (const [fields, isTaken] of [
    [{platformOrderNo: 'PF-1', orderNo: 'D-1'}, true],
    // Under another name as well.
    [{platformOrderNo: 'PF-1', orderNo: 'D-1', event: 'order.settled'}, true],
    [{...one, amount: '900.00'}, false],
  ] as const) {
    const webhook = readWebhook(eventOf(fields), sortedRules)
    const taken = webhook && (await inbox.take(webhook, Date.now(), 1_000))
    expect(taken).toMatchObject({isAcknowledged: isTaken, claim: null})
  }
  expect(inbox.list({pending: 'waiting', rowsMax: 9})).toEqual([])
})

test('versions that contradict each other, of which no server took one, are closed together', async () => {
  const {shell} = await shellWithSandbox()
  await received(shell, 1)
  await received(shell, 2, [])
  const inbox = openInbox({dataDir: shell.dataDir, account})
  const webhook = readWebhook(
    eventOf({platformOrderNo: 'PF-0', orderNo: 'D-0', amount: '900.00'}),
    sortedRules,
  )
  if (webhook) await inbox.take(webhook, Date.now(), 1)
  inbox.close()
  const {status, stdout} = await shell.run(EventsClose, 'D-0', '--reason', 'booked by hand', '--json')
  expect([status, JSON.parse(stdout)]).toMatchObject([0, {closed: 2}])
  const left = await shell.run(EventsList, '--pending', '--json')
  expect(left.json()).toMatchObject({total: 1, events: [{orderNo: 'D-1'}]})
})

/** A server of the merchant's that takes everything, after `meanwhile`. */
async function serverThat(
  meanwhile: (event: {readonly orderNo: string; readonly event: string}) => Promise<void>,
) {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    await meanwhile(JSON.parse(Buffer.concat(chunks).toString()))
    response.end()
  })
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const {port} = server.address() as AddressInfo
  return ['--to', `http://127.0.0.1:${port}/hook`, '--include-delivered', '--json']
}

test('an event is closed while others are handed on, and stays closed', async () => {
  const {shell} = await shellWithSandbox()
  await received(shell, 3)
  // Of another process; a command inside the other would wait for it.
  const inbox = openInbox({dataDir: shell.dataDir, account})
  onTestFinished(() => inbox.close())
  const close = async (orderNo: string) => {
    const said = {by: 'rima', reason: 'booked by hand', nowMs: Date.now()}
    return (await closeWaiting(inbox, orderNo, said).catch(asFailure)) as StoredEvent[] | Failure
  }
  const closed: unknown[] = []
  const asked: string[] = []
  const to = await serverThat(async ({orderNo}) => {
    asked.push(orderNo)
    if (orderNo !== 'D-0') return
    // Only the one that is under way waits for its answer.
    closed.push(await close('D-0'), await close('D-1'))
  })
  const forwarded = await shell.run(EventsForward, ...to)
  expect(closed).toMatchObject([
    {
      code: 'locked',
      message: expect.stringContaining('An event of D-0 is being forwarded. It was not closed.'),
    },
    [{orderNo: 'D-1', forward: 'closed'}],
  ])
  expect(forwarded.json()).toMatchObject({handedOn: 2, acknowledged: 2, pending: 0})
  expect([forwarded.status, asked]).toEqual([0, ['D-0', 'D-2']])
})

test.each([
  [
    {handedOn: 8, acknowledged: 0, unanswered: 8, pending: 8},
    'Forwarded 8: 0 acknowledged, 8 without an answer:',
  ],
  [
    {handedOn: 4, acknowledged: 2, unanswered: 1, pending: 2},
    '2 acknowledged, 1 refused by your server, 1 without',
  ],
  [{handedOn: 2, acknowledged: 2}, 'Forwarded 2: 2 acknowledged.'],
  [{held: 1, pending: 1}, 'Nothing was forwarded. 1 pending:'],
  [{}, 'No event is pending.'],
])('the end of events forward says what became of each: %o', (counts, text) => {
  const none = {handedOn: 0, acknowledged: 0, unanswered: 0, held: 0, pending: 0, conflicts: 0}
  expect(forwardedEnd({...none, ...counts})).toContain(text)
})

test('of two names of one completion the documented one is handed on', async () => {
  const {shell} = await shellWithSandbox()
  const inbox = openInbox({dataDir: shell.dataDir, account})
  for (const event of ['payment.success', 'order.completed']) {
    const webhook = readWebhook(eventOf({platformOrderNo: 'PF-0', orderNo: 'D-0', event}), sortedRules)
    const {id = 0, claim} = webhook ? await inbox.take(webhook, Date.now(), 1_000) : {}
    if (claim) await inbox.recordForward(id, claim, {httpStatus: 503, acknowledgedAtMs: null})
  }
  inbox.close()
  const asked: string[] = []
  const to = await serverThat(async ({event}) => void asked.push(event))
  const forwarded = await shell.run(EventsForward, ...to)
  expect(forwarded.json()).toMatchObject({handedOn: 1, acknowledged: 1, pending: 0})
  expect(asked).toEqual(['order.completed'])
})
