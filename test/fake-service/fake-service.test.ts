import {afterEach, beforeEach, describe, expect, it} from 'vitest'
import {json, reset, rewrite, WireNumber, writeJson} from './replies.ts'
import {type FakeService, startFakeService} from './service.ts'
import {type Parameters, signLegacyRequest, signParameters} from './signatures.ts'

let service: FakeService

beforeEach(async () => {
  service = await startFakeService()
})

afterEach(async () => {
  await service[Symbol.asyncDispose]()
})

describe('its signatures are those others published', () => {
  it('MD5 over sorted parameters: api.docs.9dg.com/others', () => {
    const parameters = {
      paymentNotifyUrl: 'https://test.com',
      mchTransNo: '123456789',
      amount: '100',
      coinName: 'INR',
      notifyUrl: 'https://test.com',
      mchId: 'IPq15ZFXBFLIqRuY',
    }
    expect(signParameters(parameters, 'IPq15ZFXBFLIqRuY')).toBe('f694ed4d44a60db500045184bd13af84')
  })

  it('HMAC-SHA256 in hexadecimal: RFC 4231, case 2', () => {
    const message = {timestamp: 'what do ya ', method: 'want ', path: 'for ', body: 'nothing?'}
    expect(signLegacyRequest(message, 'Jefe')).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    )
  })

  it('leaves out the signature and null, keeps the empty string', () => {
    const signed = signParameters({a: '', b: 'x'}, 'k')
    expect(signParameters({a: '', b: 'x', c: null, signature: 'old'}, 'k')).toBe(signed)
    expect(signParameters({b: 'x'}, 'k')).not.toBe(signed)
  })
})

describe('the deposit and payout APIs', () => {
  it('create, create again and query tell of one order', async () => {
    const first = await post('deposit', '/pay/order/create', deposit('D-1'))
    const again = await post('deposit', '/pay/order/create', deposit('D-1'))
    expect(first).toMatchObject({status: 200, body: {code: 0, data: {orderNo: 'D-1'}}})
    expect(again).toEqual(first)
    expect(await post('deposit', '/pay/order/query', {orderNo: 'D-1'})).toMatchObject({
      body: {code: 0, data: {orderNo: 'D-1', status: 'pending'}},
    })
    expect(service.calls.count('deposit.create')).toBe(2)
    expect(service.book.orders.size).toBe(1)
  })

  it('answers 401 to a wrong signature and to a parameter changed after signing', async () => {
    const body = sign({orderNo: 'D-1'})
    for (const wrong of [
      {...body, signature: 'f'.repeat(32)},
      {...body, orderNo: 'D-2'},
    ]) {
      const answer = await send(`${service.baseUrl}/pay/order/query`, JSON.stringify(wrong))
      expect(answer).toMatchObject({status: 401, body: {code: 'INVALID_SIGNATURE'}})
    }
    expect(service.calls.rejected).toHaveLength(2)
  })

  it('refuses a payout above the balance, and a sandbox deposit of a live merchant', async () => {
    service.merchant.balancePaisa = 49_999n
    const payout = {
      outOrderNo: 'P-1',
      amount: '500.00',
      bankType: 'BKASH',
      userName: 'Rahim',
      account: '01711112222',
      returnUrl: 'https://merchant.example/hook',
    }
    expect(await post('payout', '/apply/create', payout)).toMatchObject({
      status: 400,
      body: {code: 'INSUFFICIENT_BALANCE'},
    })
    expect(await post('deposit', '/pay/order/create', {...deposit('D-1'), isTest: true})).toMatchObject({
      status: 400,
    })
    expect(service.book.orders.size).toBe(0)
  })

  it('keeps the two APIs on their own hosts', async () => {
    const body = JSON.stringify(sign({outOrderNo: 'P-1'}))
    const answer = await fetch(`${service.baseUrl}/apply/query`, {method: 'POST', body})
    expect(answer.status).toBe(404)
    expect(answer.headers.get('content-type')).toContain('text/html')
    expect(service.calls.of('other')).toHaveLength(1)
  })
})

describe('the legacy API', () => {
  it('pages through the records and filters by status and order', async () => {
    const order = service.book.addOrder({kind: 'deposit', number: 'D-0', status: 'completed'})
    for (let n = 0; n < 45; n++) service.book.addRecord({order, status: n % 3 === 0 ? 'failed' : 'success'})
    expect(await get('?status=failed&limit=10&page=2')).toMatchObject({
      status: 200,
      body: {success: true, data: {pagination: {page: 2, limit: 10, total: 15, total_pages: 2}}},
    })
    const page = await get(`?order_id=${order.platformOrderNo}&page=3`)
    expect(page).toMatchObject({body: {data: {pagination: {limit: 20, total: 45}}}})
    expect(page).toHaveProperty('body.data.data.length', 5)
  })

  it('signs the path alone: the query is free, the path is not', async () => {
    expect((await get('?limit=100')).status).toBe(200)
    expect((await get('/0b5e55ed-0000-4000-8000-000000000001', '')).status).toBe(401)
    expect(service.calls.rejected).toHaveLength(1)
  })

  it('a resend moves the record as the test said, one outcome after another', async () => {
    const order = service.book.addOrder({kind: 'deposit', number: 'D-0', status: 'completed'})
    const onResend = [
      {leadsTo: 'failed', code: 502},
      {leadsTo: 'success at read', read: 2},
    ] as const
    const {id} = service.book.addRecord({order, onResend})
    expect((await resend(id)).status).toBe(200)
    const failed = {status: 'failed', response_code: 502, attempts: 6}
    expect(await get(`/${id}`)).toMatchObject({body: {data: failed}})
    await resend(id)
    expect(await get(`/${id}`)).toMatchObject({body: {data: failed}})
    expect(await get(`/${id}`)).toMatchObject({body: {data: {status: 'success', attempts: 7}}})
    expect(service.calls.resendsOf(id)).toBe(2)
  })

  it('cuts the connection after taking the resend', async () => {
    const order = service.book.addOrder({kind: 'deposit', number: 'D-0', status: 'completed'})
    const {id} = service.book.addRecord({order, onResend: [{leadsTo: 'reset', delivered: true}]})
    await expect(resend(id)).rejects.toThrow()
    expect(await get(`/${id}`)).toMatchObject({body: {data: {status: 'success', attempts: 6}}})
  })
})

describe('what a test can make it do', () => {
  it('hold a call in flight', async () => {
    const held = service.calls.hold((call) => call.name === 'deposit.query')
    const answer = post('deposit', '/pay/order/query', {orderNo: 'D-9'})
    expect((await held.seen).target).toBe('D-9')
    held.letGo()
    expect(await answer).toMatchObject({status: 404, body: {code: 'ORDER_NOT_FOUND'}})
  })

  it('change or withhold an answer', async () => {
    service.book.addOrder({kind: 'deposit', number: 'D-1', status: 'completed'})
    service.onQuery('deposit', 'D-1', (act) => rewrite(act(), (text) => text.replace('D-1', 'D-2')))
    expect(await post('deposit', '/pay/order/query', {orderNo: 'D-1'})).toMatchObject({
      body: {data: {orderNo: 'D-2'}},
    })
    service.on('deposit.query', () => reset)
    await expect(post('deposit', '/pay/order/query', {orderNo: 'D-3'})).rejects.toThrow()
  })

  it('write an amount digit for digit', () => {
    expect(writeJson({amount: new WireNumber('500.00'), none: undefined, list: [1, null]})).toBe(
      '{"amount":500.00,"list":[1,null]}',
    )
    expect(json({code: 0})).toMatchObject({httpStatus: 200, text: '{"code":0}'})
  })
})

function deposit(orderNo: string): Parameters {
  const returnUrl = 'https://merchant.example/hook'
  return {orderNo, returnUrl, playerPhone: '01711112222', playerRef: 'u-7'}
}

function sign(parameters: Parameters): Parameters {
  const body = {merchantId: service.merchant.id, ...parameters}
  return {...body, signature: signParameters(body, service.merchant.apiSecret)}
}

function post(api: 'deposit' | 'payout', path: string, parameters: Parameters) {
  const base = api === 'deposit' ? service.baseUrl : service.applyUrl
  return send(`${base}${path}`, JSON.stringify(sign(parameters)))
}

async function send(url: string, body: string) {
  const answer = await fetch(url, {method: 'POST', body, headers: {'content-type': 'application/json'}})
  return {status: answer.status, body: await answer.json()}
}

const webhooks = '/api/v1/merchant/webhooks'

async function get(rest: string, signedRest = rest.startsWith('?') ? '' : rest) {
  const answer = await fetch(`${service.legacyUrl}${webhooks}${rest}`, {
    headers: signHeaders('GET', `${webhooks}${signedRest}`),
  })
  return {status: answer.status, body: await answer.json()}
}

function resend(id: string): Promise<Response> {
  const path = `${webhooks}/${id}/resend`
  return fetch(`${service.legacyUrl}${path}`, {method: 'POST', headers: signHeaders('POST', path)})
}

function signHeaders(method: string, path: string): Record<string, string> {
  const timestamp = String(Math.floor(Date.now() / 1000))
  return {
    'x-merchant-id': service.merchant.id,
    'x-api-key': service.merchant.apiKey,
    'x-timestamp': timestamp,
    'x-signature': signLegacyRequest({timestamp, method, path, body: ''}, service.merchant.apiSecret),
  }
}
