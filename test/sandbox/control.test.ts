import {request} from 'node:http'

import {afterEach, beforeEach, describe, expect, it} from 'vitest'

import {sandboxApplyUrl} from '../../src/core/profile.ts'
import {realClock, steppedClock} from '../../src/sandbox/clock.ts'
import {ordinaryMerchant} from '../../src/sandbox/merchants.ts'
import {type Sandbox, startSandbox} from '../../src/sandbox/start.ts'
import {
  type Answer,
  askAt,
  askPayoutsAt,
  depositFields,
  payoutFields,
  post,
  read,
  signed,
} from './acting-merchant.ts'
import {openReceiver, type TestReceiver} from './receiver-server.ts'

let sandbox: Sandbox
let receiver: TestReceiver

beforeEach(async () => {
  receiver = await openReceiver()
  const clock = steppedClock(Date.parse('2026-11-20T06:00:00Z'))
  sandbox = await startSandbox({port: 0, dataDir: null, clock, payoutBalance: 1_000_00n})
})

afterEach(async () => {
  await sandbox.close()
  await receiver.close()
})

const command = (path: string, body: unknown): Promise<Answer> =>
  post(askAt(sandbox.url), `/sandbox${path}`, body)

const balance = async (query = ''): Promise<Answer> =>
  await read(await fetch(`${sandbox.url}/sandbox/balance${query}`))

async function createBoth(): Promise<void> {
  const returnUrl = receiver.url
  await post(askAt(sandbox.url), '/v1/pay/order/create', signed(depositFields({returnUrl})))
  await post(askPayoutsAt(sandbox.url), '/v1/apply/create', signed(payoutFields({returnUrl})))
}

describe('the control addresses', () => {
  beforeEach(createBoth)

  it('pay a deposit and answer once the webhook was tried', async () => {
    const paid = await command('/deposits/pay', {orderNo: 'D-1001', amount: '70.50', channel: 'ROCKET'})
    expect(paid).toMatchObject({status: 200, body: {code: 0, data: {status: 'success', attempts: 1}}})
    expect(receiver.received[0]?.body).toMatchObject({amount: '70.50', event: 'order.completed'})
  })

  it.each([
    ['/deposits/expire', {orderNo: 'D-1001'}, 'order.failed', '750.00'],
    ['/payouts/complete', {outOrderNo: 'P-2001'}, 'order.completed', '750.00'],
    ['/payouts/reject', {outOrderNo: 'P-2001'}, 'order.failed', '1000.00'],
  ])('%s ends an order', async (path, body, event, left) => {
    expect((await command(path, body)).body.data.event).toBe(event)
    expect((await balance()).body.data.balance).toBe(left)
    expect(await command(path, body)).toMatchObject({status: 409, body: {code: 'ORDER_NOT_OPEN'}})
    expect(receiver.received).toHaveLength(1)
  })

  it('move a stepped clock, forward only', async () => {
    const by = await command('/clock/advance', {byMs: 90_000})
    expect(by.body.data.now).toBe('2026-11-20T06:01:30.000Z')
    const to = await command('/clock/advance', {to: '2026-11-20T13:00:00+06:00'})
    expect(to.body.data.now).toBe('2026-11-20T07:00:00.000Z')
    for (const body of [
      {to: '2026-11-20T06:00:00Z'},
      {byMs: -1},
      {byMs: 1.5},
      {},
      {to: 'noon'},
      {by: 'soon'},
      {by: '1m', byMs: 1},
    ]) {
      expect(await command('/clock/advance', body)).toMatchObject({status: 400})
    }
    const clock = await read(await fetch(`${sandbox.url}/sandbox/clock`))
    expect(clock.body.data.now).toBe('2026-11-20T07:00:00.000Z')
  })

  it('move a clock that runs by itself, and it goes on from there', async () => {
    const running = await startSandbox({port: 0, dataDir: null, clock: realClock()})
    const before = running.control.now()
    const answer = await post(askAt(running.url), '/sandbox/clock/advance', {by: '7h21m'})
    expect(answer.body.data).toMatchObject({timeScale: 1, attempts: 0})
    expect(Date.parse(answer.body.data.now)).toBeGreaterThanOrEqual(before + 441 * 60_000)
    expect(running.control.now()).toBeGreaterThanOrEqual(Date.parse(answer.body.data.now))
    await running.close()
  })

  it('set how fast time runs, 0 for not at all', async () => {
    expect((await command('/clock', {timeScale: 600})).body.data).toMatchObject({timeScale: 600})
    await expect.poll(() => sandbox.control.now()).toBeGreaterThan(Date.parse('2026-11-20T06:00:05Z'))
    const frozen = await command('/clock', {timeScale: 0})
    expect(sandbox.control.now()).toBe(Date.parse(frozen.body.data.now))
    for (const timeScale of [-1, 1e9, '600', null]) {
      expect(await command('/clock', {timeScale})).toMatchObject({status: 400})
    }
  })

  it('know the balance of each merchant', async () => {
    expect((await balance(`?merchantId=${ordinaryMerchant.merchantId}`)).body.data.balance).toBe('1000.00')
    expect(await balance('?merchantId=nobody')).toMatchObject({status: 404})
  })

  it.each([
    ['an order that is not there', '/deposits/pay', {orderNo: 'D-9', amount: '1'}, 404],
    ['an amount of zero', '/deposits/pay', {orderNo: 'D-1001', amount: '0'}, 400],
    ['an unknown channel', '/deposits/pay', {orderNo: 'D-1001', amount: '1', channel: 'CASH'}, 400],
    ['no order', '/payouts/complete', {}, 400],
    ['a merchant that is no UUID', '/payouts/complete', {outOrderNo: 'P-2001', merchantId: 7}, 400],
  ])('refuse %s', async (_, path, body, status) => {
    expect(await command(path, body)).toMatchObject({status})
    expect(receiver.received).toEqual([])
  })

  it('refuse a page of another origin, and take one of their own', async () => {
    const pay = (origin: string) =>
      fetch(`${sandbox.url}/sandbox/deposits/pay`, {
        method: 'POST',
        headers: {'content-type': 'application/json', origin},
        body: JSON.stringify({orderNo: 'D-1001', amount: '1.00'}),
      })
    for (const origin of ['https://evil.example', 'null', 'http://127.0.0.1:1']) {
      expect((await pay(origin)).status).toBe(403)
    }
    expect(receiver.received).toEqual([])
    expect((await pay(sandbox.url)).status).toBe(200)
  })
})

describe('the door', () => {
  it.each([
    ['127.0.0.1', 200],
    ['localhost', 200],
    ['LOCALHOST:4010', 200],
    ['[::1]:4010', 200],
    ['evil.example', 403],
    ['127.0.0.1.evil.example', 403],
    ['localhost.evil.example:4010', 403],
    ['10.0.0.1', 403],
    ['0.0.0.0', 403],
  ])('answers to Host %s with %i', async (host, status) => {
    expect(await statusForHost(host)).toBe(status)
  })

  it.each(['constructor', '__proto__', 'toString', 'pay.css.map'])('has no asset %s', async (name) => {
    expect((await fetch(`${sandbox.url}/assets/${name}`)).status).toBe(404)
  })

  it('listens on 127.0.0.1 alone', () => {
    expect(sandbox.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(sandbox).toMatchObject({
      baseUrl: `${sandbox.url}/v1`,
      applyUrl: sandboxApplyUrl(`${sandbox.url}/v1`),
      legacyUrl: sandbox.url,
    })
  })

  it('of a port that is taken is a failure that names it', async () => {
    const port = Number(new URL(sandbox.url).port)
    await expect(startSandbox({port, dataDir: null})).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(String(port)),
    })
  })

  it('has nothing but text at an address nobody knows: JSON would mean "no such order"', async () => {
    const answer = await post(askAt(sandbox.url), '/v1/pay/order/querry', signed({orderNo: 'D-1001'}))
    expect(answer).toEqual({status: 404, body: 'The sandbox has nothing at this address.'})
  })

  it('stops reading a body above 64 KiB that states no length', async () => {
    const chunk = new Uint8Array(16 * 1024).fill(0x20)
    let sent = 0
    const body = new ReadableStream({
      pull(controller) {
        sent += 1
        if (sent > 8) controller.close()
        else controller.enqueue(chunk)
      },
    })
    const response = await fetch(`${sandbox.url}/v1/pay/order/create`, {
      method: 'POST',
      headers: {'content-type': 'application/json'},
      body,
      duplex: 'half',
    })
    expect(response.status).toBe(413)
  })
})

function statusForHost(host: string): Promise<number> {
  const {promise, resolve, reject} = Promise.withResolvers<number>()
  request(`${sandbox.url}/sandbox/clock`, {headers: {host}}, (response) => {
    response.resume()
    resolve(response.statusCode ?? 0)
  })
    .on('error', reject)
    .end()
  return promise
}
