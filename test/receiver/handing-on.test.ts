import {cpSync, readdirSync, rmSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, onTestFinished, test} from 'vitest'

import {forwardPending} from '../../src/cli/webhooks/forward-pending.ts'
import {openForwarder} from '../../src/receiver/forwarder.ts'
import {openInbox} from '../../src/receiver/inbox.ts'
import {InboxWitness} from '../../src/receiver/inbox-witness.ts'
import {inspectInbox} from '../../src/receiver/inspect-inbox.ts'
import type {PendingEvents} from '../../src/receiver/stored-events.ts'
import {verifyWebhook} from '../../src/receiver/verify-webhook.ts'
import type {Fields} from '../sandbox/acting-merchant.ts'
import {openReceiver, status, type TestReceiver} from '../sandbox/receiver-server.ts'
import {tempDir} from '../temp-dir.ts'
import {
  account,
  hmacHeaders,
  hmacRules,
  openTestInbox,
  openTestReceiver,
  sortedRules,
  webhookBody,
} from './fixture.ts'

async function openMerchant(): Promise<TestReceiver> {
  const merchant = await openReceiver()
  onTestFinished(() => merchant.close())
  return merchant
}

function forwarderTo(url: string, timeoutMs = 5_000) {
  const forwarder = openForwarder({url, timeoutMs})
  onTestFinished(() => forwarder.close())
  return forwarder
}

/** One delivery: how the merchant's server answers (null: it must not be asked), and what the service must hear. */
type Delivery = readonly [fields: Fields, merchant: number | null, service: number]

const named = {event: 'payment'}
const completed = {event: undefined, status: 'completed'}
const failed = {event: undefined, status: 'failed', amount: undefined}

describe('by the merchant’s own books: each genuine content, until one was acknowledged', () => {
  const table: Record<string, readonly Delivery[]> = {
    'a time that differs in each attempt': [
      [{timestamp: '1'}, 503, 503],
      [{timestamp: '2'}, 500, 500],
      [{timestamp: '3'}, 200, 200],
      [{timestamp: '4'}, null, 200],
    ],
    'a count of attempts': [
      [{attempt: '1'}, 503, 503],
      [{attempt: '2'}, 200, 200],
      [{attempt: '3'}, null, 200],
    ],
    'failed, then completed, without a name of the event': [
      [failed, 503, 503],
      [completed, 200, 200],
      [completed, null, 200],
    ],
    'failed was acknowledged, and the order completes all the same': [
      [failed, 200, 200],
      [completed, 200, 200],
    ],
    'completed, then failed, without a name of the event': [
      [completed, 503, 503],
      [failed, 200, 200],
    ],
    'a corrected amount before anything was acknowledged': [
      [{amount: '500.00'}, 422, 422],
      [{amount: '900.00'}, 200, 200],
      [{amount: '900.00'}, null, 200],
      [{amount: '500.00'}, null, 409],
    ],
    'the same amount in another spelling': [
      [{amount: '500.00'}, 200, 200],
      [{amount: '500'}, null, 200],
    ],
    'after the acknowledgement: another amount': [
      [{}, 200, 200],
      [{amount: '900.00', timestamp: '2'}, null, 409],
    ],
    'after the acknowledgement: another state under the same name': [
      [{}, 200, 200],
      [{status: 'failed'}, null, 409],
    ],
    'after the acknowledgement: another order number': [
      [{}, 200, 200],
      [{orderNo: 'D-2'}, null, 409],
    ],
    'after the acknowledgement: another player, who would be credited': [
      [{}, 200, 200],
      [{playerRef: 'player-8'}, null, 409],
    ],
    'after the acknowledgement: only a time': [
      [{timestamp: '1'}, 200, 200],
      [{timestamp: '2'}, null, 200],
    ],
    'the name of the event comes and goes, and changes its case': [
      [completed, 200, 200],
      [{}, null, 200],
      [{event: 'ORDER.COMPLETED'}, null, 200],
      [{event: 'order.completed '}, null, 200],
      [{event: ''}, null, 200],
      [{amount: '900.00'}, null, 409],
    ],
    'the name of the event goes': [
      [{}, 200, 200],
      [completed, null, 200],
      [{...completed, amount: '900.00'}, null, 409],
    ],
    'the name of the event gives way to a word for the state, and back': [
      [{status: undefined}, 200, 200],
      [completed, null, 200],
      [{}, null, 200],
      [{...completed, amount: '900.00'}, null, 409],
    ],
    'a word for the state gives way to the name of the event': [
      [completed, 200, 200],
      [{status: undefined}, null, 200],
      [{status: undefined, amount: '900.00'}, null, 409],
    ],
    'the word for the state changes its case': [
      [completed, 200, 200],
      [{event: undefined, status: 'Completed '}, null, 200],
    ],
    'platformOrderNo comes': [
      [{platformOrderNo: undefined}, 200, 200],
      [{}, null, 200],
      [{platformOrderNo: 'PF-2'}, null, 200],
      [{amount: '900.00'}, null, 409],
    ],
    'platformOrderNo is a placeholder, and the order numbers differ': [
      [{platformOrderNo: '0'}, 200, 200],
      [{platformOrderNo: '0', orderNo: 'D-2'}, 200, 200],
      [{platformOrderNo: 'null', orderNo: 'D-3'}, 200, 200],
      [{platformOrderNo: 'null', orderNo: 'D-3'}, null, 200],
    ],
    'platformOrderNo goes, and is written in other ways': [
      [{}, 200, 200],
      [{platformOrderNo: undefined}, null, 200],
      [{platformOrderNo: ''}, null, 200],
      [{platformOrderNo: 'pf-1'}, null, 200],
      [{platformOrderNo: 'PF-1 '}, null, 200],
      [{platformOrderNo: undefined, amount: '900.00'}, null, 409],
      [{platformOrderNo: undefined, event: undefined}, null, 200],
    ],
    'nothing was acknowledged yet: each way of naming it is handed on': [
      [completed, 503, 503],
      [{}, 503, 503],
      [{platformOrderNo: undefined}, 503, 503],
      [{platformOrderNo: 'pf-1'}, 200, 200],
      [completed, null, 200],
      [{platformOrderNo: undefined}, null, 200],
    ],
    'a payout and a deposit of one number, of which one names no platformOrderNo': [
      [{}, 200, 200],
      [{platformOrderNo: undefined, playerRef: undefined}, 200, 200],
    ],
    'a payout and a deposit of one number, of which none names a platformOrderNo': [
      [{platformOrderNo: undefined, playerRef: undefined, amount: '100.00'}, 200, 200],
      [{platformOrderNo: undefined}, 200, 200],
      [{platformOrderNo: undefined}, null, 200],
      [{platformOrderNo: undefined, playerRef: undefined, amount: '100.00'}, null, 200],
      [{platformOrderNo: undefined, amount: '900.00'}, null, 409],
    ],
    'an ID that differs in its case, of another order': [
      [{platformOrderNo: 'aB3'}, 200, 200],
      [{platformOrderNo: 'Ab3', orderNo: 'D-2'}, 200, 200],
    ],
    'another event of an order that was completed': [
      [{}, 200, 200],
      [{event: 'order.refunded', status: 'refunded'}, 200, 200],
      [{event: undefined, status: 'settled'}, 200, 200],
    ],
    'completed was acknowledged, and the order fails': [
      [{}, 200, 200],
      [{event: 'order.failed', status: 'failed', amount: undefined}, null, 409],
      [failed, null, 409],
      [{event: 'order.failed', status: undefined}, null, 409],
      [{event: 'payment.order.failed', status: undefined}, null, 409],
      [{platformOrderNo: undefined, event: 'order.failed', status: 'failed'}, null, 409],
    ],
    'failed and then completed were acknowledged: a retry of either is one': [
      [failed, 200, 200],
      [completed, 200, 200],
      [{...failed, timestamp: '2'}, null, 200],
    ],
    'after the acknowledgement: no amount, or the same with zeros in front': [
      [{}, 200, 200],
      [{amount: undefined}, null, 200],
      [{amount: ''}, null, 200],
      [{amount: '0500.00'}, null, 200],
      [{amount: '500.001'}, null, 409],
    ],
    'an amount that the acknowledged content had not': [
      [{amount: undefined}, 200, 200],
      [{amount: '500.00'}, 200, 200],
      [{amount: '500.00', timestamp: '2'}, null, 200],
      [{amount: undefined}, null, 200],
      [{amount: '900.00'}, null, 409],
    ],
    'an amount that the acknowledged content had not, of another player': [
      [{amount: undefined}, 200, 200],
      [{playerRef: 'player-8'}, null, 409],
    ],
    'all events have one name: failed, then completed': [
      [{...named, status: 'failed', amount: undefined}, 200, 200],
      [named, 503, 503],
      [named, 200, 200],
      [{...named, timestamp: '2'}, null, 200],
      [{...named, status: 'failed', amount: undefined, timestamp: '2'}, null, 200],
      [{...named, amount: '900.00'}, null, 409],
    ],
    'all events have one name: open, failed, completed': [
      [{...named, status: 'pending', amount: undefined}, 200, 200],
      [{...named, status: 'processing'}, 200, 200],
      [{...named, status: 'failed', amount: undefined}, 200, 200],
      [{...named, status: 'processing'}, null, 200],
      [{...named, status: 'pending', amount: '600.00'}, null, 409],
      [named, 200, 200],
    ],
    'all events have one name: completed, then failed or open': [
      [{...named, status: 'failed', amount: undefined}, 503, 503],
      [named, 200, 200],
      [{...named, status: 'failed', amount: undefined}, null, 409],
      [{...named, status: 'processing'}, null, 409],
    ],
    'a word that the profile has not, then completed: paid less, or of another player': [
      [{...named, status: 'WAITING', amount: undefined}, 200, 200],
      [{...named, status: 'SUCCESS', amount: '500.00'}, 200, 200],
      [{...named, status: 'SUCCESS', amount: '900.00'}, null, 409],
      [{...named, playerRef: 'player-8'}, null, 409],
      [{...named, amount: '450.00'}, 200, 200],
      [{...named, status: 'SUCCESS', amount: '500.00', timestamp: '2'}, null, 200],
      [{...named, status: 'REVERSED', amount: '450.00'}, null, 409],
    ],
    'an open order is called by a word that the profile has not': [
      [{...named, status: 'processing', amount: undefined}, 200, 200],
      [{...named, status: 'SUCCESS'}, 200, 200],
    ],
    'what carries an order on is of its player and its number': [
      [{...named, status: 'processing'}, 200, 200],
      [{...named, playerRef: 'player-8'}, null, 409],
      [{...named, orderNo: 'D-2'}, null, 409],
      [{event: 'order.completed', playerRef: 'player-8'}, null, 409],
      [{...named, playerRef: undefined}, 200, 200],
    ],
    'completed with two amounts, whatever the names of the events': [
      [{}, 200, 200],
      [{event: 'deposit.success', amount: '900.00'}, null, 409],
      [{event: undefined, amount: '900.00'}, null, 409],
      [{event: 'deposit.success', amount: '500'}, null, 200],
      [{event: 'deposit.success', amount: '500.00', timestamp: '2'}, null, 200],
    ],
    'another name, which your server does not know, then the documented one': [
      [{event: 'payment.success'}, 200, 200],
      [{}, 503, 503],
      [{timestamp: '2'}, 200, 200],
      [{event: 'payment.success', timestamp: '3'}, null, 200],
      [{timestamp: '4'}, null, 200],
    ],
    'what was not said before, and what is not said any more': [
      [{...named, playerRef: undefined, status: 'pending', amount: undefined}, 200, 200],
      [{...named, status: 'processing', amount: undefined}, 200, 200],
      [{...named, status: 'processing', playerRef: undefined, amount: undefined}, null, 200],
      [{...named, status: undefined, amount: undefined}, null, 200],
      [{event: 'order.completed', status: undefined, amount: undefined}, 200, 200],
      [{event: 'order.completed', status: 'completed', amount: '0.00'}, null, 200],
      [{event: 'order.completed', status: 'completed'}, 200, 200],
    ],
    'no platformOrderNo, as a payout’s webhook may have none': [
      [{platformOrderNo: undefined, orderNo: undefined, outOrderNo: 'P-1'}, 503, 503],
      [{platformOrderNo: undefined, orderNo: undefined, outOrderNo: 'P-1'}, 200, 200],
      [{platformOrderNo: undefined, orderNo: undefined, outOrderNo: 'P-1'}, null, 200],
      [{platformOrderNo: undefined, orderNo: 'P-1'}, 200, 200],
    ],
  }

  test.each(Object.entries(table))('%s', async (_what, deliveries) => {
    const merchant = await openMerchant()
    const {post, inbox} = await openTestReceiver({forwarder: forwarderTo(merchant.url)})
    for (const [nth, [fields, answer, expected]] of deliveries.entries()) {
      const before = merchant.received.length
      merchant.answer = status(answer ?? 500)
      const body = webhookBody(fields)
      expect((await post(body)).status, `delivery ${nth + 1}`).toBe(expected)
      const got = merchant.received.slice(before).map(({raw}) => raw)
      expect(got, `delivery ${nth + 1}`).toEqual(answer === null ? [] : [body])
    }
    // Each content that came is kept, whatever became of it.
    const kept = new Set(inbox.list({rowsMax: 99}).map(({content}) => content))
    for (const [fields] of deliveries) {
      const {signature: _, ...content} = JSON.parse(webhookBody(fields)) as Record<string, unknown>
      expect([...kept]).toContain(JSON.stringify(content))
    }
  })

  test('without a server behind, hisab’s own 200 is the acknowledgement', async () => {
    const {post} = await openTestReceiver()
    const answers: number[] = []
    for (const fields of [{attempt: '1'}, {attempt: '2'}, {amount: '900.00'}, {status: 'failed'}]) {
      answers.push((await post(webhookBody(fields))).status)
    }
    expect(answers).toEqual([200, 200, 409, 409])
  })

  test('acknowledged once, the same bytes are a duplicate, whatever the profile calls the amount since', async () => {
    const merchant = await openMerchant()
    const inbox = openTestInbox()
    const {dialect} = sortedRules
    const response = {...dialect.response, amount: 'money'}
    const before = {...sortedRules, dialect: {...dialect, response}}
    const forwarder = forwarderTo(merchant.url)
    const answers: number[] = []
    for (const rules of [before, sortedRules]) {
      const {post} = await openTestReceiver({inbox, rules, forwarder})
      answers.push((await post(webhookBody())).status)
    }
    expect(answers).toEqual([200, 200])
    expect(merchant.received).toHaveLength(1)
  })

  test('two words of one state are one event, and an order completed by two amounts is none', async () => {
    const merchant = await openMerchant()
    const {dialect} = sortedRules
    const {deposit} = dialect.status
    const status = {...dialect.status, deposit: {...deposit, completed: ['completed', 'SUCCESS']}}
    const rules = {...sortedRules, dialect: {...dialect, status}}
    const inbox = openInbox({dataDir: tempDir(), account, words: status})
    onTestFinished(() => inbox.close())
    const {post} = await openTestReceiver({inbox, rules, forwarder: forwarderTo(merchant.url)})
    const answers: number[] = []
    for (const name of [{event: undefined}, named]) {
      for (const fields of [{}, {status: 'SUCCESS'}, {status: 'SUCCESS', amount: '900.00'}])
        answers.push(
          (
            await post(
              webhookBody({orderNo: name.event, platformOrderNo: `PF-${name.event}`, ...name, ...fields}),
            )
          ).status,
        )
    }
    expect([answers, merchant.received.length]).toEqual([[200, 200, 409, 200, 200, 409], 2])
  })

  test('what was taken without a server behind is not pending, and can be listed for one', async () => {
    const {post, inbox} = await openTestReceiver()
    await post(webhookBody())
    expect(inbox.list({pending: 'handed', rowsMax: 9})).toEqual([])
    expect(inbox.list({pending: 'any', rowsMax: 9})).toMatchObject([{orderNo: 'D-1'}])
  })

  test('what an older hisab kept back as a conflict is handed on when it comes again', async () => {
    const dataDir = tempDir()
    const merchant = await openMerchant()
    merchant.answer = status(503)
    const before = await openTestReceiver({
      inbox: openTestInbox(dataDir),
      forwarder: forwarderTo(merchant.url),
    })
    await before.post(webhookBody({timestamp: '1'}))
    await before.drain()
    before.inbox.close()
    merchant.answer = status(200)
    const after = await openTestReceiver({
      inbox: openTestInbox(dataDir),
      forwarder: forwarderTo(merchant.url),
    })
    expect((await after.post(webhookBody({timestamp: '2'}))).status).toBe(200)
    expect(merchant.received).toHaveLength(2)
  })
})

describe('one at a time for an event', () => {
  test('two contents at once: the second waits, and is judged by what the first came to', async () => {
    const merchant = await openMerchant()
    const begun = Promise.withResolvers<() => void>()
    merchant.answer = (response) => begun.resolve(() => response.writeHead(200).end())
    const {post, inbox} = await openTestReceiver({forwarder: forwarderTo(merchant.url)})
    const first = post(webhookBody())
    const answer = await begun.promise
    const second = post(webhookBody({amount: '900.00'}))
    const third = post(webhookBody({timestamp: '2'}))
    await expect.poll(() => inbox.list({rowsMax: 9})).toHaveLength(3)
    answer()
    expect([(await first).status, (await second).status, (await third).status]).toEqual([200, 409, 200])
    expect(merchant.received).toHaveLength(1)
  })

  test.each([
    ['without its platformOrderNo, then with it', undefined, 'PF-1'],
    ['with its platformOrderNo, then without', 'PF-1', undefined],
  ])('one event at once %s', async (_what, ...ids) => {
    const merchant = await openMerchant()
    const begun = Promise.withResolvers<() => void>()
    merchant.answer = (response) => begun.resolve(() => response.writeHead(200).end())
    const {post, inbox} = await openTestReceiver({forwarder: forwarderTo(merchant.url)})
    const first = post(webhookBody({platformOrderNo: ids[0]}))
    const answer = await begun.promise
    const second = post(webhookBody({platformOrderNo: ids[1]}))
    await expect.poll(() => inbox.list({rowsMax: 9})).toHaveLength(2)
    answer()
    expect([(await first).status, (await second).status]).toEqual([200, 200])
    expect(merchant.received).toHaveLength(1)
  })

  test('two listeners on one data directory: the merchant’s server gets the event once', async () => {
    const dataDir = tempDir()
    const merchant = await openMerchant()
    const begun = Promise.withResolvers<() => void>()
    merchant.answer = (response) => begun.resolve(() => response.writeHead(200).end())
    const listeners = await Promise.all(
      [1, 2].map(() =>
        openTestReceiver({inbox: openTestInbox(dataDir), forwarder: forwarderTo(merchant.url)}),
      ),
    )
    const answers = listeners.map(({post}) => post(webhookBody()))
    const answer = await begun.promise
    // Longer than the claim of a process that was killed holds others up.
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    answer()
    expect((await Promise.all(answers)).map((reply) => reply.status)).toEqual([200, 200])
    expect(merchant.received).toHaveLength(1)
  }, 20_000)
})

describe('a forward that a kill cut off', () => {
  /** What a process leaves that dies after it began to hand on. */
  async function leaveCut(dataDir: string) {
    const merchant = await openMerchant()
    const begun = Promise.withResolvers<void>()
    merchant.answer = () => begun.resolve()
    const dying = openInbox({dataDir, account})
    const {post} = await openTestReceiver({
      inbox: {...dying, recordForward: () => new Promise(() => {})},
      forwarder: forwarderTo(merchant.url, 300),
      limits: {drainTimeoutMs: 10},
    })
    void post(webhookBody()).catch(() => {})
    await begun.promise
    dying.close()
  }

  test('is listed as unknown, and handed on when the service sends the event again', async () => {
    const dataDir = tempDir()
    await leaveCut(dataDir)
    const inbox = openTestInbox(dataDir)
    expect(inbox.list({rowsMax: 9, pending: 'handed'})).toMatchObject([
      {forwards: 1, forwardStatus: null, forward: 'unknown'},
    ])
    expect([inbox.countPending(), inspectInbox(dataDir, account)]).toEqual([1, {pending: 1, conflicts: 0}])
    const merchant = await openMerchant()
    const {post} = await openTestReceiver({inbox, forwarder: forwarderTo(merchant.url)})
    expect((await post(webhookBody())).status).toBe(200)
    expect(merchant.received).toHaveLength(1)
    expect(inbox.list({rowsMax: 9})).toMatchObject([{forwards: 2, forward: 'acknowledged'}])
  }, 20_000)

  test('stays in sight as a contradiction where another content is acknowledged: the server may have acted on both', async () => {
    const dataDir = tempDir()
    await leaveCut(dataDir)
    const inbox = openTestInbox(dataDir)
    const merchant = await openMerchant()
    const {post} = await openTestReceiver({inbox, forwarder: forwarderTo(merchant.url)})
    expect((await post(webhookBody({amount: '900.00'}))).status).toBe(200)
    expect(inbox.list({rowsMax: 9, pending: 'waiting'})).toMatchObject([
      {amount: '500.00', isConflict: true, forward: 'unknown'},
    ])
    expect((await post(webhookBody())).status).toBe(409)
    expect(merchant.received).toHaveLength(1)
  }, 20_000)
})

describe('a store that has forgotten acknowledgements (the merchant’s server would get them again)', () => {
  /** One session of a listener, which ends; what the merchant's server got of it. */
  async function listen(dataDir: string, ...orders: string[]) {
    const merchant = await openMerchant()
    const inbox = openTestInbox(dataDir)
    const {post, drain} = await openTestReceiver({inbox, forwarder: forwarderTo(merchant.url)})
    for (const orderNo of orders) await post(webhookBody({orderNo, platformOrderNo: `PF-${orderNo}`}))
    await drain()
    inbox.close()
    return merchant.received.length
  }
  const store = (dataDir: string) => join(dataDir, 'received')
  const copyOf = (dataDir: string) => {
    const copy = join(tempDir(), 'received')
    cpSync(store(dataDir), copy, {recursive: true})
    return copy
  }
  const putBack = (dataDir: string, copy: string | null) => {
    rmSync(store(dataDir), {recursive: true})
    if (copy !== null) cpSync(copy, store(dataDir), {recursive: true})
  }

  test('lost: refused, and nothing is begun in its place', async () => {
    const dataDir = tempDir()
    expect(await listen(dataDir, 'D-1')).toBe(1)
    const copy = copyOf(dataDir)
    putBack(dataDir, null)
    for (const _ of [1, 2]) await expect(listen(dataDir, 'D-1')).rejects.toThrow(/is gone or empty/)
    expect(inspectInbox(dataDir, account)).toMatchObject({message: expect.stringMatching(/is gone or empty/)})
    putBack(dataDir, copy)
    expect(inspectInbox(dataDir, account)).toEqual({pending: 0, conflicts: 0})
    expect(await listen(dataDir, 'D-1')).toBe(0)
  })

  test('an older copy: refused, also after it went on by itself', async () => {
    const dataDir = tempDir()
    await listen(dataDir, 'D-1')
    const older = copyOf(dataDir)
    await listen(dataDir, 'D-2')
    putBack(dataDir, older)
    await expect(listen(dataDir, 'D-2')).rejects.toThrow(/is an older copy/)
    const elsewhere = tempDir()
    cpSync(older, store(elsewhere), {recursive: true})
    expect(await listen(elsewhere, 'D-3', 'D-4')).toBe(2)
    putBack(dataDir, copyOf(elsewhere))
    await expect(listen(dataDir, 'D-2')).rejects.toThrow(/is an older copy/)
  })

  test('an older copy that has every event, and lacks an acknowledgement: refused', async () => {
    const dataDir = tempDir()
    const merchant = await openMerchant()
    const copies: string[] = []
    for (const answer of [503, 200]) {
      merchant.answer = status(answer)
      const inbox = openTestInbox(dataDir)
      const {post, drain} = await openTestReceiver({inbox, forwarder: forwarderTo(merchant.url)})
      expect((await post(webhookBody({platformOrderNo: 'PF-D-1'}))).status).toBe(answer)
      await drain()
      inbox.close()
      copies.push(copyOf(dataDir))
    }
    const [older = '', newest = ''] = copies
    putBack(dataDir, older)
    expect(inspectInbox(dataDir, account)).toMatchObject({message: expect.stringMatching(/is an older copy/)})
    await expect(listen(dataDir, 'D-1')).rejects.toThrow(/is an older copy/)
    putBack(dataDir, newest)
    expect(await listen(dataDir, 'D-1')).toBe(0)
    expect(merchant.received).toHaveLength(2)
  })

  test.each([
    ['no JSON', 'no JSON'],
    ['no content', JSON.stringify({fileId: 'f', id: 1})],
    ['no store', JSON.stringify({id: 1, receivedAtMs: 1})],
    ['no event', JSON.stringify({fileId: 'f', receivedAtMs: 1})],
  ])('what stands beside it was changed, and has %s: refused', async (_, text) => {
    const dataDir = tempDir()
    await listen(dataDir, 'D-1')
    const [name = ''] = readdirSync(join(dataDir, 'accounts'))
    writeFileSync(join(dataDir, 'accounts', name), text)
    await expect(listen(dataDir, 'D-1')).rejects.toThrow(/is another one/)
  })

  test('a person says that it is lost: it begins anew', async () => {
    const dataDir = tempDir()
    await listen(dataDir, 'D-1')
    putBack(dataDir, null)
    new InboxWitness(dataDir, account).forget()
    expect(await listen(dataDir, 'D-1')).toBe(1)
  })
})

describe('what waits is listed, and handed on by a person', () => {
  async function openWaiting(rules = sortedRules, nowMs = Date.now()) {
    const merchant = await openMerchant()
    const forwarder = forwarderTo(merchant.url)
    const {post, inbox} = await openTestReceiver({rules, forwarder})
    const forward = async (pending: PendingEvents) => {
      const parts = {
        inbox,
        forwarder,
        rules,
        path: '/webhook',
        now: () => nowMs,
        onNotice: () => {},
        whyHeld: async () => null,
      }
      const handed = await Array.fromAsync(forwardPending(parts, {orderNo: undefined, pending}))
      return handed.map(({isAcknowledged}) => isAcknowledged)
    }
    const got = () => merchant.received.map(({raw}) => (JSON.parse(raw) as {status: string}).status)
    return {merchant, post, inbox, forward, got}
  }

  test('completed and then failed under one name, both refused: the order is handed on as completed, too', async () => {
    const {merchant, post, inbox, forward, got} = await openWaiting()
    merchant.answer = status(503)
    await post(webhookBody(named))
    await post(webhookBody({...named, status: 'failed', amount: undefined}))
    merchant.answer = status(200)
    expect(await forward('handed')).toEqual([true, true])
    expect(got()).toEqual(['completed', 'failed', 'failed', 'completed'])
    expect(inbox.countPending()).toBe(0)
  })

  test.each([
    ['in its body', sortedRules],
    ['in a header', hmacRules],
  ])('a stored content is signed anew: the signature is %s', async (_, rules) => {
    const {merchant, post, forward} = await openWaiting(rules, Date.UTC(2026, 10, 21) + 999)
    merchant.answer = status(503)
    const body = webhookBody()
    await post(body, hmacHeaders(body))
    await forward('handed')
    const {headers, raw} = merchant.received[1] as (typeof merchant.received)[0]
    expect(headers['content-type']).toBe('application/json')
    expect(headers['x-timestamp']).toBe(rules === hmacRules ? `${Date.UTC(2026, 10, 21) / 1_000}` : undefined)
    expect(verifyWebhook({headers, path: '/webhook', body: Buffer.from(raw)}, rules)).toMatchObject({
      kind: 'genuine',
      webhook: {orderId: 'PF-1', amount: '500.00'},
    })
  })

  test('a contradiction is listed, and handed on only where a person says so', async () => {
    const {merchant, post, inbox, forward, got} = await openWaiting()
    await post(webhookBody())
    await post(webhookBody({amount: '900.00'}))
    expect(inbox.list({pending: 'waiting', rowsMax: 9})).toMatchObject([
      {amount: '900.00', isConflict: true, forward: null},
    ])
    expect([await forward('handed'), await forward('any')]).toEqual([[], []])
    merchant.answer = status(503)
    expect(await forward('conflicts')).toEqual([false])
    expect(inbox.list({pending: 'waiting', rowsMax: 9})).toHaveLength(1)
    merchant.answer = status(200)
    expect(await forward('conflicts')).toEqual([true])
    expect(got()).toHaveLength(3)
    expect(inbox.list({pending: 'waiting', rowsMax: 9})).toEqual([])
    expect((await post(webhookBody({amount: '900.00'}))).status).toBe(200)
    expect(got()).toHaveLength(3)
  })
})

test('what came before under another name of the event is not pending once that was acknowledged', async () => {
  const merchant = await openMerchant()
  const {post, inbox} = await openTestReceiver({forwarder: forwarderTo(merchant.url)})
  merchant.answer = status(503)
  await post(webhookBody(completed))
  await post(webhookBody({event: 'order.failed', status: 'failed'}))
  await post(webhookBody({platformOrderNo: undefined}))
  merchant.answer = status(200)
  await post(webhookBody({platformOrderNo: 'pf-1'}))
  await post(webhookBody(completed))
  expect(inbox.list({rowsMax: 9, pending: 'handed'})).toEqual([])
  expect(inbox.countPending()).toBe(0)
  expect(inbox.list({rowsMax: 9}).map(({forward}) => forward)).toEqual([
    ...['acknowledged', 'superseded', 'superseded', 'superseded'],
  ])
})

const refunded = {playerRef: undefined, orderNo: 'P-1', event: 'order.failed', status: 'failed'}

test.for([
  // [what your server refused first, what it took after that, what is left of the first, and after a retry of it]
  ['another player and order', {orderNo: 'D-1', playerRef: 'p-1'}, {orderNo: 'D-2', playerRef: 'p-2'}, 1, 1],
  ['another order', {orderNo: 'D-1'}, {orderNo: 'D-2'}, 1, 1],
  ['another amount', {amount: '900.00'}, {amount: '500.00'}, 1, 1],
  ['the same order', {attempt: '1'}, {attempt: '2'}, 0, 0],
  ['an earlier state', {status: 'processing'}, {status: 'completed'}, 0, 1],
  ['a payout that failed', refunded, {...refunded, event: 'order.completed', status: 'completed'}, 0, 1],
] as const)(
  'refused, then overtaken by %s: a contradiction stays in the list of what is pending',
  async ([, first, second, left, leftAfterRetry]) => {
    const merchant = await openMerchant()
    const {post, inbox} = await openTestReceiver({forwarder: forwarderTo(merchant.url)})
    const waiting = () => inbox.list({rowsMax: 9, pending: 'waiting'}).length
    merchant.answer = status(503)
    await post(webhookBody(first))
    merchant.answer = status(200)
    await post(webhookBody(second))
    expect(waiting()).toBe(left)
    await post(webhookBody(first))
    expect(waiting()).toBe(leftAfterRetry)
    expect(merchant.received).toHaveLength(2)
  },
)

test('states of the others: pending, acknowledged, superseded, and none where no server is behind', async () => {
  const merchant = await openMerchant()
  const inbox = openTestInbox()
  const {post} = await openTestReceiver({inbox, forwarder: forwarderTo(merchant.url)})
  const alone = await openTestReceiver({inbox})
  await alone.post(webhookBody({platformOrderNo: 'PF-0', orderNo: 'D-0'}))
  merchant.answer = status(503)
  await post(webhookBody({platformOrderNo: 'PF-1'}))
  await post(webhookBody({platformOrderNo: 'PF-2', orderNo: 'D-2', attempt: '1'}))
  merchant.answer = status(200)
  await post(webhookBody({platformOrderNo: 'PF-2', orderNo: 'D-2', attempt: '2'}))
  const states = inbox.list({rowsMax: 9}).map(({orderId, forward}) => [orderId, forward])
  expect(states.reverse()).toEqual([
    ['PF-0', null],
    ['PF-1', 'pending'],
    ['PF-2', 'superseded'],
    ['PF-2', 'acknowledged'],
  ])
  expect(inbox.list({rowsMax: 9, pending: 'handed'}).map(({orderId}) => orderId)).toEqual(['PF-1'])
})

test('a contradiction stays in the list where another event of its order is acknowledged', async () => {
  const merchant = await openMerchant()
  const {post, inbox} = await openTestReceiver({forwarder: forwarderTo(merchant.url)})
  const waiting = () => inbox.list({rowsMax: 9, pending: 'waiting'}).map(({event}) => event)
  await post(webhookBody())
  expect((await post(webhookBody({event: 'order.failed', status: 'failed'}))).status).toBe(409)
  expect(waiting()).toEqual(['order.failed'])
  expect((await post(webhookBody({event: 'order.settled'}))).status).toBe(200)
  expect(waiting()).toEqual(['order.failed'])
})
