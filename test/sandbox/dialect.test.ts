import {afterEach, beforeEach, expect, it} from 'vitest'

import {type Dialect, defaultDialect} from '../../src/core/dialect.ts'
import {type Assembly, assembleSandbox} from '../../src/sandbox/start.ts'
import {type Ask, depositFields, legacyHeaders, payoutFields, post, read, signed} from './acting-merchant.ts'

const words = {completed: ['PAID'], open: ['NEW', 'OLD'], failed: ['DEAD']}

/** A deployment that differs from the defaults of A1 to A5 and A11. */
const dialect: Dialect = {
  ...defaultDialect,
  depositQuery: {orderNo: 'merchantOrder'},
  response: {orderNo: ['no'], platformOrderNo: 'id', status: 'state', amount: 'sum'},
  status: {deposit: words, payout: words},
  error: {code: ['error.code'], message: ['error', 'error.message']},
  notFound: {http: [], codes: ['NO_SUCH_ORDER']},
  legacyPath: '/other/log',
}

let sandbox: Assembly
let ask: Ask

beforeEach(() => {
  sandbox = assembleSandbox({dataDir: null, dialect}, () => '')
  ask = (path, init) => sandbox.apps.deposits.request(path, init)
})

afterEach(async () => {
  await sandbox.stopDelivering()
  sandbox.close()
})

it('a query is asked and answered in the names and words of the dialect', async () => {
  const created = await post(ask, '/v1/pay/order/create', signed(depositFields()))
  const open = await post(ask, '/v1/pay/order/query', signed({merchantOrder: 'D-1001'}))
  expect(open.body.data).toMatchObject({
    no: 'D-1001',
    id: created.body.data.platformOrderNo,
    state: 'NEW',
  })
  await sandbox.control.payDeposit('D-1001', 5_00n)
  const paid = await post(ask, '/v1/pay/order/query', signed({merchantOrder: 'D-1001'}))
  expect(paid.body.data).toMatchObject({state: 'PAID', sum: '5.00'})
})

it('an open payout has the first open word where "processing" is not one', async () => {
  const askPayouts: Ask = (path, init) => sandbox.apps.payouts.request(path, init)
  const created = await post(askPayouts, '/v1/apply/create', signed(payoutFields()))
  expect(created.body.data).toMatchObject({orderNo: 'P-2001', status: 'NEW'})
})

it('an error stands where the dialect looks for it, and an unknown order says its code', async () => {
  const missing = await post(ask, '/v1/pay/order/query', signed({merchantOrder: 'D-9'}))
  expect(missing).toEqual({
    status: 200,
    body: {error: {code: 'NO_SUCH_ORDER', message: expect.stringContaining('D-9')}},
  })
})

it('the legacy log is at the dialect’s path, which is what is signed', async () => {
  const headers = legacyHeaders('GET', '/other/log')
  expect((await read(await ask('/other/log', {headers}))).body.success).toBe(true)
  expect((await ask('/api/v1/merchant/webhooks', {headers})).status).toBe(404)
})

it('a recipe that names a part nobody has is refused at the start', () => {
  const legacySignature = {...defaultDialect.legacySignature, input: '{timestamp}{nonce}'}
  expect(() => assembleSandbox({dataDir: null, dialect: {...dialect, legacySignature}}, () => '')).toThrow(
    '{nonce}',
  )
})
