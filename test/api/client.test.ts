import {createHash} from 'node:crypto'
import nock from 'nock'
import {afterAll, afterEach, beforeAll, beforeEach, describe, expect, test} from 'vitest'

import {ServiceClient} from '../../src/api/client.ts'
import {parseJson} from '../../src/core/json.ts'
import {signByRecipe} from '../../src/core/signing/recipe.ts'
import {signFields} from '../../src/core/signing/request.ts'
import {
  clientAt,
  credentials,
  deliveryId,
  deposit,
  failureFrom,
  good,
  merchantId,
  payout,
  profileAt,
  record,
  stillTime,
} from './fixture.ts'

const origin = 'https://service.example'
/** The headers of every call: no body is asked for compressed, since its bytes are counted and quoted. */
const common = {accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': 'hisab'}

/** nock answers a request nobody planned with a 501, which a retry could hide: collect and assert none. */
const unplanned: string[] = []
const onNoMatch = (request: Request) => void unplanned.push(request.url)
beforeAll(() => {
  nock.disableNetConnect()
  nock.enableNetConnect((host) => host.startsWith('127.0.0.1'))
  nock.emitter.on('no match', onNoMatch)
})
beforeEach(() => void unplanned.splice(0))
afterEach(() => {
  const pending = nock.pendingMocks()
  nock.cleanAll()
  expect({unplanned, pending}).toEqual({unplanned: [], pending: []})
})
afterAll(() => {
  nock.emitter.off('no match', onNoMatch)
  nock.restore()
})

/** Plans one answer; returns what was asked, once it was. */
function answerOnce(
  method: 'GET' | 'POST',
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
) {
  const asked: {body?: string; headers?: Headers} = {}
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  nock(origin)
    .intercept(path, method)
    .reply(async (request: Request) => {
      asked.body = await request.text()
      asked.headers = request.headers
      return [200, text, {'content-type': 'application/json; charset=utf-8', ...headers}]
    })
  return asked
}

describe('creates', () => {
  test('the body sent is the body prepared, signed over exactly its fields', async () => {
    const asked = answerOnce('POST', '/v1/pay/order/create', good.depositCreate)
    const client = clientAt(origin)
    const prepared = client.prepareDeposit(deposit)

    const created = await client.createDeposit(prepared)

    expect(created).toMatchObject({platformOrderNo: 'PL-1', payCode: 'PC', payUrl: 'https://pay.example/p/1'})
    expect(created.raw).toEqual(parseJson(JSON.stringify(good.depositCreate.data)))
    expect(asked.body).toBe(prepared.bodyText)
    expect(Object.fromEntries(asked.headers ?? [])).toMatchObject({
      ...common,
      'content-type': 'application/json',
    })
    const {signature, ...fields} = JSON.parse(prepared.bodyText)
    expect(prepared.fieldsSha256).toBe(createHash('sha256').update(JSON.stringify(fields)).digest('hex'))
    expect(fields).toEqual({merchantId, ...deposit})
    expect(signature).toBe(signFields(fields, credentials.apiSecret))
    expect(client.calls.create).toBe(1)
  })

  test('a field nobody knows is kept, unless it repeats what was sent (P20)', async () => {
    const {signature} = JSON.parse(clientAt(origin).preparePayout(payout).bodyText)
    const more = {
      expiresAt: '2026-11-21T00:00:00Z',
      headers: [`signed ${signature}`],
      paidTo: {number: payout.account},
      [`for ${payout.userName}`]: true,
    }
    answerOnce('POST', '/pay/v1/apply/create', {code: 0, data: {...good.payoutCreate.data, ...more}})

    const {raw} = await clientAt(origin).createPayout(payout)

    expect(Object.keys(raw).sort()).toEqual([...Object.keys(good.payoutCreate.data), 'expiresAt'].sort())
  })

  test.each([
    ['http', {payUrl: 'http://pay.example/p'}],
    ['no payCode', {payCode: undefined}],
    ['a payCode of null', {payCode: null}],
  ])('a deposit is believed with %s', async (_, change) => {
    answerOnce('POST', '/v1/pay/order/create', {code: 0, data: {...good.depositCreate.data, ...change}})
    expect(await clientAt(origin).createDeposit(deposit)).toMatchObject(
      'payUrl' in change ? change : {payCode: null},
    )
  })

  test('isTest is in the body only when it is true', () => {
    const client = clientAt(origin)
    const bodyOf = (isTest: boolean) => JSON.parse(client.prepareDeposit({...deposit, isTest}).bodyText)
    expect(bodyOf(true).isTest).toBe(true)
    expect(bodyOf(false)).not.toHaveProperty('isTest')
  })

  test('a payout goes to the other host path, its amount with two decimals', async () => {
    const asked = answerOnce('POST', '/pay/v1/apply/create', good.payoutCreate)

    const created = await clientAt(origin).createPayout(payout)

    expect(created).toMatchObject({orderNo: 'P-1', platformOrderNo: 'PL-2', rawStatus: 'processing'})
    expect(JSON.parse(asked.body ?? '')).toMatchObject({
      outOrderNo: 'P-1',
      amount: '500.00',
      bankType: 'BKASH',
    })
  })

  test.each([
    ['another merchant', {merchantId: deliveryId}],
    ['another order number', {orderNo: 'D-2'}],
    ['an order number in another case', {orderNo: 'd-1'}],
    ['no platform order', {platformOrderNo: undefined}],
    ['an address that is none of the web', {payUrl: 'javascript:alert(1)'}],
    ['an address that is none', {payUrl: 'pay.example'}],
    ['an empty platform order', {platformOrderNo: ''}],
    ['a payCode that is no text', {payCode: 7}],
  ])('an answer with %s leaves the create in doubt', async (_, change) => {
    answerOnce('POST', '/v1/pay/order/create', {code: 0, data: {...good.depositCreate.data, ...change}})
    expect(await failureFrom(clientAt(origin).createDeposit(deposit))).toMatchObject({
      code: 'outcome_unknown',
    })
  })

  test('the ID of the merchant is the same in capitals', async () => {
    const profile = {...profileAt(origin), merchantId: deliveryId.toUpperCase()}
    const client = clientAt(origin, {profile})
    const own = {merchantId: deliveryId}
    answerOnce('POST', '/pay/v1/apply/create', {code: 0, data: {...good.payoutCreate.data, ...own}})
    expect(await client.createPayout(payout)).toMatchObject({orderNo: 'P-1'})
    answerOnce('POST', '/pay/v1/apply/query', {code: 'ORDER_NOT_FOUND', data: {...own, orderNo: 'P-1'}})
    expect(await client.queryOrder('payout', 'P-1')).toMatchObject({found: false})
  })

  test.each([
    ['its code is the text "0"', {code: '0'}],
    ['it says success and failure at once', {code: 0, success: false}],
  ])('an answer is not believed where %s, however right the rest of it', async (_, change) => {
    answerOnce('POST', '/v1/pay/order/create', {...good.depositCreate, ...change})
    expect(await failureFrom(clientAt(origin).createDeposit(deposit))).toMatchObject({
      code: 'outcome_unknown',
    })
  })

  test.each([200, 409])('a failure that carries an order is in doubt under HTTP %i', async (status) => {
    const body = {...good.depositCreate, code: 17}
    nock(origin).post('/v1/pay/order/create').reply(status, body)
    expect(await failureFrom(clientAt(origin).createDeposit(deposit))).toMatchObject({
      code: 'outcome_unknown',
    })
  })

  test.each([
    ['a number of 33 characters', {orderNo: 'x'.repeat(33)}],
    ['an empty number', {orderNo: ''}],
    ['a number with a zero-width space', {orderNo: 'D\u200b1'}],
    ['a phone of another country', {playerPhone: '+8801712345678'}],
    ['a reference that signs like another field', {playerRef: 'u7&status=completed'}],
    ['a return address that is none', {returnUrl: 'shop.example'}],
  ])('%s is refused before anything is sent', async (_, change) => {
    const failure = await failureFrom(clientAt(origin).createDeposit({...deposit, ...change}))
    expect(failure.code).toBe('input_invalid')
  })

  test('a name in Bengali with its joiners is a name', () => {
    const userName = 'র\u200d্যাম'
    expect(clientAt(origin).preparePayout({...payout, userName}).bodyText).toContain(userName)
  })

  test('a return address with two parameters is sent and named as ambiguous', () => {
    const returnUrl = 'https://shop.example/hook?a=1&b=2'
    expect(clientAt(origin).prepareDeposit({...deposit, returnUrl}).ambiguous).toEqual(['returnUrl'])
  })

  test('what was prepared for one address is not sent to another', async () => {
    const prepared = clientAt('https://elsewhere.example').prepareDeposit(deposit)
    expect(await failureFrom(clientAt(origin).createDeposit(prepared))).toMatchObject({code: 'bug'})
  })
})

describe('queries', () => {
  test.each([
    ['a string', '"500.00"', 50_000n],
    ['a number, by its source text', '500.10', 50_010n],
    ['null', 'null', null],
    ['missing', undefined, null],
  ])('an amount that is %s', async (_, amount, expected) => {
    const rest = amount === undefined ? '' : `,"amount":${amount}`
    const data = `{"merchantId":"${merchantId}","outOrderNo":"P-1","platformOrderNo":"PL","status":"completed"${rest}}`
    const asked = answerOnce('POST', '/pay/v1/apply/query', `{"code":0,"data":${data}}`)

    const answer = await clientAt(origin).queryOrder('payout', 'P-1')

    expect(answer).toMatchObject({
      found: true,
      order: {kind: 'payout', status: 'completed', amount: expected},
    })
    expect(Object.keys(JSON.parse(asked.body ?? ''))).toEqual(['merchantId', 'outOrderNo', 'signature'])
  })

  test('an order is read by the first name of its number that is there, and not by another number', async () => {
    const {orderNo, ...data} = good.query.data
    for (const [body, code] of [
      [{...data, outOrderNo: orderNo}, undefined],
      [{...data, orderNo, outOrderNo: 'X'}, undefined],
      [{...data, orderNo: 'X', outOrderNo: orderNo}, 'answer_untrusted'],
      [{...data}, 'answer_untrusted'],
    ] as const) {
      answerOnce('POST', '/v1/pay/order/query', {code: 0, data: body})
      const asked = clientAt(origin).queryOrder('deposit', orderNo)
      if (code) expect((await failureFrom(asked)).code).toBe(code)
      else expect(await asked).toMatchObject({found: true, order: {orderNo, platformOrderNo: 'PL-1'}})
    }
  })

  test.each(['1e3', '-5', '"5,000"', '1.005', 'true'])('the amount %s is not guessed at', async (amount) => {
    const body = JSON.stringify(good.query).replace('"500.00"', amount)
    answerOnce('POST', '/v1/pay/order/query', body)
    const failure = await failureFrom(clientAt(origin).queryOrder('deposit', 'D-1'))
    expect([failure.code, failure.message]).toEqual([
      'answer_untrusted',
      expect.stringContaining('data.amount'),
    ])
  })

  test.each([
    ['processing', 'open'],
    ['failed', 'failed'],
    ['Completed', 'unknown_status'],
    ['completed ', 'unknown_status'],
  ])('the word "%s" reads as %s', async (rawStatus, status) => {
    answerOnce('POST', '/v1/pay/order/query', {code: 0, data: {...good.query.data, status: rawStatus}})
    const answer = await clientAt(origin).queryOrder('deposit', 'D-1')
    expect(answer).toMatchObject({order: {status, rawStatus}})
  })

  test.each([
    ['as its code', {code: 'ORDER_NOT_FOUND'}],
    ['in its message', {code: 1004, message: 'ORDER_NOT_FOUND: D-1'}],
    ['in its error', {code: 1004, error: {code: 'ORDER_NOT_FOUND'}}],
  ])('"no such order" said %s under HTTP 200', async (_, body) => {
    answerOnce('POST', '/v1/pay/order/query', body)
    expect(await clientAt(origin).queryOrder('deposit', 'D-1')).toEqual({found: false})
  })
})

describe('delivery records', () => {
  const legacy = '/api/v1/merchant/webhooks'

  test('the list is asked with its filters, and signed over the path alone', async () => {
    const asked = answerOnce('GET', `${legacy}?status=failed&order_id=a%26b&page=2&limit=100`, good.list)
    const time = stillTime()

    const page = await clientAt(origin, time).listDeliveries({
      status: 'failed',
      orderId: 'a&b',
      page: 2,
      limit: 100,
    })

    expect(page).toMatchObject({page: 1, limit: 20, total: 1, totalPages: 1})
    expect(page.records[0]).toMatchObject({
      orderId: 'order-of-the-platform',
      attemptsMax: 5,
      nextRetryAt: null,
    })
    const timestamp = String(time.now() / 1_000)
    expect(Object.fromEntries(asked.headers ?? [])).toMatchObject(common)
    expect(asked.headers?.get('x-timestamp')).toBe(timestamp)
    expect(asked.headers?.get('x-merchant-id')).toBe(merchantId)
    expect(asked.headers?.get('x-api-key')).toBe(credentials.apiKey)
    const {legacySignature} = profileAt(origin).dialect
    const parts = {timestamp, method: 'GET', path: legacy, body: ''}
    expect(asked.headers?.get('x-signature')).toBe(signByRecipe(legacySignature, parts, credentials))
  })

  test.each([
    ['a time without an offset', {created_at: '2026-11-19 18:53:05'}],
    ['an id that is no UUID', {id: '../1'}],
    ['a status of another word', {status: 'Failed'}],
    ['a count below zero', {attempts: -1}],
    ['a count that is text', {attempts: '5'}],
    ['a count with a fraction', {attempts: 1.5}],
    ['a count of 16 digits', {max_attempts: 1_000_000_000_000_000}],
    ['a code that is text', {response_code: '503'}],
    ['a time of sending that is none', {sent_at: 'soon'}],
    ['nothing said of the next retry', {next_retry_at: undefined}],
  ])('a record with %s is not believed, and the others of its page are', async (_, change) => {
    answerOnce('GET', legacy, {
      ...good.list,
      data: {...good.list.data, data: [record, {...record, ...change}]},
    })
    const {records, odd} = await clientAt(origin).listDeliveries()
    expect(records).toMatchObject([{id: record.id}])
    expect(odd).toMatchObject([{at: 1, merchantOrderId: 'D-1', orderId: 'order-of-the-platform'}])
    expect(odd[0]?.why).toContain(Object.keys(change)[0])
  })

  const odd = {id: null, orderId: null, merchantOrderId: null, event: null, createdAt: null, status: null}
  test.each<[what: string, value: unknown, read: object]>([
    [
      'all but one field',
      {...record, url: 7},
      {id: record.id, createdAt: record.created_at, status: 'failed'},
    ],
    ['an id that is no UUID', {id: '../1', event: 'paid'}, {...odd, id: expect.any(String), event: 'paid'}],
    ['a time that is none', {id: record.id, created_at: 'soon'}, {...odd, id: record.id}],
    ['empty texts', {id: record.id, order_id: '', event: ''}, {...odd, id: record.id}],
    ['no object', [record], {...odd, id: expect.any(String)}],
  ])('of a record that is not believed what can be read is kept: %s', async (_, value, read) => {
    answerOnce('GET', legacy, {...good.list, data: {...good.list.data, data: [value]}})
    const page = await clientAt(origin).listDeliveries()
    expect([page.records, page.odd]).toMatchObject([[], [{...read, at: 0}]])
    expect(page.odd[0]?.id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  })

  test('a record may say nothing of a code, of a time of sending, and have counts of 15 digits', async () => {
    const lean = {...record, response_code: null, sent_at: undefined, attempts: 999_999_999_999_999}
    answerOnce('GET', legacy, {...good.list, data: {...good.list.data, data: [lean]}, meta: undefined})
    expect(await clientAt(origin).listDeliveries()).toMatchObject({
      records: [{responseCode: null, sentAt: null, attempts: 999_999_999_999_999}],
      answeredAt: null,
    })
  })

  test('a page that holds anything but a list of records is not believed', async () => {
    answerOnce('GET', legacy, {...good.list, data: {...good.list.data, data: {}}})
    const failure = await failureFrom(clientAt(origin).listDeliveries())
    expect(failure.code).toBe('answer_untrusted')
    expect(failure.message).toContain('data.data')
  })

  test('one record with what was sent and what came back', async () => {
    answerOnce('GET', `${legacy}/${deliveryId}`, good.get)
    const detail = await clientAt(origin).getDelivery(deliveryId)
    expect(detail).toMatchObject({
      delivery: {status: 'failed', responseCode: 503},
      payload: {amount: '500.00'},
    })
    expect(detail?.responseBody).toBe('Bad Gateway')
  })

  test('of a record, too, a field nobody knows is kept unless it repeats what was sent (P20)', async () => {
    const echo = {'x-api-key': credentials.apiKey}
    const data = {...good.get.data, last_error: 'ETIMEDOUT', seen: echo, digest: 'ab'.repeat(32)}
    answerOnce('GET', `${legacy}/${deliveryId}`, {...good.get, data})
    const {raw} = (await clientAt(origin).getDelivery(deliveryId)) ?? {}
    expect(raw).toMatchObject({last_error: 'ETIMEDOUT', payload: {amount: '500.00'}})
    expect(raw).not.toHaveProperty('seen')
    expect(raw).not.toHaveProperty('digest')
  })

  test('the record of another id is not believed', async () => {
    answerOnce('GET', `${legacy}/${merchantId}`, good.get)
    expect(await failureFrom(clientAt(origin).getDelivery(merchantId))).toMatchObject({
      code: 'answer_untrusted',
    })
  })

  test.each(['{"queued":1}', '""', '[]', ''])('a resend answered 2xx with %j is accepted', async (body) => {
    answerOnce('POST', `${legacy}/${deliveryId}/resend`, body)
    await expect(clientAt(origin).resendDelivery(deliveryId)).resolves.toEqual({is: 'accepted', but: null})
  })

  test.each([
    ['no balance.', 'no balance.'],
    ['5.00 is too much. Pay 4.50 or less', '5.00 is too much. Pay 4.50 or less.'],
  ])('a resend answered 2xx with a no is accepted, and the no is told: %s', async (message, told) => {
    answerOnce('POST', `${legacy}/${deliveryId}/resend`, {success: false, code: 17, message})
    await expect(clientAt(origin).resendDelivery(deliveryId)).resolves.toEqual({
      is: 'accepted',
      but: `The service refused (HTTP 200), saying: ${told}`,
    })
  })

  test.each(['../x', '', `${deliveryId}/resend`, `${deliveryId}?a`])(
    'the id %j never reaches a path',
    async (id) => {
      expect(await failureFrom(clientAt(origin).getDelivery(id))).toMatchObject({code: 'usage'})
      expect(await failureFrom(clientAt(origin).resendDelivery(id))).toMatchObject({code: 'usage'})
    },
  )

  test('without an API key nothing is sent', async () => {
    const failure = await failureFrom(
      clientAt(origin, {credentials: {...credentials, apiKey: ''}}).listDeliveries(),
    )
    expect(failure.code).toBe('credentials_missing')
  })
})

describe('clock skew', () => {
  const late = {...good.list, meta: {timestamp: '2026-11-21T00:05:00.250Z'}}

  test('meta.timestamp is measured to the millisecond and outranks Date', async () => {
    answerOnce('GET', '/api/v1/merchant/webhooks', late, {date: 'Sat, 21 Nov 2026 00:01:00 GMT'})
    const client = clientAt(origin)
    expect(client.clockSkewMs).toBeNull()
    await client.listDeliveries()
    expect(client.clockSkewMs).toBe(300_250)
  })

  test('a meta.timestamp of another answer than the legacy API’s says nothing (service §4.5)', async () => {
    answerOnce('POST', '/v1/pay/order/query', {...good.query, meta: late.meta})
    const client = clientAt(origin)
    await client.queryOrder('deposit', 'D-1')
    expect(client.clockSkewMs).toBeNull()
  })

  test('the Date of a cached answer says nothing', async () => {
    answerOnce('POST', '/v1/pay/order/query', good.query, {date: 'Sat, 21 Nov 2026 00:01:00 GMT', age: '600'})
    const client = clientAt(origin)
    await client.queryOrder('deposit', 'D-1')
    expect(client.clockSkewMs).toBeNull()
  })

  test('a rejected signature is reported with a skew over 30 s', async () => {
    nock(origin).post('/v1/pay/order/query').reply(401, '', {date: 'Sat, 21 Nov 2026 00:02:00 GMT'})
    const failure = await failureFrom(clientAt(origin).queryOrder('deposit', 'D-1'))
    expect(failure.code).toBe('credentials_rejected')
    expect(failure.message).toContain("The service's clock is 121 s ahead of this machine's.")
  })
})

describe('addresses', () => {
  const withBase = (baseUrl: string) => () =>
    new ServiceClient({profile: {...profileAt(origin), baseUrl}, credentials})

  test.each([
    'https://pay.example/v1',
    'http://127.0.0.1:4010/v1',
    'http://127.9.9.9',
    'http://[::1]:4010/v1',
    'http://localhost:4010',
  ])('%s is allowed', (baseUrl) => {
    expect(withBase(baseUrl)).not.toThrow()
  })

  test.each([
    'http://pay.example/v1',
    'http://127.0.0.1.evil.example/v1',
    'http://localhost.evil.example/v1',
    'https://user:canary@pay.example/v1',
    'https://pay.example/v1?x=1',
    'https://pay.example/v1#x',
    'ftp://127.0.0.1/',
    'pay.example/v1',
    '',
  ])('%j is refused, and not repeated in the message', (baseUrl) => {
    expect(withBase(baseUrl)).toThrow(expect.objectContaining({code: 'config_invalid'}))
    expect(withBase(baseUrl)).not.toThrow(/canary|evil/)
  })

  test.each([
    ['a path in the legacy address', {legacyUrl: `${origin}/v1`}],
    ['a legacy path that climbs', {dialect: {...profileAt(origin).dialect, legacyPath: '/api/../webhooks'}}],
    [
      'a legacy path to another host',
      {dialect: {...profileAt(origin).dialect, legacyPath: '//evil.example/x'}},
    ],
  ])('%s is refused', (_, change) => {
    const profile = {...profileAt(origin), ...change}
    expect(() => new ServiceClient({profile, credentials})).toThrow(
      expect.objectContaining({code: 'config_invalid'}),
    )
  })
})

test('an attempt is reported in fields a log may hold', async () => {
  const events: unknown[] = []
  nock(origin).post('/v1/pay/order/query').reply(503, '')
  answerOnce('POST', '/v1/pay/order/query', good.query)
  await clientAt(origin, {onAttempt: (event) => events.push(event)}).queryOrder('deposit', 'D-1')
  expect(events).toEqual([
    {operation: 'deposit query', attempt: 1, outcome: 'unclear', httpStatus: 503},
    {operation: 'deposit query', attempt: 2, outcome: 'done', httpStatus: 200},
  ])
})
