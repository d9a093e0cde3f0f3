import type {AddressInfo} from 'node:net'
import {createServer} from 'node:tls'
import type {Dispatcher} from 'undici'
import {expect, onTestFinished, test} from 'vitest'

import {ServiceClient} from '../../src/api/client.ts'
import {KnownEndpoints} from '../../src/api/known-endpoints.ts'
import {limitsOf} from '../../src/api/limits.ts'
import {RateFinder} from '../../src/api/rate-finder.ts'
import {sleepFor} from '../../src/api/request-executor.ts'
import {reasonNotSent} from '../../src/api/transport.ts'
import {hasOpenssl, makeCertificates} from '../hostile/certificates.ts'
import {tempDir} from '../temp-dir.ts'
import {
  clientAt,
  credentials,
  deliveryId,
  deposit,
  failureFrom,
  good,
  json,
  profileAt,
  serve,
  text,
} from './fixture.ts'

test('a client that is closed lets its connections go', async () => {
  const {origin, open} = await serve(json(good.depositCreate))
  const client = new ServiceClient({profile: profileAt(origin), credentials})
  await client.createDeposit(client.prepareDeposit(deposit))
  expect(open()).toBe(1)
  await client.close()
  await expect(client.createDeposit(client.prepareDeposit(deposit))).rejects.toThrow()
  await expect.poll(open).toBe(0)
})

test('the time limit of a call ends with its answer', async () => {
  const running = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  const {origin} = await serve(json(good.query))
  const before = running()
  const client = new ServiceClient({profile: profileAt(origin), credentials})
  await client.queryOrder('deposit', 'D-1')
  await client.close()
  expect(running()).toBeLessThanOrEqual(before)
})

test.each([
  ['the headers', {headersTimeoutMs: 20, totalTimeoutMs: 60_000}],
  // Long enough for a busy machine to connect: without a connection it would be another failure.
  ['the whole', {headersTimeoutMs: 60_000, totalTimeoutMs: 500}],
])(
  'an answer that does not come in the time for %s is late, and no broken connection',
  async (_what, limits) => {
    const {origin} = await serve(() => undefined)
    const client = clientAt(origin, {limits: {...limits, attemptsMax: 1}})
    expect(await failureFrom(client.queryOrder('deposit', 'D-1'))).toMatchObject({
      ...{code: 'service_busy', message: expect.stringContaining('no answer in time')},
    })
  },
)

test('where a redirect leads is told, and not followed (P21)', async () => {
  const {origin, seen} = await serve(text('', 307, {location: 'https://evil.example/x?y'}))
  expect(await failureFrom(clientAt(origin).queryOrder('deposit', 'D-1'))).toMatchObject({
    ...{code: 'answer_untrusted', message: expect.stringContaining('a redirect to https://evil.example')},
  })
  expect(seen).toHaveLength(1)
})

test.each(['', 'a key', 'a key\n', '\nkey', 'কী'])(
  'an API key of %j never reaches a header',
  async (apiKey) => {
    const {origin, seen} = await serve(json(good.list))
    const client = clientAt(origin, {credentials: {...credentials, apiKey}})
    expect(await failureFrom(client.listDeliveries())).toMatchObject({code: 'credentials_missing'})
    expect(seen).toEqual([])
  },
)

test.each([
  ['ECONNREFUSED', 'the connection was refused'],
  ['UND_ERR_CONNECT_TIMEOUT', 'no connection in time'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'the TLS handshake failed (ERR_SSL_WRONG_VERSION_NUMBER)'],
  ['NO_CERT_THERE', 'no connection came up (NO_CERT_THERE)'],
  ['_lower_CASE', 'no connection came up'],
  ['CASE_lower', 'no connection came up'],
  ['CERT_HAS_EXPIRED', 'the TLS handshake failed (CERT_HAS_EXPIRED)'],
  ['EWHATEVER', 'no connection came up (EWHATEVER)'],
  ['not a code; $(id)', 'no connection came up'],
  [undefined, 'no connection came up'],
])('of an error %s of the library its code alone is told, never its message (P20)', (code, reason) => {
  const error = Object.assign(new Error('{"signature":"0b5e55ed"} could not be written'), {code})
  expect(reasonNotSent(error)).toBe(reason)
})

test('a resend goes over a connection of its own, which nothing else goes over', async () => {
  const {origin, seen} = await serve(json({...good.query, ...good.resend}))
  const client = new ServiceClient({profile: profileAt(origin), credentials})
  await client.queryOrder('deposit', 'D-1')
  for (const _ of [1, 2]) await client.resendDelivery(deliveryId)
  await client.queryOrder('deposit', 'D-1')
  await client.close()
  const [first, one, two, last] = seen.map(({connection}) => connection)
  expect(new Set([first, one, two]).size).toBe(3)
  expect([one, two]).not.toContain(last)
})

test('a connection that does not come up in time is no request', async () => {
  const dispatcher = {dispatch: () => true, close: async () => undefined} as unknown as Dispatcher
  const client = clientAt('http://127.0.0.1:1', {dispatcher, limits: {totalTimeoutMs: 5}})
  const {code, message} = await failureFrom(client.queryOrder('deposit', 'D-1'))
  expect([code, message]).toEqual([
    'service_unreachable',
    'deposit query D-1: 127.0.0.1:1: no connection in time (3 tries).',
  ])
  expect(client.calls.query).toBe(0)
})

test.each<[answers: readonly ('page' | 'order')[], payoutToo: boolean, strange: readonly string[]]>([
  [[], false, []],
  [['page'], false, ['base_url']],
  [['page'], true, ['base_url', 'apply_url']],
  [['page', 'order', 'page'], false, []],
])(
  'an address that never answers as the payment service does is named: %j',
  async (answers, payoutToo, strange) => {
    const all = [...answers]
    const {origin} = await serve((...call) =>
      (all.shift() === 'order' ? json(good.query) : text('<p>', 400, {'content-type': 'text/html'}))(...call),
    )
    const client = clientAt(origin)
    for (const _ of answers) await client.queryOrder('deposit', 'D-1').catch(() => undefined)
    if (payoutToo) await client.queryOrder('payout', 'P-1').catch(() => undefined)
    expect(client.strangeSettings).toEqual(strange)
  },
)

test('that an address knew an order is asked for once, and written down once', async () => {
  const asked: string[] = []
  const memory = {
    async knewAnOrder(address: string) {
      asked.push(`knew ${address}?`)
      return address === 'known'
    },
    recordKnewAnOrder: async (address: string) => void asked.push(`record ${address}`),
  }
  const known = new KnownEndpoints(memory)
  for (const address of ['known', 'known', 'new']) await known.recall(address)
  expect([known.knows('known'), known.knows('new')]).toEqual([true, false])
  for (const address of ['known', 'new', 'new']) await known.record(address)
  expect(asked).toEqual(['knew known?', 'knew new?', 'knew new?', 'record new'])
  await new KnownEndpoints({...memory, knewAnOrder: async () => true}).record('elsewhere')
  expect(asked.at(-1)).toBe('record new')
})

test.each([
  ['an order', good.query, true],
  ['the code of no such order', {code: 'ORDER_NOT_FOUND'}, false],
])(
  'an address that has answered with %s proves by a 404 that another is not there: %s',
  async (_what, first, isProof) => {
    const {origin, seen} = await serve((...call) =>
      (seen.length === 1 ? json(first) : json({message: 'Not Found'}, 404))(...call),
    )
    const client = clientAt(origin)
    expect((await client.queryOrder('deposit', 'D-1')).found).toBe(isProof)
    const second = client.queryOrder('deposit', 'D-2')
    if (isProof) expect(await second).toEqual({found: false, isBare: true})
    else expect(await failureFrom(second)).toMatchObject({code: 'answer_untrusted'})
  },
)

test.each([
  ['Kong', {message: 'no Route matched with those values'}],
  ['Laravel', {message: 'The route v1/pay/order/query could not be found.'}],
  ['Express', {statusCode: 404, message: 'Cannot POST /v1/pay/order/query', error: 'Not Found'}],
  ['Spring', {timestamp: 'x', status: 404, error: 'Not Found', path: '/v1/pay/order/query'}],
  ['Spring 3.2', {status: 404, message: 'No static resource v1/pay/order/query.'}],
  ['Go', {message: '404 page not found'}],
  ['Gin', {code: 'PAGE_NOT_FOUND', message: 'Page not found'}],
  ['a mesh', {code: 'SERVICE_NOT_FOUND', message: 'service order-query not found'}],
  ['a front end', {error: {message: 'The requested URL was not found on this server.'}}],
  ['a router', {message: 'no handler found for POST /v1/pay/order/query'}],
  ['a proxy', {message: 'no such host'}],
])(
  'a 404 about the route, as of %s, is no answer about an order, of an address that knew one',
  async (_, body) => {
    const {origin, seen} = await serve((...call) =>
      (seen.length === 1 ? json(good.query) : json(body, 404))(...call),
    )
    const client = clientAt(origin)
    await client.queryOrder('deposit', 'D-1')
    expect(await failureFrom(client.queryOrder('deposit', 'D-2'))).toMatchObject({code: 'answer_untrusted'})
  },
)

test.each([
  ['its message', {statusCode: 404, message: 'Order not found', error: 'Not Found'}],
  ['its code', {code: 'PAYOUT_NOT_EXIST'}],
  [
    'its message, with a path',
    {error: {code: 'NOT_FOUND', message: 'Order not found'}, meta: {path: '/v1/pay/order/query'}},
  ],
  ['the number, with a path', {status: 404, message: 'D-2 does not exist', path: '/v1/pay/order/query'}],
])('a 404 that speaks of the order is the service’s own answer: %s', async (_, body) => {
  const {origin, seen} = await serve((...call) =>
    (seen.length === 1 ? json(good.query) : json(body, 404))(...call),
  )
  const client = clientAt(origin)
  await client.queryOrder('deposit', 'D-1')
  expect(await client.queryOrder('deposit', 'D-2')).toEqual({found: false})
})

test.runIf(hasOpenssl)('HTTP/1.1 alone is offered, for reads and resends', async () => {
  const offered: string[][] = []
  const {identities} = makeCertificates(tempDir())
  const server = createServer({
    ...identities['self-signed'],
    ALPNCallback: ({protocols}) => {
      offered.push(protocols)
      return undefined
    },
  })
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const client = clientAt(`https://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await client.queryOrder('deposit', 'D-1').catch(() => undefined)
  await client.resendDelivery(deliveryId).catch(() => undefined)
  expect(new Set(offered.flat())).toEqual(new Set(offered.length > 0 ? ['http/1.1'] : []))
})

test('a wait ends by itself, or with its signal', async () => {
  await expect(sleepFor(1)).resolves.toBeUndefined()
  await expect(sleepFor(60_000, AbortSignal.abort())).rejects.toThrow(/abort/)
})

test('a wait that cannot be waited is no silence', async () => {
  const {origin} = await serve(text('', 503))
  const sleep = () => Promise.reject(new Error('no timer'))
  await expect(clientAt(origin, {sleep}).queryOrder('deposit', 'D-1')).rejects.toThrow('no timer')
})

test('a profile sets its own times, and the others stay', () => {
  expect(limitsOf({connectMs: 1, answerMs: 2, totalMs: 3})).toMatchObject({
    ...{connectTimeoutMs: 1, headersTimeoutMs: 2, totalTimeoutMs: 3, attemptsMax: 3},
  })
  expect(limitsOf(undefined)).toEqual({
    ...{connectTimeoutMs: 5_000, headersTimeoutMs: 15_000, totalTimeoutMs: 30_000, attemptsMax: 3},
    ...{answerBytesMax: 1_048_576, listAnswerBytesMax: 8_388_608, retryAfterMaxMs: 60_000},
  })
})

/** Of a service that turned a request away: how many requests a second are started then. */
test.each<[what: string, askedMs: readonly number[], well: number, tookMs: number, perSecond: number]>([
  ['ten went well in a second', [], 10, 1_000, 10],
  ['ten went well in two seconds', [], 10, 2_000, 5],
  ['ten went well at once', [], 10, 100, 10],
  ['none went well, in 40 seconds', [], 0, 40_000, 0.1],
  ['none went well, and it asked for no wait', [0], 0, 40_000, 0.1],
  ['none went well, and it asked for a second', [1_000], 0, 40_000, 0.8],
  ['none went well, and it asked for half of one', [500], 0, 40_000, 0.8],
  ['none went well, and it asked for two seconds', [2_000], 0, 40_000, 0.4],
  ['none went well, and it asked for a minute', [60_000], 0, 40_000, 0.1],
])('%s', (_, askedMs, well, tookMs, perSecond) => {
  const finder = new RateFinder()
  for (const ms of askedMs) finder.asked(ms)
  for (let n = 0; n < well; n += 1) finder.well(0, 0)
  expect(finder.tooMany(0, tookMs)).toBe(1_000)
  expect(finder.perSecond).toBe(perSecond)
  // One more of those that were on their way, and one that was started since.
  expect([finder.tooMany(tookMs, tookMs + 1), finder.tooMany(tookMs + 1_000, tookMs + 1_500)]).toEqual([
    null,
    1_000,
  ])
})

test.each([
  ['right after the last', 0, 10],
  ['ten seconds later', 10_000, 10 / 11],
  ['after a longer pause, which is no measure', 10_001, 1],
])('ten good answers in a second, and a 429 %s: the rate by any clock', (_, pauseMs, perSecond) => {
  for (const base of [0, 90_000, 1_795_000_000_000]) {
    const finder = new RateFinder()
    for (let n = 0; n < 10; n += 1) finder.well(base + n * 100, base + n * 100 + 50)
    finder.tooMany(base + 950 + pauseMs, base + 1_000 + pauseMs)
    expect(finder.perSecond).toBeCloseTo(perSecond, 9)
  }
})

/** A finder that knows 10 a second, by ten good answers, and that 20 were turned away. */
function searching() {
  const finder = new RateFinder()
  for (let n = 0; n < 10; n += 1) finder.well(0, 0)
  finder.tooMany(0, 500)
  let atMs = 1_500
  return {
    /** So many went well within that time. */
    goesWell(ms: number, requests: number): number | null {
      for (let n = 1; n <= requests; n += 1)
        finder.well(atMs + (ms * n) / requests, atMs + (ms * n) / requests)
      atMs += ms
      return finder.perSecond
    },
    isTurnedAway(): number | null {
      finder.tooMany(atMs, atMs)
      atMs += 1_000
      return finder.perSecond
    },
  }
}

test.each([
  [1_999, 100, 10],
  [2_000, 9, 10],
  [2_000, 10, Math.sqrt(200)],
])(
  'a rate that went well for %d ms and %d requests is the next one then: %d a second',
  (ms, requests, rate) => {
    expect(searching().goesWell(ms, requests)).toBeCloseTo(rate, 9)
  },
)

test('a rate is searched between the two, kept for half a minute, and raised in growing steps until it is turned away', () => {
  const {goesWell, isTurnedAway} = searching()
  let rate = 10
  while (20 > rate * 1.04) {
    rate = Math.sqrt(rate * 20)
    expect(goesWell(2_000, 10)).toBeCloseTo(rate, 9)
  }
  expect(goesWell(29_999, 300)).toBeCloseTo(rate, 9)
  rate *= 1.04
  expect(goesWell(1, 1)).toBeCloseTo(rate, 9)
  for (const step of [1.04 ** 2, 1.04 ** 4, 1.04 ** 8, 1.04 ** 16, 2, 2]) {
    rate *= step
    expect(goesWell(2_000, 10)).toBeCloseTo(rate, 5)
  }
  // Back to the last that went well, and from there by small steps again.
  expect(isTurnedAway()).toBeCloseTo(rate / 2, 5)
  expect(goesWell(2_000, 10)).toBeCloseTo(Math.sqrt((rate * rate) / 2), 5)
})

test('half a minute of few requests raises nothing', () => {
  const {goesWell} = searching()
  let rate = 10
  while (20 > rate * 1.04) rate = goesWell(2_000, 10) ?? 0
  expect(goesWell(30_000, 239)).toBe(rate)
  expect(goesWell(1, 1)).toBeCloseTo(rate * 1.04, 9)
})

test.each<[what: string, well: number, perSecond: number]>([
  ['went badly from the start', 0, 2.5],
  ['went better than a quarter of it', 6, 4],
  ['seemed to go well', 30, 9],
])('a found rate of 10 a second that %s, and was turned away, is lowered', (_, well, perSecond) => {
  const finder = new RateFinder()
  for (let n = 0; n < 10; n += 1) finder.well(0, 0)
  finder.tooMany(0, 1_000)
  for (let n = 0; n < well; n += 1) finder.well(2_000, 2_000)
  finder.tooMany(2_000, 2_500)
  expect(finder.perSecond).toBe(perSecond)
})

test('without a clock of its own a client measures by the machine’s', async () => {
  const {origin} = await serve(json(good.query, 200, {date: new Date().toUTCString()}))
  const client = new ServiceClient({profile: profileAt(origin), credentials})
  await client.queryOrder('deposit', 'D-1')
  await client.close()
  expect(Number.isFinite(client.clockSkewMs)).toBe(true)
})
