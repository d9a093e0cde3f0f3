import {afterEach, beforeEach, describe, expect, it} from 'vitest'

import {type Assembly, assembleSandbox} from '../../src/sandbox/start.ts'
import {type Ask, type Fields, payoutFields, post, signed} from './acting-merchant.ts'

const createPath = '/v1/apply/create'
const queryPath = '/v1/apply/query'

let sandbox: Assembly
let ask: Ask

beforeEach(() => {
  sandbox = assembleSandbox({dataDir: null, payoutBalance: 1_000_00n}, () => 'http://127.0.0.1:4010')
  ask = (path, init) => sandbox.apps.payouts.request(path, init)
})

afterEach(async () => {
  await sandbox.stopDelivering()
  sandbox.close()
})

describe('creating a payout', () => {
  it('answers the fields of service §2.2, without an amount', async () => {
    expect(await post(ask, createPath, signed(payoutFields()))).toEqual({
      status: 200,
      body: {
        code: 0,
        data: {
          merchantId: '5a9db0c5-0000-4000-8000-000000000001',
          orderNo: 'P-2001',
          platformOrderNo: expect.stringMatching(/^[0-9a-f-]{36}$/),
          status: 'processing',
        },
      },
    })
  })

  const refused: [why: string, change: Fields][] = [
    ['no outOrderNo', {outOrderNo: undefined}],
    ['an outOrderNo of 33 characters', {outOrderNo: 'x'.repeat(33)}],
    ['no amount', {amount: undefined}],
    ['an amount of zero', {amount: '0.00'}],
    ['an amount below zero', {amount: '-5'}],
    ['three decimals', {amount: '1.005'}],
    ['an exponent', {amount: '1e3'}],
    ['thousands commas', {amount: '1,000'}],
    ['a blank beside the amount', {amount: ' 5'}],
    ['a channel in small letters', {bankType: 'bkash'}],
    ['a channel that does not exist', {bankType: 'UPAY'}],
    ['an empty userName', {userName: ''}],
    ['an account that is no mobile number', {account: '0123'}],
    ['a returnUrl that is no address', {returnUrl: '//shop'}],
  ]
  it.each(refused)('refuses %s', async (_, change) => {
    const answer = await post(ask, createPath, signed(payoutFields(change)))
    expect(answer).toMatchObject({status: 400, body: {code: 'VALIDATION_FAILED'}})
    expect(answer.body.message).toContain(Object.keys(change)[0])
    expect(sandbox.control.balance()).toBe(1_000_00n)
  })

  it('refuses an amount that is a JSON number, as the document says string', async () => {
    const {amount: _, ...rest} = signed(payoutFields())
    const body = `${JSON.stringify({...rest, signature: signed(payoutFields()).signature}).slice(0, -1)},"amount":250.00}`
    expect(await post(ask, createPath, body)).toMatchObject({status: 400, body: {code: 'VALIDATION_FAILED'}})
  })

  it.each(['BKASH', 'NAGAD', 'ROCKET'])('accepts the channel %s', async (bankType) => {
    expect(await post(ask, createPath, signed(payoutFields({bankType})))).toMatchObject({status: 200})
  })
})

describe('the balance', () => {
  it('is reserved at once and never pays out the same number twice', async () => {
    const first = await post(ask, createPath, signed(payoutFields()))
    const second = await post(ask, createPath, signed(payoutFields({amount: '300.00'})))
    expect(second).toEqual(first)
    expect(sandbox.control.balance()).toBe(750_00n)
    const query = await post(ask, queryPath, signed({outOrderNo: 'P-2001'}))
    expect(query.body.data).toMatchObject({orderNo: 'P-2001', status: 'processing', amount: '250.00'})
  })

  it('below the amount is INSUFFICIENT_BALANCE, makes no order, and the number stays free', async () => {
    const tooMuch = await post(ask, createPath, signed(payoutFields({amount: '1000.01'})))
    expect(tooMuch).toMatchObject({status: 400, body: {code: 'INSUFFICIENT_BALANCE'}})
    expect(await post(ask, queryPath, signed({outOrderNo: 'P-2001'}))).toMatchObject({
      status: 404,
      body: {code: 'ORDER_NOT_FOUND'},
    })
    const all = await post(ask, createPath, signed(payoutFields({amount: '1000'})))
    expect(all.status).toBe(200)
    expect(sandbox.control.balance()).toBe(0n)
  })

  it('keeps what was paid and gets back what was rejected, once', async () => {
    await post(ask, createPath, signed(payoutFields()))
    await post(ask, createPath, signed(payoutFields({outOrderNo: 'P-2002', amount: '100.10'})))
    await sandbox.control.completePayout('P-2001')
    await sandbox.control.rejectPayout('P-2002')
    expect(sandbox.control.balance()).toBe(750_00n)
    await expect(sandbox.control.rejectPayout('P-2002')).rejects.toThrow('failed already')
    await expect(sandbox.control.rejectPayout('P-2001')).rejects.toThrow('completed already')
    expect(sandbox.control.balance()).toBe(750_00n)
  })
})

describe('a payout in the end', () => {
  it.each([
    ['completePayout', 'completed'],
    ['rejectPayout', 'failed'],
  ] as const)('after %s is %s, also for a repeated create', async (step, word) => {
    await post(ask, createPath, signed(payoutFields()))
    await sandbox.control[step]('P-2001')
    const query = await post(ask, queryPath, signed({outOrderNo: 'P-2001'}))
    expect(query.body.data).toMatchObject({status: word, amount: '250.00'})
    const again = await post(ask, createPath, signed(payoutFields()))
    expect(again.body.data).toMatchObject({status: word})
  })
})
