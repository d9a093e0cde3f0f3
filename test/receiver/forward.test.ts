import {createServer} from 'node:http'
import {describe, expect, onTestFinished, test} from 'vitest'

import {openForwarder} from '../../src/receiver/forwarder.ts'
import {hasOpenssl} from '../hostile/certificates.ts'
import {selfSignedServer} from '../hostile/self-signed.ts'
import {openReceiver, status, type TestReceiver} from '../sandbox/receiver-server.ts'
import {hmacHeaders, hmacRules, openTestInbox, openTestReceiver, webhookBody} from './fixture.ts'

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

/** An address nobody listens at. */
async function deadAddress(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const {port} = server.address() as {port: number}
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}/hook`
}

describe('what the service is answered is what the merchant’s server answered', () => {
  test('its status, its type and its body; it gets the very bytes and the headers that were signed', async () => {
    const merchant = await openMerchant()
    merchant.answer = (response) =>
      void response.writeHead(201, {'content-type': 'text/x-booked'}).end('booked as 17')
    const {url, inbox} = await openTestReceiver({rules: hmacRules, forwarder: forwarderTo(merchant.url)})
    const body = `  ${webhookBody()}`
    const headers = {...hmacHeaders(body), 'content-type': 'application/json'}
    const stray = {
      cookie: 'a=b',
      authorization: 'Basic eA==',
      'x-forwarded-for': '10.0.0.1',
      'x-other': 'dropped',
    }
    const answer = await fetch(url, {method: 'POST', body, headers: {...headers, ...stray}})
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      201,
      'text/x-booked',
      'booked as 17',
    ])
    expect(merchant.received).toMatchObject([{raw: body, headers}])
    expect(Object.keys(merchant.received[0]?.headers ?? {})).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/cookie|auth|forwarded|other/)]),
    )
    expect(inbox.list({rowsMax: 9})).toMatchObject([
      {forwards: 1, forwardStatus: 201, acknowledgedAtMs: expect.any(Number)},
    ])
  })

  test.each([
    ['a long answer', 'text/plain', 'x'.repeat(20_000), 'x'.repeat(16_384)],
    ['an answer of no type', null, 'ok', 'ok'],
  ])('%s', async (_what, type, body, passedOn) => {
    const merchant = await openMerchant()
    merchant.answer = (response) => void response.writeHead(200, type ? {'content-type': type} : {}).end(body)
    const {url} = await openTestReceiver({forwarder: forwarderTo(merchant.url)})
    const answer = await fetch(url, {method: 'POST', body: webhookBody()})
    expect([answer.headers.get('content-type'), await answer.text()]).toEqual([
      type ?? 'application/octet-stream',
      passedOn,
    ])
  })

  test.each([
    ['it refuses', 422, 422],
    ['it fails', 500, 500],
    ['it redirects, and that is not followed', 307, 502],
    ['it offers a choice of addresses', 300, 502],
  ])('%s', async (_what, merchantStatus, expected) => {
    const merchant = await openMerchant()
    merchant.answer = (response) =>
      void response.writeHead(merchantStatus, {location: merchant.url}).end('no')
    const {post, inbox} = await openTestReceiver({forwarder: forwarderTo(merchant.url)})
    expect((await post(webhookBody())).status).toBe(expected)
    expect(merchant.received).toHaveLength(1)
    expect(inbox.list({rowsMax: 9, pending: 'handed'})).toMatchObject([{forwardStatus: merchantStatus}])
  })

  test.runIf(hasOpenssl)('it has a certificate that nobody trusts, and is sent nothing (P21)', async () => {
    const {url, requests} = await selfSignedServer()
    const {post} = await openTestReceiver({forwarder: forwarderTo(url)})
    expect([await post(webhookBody()), requests()]).toEqual([
      {status: 502, body: expect.stringContaining('the connection failed (DEPTH_ZERO_SELF_SIGNED_CERT)')},
      0,
    ])
  })

  test('nobody listens there: 502, and the event is stored', async () => {
    const {post, inbox} = await openTestReceiver({forwarder: forwarderTo(await deadAddress())})
    const answer = await post(webhookBody())
    expect(answer).toMatchObject({status: 502, body: expect.stringContaining('the connection was refused')})
    expect(inbox.list({rowsMax: 9, pending: 'handed'})).toMatchObject([{forwards: 1, forwardStatus: null}])
  })

  test.each([
    ['it says nothing', () => undefined],
    ['it begins to answer and stops', (response: {write(text: string): unknown}) => void response.write('b')],
  ])('%s: 504, and the event is stored', async (_what, answer) => {
    const merchant = await openMerchant()
    merchant.answer = answer
    const {post, inbox} = await openTestReceiver({forwarder: forwarderTo(merchant.url, 200)})
    expect(await post(webhookBody())).toMatchObject({
      status: 504,
      body: expect.stringContaining('no answer within 0.2 s'),
    })
    expect(inbox.list({rowsMax: 9, pending: 'handed'})).toHaveLength(1)
  })
})

describe('at least once, until it acknowledged', () => {
  test('a delivery that comes again is handed on again, and after the first 2xx never more', async () => {
    const merchant = await openMerchant()
    const {post, inbox} = await openTestReceiver({forwarder: forwarderTo(merchant.url)})
    const answers: number[] = []
    for (const code of [503, 500, 204, 503]) {
      merchant.answer = status(code)
      answers.push((await post(webhookBody())).status)
    }
    expect(answers).toEqual([503, 500, 204, 200])
    expect(merchant.received).toHaveLength(3)
    expect(inbox.list({rowsMax: 9})).toMatchObject([{forwards: 3, forwardStatus: 204}])
    expect(inbox.countPending()).toBe(0)
  })

  test('over a restart, too', async () => {
    const merchant = await openMerchant()
    merchant.answer = status(503)
    const inbox = openTestInbox()
    const first = await openTestReceiver({inbox, forwarder: forwarderTo(merchant.url)})
    expect((await first.post(webhookBody())).status).toBe(503)
    await first.drain()
    merchant.answer = status(200)
    const second = await openTestReceiver({inbox, forwarder: forwarderTo(merchant.url)})
    expect((await second.post(webhookBody())).status).toBe(200)
    expect((await second.post(webhookBody())).status).toBe(200)
    expect(merchant.received).toHaveLength(2)
  })

  test('what was taken without a server behind is handed on when it comes again', async () => {
    const merchant = await openMerchant()
    const inbox = openTestInbox()
    const alone = await openTestReceiver({inbox})
    expect((await alone.post(webhookBody())).status).toBe(200)
    const forwarding = await openTestReceiver({inbox, forwarder: forwarderTo(merchant.url)})
    expect((await forwarding.post(webhookBody())).status).toBe(200)
    expect(merchant.received).toHaveLength(1)
  })

  test('a retry that comes while the first is under way waits for its answer', async () => {
    const merchant = await openMerchant()
    const begun = Promise.withResolvers<() => void>()
    merchant.answer = (response) => begun.resolve(() => response.writeHead(200).end())
    const {post, notices} = await openTestReceiver({forwarder: forwarderTo(merchant.url)})
    const first = post(webhookBody())
    const answer = await begun.promise
    const second = post(webhookBody())
    // The second one is waiting once it has been looked up in the store, which a third event shows to be done.
    await post(webhookBody({platformOrderNo: 'PF-2', merchantId: 'other'}))
    answer()
    expect([(await first).status, (await second).status]).toEqual([200, 200])
    expect(merchant.received).toHaveLength(1)
    const handled = notices.filter((notice) => notice.type === 'received' && notice.isHandled)
    expect(handled).toMatchObject([{taken: {novelty: 'new'}}])
  })

  test('a conflict is kept from the merchant’s server', async () => {
    const merchant = await openMerchant()
    const {post} = await openTestReceiver({forwarder: forwarderTo(merchant.url)})
    expect((await post(webhookBody())).status).toBe(200)
    expect((await post(webhookBody({amount: '900.00'}))).status).toBe(409)
    expect(merchant.received).toHaveLength(1)
  })

  test('nothing that is not genuine or not stored reaches it', async () => {
    const merchant = await openMerchant()
    const inbox = openTestInbox()
    const {post, notices} = await openTestReceiver({inbox, forwarder: forwarderTo(merchant.url)})
    expect((await post(webhookBody().replace('500.00', '900.00'))).status).toBe(401)
    inbox.close()
    expect((await post(webhookBody())).status).toBe(500)
    expect(notices.at(-1)).toMatchObject({type: 'defect', message: 'database is not open'})
    expect(merchant.received).toEqual([])
  })
})

test('the server took it and that could not be written down: its answer stands, and it is said', async () => {
  const merchant = await openMerchant()
  const inbox = openTestInbox()
  const {Failure} = await import('../../src/core/failure.ts')
  const full = {
    ...inbox,
    recordForward: () => Promise.reject(new Failure('storage_failed', 'disk full.', 'Free some space.')),
  }
  const {post, notices} = await openTestReceiver({inbox: full, forwarder: forwarderTo(merchant.url)})
  expect((await post(webhookBody())).status).toBe(200)
  expect(notices.map(({type}) => type)).toEqual(['unrecorded', 'received'])
})
