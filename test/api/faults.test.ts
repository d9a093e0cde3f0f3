import {gzipSync} from 'node:zlib'
import {describe, expect, test} from 'vitest'

import type {ServiceClient} from '../../src/api/client.ts'
import {
  type Answering,
  clientAt,
  credentials,
  deliveryId,
  deposit,
  failureFrom,
  good,
  json,
  payout,
  serve,
  text,
} from './fixture.ts'

type OperationName = 'depositCreate' | 'payoutCreate' | 'query' | 'list' | 'get' | 'resend'

const run: Record<OperationName, (client: ServiceClient) => Promise<unknown>> = {
  depositCreate: (client) => client.createDeposit(deposit),
  payoutCreate: (client) => client.createPayout(payout),
  query: (client) => client.queryOrder('deposit', 'D-1'),
  list: (client) => client.listDeliveries(),
  get: (client) => client.getDelivery(deliveryId),
  resend: (client) => client.resendDelivery(deliveryId),
}

const html = {'content-type': 'text/html'}
const asJson = {'content-type': 'application/json'}
/** For the faults that are about time; the others have all the time a busy machine needs. */
const limits = {headersTimeoutMs: 60, totalTimeoutMs: 150, connectTimeoutMs: 500}
const isAboutTime = (fault: string) => ['never answers', 'endless drip'].includes(fault)

/** A body that echoes what it was sent, secrets included: an error must not pass it on. */
const echoing: Answering = (response, {headers, body}) => {
  const message = `bad ${headers['x-api-key']} ${headers['x-signature']} ${body.slice(-60)} ${credentials.apiSecret}`
  response.writeHead(400, asJson).end(JSON.stringify({code: 'BAD_REQUEST', message}))
}

type Fault = (whole: string) => Answering
const faults: Record<string, Fault> = {
  'never answers': () => () => undefined,
  'reset after reading': () => (response) => response.destroy(),
  'cut body': (whole) => (response) => {
    response.writeHead(200, {...asJson, 'content-length': whole.length + 10}).write(whole)
    setImmediate(() => response.destroy())
  },
  'endless drip': () => (response) => {
    response.writeHead(200, asJson).flushHeaders()
    const drip = setInterval(() => response.write(' '), 10)
    response.on('close', () => clearInterval(drip))
  },
  'JSON cut short, declared whole': (whole) => text(whole.slice(0, -1), 200, asJson),
  'HTML 200': () => text('<title>Sign in</title>', 200, html),
  'JSON without a content type': (whole) => text(whole),
  'name twice': (whole) => text(whole.replace('{', '{"code":1,"success":false,'), 200, asJson),
  'gzip unasked': (whole) => (response) => {
    response.writeHead(200, {...asJson, 'content-encoding': 'gzip'}).end(gzipSync(whole))
  },
  'huge body': () => text(`{"code":0,"data":"${'x'.repeat(9_000_000)}"}`, 200, asJson),
  'code "0"': () => json({code: '0', success: 'true', data: {}}),
  'no data': () => json({code: 0, success: true}),
  'says no in 200': () => json({code: 17, success: false, message: 'INSUFFICIENT_BALANCE'}),
  'redirect 307': () => text('', 307, {location: 'https://evil.example/x?y'}),
  'says yes and no': () => json({code: 7, success: true, data: {}}),
  'JSON 400': () => json({error: {code: 'BAD_FIELD', message: 'no'}}, 400),
  'echo of secrets': () => echoing,
  'HTML 400': () => text('<p>no', 400, html),
  'HTML 404': () => text('<p>no', 404, html),
  'JSON 404': () => json({message: 'Not Found'}, 404),
  'JSON 404 of the service': () => json({success: false, message: 'Not Found'}, 404),
  'HTML 405': () => text('<p>no', 405, html),
  'JSON 401': () => json({message: 'no'}, 401),
  'HTML 403': () => text('<p>no', 403, html),
  'HTTP 408': () => text('', 408),
  'HTTP 429': () => text('', 429),
  'HTTP 500': () => text('oops', 500),
  'HTTP 501': () => text('oops', 501),
  'HTTP 503': () => json({code: 1}, 503),
}

const unknown3 = 'outcome_unknown 3'
const unknown1 = 'outcome_unknown 1'
/** Failure code, or `ok`, and the number of requests the service saw. A resend is answered in some way (A7). */
type Row = [create: string, query: string, list: string, get: string, resend: string]
const expected: Record<keyof typeof faults, Row> = {
  'never answers': [unknown3, 'service_busy 3', 'service_busy 3', 'service_busy 3', 'lost 1'],
  'reset after reading': [unknown3, 'service_busy 3', 'service_busy 3', 'service_busy 3', 'lost 1'],
  'cut body': [unknown3, 'answer_untrusted 3', 'answer_untrusted 3', 'answer_untrusted 3', 'lost 1'],
  'endless drip': [unknown3, 'service_busy 3', 'service_busy 3', 'service_busy 3', 'lost 1'],
  'JSON cut short, declared whole': [
    unknown3,
    'answer_untrusted 3',
    'answer_untrusted 3',
    'answer_untrusted 3',
    'lost 1',
  ],
  'HTML 200': [unknown3, 'answer_untrusted 3', 'answer_untrusted 3', 'answer_untrusted 3', 'lost 1'],
  'JSON without a content type': [
    unknown3,
    'answer_untrusted 3',
    'answer_untrusted 3',
    'answer_untrusted 3',
    'lost 1',
  ],
  'name twice': [unknown3, 'answer_untrusted 3', 'answer_untrusted 3', 'answer_untrusted 3', 'lost 1'],
  'gzip unasked': [unknown1, 'answer_untrusted 1', 'answer_untrusted 1', 'answer_untrusted 1', 'lost 1'],
  'huge body': [unknown1, 'answer_untrusted 1', 'answer_untrusted 1', 'answer_untrusted 1', 'lost 1'],
  'code "0"': [unknown1, 'answer_untrusted 1', 'answer_untrusted 1', 'answer_untrusted 1', 'accepted 1'],
  'no data': [unknown1, 'answer_untrusted 1', 'answer_untrusted 1', 'answer_untrusted 1', 'accepted 1'],
  'says no in 200': [
    'service_refused 1',
    'service_refused 1',
    'service_refused 1',
    'service_refused 1',
    'accepted 1',
  ],
  'says yes and no': [
    unknown1,
    'service_refused 1',
    'answer_untrusted 1',
    'answer_untrusted 1',
    'accepted 1',
  ],
  'redirect 307': [unknown1, 'answer_untrusted 1', 'answer_untrusted 1', 'answer_untrusted 1', 'lost 1'],
  'JSON 400': [unknown1, 'service_refused 1', 'service_refused 1', 'service_refused 1', 'refused 1'],
  'echo of secrets': [unknown1, 'service_refused 1', 'service_refused 1', 'service_refused 1', 'refused 1'],
  'HTML 400': [unknown1, 'answer_untrusted 1', 'answer_untrusted 1', 'answer_untrusted 1', 'lost 1'],
  'HTML 404': [unknown1, 'answer_untrusted 1', 'legacy_unavailable 1', 'legacy_unavailable 1', 'refused 1'],
  'JSON 404': [unknown1, 'answer_untrusted 1', 'legacy_unavailable 1', 'legacy_unavailable 1', 'refused 1'],
  'JSON 404 of the service': [unknown1, 'answer_untrusted 1', 'legacy_unavailable 1', 'ok 1', 'refused 1'],
  'HTML 405': [unknown1, 'answer_untrusted 1', 'legacy_unavailable 1', 'legacy_unavailable 1', 'refused 1'],
  'JSON 401': [...Array(4).fill('credentials_rejected 1'), 'refused 1'] as Row,
  'HTML 403': [...Array(4).fill('credentials_rejected 1'), 'refused 1'] as Row,
  'HTTP 408': [unknown3, 'service_busy 3', 'service_busy 3', 'service_busy 3', 'lost 1'],
  'HTTP 429': [unknown3, ...Array(3).fill('service_busy 3'), 'refused 1'] as Row,
  'HTTP 500': [unknown3, 'service_busy 3', 'service_busy 3', 'service_busy 3', 'lost 1'],
  'HTTP 501': [unknown1, 'service_busy 1', 'legacy_unavailable 1', 'legacy_unavailable 1', 'refused 1'],
  'HTTP 503': [unknown3, 'service_busy 3', 'service_busy 3', 'service_busy 3', 'lost 1'],
}

const columns: [OperationName, number][] = [
  ['depositCreate', 0],
  ['payoutCreate', 0],
  ['query', 1],
  ['list', 2],
  ['get', 3],
  ['resend', 4],
]

describe.each(Object.entries(faults))('%s', (name, fault) => {
  test.each(columns)('%s', async (operation, column) => {
    const {origin, seen} = await serve(fault(JSON.stringify(good[operation])))
    const client = clientAt(origin, isAboutTime(name) ? {limits} : {})

    const said = await run[operation](client).then(
      (value) => (operation === 'resend' ? value : 'ok'),
      (error) => error,
    )

    expect(`${said.code ?? said.is ?? said} ${seen.length}`).toBe(expected[name]?.[column])
    expect(Object.values(client.calls).reduce((sum, count) => sum + count)).toBe(seen.length)
    const shown = JSON.stringify([said, said.message, said.hint])
    expect(shown).not.toMatch(/canary|[0-9a-f]{32}|01[78]12345678/)
  })
})

test('a reset before the request was read leaves a write in doubt just the same', async () => {
  const {origin, seen} = await serve((response) => response.destroy(), 'unread')

  const failure = await failureFrom(clientAt(origin).createPayout(payout))

  expect([failure.code, seen.length]).toEqual(['outcome_unknown', 3])
})

test.each(columns)('%s: a refused connection is no request, and nothing happened', async (operation) => {
  const {origin} = await serve(json({}))
  const closed = origin.replace(/\d+$/, '1')
  const client = clientAt(closed)

  const failure = await failureFrom(run[operation](client))

  expect(failure.code).toBe('service_unreachable')
  expect(failure.message).toContain('(3 tries)')
  expect(client.calls).toEqual({create: 0, query: 0, list: 0, get: 0, resend: 0})
})

test('a TLS handshake that fails is no request', async () => {
  const {origin, seen} = await serve(json({}))

  const failure = await failureFrom(run.resend(clientAt(origin.replace('http:', 'https:'))))

  expect([failure.code, seen.length]).toEqual(['service_unreachable', 0])
})
