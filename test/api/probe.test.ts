import {createServer} from 'node:net'
import {expect, onTestFinished, test, vi} from 'vitest'

import {openConnection} from '../../src/api/connection.ts'
import {defaultLimits} from '../../src/api/limits.ts'
import {ServiceProbe} from '../../src/api/probe.ts'
import {hasOpenssl} from '../hostile/certificates.ts'
import {selfSignedServer} from '../hostile/self-signed.ts'
import {credentials, deliveryId, good, json, profileAt, serve, text} from './fixture.ts'

const startMs = Date.UTC(2026, 10, 21)
const payoutOrder = {...good.query, data: {...good.query.data, orderNo: undefined, outOrderNo: 'P-1'}}

/** Each look at its clock is 40 ms later. */
function probeAt(origin: string): ServiceProbe {
  let looks = 0
  const probe = new ServiceProbe(profileAt(origin), credentials, () => startMs + 40 * looks++)
  onTestFinished(() => probe.close())
  return probe
}

const date = 'Sat, 21 Nov 2026 00:01:00 GMT'
const legacy = '/api/v1/merchant/webhooks'
const none = {base_url: null, apply_url: null, legacy_url: null}

test.each<
  [
    what: string,
    ask: (
      probe: ServiceProbe,
    ) => ReturnType<ServiceProbe['queryRaw' | 'queryOrder' | 'listOne' | 'getDelivery']>,
    answer: object,
    line: string,
    value: object | null,
    skews: object,
  ]
>([
  [
    'a deposit',
    (probe) => probe.queryOrder('deposit', 'D-1'),
    good.query,
    'POST /v1/pay/order/query',
    {found: true},
    {base_url: 60_480},
  ],
  [
    'a payout',
    (probe) => probe.queryOrder('payout', 'P-1'),
    payoutOrder,
    'POST /pay/v1/apply/query',
    {found: true},
    {apply_url: 60_480},
  ],
  [
    'a deposit as it is',
    (probe) => probe.queryRaw('deposit', 'D-1'),
    good.query,
    'POST /v1/pay/order/query',
    {orderNo: 'D-1'},
    {base_url: 60_480},
  ],
  [
    'a payout as it is',
    (probe) => probe.queryRaw('payout', 'P-1'),
    payoutOrder,
    'POST /pay/v1/apply/query',
    {outOrderNo: 'P-1'},
    {apply_url: 60_480},
  ],
  [
    'no such order',
    (probe) => probe.queryRaw('deposit', 'D-1'),
    {code: 'ORDER_NOT_FOUND'},
    'POST /v1/pay/order/query',
    null,
    {base_url: 60_480},
  ],
  [
    'a page of one record',
    (probe) => probe.listOne(),
    {...good.list, meta: {timestamp: '2026-11-21T00:05:00.250Z'}},
    `GET ${legacy}?page=1&limit=1`,
    {total: 1},
    {legacy_url: 300_230},
  ],
  [
    'a record',
    (probe) => probe.getDelivery(deliveryId),
    good.get,
    `GET ${legacy}/${deliveryId}`,
    {responseBody: 'Bad Gateway'},
    {legacy_url: 60_480},
  ],
])(
  '%s is asked for once, and the clock of its address is measured',
  async (_, ask, answer, line, value, skews) => {
    const {origin, seen} = await serve(json(answer, 200, {date}))
    const probe = probeAt(origin)
    const probed = await ask(probe)
    expect(seen.map(({method, path}) => `${method} ${path}`)).toEqual([line])
    expect(probed).toMatchObject({outcome: {kind: 'done', value}, answer: {status: 200}, tookMs: 40})
    expect(probed.seen).toMatch(/^HTTP 200, application\/json, \d+ bytes$/)
    const {base_url, apply_url, legacy_url} = probe.skews
    expect({base_url: base_url.ms, apply_url: apply_url.ms, legacy_url: legacy_url.ms}).toEqual({
      ...none,
      ...skews,
    })
  },
)

test('what is no answer is told, with no second try and no clock measured', async () => {
  const {origin, seen} = await serve((response) => response.destroy())
  const probe = probeAt(origin)
  expect(await probe.queryOrder('deposit', 'D-1')).toMatchObject({
    ...{answer: null, seen: 'the connection broke before an answer came', outcome: {kind: 'unclear'}},
  })
  expect([seen.length, probe.skews.base_url.ms]).toEqual([1, null])
})

test('a refusal is judged as one, and a cached Date measures no clock', async () => {
  const {origin} = await serve(
    json({code: 'NO', meta: {timestamp: '2026-11-21T00:05:00Z'}}, 400, {date, age: '7'}),
  )
  const probe = probeAt(origin)
  expect(await probe.listOne()).toMatchObject({outcome: {kind: 'refused'}})
  expect(await probe.queryOrder('deposit', 'D-1')).toMatchObject({
    outcome: {kind: 'refused', code: 'service_refused'},
  })
  expect([probe.skews.base_url.ms, probe.skews.legacy_url.ms]).toEqual([null, null])
})

test('another recipe of the signature may be tried', async () => {
  const {origin, seen} = await serve(json(good.list))
  const probe = probeAt(origin)
  const {legacySignature} = profileAt(origin).dialect
  for (const recipe of [undefined, legacySignature, {...legacySignature, input: '{path}'}])
    await probe.listOne(recipe)
  const signatures = seen.map(({headers}) => headers['x-signature'])
  expect(signatures[0]).toMatch(/^[0-9a-f]{64}$/)
  expect(signatures[1]).toBe(signatures[0])
  expect(signatures[2]).not.toBe(signatures[0])
})

test.each([
  ['deposit', '/v1/pay/order/nobody'],
  ['payout', '/pay/v1/apply/nobody'],
] as const)('nothing signed is sent to the address beside that of a %s', async (kind, path) => {
  const {origin, seen} = await serve(text('no', 404, {'content-type': 'text/plain'}))
  const came = await probeAt(origin).askNowhere(kind, 'nobody')
  expect(came).toMatchObject({answer: {status: 404}, seen: 'HTTP 404, text/plain, 2 bytes'})
  const headers = {'content-type': 'application/json', accept: 'application/json', 'user-agent': 'hisab'}
  expect(seen).toMatchObject([{method: 'POST', path, body: '{}', headers}])
})

test('nobody listens beside it: so it is said', async () => {
  const came = await probeAt('http://127.0.0.1:1').askNowhere('deposit', 'nobody')
  expect(came).toEqual({answer: null, seen: 'the connection was refused'})
})

const at = {host: '127.0.0.1', address: '127.0.0.1', connectMs: null, tls: null, failure: null}
const limits = {...defaultLimits, connectTimeoutMs: 5_000}

test('a connection is followed step by step, as far as it goes', async () => {
  const {origin} = await serve(text(''))
  const port = Number(new URL(origin).port)
  const connectMs = expect.toSatisfy((ms: number) => Number.isInteger(ms) && ms >= 0 && ms < 60_000)
  expect(await openConnection(origin, limits)).toEqual({...at, port, connectMs})
  expect(await openConnection(origin.replace('http:', 'https:'), limits)).toEqual({
    ...{...at, port, connectMs},
    failure: {step: 'tls', reason: expect.stringContaining('the TLS handshake failed')},
  })
  expect(await openConnection('http://127.0.0.1:1', limits)).toEqual({
    ...{...at, port: 1},
    failure: {step: 'connect', reason: 'the connection was refused'},
  })
  expect(await openConnection('https://nobody.invalid', limits)).toEqual({
    ...{...at, host: 'nobody.invalid', port: 443, address: null},
    failure: {step: 'dns', reason: expect.stringContaining('(DNS)')},
  })
  expect(await openConnection('http://nobody.invalid', limits)).toMatchObject({port: 80})
})

test('a handshake that does not come is given up', async () => {
  const silent = createServer(() => undefined)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void silent.close())
  const {port} = silent.address() as {port: number}
  expect(await openConnection(`https://127.0.0.1:${port}`, {...limits, connectTimeoutMs: 100})).toMatchObject(
    {
      failure: {step: 'tls', reason: 'it took too long'},
    },
  )
})

test.runIf(hasOpenssl)('a certificate that is refused is told with its dates', async () => {
  const {url, requests} = await selfSignedServer()
  vi.unstubAllEnvs()
  const followed = await openConnection(new URL(url).origin, limits)
  expect(followed).toMatchObject({
    tls: {protocol: expect.stringMatching(/^TLSv1\.[23]$/), issuer: expect.stringMatching(/./)},
    failure: {
      step: 'tls',
      reason: 'its certificate is signed by itself, by no authority this machine trusts',
    },
  })
  expect(followed.tls?.validToMs).toBeGreaterThan(startMs - 40 * 365 * 86_400_000)
  expect(requests()).toBe(0)
})
