import {afterEach, beforeEach, describe, expect, it} from 'vitest'

import {ordinaryMerchant} from '../../src/sandbox/merchants.ts'
import {type Assembly, assembleSandbox} from '../../src/sandbox/start.ts'
import {type Account, type Ask, depositFields, type Fields, post, signed} from './acting-merchant.ts'

const createPath = '/v1/pay/order/create'
const queryPath = '/v1/pay/order/query'
const ordinaryAccount: Account = {
  merchantId: ordinaryMerchant.merchantId,
  ...ordinaryMerchant.credentials,
}

let sandbox: Assembly
let ask: Ask

beforeEach(() => {
  sandbox = assembleSandbox({dataDir: null}, () => 'http://127.0.0.1:4010')
  ask = (path, init) => sandbox.apps.deposits.request(path, init)
})

afterEach(async () => {
  await sandbox.stopDelivering()
  sandbox.close()
})

describe('creating a deposit', () => {
  it('answers the fields of service §2.1', async () => {
    const answer = await post(ask, createPath, signed(depositFields()))
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      code: 0,
      data: {
        merchantId: '5a9db0c5-0000-4000-8000-000000000001',
        orderNo: 'D-1001',
        platformOrderNo: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-/),
        payCode: expect.stringMatching(/^[\w-]{12}$/),
        payUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:4010\/pay\/[\w-]{12}$/),
      },
    })
  })

  const refused: [why: string, change: Fields][] = [
    ['no orderNo', {orderNo: undefined}],
    ['an orderNo of null', {orderNo: null}],
    ['an empty orderNo', {orderNo: ''}],
    ['an orderNo of 33 characters', {orderNo: 'x'.repeat(33)}],
    ['an orderNo that is not a string', {orderNo: true}],
    ['no returnUrl', {returnUrl: undefined}],
    ['a returnUrl that is no address', {returnUrl: 'shop/hook'}],
    ['a returnUrl of another kind', {returnUrl: 'ftp://127.0.0.1/hook'}],
    ['no playerPhone', {playerPhone: undefined}],
    ['a playerPhone of an operator that does not exist', {playerPhone: '01212345678'}],
    ['a playerPhone of 10 digits', {playerPhone: '0171234567'}],
    ['a playerPhone of 12 digits', {playerPhone: '017123456789'}],
    ['a playerPhone with the country code', {playerPhone: '+8801712345678'}],
    ['a playerPhone with a newline', {playerPhone: '01712345678\n'}],
    ['a playerPhone in Bengali digits', {playerPhone: '০১৭১২৩৪৫৬৭৮'}],
    ['no playerRef', {playerRef: undefined}],
    ['a playerRef of 65 characters', {playerRef: 'x'.repeat(65)}],
    ['an isTest in quotes', {isTest: 'true'}],
  ]
  it.each(refused)('refuses %s', async (_, change) => {
    const answer = await post(ask, createPath, signed(depositFields(change)))
    expect(answer).toMatchObject({status: 400, body: {code: 'VALIDATION_FAILED'}})
    expect(answer.body.message).toContain(Object.keys(change)[0])
  })

  const accepted: [what: string, change: Fields][] = [
    ['an orderNo of 32 characters', {orderNo: 'x'.repeat(32)}],
    ['32 Bengali letters', {orderNo: 'ক'.repeat(32)}],
    ['an orderNo with a zero byte', {orderNo: 'a\u0000b'}],
    ['a playerRef of 64 characters', {playerRef: 'x'.repeat(64)}],
    ['a field the document does not name', {note: 'hello'}],
    ['isTest null, which is absent', {isTest: null}],
    ['a returnUrl with a query', {returnUrl: 'https://shop.example/hook?a=1&b=2'}],
  ]
  it.each(accepted)('accepts %s', async (_, change) => {
    const fields = depositFields(change)
    const answer = await post(ask, createPath, signed(fields))
    expect(answer).toMatchObject({status: 200, body: {code: 0, data: {orderNo: fields.orderNo}}})
  })

  const unproven: [why: string, body: unknown, status: number, code: string][] = [
    ['no signature', {...signed(depositFields()), signature: undefined}, 401, 'SIGNATURE_MISSING'],
    ['an empty signature', {...signed(depositFields()), signature: ''}, 401, 'SIGNATURE_MISSING'],
    [
      'a signature of other fields',
      {...signed(depositFields()), playerRef: 'other'},
      401,
      'SIGNATURE_INVALID',
    ],
    [
      'a signature in capitals',
      {...signed(depositFields()), signature: String(signed(depositFields()).signature).toUpperCase()},
      401,
      'SIGNATURE_INVALID',
    ],
    [
      'the secret of another merchant',
      signed({...depositFields(), merchantId: ordinaryAccount.merchantId}),
      401,
      'SIGNATURE_INVALID',
    ],
    [
      'an unknown merchant',
      signed(depositFields({merchantId: '5a9db0c5-0000-4000-8000-00000000dead'})),
      401,
      'MERCHANT_UNKNOWN',
    ],
    ['no merchant', signed(depositFields({merchantId: undefined})), 400, 'VALIDATION_FAILED'],
    ['a merchantId that is no UUID', signed(depositFields({merchantId: 'me'})), 400, 'VALIDATION_FAILED'],
    [
      'an object among the fields',
      {...signed(depositFields()), playerRef: {id: 7}},
      400,
      'VALIDATION_FAILED',
    ],
    ['an array for a body', [signed(depositFields())], 400, 'BODY_MALFORMED'],
    ['no JSON', 'merchantId=1', 400, 'BODY_MALFORMED'],
    ['a name that stands twice', '{"orderNo":"1","orderNo":"2"}', 400, 'BODY_MALFORMED'],
    ['a body above 64 KiB', signed(depositFields({note: 'x'.repeat(65_536)})), 413, 'BODY_TOO_LARGE'],
  ]
  it.each(unproven)('refuses %s', async (_, body, status, code) => {
    expect(await post(ask, createPath, body)).toMatchObject({status, body: {code}})
  })

  it('refuses a body that is not declared as JSON', async () => {
    const response = await ask(createPath, {
      method: 'POST',
      headers: {'content-type': 'text/plain'},
      body: JSON.stringify(signed(depositFields())),
    })
    expect(response.status).toBe(415)
  })
})

describe('a repeated orderNo', () => {
  it('is answered with the original, whatever else it says', async () => {
    const first = await post(ask, createPath, signed(depositFields()))
    const second = await post(ask, createPath, signed(depositFields({playerRef: 'another'})))
    expect(second).toEqual(first)
    const query = await post(ask, queryPath, signed({orderNo: 'D-1001'}))
    expect(query.body.data.playerRef).toBe('player-7')
  })

  it('is another order for another merchant, and in another spelling', async () => {
    const answers = [
      await post(ask, createPath, signed(depositFields())),
      await post(ask, createPath, signed(depositFields(), ordinaryAccount)),
      await post(ask, createPath, signed(depositFields({orderNo: 'd-1001'}))),
      await post(ask, createPath, signed(depositFields({orderNo: 'D-1001 '}))),
    ]
    expect(new Set(answers.map(({body}) => body.data.platformOrderNo)).size).toBe(4)
  })
})

describe('isTest', () => {
  it('completes by itself for a demo merchant', async () => {
    const created = await post(ask, createPath, signed(depositFields({isTest: true})))
    expect(created.status).toBe(200)
    const query = await post(ask, queryPath, signed({orderNo: 'D-1001'}))
    expect(query.body.data).toMatchObject({status: 'completed', amount: '500.00'})
  })

  it('is HTTP 400 for any other merchant, and makes no order', async () => {
    const created = await post(ask, createPath, signed(depositFields({isTest: true}), ordinaryAccount))
    expect(created).toMatchObject({status: 400, body: {code: 'TEST_NOT_ALLOWED'}})
    expect(await post(ask, queryPath, signed({orderNo: 'D-1001'}, ordinaryAccount))).toMatchObject({
      status: 404,
    })
  })

  it('false is no test, for either', async () => {
    const created = await post(ask, createPath, signed(depositFields({isTest: false}), ordinaryAccount))
    expect(created.status).toBe(200)
  })
})

describe('querying a deposit', () => {
  it('has no amount until the player has paid, and the amount paid afterwards', async () => {
    await post(ask, createPath, signed(depositFields()))
    const open = await post(ask, queryPath, signed({orderNo: 'D-1001'}))
    expect(open.body.data).toMatchObject({orderNo: 'D-1001', status: 'processing'})
    expect(open.body.data).not.toHaveProperty('amount')
    await sandbox.control.payDeposit('D-1001', 1_234_50n)
    const paid = await post(ask, queryPath, signed({orderNo: 'D-1001'}))
    expect(paid.body.data).toMatchObject({status: 'completed', amount: '1234.50'})
  })

  it('of an expired one says failed', async () => {
    await post(ask, createPath, signed(depositFields()))
    await sandbox.control.expireDeposit('D-1001')
    const answer = await post(ask, queryPath, signed({orderNo: 'D-1001'}))
    expect(answer.body.data).toMatchObject({status: 'failed'})
    expect(answer.body.data).not.toHaveProperty('amount')
  })

  it('says ORDER_NOT_FOUND in JSON with HTTP 404, also of an order of somebody else', async () => {
    await post(ask, createPath, signed(depositFields()))
    const answers = [
      await post(ask, queryPath, signed({orderNo: 'D-9999'})),
      await post(ask, queryPath, signed({orderNo: 'D-1001'}, ordinaryAccount)),
    ]
    for (const answer of answers) expect(answer).toMatchObject({status: 404, body: {code: 'ORDER_NOT_FOUND'}})
  })
})

describe('a finished deposit', () => {
  it('is not finished again', async () => {
    await post(ask, createPath, signed(depositFields()))
    await sandbox.control.payDeposit('D-1001', 100_00n)
    await expect(sandbox.control.payDeposit('D-1001', 999_00n)).rejects.toThrow('completed already')
    await expect(sandbox.control.expireDeposit('D-1001')).rejects.toThrow('completed already')
    const query = await post(ask, queryPath, signed({orderNo: 'D-1001'}))
    expect(query.body.data).toMatchObject({status: 'completed', amount: '100.00'})
  })

  it.each([0n, -1n])('is not paid with %d paisa', async (amount) => {
    await post(ask, createPath, signed(depositFields()))
    await expect(sandbox.control.payDeposit('D-1001', amount)).rejects.toThrow('above zero')
  })
})

describe('the payment page', () => {
  it('shows the order number as text', async () => {
    const created = await post(ask, createPath, signed(depositFields({orderNo: '<b>1</b>'})))
    const page = await ask(`/pay/${created.body.data.payCode}`, {})
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('&lt;b&gt;1&lt;/b&gt;')
  })
})
