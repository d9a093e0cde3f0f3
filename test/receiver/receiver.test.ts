import {EventEmitter, once} from 'node:events'
import {request, type Server} from 'node:http'
import {networkInterfaces} from 'node:os'

import {describe, expect, onTestFinished, test, vi} from 'vitest'

import {Connections, networkOf} from '../../src/receiver/connections.ts'
import type {ForwardAnswer, Forwarder} from '../../src/receiver/forwarder.ts'
import {whyNot} from '../../src/receiver/why-not.ts'
import {hmacHeaders, hmacRules, openTestReceiver, sortedRules, webhookBody} from './fixture.ts'
import {openRaw} from './raw-connection.ts'

const head = (length: number | string) =>
  `POST /webhook HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${length}\r\n\r\n`

/** The receiver says 100 once it has read the head: from then on the request is under way. */
const expecting = (length: number) => head(length).replace('\r\n\r\n', '\r\nExpect: 100-continue\r\n\r\n')

describe('what the service is answered', () => {
  test('a new event 200, again 200, with another content 409, and both contents are kept (P23)', async () => {
    const {post, inbox, notices} = await openTestReceiver()
    expect(await post(webhookBody())).toEqual({status: 200, body: '{"received":true}\n'})
    expect(await post(webhookBody())).toEqual({status: 200, body: '{"received":true,"duplicate":true}\n'})
    const other = await post(webhookBody({amount: '900.00'}))
    expect(other).toMatchObject({status: 409, body: expect.stringContaining('"conflict"')})
    expect((await post(webhookBody({amount: '900.00'}))).status).toBe(409)
    expect((await post(webhookBody())).status).toBe(200)
    expect(inbox.list({rowsMax: 9}).map(({amount, isConflict}) => [amount, isConflict])).toEqual([
      ['900.00', true],
      ['500.00', false],
    ])
    expect(notices.map((notice) => notice.type === 'received' && notice.taken.novelty)).toEqual([
      'new',
      'duplicate',
      'conflict',
      'conflict',
      'duplicate',
    ])
  })

  test('its fields in another order are the same content, under either scheme', async () => {
    for (const rules of [sortedRules, hmacRules]) {
      const {post, inbox} = await openTestReceiver({rules})
      const body = webhookBody()
      const turned = JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(body)).reverse()))
      for (const text of [body, turned]) expect((await post(text, hmacHeaders(text))).status).toBe(200)
      expect(inbox.list({rowsMax: 9})).toHaveLength(1)
    }
  })

  test('another event of the same order is an event of its own', async () => {
    const {post, inbox} = await openTestReceiver()
    expect((await post(webhookBody())).status).toBe(200)
    expect((await post(webhookBody({event: 'order.refunded', status: 'refunded'}))).status).toBe(200)
    expect(inbox.list({rowsMax: 9}).filter(({isConflict}) => isConflict)).toEqual([])
  })

  test('a wrong signature is 401 and is not stored; why it is wrong is told here and not to the sender', async () => {
    const {post, inbox, notices} = await openTestReceiver()
    const body = webhookBody().replace('500.00', '900.00')
    expect(await post(body)).toEqual({
      status: 401,
      body: '{"error":"mismatch","message":"The signature is wrong."}\n',
    })
    expect(inbox.list({rowsMax: 9})).toEqual([])
    await expect.poll(() => notices).toHaveLength(1)
    expect(notices[0]).toMatchObject({
      type: 'refused',
      reason: 'mismatch',
      why: expect.stringMatching(/^none_found: /),
    })
    expect(JSON.stringify(notices)).not.toContain(sortedRules.keys.apiSecret)
  })

  test('of many wrong signatures one is explained: the search must not be a way to stop the receiver', async () => {
    vi.useFakeTimers({toFake: ['performance']})
    onTestFinished(() => void vi.useRealTimers())
    const {post, notices} = await openTestReceiver()
    const postWrong = async (first: number) => {
      for (let n = first; n < first + 5; n += 1) await post(webhookBody().replace('500.00', `${n}.00`))
      await expect.poll(() => notices).toHaveLength(first + 5)
      return notices.filter((notice) => notice.type === 'refused' && notice.why !== null).length
    }
    expect(await postWrong(0)).toBe(1)
    vi.advanceTimersByTime(5_000)
    expect(await postWrong(5)).toBe(2)
  })

  test('a wrong signature whose mistake cannot even be searched is a wrong signature', async () => {
    const {webhookSignature} = hmacRules.dialect
    const recipe = {...webhookSignature.recipe, input: '{timestampIso}{body}'}
    const dialect = {...hmacRules.dialect, webhookSignature: {...webhookSignature, recipe}}
    const {post, notices} = await openTestReceiver({rules: {...hmacRules, dialect}})
    const headers = {...hmacHeaders('x'), 'x-timestamp': 'yesterday'}
    expect((await post(webhookBody(), headers)).status).toBe(401)
    await expect.poll(() => notices).toMatchObject([{type: 'refused', reason: 'mismatch', why: null}])
  })

  test('a search for the mistake of a wrong signature never takes long at once, nor in all (P23)', async () => {
    const fields = Object.fromEntries(
      Array.from({length: 7}, (_, n) => [`f${n}`, `${n}.10 ${'x&amp; '.repeat(65)}`]),
    )
    const body = webhookBody(fields).replace('500.00', '900.00')
    expect(body.length).toBeGreaterThan(3_000)
    let [ms, turns] = [0, 0]
    const search = whyNot({headers: {}, path: '/webhook', body: Buffer.from(body)}, sortedRules, () => ms++)
    const turn = () => {
      turns += 1
      next = setImmediate(turn)
    }
    let next = setImmediate(turn)
    expect(await search).toMatch(/^none_found/)
    clearImmediate(next)
    // Each look at that clock is a millisecond: 3 of its 50 in a turn, and a turn of others in between.
    expect(turns).toBe(16)
    expect(ms).toBe(4 * 17)
  })

  test('HTTP/1.0 names no host, and a proxy may name any where the profile has no return URL', async () => {
    const {port} = await openTestReceiver({hostnames: null})
    for (const host of ['', 'Host: any.example\r\n']) {
      const sender = await openRaw(port)
      const body = webhookBody()
      sender.write(
        `POST /webhook HTTP/1.0\r\n${host}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      )
      expect(await sender.answer).toMatch(/^HTTP\/1\.1 200 /)
    }
  })

  test.each([
    ['a web page', {origin: 'http://127.0.0.1'}, 403],
    ['a name that was made to lead here', {host: 'evil.example'}, 403],
    ['more than a name', {host: 'evil.example@127.0.0.1'}, 403],
    ['less than a name', {host: '127.0.0.1#.evil.example'}, 403],
    ['the name of the return URL', {host: 'pay.merchant.example'}, 200],
    ['a name of this machine', {host: 'localhost:1'}, 200],
  ])('%s', async (_what, headers, status) => {
    const {port} = await openTestReceiver({hostnames: ['pay.merchant.example']})
    const body = webhookBody()
    const sent = request({port, method: 'POST', path: '/webhook', headers: {host: '127.0.0.1', ...headers}})
    sent.end(body)
    const [answer] = await once(sent, 'response')
    expect(answer.resume().statusCode).toBe(status)
  })

  test('a time that is signed, and long ago', async () => {
    const {post, notices} = await openTestReceiver({rules: hmacRules})
    const body = webhookBody()
    expect(await post(body, hmacHeaders(body, '1761234567'))).toMatchObject({
      status: 401,
      body: expect.stringContaining('"stale"'),
    })
    await expect.poll(() => notices).toMatchObject([{type: 'refused', reason: 'stale', why: null}])
  })

  test.each([
    ['another path', 'POST', '/other', 404, 'close', null],
    ['a GET', 'GET', '/webhook', 405, 'close', 'POST'],
    ['a path with a query is the same path', 'POST', '/webhook?shop=3', 200, 'keep-alive', null],
  ])('%s', async (_what, method, path, status, connection, allow) => {
    const {url, notices} = await openTestReceiver()
    const body = method === 'GET' ? null : webhookBody()
    const {status: got, headers} = await fetch(new URL(path, url), {method, body})
    expect([got, headers.get('connection'), headers.get('allow')]).toEqual([status, connection, allow])
    expect(notices).toHaveLength(1)
  })
})

describe('what a sender may cost (P17, P23)', () => {
  const small = {bodyBytesMax: 1_000}
  const impatient = {requestTimeoutMs: 300, headersTimeoutMs: 200, timeoutCheckMs: 50}

  test('a body that says it is too large is not read', async () => {
    const {port, inbox} = await openTestReceiver({limits: small})
    const sender = await openRaw(port)
    sender.write(head(1_001))
    expect(await sender.answer).toMatch(/^HTTP\/1\.1 413 [\s\S]*"too_large"/)
    expect(inbox.list({rowsMax: 9})).toEqual([])
  })

  test('a body that turns out too large is not read on', async () => {
    const {port} = await openTestReceiver({limits: small})
    const sender = await openRaw(port)
    sender.write('POST /webhook HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n')
    sender.write(`${(600).toString(16)}\r\n${'x'.repeat(600)}\r\n`.repeat(2))
    expect(await sender.answer).toMatch(/^HTTP\/1\.1 413 /)
  })

  test('a whole body at the limit is read', async () => {
    const {post} = await openTestReceiver({limits: small})
    const fill = 1_000 - Buffer.byteLength(webhookBody({playerRef: ''}))
    expect((await post(webhookBody({playerRef: 'x'.repeat(fill)}))).status).toBe(200)
    expect((await post(webhookBody({playerRef: 'x'.repeat(fill + 1)}))).status).toBe(413)
  })

  test.each([
    ['headers that do not end', 'POST /webhook HTTP/1.1\r\nHost: localhost\r\n'],
    ['a body that does not come', head(100)],
    ['a body of which half comes', `${head(100)}{"event":`],
  ])('408: %s', async (_what, text) => {
    const {port, notices} = await openTestReceiver({limits: impatient})
    const sender = await openRaw(port)
    sender.write(text)
    expect(await sender.answer).toMatch(/^HTTP\/1\.1 408 /)
    expect(notices).toMatchObject([{type: 'refused', httpStatus: 408, reason: 'too_slow'}])
  })

  test('a body of one byte at a time ends, however long it goes on', async () => {
    const {port} = await openTestReceiver({limits: impatient})
    const sender = await openRaw(port)
    sender.write(head(900))
    const drip = setInterval(() => sender.write('x'), 20)
    const answer = await sender.answer
    clearInterval(drip)
    expect(answer).toMatch(/^HTTP\/1\.1 408 /)
  })

  test('431: headers larger than 16 KiB', async () => {
    const {port, notices} = await openTestReceiver()
    const sender = await openRaw(port)
    sender.write(`POST /webhook HTTP/1.1\r\nX-Long: ${'x'.repeat(17_000)}\r\n\r\n`)
    expect(await sender.answer).toMatch(/^HTTP\/1\.1 431 /)
    expect(notices).toMatchObject([{reason: 'headers_too_large'}])
  })

  test('what is no HTTP behind a request that was answered is not answered as well', async () => {
    const {port, notices} = await openTestReceiver()
    const sender = await openRaw(port)
    sender.write('POST /other HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n')
    await sender.hears('404')
    sender.write('no length\r\n')
    expect((await sender.answer).match(/HTTP\/1\.1/g)).toHaveLength(1)
    expect(notices).toMatchObject([{reason: 'wrong_address'}])
  })

  test('400: what is not HTTP', async () => {
    const {port, notices} = await openTestReceiver()
    const sender = await openRaw(port)
    sender.write('\u0016\u0003\u0001 this is TLS\r\n\r\n')
    expect(await sender.answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(notices).toMatchObject([{reason: 'not_http'}])
  })

  test('where there is no room, the oldest connection that brings nothing gives way', async () => {
    const {port, notices} = await openTestReceiver({limits: {connectionsMax: 2}})
    const body = webhookBody()
    const idle = await openRaw(port)
    const busy = await openRaw(port)
    busy.write(
      `${head(Buffer.byteLength(body)).replace('Host', 'Connection: close\r\nHost')}${body.slice(0, 9)}`,
    )
    const third = await openRaw(port)
    expect(await idle.answer).toBe('')
    await expect.poll(() => notices).toMatchObject([{type: 'dropped'}])
    busy.write(body.slice(9))
    expect(await busy.answer).toMatch(/^HTTP\/1\.1 200 /)
    third.write(`${head(Buffer.byteLength(body)).replace('Host', 'Connection: close\r\nHost')}${body}`)
    expect(await third.answer).toMatch(/^HTTP\/1\.1 200 /)
  })

  test('one address has less room than all', async () => {
    const {port, post, notices} = await openTestReceiver({limits: {connectionsPerAddressMax: 1}})
    const elsewhere = await openRaw(port, '127.0.0.2')
    const idle = await openRaw(port)
    expect((await post(webhookBody())).status).toBe(200)
    expect(await idle.answer).toBe('')
    elsewhere.write('GET / HTTP/1.0\r\n\r\n')
    expect(await elsewhere.answer).toContain(' 404 ')
    expect(notices.filter(({type}) => type === 'dropped')).toHaveLength(1)
  })

  test('where all others are worked on, the newest gives way', async () => {
    const {promise, resolve} = Promise.withResolvers<ForwardAnswer>()
    const begun = Promise.withResolvers<void>()
    const forwarder: Forwarder = {
      send: () => {
        begun.resolve()
        return promise
      },
      timeoutMs: 5_000,
      close: async () => undefined,
    }
    const {port, post, notices} = await openTestReceiver({limits: {connectionsMax: 1}, forwarder})
    const busy = post(webhookBody())
    await begun.promise
    const newest = await openRaw(port)
    expect(await newest.answer).toBe('')
    expect(notices).toMatchObject([{type: 'dropped'}])
    resolve({kind: 'answered', httpStatus: 202, contentType: null, body: new Uint8Array()})
    expect((await busy).status).toBe(202)
  })

  test('blank lines keep no connection open, and a crowd that sends them keeps no webhook out', async () => {
    const {port, post} = await openTestReceiver({limits: {...impatient, waitMs: 2_000, connectionsMax: 4}})
    const crowd = await Promise.all(Array.from({length: 4}, () => openRaw(port)))
    // One of them has sent a whole request before.
    crowd[0]?.write(`${head(2)}{}`)
    await crowd[0]?.hears('HTTP/1.1 401')
    const drip = setInterval(() => crowd.forEach((one) => void one.write('\r\n')), 20)
    onTestFinished(() => clearInterval(drip))
    expect((await post(webhookBody())).status).toBe(200)
    await Promise.all(crowd.map(({answer}) => answer))
  })

  test('a connection has so long after a request for the next one, and a request as long as it takes', () => {
    vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout']})
    onTestFinished(() => void vi.useRealTimers())
    const server = new EventEmitter()
    const bounds = {connectionsMax: 9, connectionsPerAddressMax: 9, waitMs: 1_000}
    new Connections(server as Server, bounds, () => undefined)
    const connected = () => {
      const socket = Object.assign(new EventEmitter(), {
        remoteAddress: '127.0.0.1',
        destroyed: false,
        destroy() {
          socket.destroyed = true
          socket.emit('close')
        },
      })
      server.emit('connection', socket)
      return socket
    }
    const requested = (socket: EventEmitter) => {
      const response = new EventEmitter()
      server.emit('request', Object.assign(new EventEmitter(), {socket}), response)
      return response
    }
    const [socket, another] = [connected(), connected()]
    for (const waitsMs of [0, 999]) {
      vi.advanceTimersByTime(waitsMs)
      const response = requested(socket)
      vi.advanceTimersByTime(9_000)
      expect([socket.destroyed, vi.getTimerCount()]).toEqual([false, 0])
      response.emit('close')
    }
    // The time of one that is closed ends with it.
    requested(another).emit('close')
    expect(vi.getTimerCount()).toBe(2)
    another.destroy()
    expect(vi.getTimerCount()).toBe(1)
    const last = connected()
    const answered = requested(last)
    last.destroy()
    answered.emit('close')
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(999)
    expect(socket.destroyed).toBe(false)
    vi.advanceTimersByTime(1)
    expect(socket.destroyed).toBe(true)
  })

  test.each([
    ['127.0.0.2', '127.0.0.2'],
    ['::ffff:127.0.0.2', '::ffff:127.0.0.2'],
    ['2001:db8:0:7:1:2:3:4', '2001:db8:0:7'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:db8::7:0:0:1', '2001:db8:0:0'],
    ['2001::3:4:5:6:7', '2001:0:0:3'],
    ['fe80::', 'fe80:0:0:0'],
    ['::1', '0:0:0:0'],
  ])('%s counts as %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })

  test('a crowd of half requests keeps no webhook out, not even while it is on its way', async () => {
    const {port} = await openTestReceiver({limits: {connectionsPerAddressMax: 3, drainTimeoutMs: 1}})
    const body = webhookBody()
    const crowd = [await openRaw(port), await openRaw(port)]
    for (const one of crowd) one.write(`${head(900)}{`)
    const webhook = await openRaw(port)
    crowd.push(await openRaw(port))
    expect(await crowd[0]?.answer).toBe('')
    webhook.write(`${head(Buffer.byteLength(body)).replace('Host', 'Connection: close\r\nHost')}${body}`)
    expect(await webhook.answer).toMatch(/^HTTP\/1\.1 200 /)
  })

  test('requests that do not wait for an answer end their connection', async () => {
    const {port, notices} = await openTestReceiver()
    const sender = await openRaw(port)
    sender.write(`${head(2)}{}`.repeat(100))
    await sender.answer
    expect(notices.length).toBeLessThan(2)
  })

  test('a sender that goes away leaves nothing behind', async () => {
    const {url, inbox, drain} = await openTestReceiver()
    const gone = new AbortController()
    const body = new ReadableStream({start: (controller) => controller.enqueue(Buffer.from('{"event":'))})
    const sending = fetch(url, {method: 'POST', body, duplex: 'half', signal: gone.signal} as RequestInit)
    setImmediate(() => gone.abort())
    await expect(sending).rejects.toThrow()
    await drain()
    expect(inbox.list({rowsMax: 9})).toEqual([])
  })
})

describe('the end', () => {
  test('what is under way finishes, nothing new begins, and it is said how many', async () => {
    const {port, inbox, drain} = await openTestReceiver()
    const body = webhookBody()
    const sender = await openRaw(port)
    sender.write(expecting(Buffer.byteLength(body)))
    await sender.hears('100 Continue')
    const draining = drain()
    sender.write(body)
    expect(await sender.answer).toMatch(/HTTP\/1\.1 200 [\s\S]*Connection: close/i)
    expect(await draining).toBe(1)
    expect(inbox.list({rowsMax: 9})).toHaveLength(1)
    await expect(fetch(`http://127.0.0.1:${port}/webhook`)).rejects.toThrow()
  })

  test('a request that never ends does not hold it up', async () => {
    const {port, drain} = await openTestReceiver({limits: {drainTimeoutMs: 100}})
    const sender = await openRaw(port)
    sender.write(expecting(100))
    await sender.hears('100 Continue')
    expect(await drain()).toBe(1)
    expect(await sender.answer).not.toContain(' 200 ')
  })

  const hasIpv6 = Object.values(networkInterfaces()).some((some) =>
    some?.some(({address}) => address === '::1'),
  )
  test.runIf(hasIpv6)('an address of IPv6 stands in brackets', async () => {
    const {url, post} = await openTestReceiver({host: '::1'})
    expect(url).toMatch(/^http:\/\/\[::1\]:\d+\/webhook$/)
    expect((await post(webhookBody())).status).toBe(200)
  })

  test('what could judge nothing does not begin (P22)', async () => {
    const rules = {...sortedRules, keys: {apiSecret: '', apiKey: ''}}
    await expect(openTestReceiver({rules})).rejects.toMatchObject({code: 'credentials_missing'})
  })

  test('a port that is taken is the user’s to choose', async () => {
    const {port} = await openTestReceiver()
    const {startReceiver} = await import('../../src/receiver/receiver.ts')
    const {inbox} = await openTestReceiver()
    const parts = {
      rules: sortedRules,
      inbox,
      forwarder: null,
      hostnames: [],
      now: Date.now,
      onNotice: () => undefined,
    }
    await expect(startReceiver({...parts, host: '127.0.0.1', port, path: '/webhook'})).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('EADDRINUSE'),
    })
  })
})
