import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {steppedClock} from '../../src/sandbox/clock.ts'
import {ordinaryMerchant} from '../../src/sandbox/merchants.ts'
import {type Assembly, assembleSandbox} from '../../src/sandbox/start.ts'
import {
  type Ask,
  demoAccount,
  depositFields,
  legacy,
  legacyHeaders,
  post,
  read,
  signed,
} from './acting-merchant.ts'
import {openReceiver, status, type TestReceiver} from './receiver-server.ts'

const logPath = '/api/v1/merchant/webhooks'
const ordinaryAccount = {merchantId: ordinaryMerchant.merchantId, ...ordinaryMerchant.credentials}
const orderNos = Array.from({length: 45}, (_, index) => `D-${index + 1}`)

let sandbox: Assembly
let receiver: TestReceiver
let ask: Ask

/** 45 paid deposits, a second apart; every third webhook was refused. */
beforeAll(async () => {
  receiver = await openReceiver()
  sandbox = assembleSandbox(
    {dataDir: null, clock: steppedClock(Date.parse('2026-11-20T06:00:00Z'))},
    () => '',
  )
  ask = (path, init) => sandbox.apps.deposits.request(path, init)
  for (const [index, orderNo] of orderNos.entries()) {
    await post(ask, '/v1/pay/order/create', signed(depositFields({orderNo, returnUrl: receiver.url})))
    receiver.answer = status(index % 3 === 0 ? 500 : 200)
    await sandbox.control.payDeposit(orderNo, 100_00n)
    await sandbox.control.advanceBy(1000)
  }
})

afterAll(async () => {
  await sandbox.stopDelivering()
  sandbox.close()
  await receiver.close()
})

describe('the list', () => {
  it('has 20 a page without a limit, newest first, and adds up', async () => {
    const pages = await Promise.all([1, 2, 3, 4].map((page) => legacy(ask, 'GET', `${logPath}?page=${page}`)))
    expect(pages.map(({body}) => body.data.data.length)).toEqual([20, 20, 5, 0])
    for (const [index, {status: code, body}] of pages.entries()) {
      expect(code).toBe(200)
      expect(body.success).toBe(true)
      expect(body.data.pagination).toEqual({page: index + 1, limit: 20, total: 45, total_pages: 3})
    }
    const listed = pages.flatMap(({body}) => body.data.data.map((record) => record.merchant_order_id))
    expect(listed).toEqual([...orderNos].reverse())
  })

  it('states real time, by which a client can tell its own clock', async () => {
    const before = Date.now()
    const {timestamp} = (await legacy(ask, 'GET', logPath)).body.meta
    expect(Date.parse(timestamp)).toBeGreaterThanOrEqual(before)
    expect(Date.parse(timestamp)).toBeLessThanOrEqual(Date.now())
  })

  it('filters by status and by order', async () => {
    const failed = await legacy(ask, 'GET', `${logPath}?status=failed&limit=100`)
    expect(failed.body.data.pagination).toMatchObject({total: 15, total_pages: 1})
    expect(new Set(failed.body.data.data.map((record) => record.status))).toEqual(new Set(['failed']))
    const [record] = failed.body.data.data
    const ofOrder = await legacy(ask, 'GET', `${logPath}?order_id=${record?.order_id}`)
    expect(ofOrder.body.data.data).toEqual([record])
    const both = await legacy(ask, 'GET', `${logPath}?order_id=${record?.order_id}&status=success`)
    expect(both.body.data.pagination).toEqual({page: 1, limit: 20, total: 0, total_pages: 0})
  })

  it.each([
    'page=0',
    'page=-1',
    'page=x',
    'page=',
    'limit=0',
    'limit=101',
    'limit=1.5',
    'status=done',
    'order_id=7',
  ])('refuses ?%s and names it', async (query) => {
    const answer = await legacy(ask, 'GET', `${logPath}?${query}`)
    expect(answer).toMatchObject({status: 400, body: {success: false, code: 'VALIDATION_FAILED'}})
    expect(answer.body.message).toContain(query.split('=')[0])
  })
})

describe('one record', () => {
  it('of nobody, or of another merchant, is 404', async () => {
    const [own] = (await legacy(ask, 'GET', logPath)).body.data.data
    const path = `${logPath}/${own?.id}`
    const asOther = await read(
      await ask(path, {headers: legacyHeaders('GET', path, {account: ordinaryAccount})}),
    )
    const unknown = await legacy(ask, 'GET', `${logPath}/5a9db0c5-0000-4000-8000-00000000dead`)
    for (const answer of [asOther, unknown]) {
      expect(answer).toMatchObject({status: 404, body: {success: false, code: 'WEBHOOK_NOT_FOUND'}})
    }
  })
})

describe('header authentication', () => {
  const now = () => Math.floor(Date.now() / 1000)
  const refused: [why: string, change: () => Record<string, string>, code: string][] = [
    ['no headers', () => ({'x-merchant-id': ''}), 'MERCHANT_UNKNOWN'],
    ['an unknown merchant', () => ({'x-merchant-id': 'nobody'}), 'MERCHANT_UNKNOWN'],
    ['the key of another merchant', () => ({'x-api-key': ordinaryAccount.apiKey}), 'API_KEY_INVALID'],
    ['the secret instead of the key', () => ({'x-api-key': demoAccount.apiSecret}), 'API_KEY_INVALID'],
    [
      'a timestamp of 6 minutes ago',
      () => legacyHeaders('GET', logPath, {timestamp: now() - 360}),
      'TIMESTAMP_STALE',
    ],
    [
      'a timestamp 6 minutes ahead',
      () => legacyHeaders('GET', logPath, {timestamp: now() + 360}),
      'TIMESTAMP_STALE',
    ],
    [
      'a timestamp in milliseconds',
      () => legacyHeaders('GET', logPath, {timestamp: Date.now()}),
      'TIMESTAMP_INVALID',
    ],
    [
      'another timestamp than the one signed',
      () => ({'x-timestamp': String(now() - 60)}),
      'SIGNATURE_INVALID',
    ],
    ['the signature of another method', () => legacyHeaders('POST', logPath), 'SIGNATURE_INVALID'],
    ['the signature of another path', () => legacyHeaders('GET', `${logPath}/`), 'SIGNATURE_INVALID'],
    [
      'the signature of another merchant',
      () => ({'x-signature': legacyHeaders('GET', logPath, {account: ordinaryAccount})['x-signature'] ?? ''}),
      'SIGNATURE_INVALID',
    ],
    ['no signature', () => ({'x-signature': ''}), 'SIGNATURE_INVALID'],
  ]
  it.each(refused)('refuses %s', async (_, change, code) => {
    const headers = {...legacyHeaders('GET', logPath), ...change()}
    expect(await read(await ask(logPath, {headers}))).toMatchObject({
      status: 401,
      body: {success: false, code},
    })
  })

  it('covers the path only: the query is not signed', async () => {
    const query = '?status=failed&page=1'
    const withQuery = await ask(`${logPath}${query}`, {headers: legacyHeaders('GET', `${logPath}${query}`)})
    expect(withQuery.status).toBe(401)
    const without = await ask(`${logPath}${query}`, {headers: legacyHeaders('GET', logPath)})
    expect(without.status).toBe(200)
  })

  it('covers the body of a POST that has one', async () => {
    const [own] = (await legacy(ask, 'GET', logPath)).body.data.data
    const path = `${logPath}/${own?.id}/resend`
    const send = (signedBody: string) =>
      ask(path, {method: 'POST', body: '{}', headers: legacyHeaders('POST', path, {body: signedBody})})
    expect((await send('')).status).toBe(401)
    expect((await send('{}')).status).toBe(200)
  })
})

it('a deployment without the legacy API answers no JSON there', async () => {
  const without = assembleSandbox({dataDir: null, isLegacyServed: false}, () => '')
  const answer = await legacy((path, init) => without.apps.deposits.request(path, init), 'GET', logPath)
  without.close()
  expect(answer).toEqual({status: 404, body: 'The sandbox has nothing at this address.'})
})
