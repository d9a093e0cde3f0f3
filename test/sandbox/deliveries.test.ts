import {createHmac} from 'node:crypto'

import {afterEach, beforeEach, describe, expect, it} from 'vitest'

import {type Dialect, defaultDialect} from '../../src/core/dialect.ts'
import {sandboxCredentials} from '../../src/core/profile.ts'
import {signFields} from '../../src/core/signing/request.ts'
import {steppedClock} from '../../src/sandbox/clock.ts'
import type {SandboxEvent} from '../../src/sandbox/events.ts'
import {type Sandbox, type SandboxOptions, startSandbox} from '../../src/sandbox/start.ts'
import {
  askAt,
  askPayoutsAt,
  demoAccount,
  depositFields,
  type Fields,
  legacy,
  md5Signature,
  payoutFields,
  post,
  signed,
} from './acting-merchant.ts'
import {openReceiver, status, type TestReceiver} from './receiver-server.ts'

const morning = Date.parse('2026-11-20T06:00:00Z')
const minuteMs = 60_000
const logPath = '/api/v1/merchant/webhooks'

let receiver: TestReceiver
let sandbox: Sandbox | undefined

beforeEach(async () => {
  receiver = await openReceiver()
})

afterEach(async () => {
  await sandbox?.close()
  sandbox = undefined
  await receiver.close()
})

async function start(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  sandbox = await startSandbox({port: 0, dataDir: null, clock: steppedClock(morning), ...options})
  return sandbox
}

async function createDeposit({url}: Sandbox, fields: Fields = {}): Promise<string> {
  const body = signed(depositFields({returnUrl: receiver.url, ...fields}))
  const answer = await post(askAt(url), '/v1/pay/order/create', body)
  expect(answer.status).toBe(200)
  return answer.body.data.platformOrderNo
}

async function createPayout({url}: Sandbox): Promise<void> {
  const answer = await post(
    askPayoutsAt(url),
    '/v1/apply/create',
    signed(payoutFields({returnUrl: receiver.url})),
  )
  expect(answer.status).toBe(200)
}

describe('the webhook of a finished order', () => {
  it('tells of a paid deposit, signed by service §5.1', async () => {
    const service = await start()
    const platformOrderNo = await createDeposit(service)
    const record = await service.control.payDeposit('D-1001', 1_234_50n, {channel: 'NAGAD'})
    expect(record).toMatchObject({status: 'success', response_code: 200, attempts: 1, next_retry_at: null})
    const [webhook] = receiver.received
    expect(webhook?.headers['content-type']).toBe('application/json')
    expect(webhook?.body).toEqual({
      event: 'order.completed',
      merchantId: demoAccount.merchantId,
      orderNo: 'D-1001',
      platformOrderNo,
      status: 'completed',
      amount: '1234.50',
      playerRef: 'player-7',
      signature: expect.any(String),
    })
    const {signature, ...fields} = webhook?.body ?? {}
    expect(signature).toBe(md5Signature(fields, demoAccount.apiSecret))
    expect(signature).toBe(signFields(webhook?.body ?? {}, demoAccount.apiSecret))
  })

  it('of an expired deposit is order.failed, without an amount', async () => {
    const service = await start()
    await createDeposit(service)
    await service.control.expireDeposit('D-1001')
    expect(receiver.received[0]?.body).toMatchObject({event: 'order.failed', status: 'failed'})
    expect(receiver.received[0]?.body).not.toHaveProperty('amount')
  })

  it.each([
    ['completePayout', 'order.completed', 'completed'],
    ['rejectPayout', 'order.failed', 'failed'],
  ] as const)('after %s is %s, without a playerRef', async (step, event, word) => {
    const service = await start()
    await createPayout(service)
    await service.control[step]('P-2001')
    const body = receiver.received[0]?.body
    expect(body).toMatchObject({event, status: word, orderNo: 'P-2001', amount: '250.00'})
    expect(body).not.toHaveProperty('playerRef')
    expect(body?.signature).toBe(md5Signature(body ?? {}, demoAccount.apiSecret))
  })

  it('comes by itself for isTest, once, also when the create is repeated', async () => {
    const service = await start()
    await createDeposit(service, {isTest: true})
    await createDeposit(service, {isTest: true})
    await service.control.idle()
    expect(receiver.received.map(({body}) => [body.event, body.amount])).toEqual([
      ['order.completed', '500.00'],
    ])
  })

  it('speaks the dialect: its words, and an HMAC header over the raw body', async () => {
    const dialect: Dialect = {
      ...defaultDialect,
      status: {
        deposit: {completed: ['PAID'], open: ['OPEN'], failed: ['DEAD']},
        payout: {completed: ['PAID'], open: ['OPEN'], failed: ['DEAD']},
      },
      webhookSignature: {...defaultDialect.webhookSignature, scheme: 'hmac'},
    }
    const service = await start({dialect})
    await createDeposit(service)
    await service.control.payDeposit('D-1001', 500_00n)
    const [webhook] = receiver.received
    expect(webhook?.body).toMatchObject({status: 'PAID'})
    expect(webhook?.body).not.toHaveProperty('signature')
    const timestamp = webhook?.headers['x-timestamp']
    expect(webhook?.headers['x-signature']).toBe(
      createHmac('sha256', sandboxCredentials.apiSecret).update(`${timestamp}.${webhook?.raw}`).digest('hex'),
    )
  })
})

describe('a webhook that is not taken', () => {
  it('is retried after 1 m, 5 m, 15 m, 1 h and 6 h, and then no more', async () => {
    const events: SandboxEvent[] = []
    const service = await start({log: (event) => events.push(event)})
    await createDeposit(service)
    receiver.answer = status(503, 'down for repair')
    const first = await service.control.payDeposit('D-1001', 500_00n)
    expect(first).toMatchObject({
      status: 'failed',
      attempts: 1,
      max_attempts: 5,
      response_code: 503,
      sent_at: '2026-11-20T06:00:00.000Z',
      next_retry_at: '2026-11-20T06:01:00.000Z',
    })
    await service.control.advanceBy((7 * 60 + 21) * minuteMs)
    const attempted = events.filter((event) => event.type === 'delivery_attempted')
    expect(attempted.map(({attempts, nextRetryAtMs}) => [attempts, isoOrNull(nextRetryAtMs)])).toEqual([
      [1, '2026-11-20T06:01:00.000Z'],
      [2, '2026-11-20T06:06:00.000Z'],
      [3, '2026-11-20T06:21:00.000Z'],
      [4, '2026-11-20T07:21:00.000Z'],
      [5, '2026-11-20T13:21:00.000Z'],
      [6, null],
    ])
    await service.control.advanceBy(48 * 60 * minuteMs)
    expect(receiver.received).toHaveLength(6)
    expect(new Set(receiver.received.map(({raw}) => raw)).size).toBe(1)
    const list = await legacy(askAt(service.url), 'GET', logPath)
    expect(list.body.data.data).toEqual([
      {
        ...first,
        attempts: 6,
        next_retry_at: null,
        sent_at: '2026-11-20T13:21:00.000Z',
      },
    ])
  })

  it('is not retried a moment before its time', async () => {
    const service = await start()
    await createDeposit(service)
    receiver.answer = status(500)
    await service.control.payDeposit('D-1001', 500_00n)
    await service.control.advanceBy(minuteMs - 1)
    expect(receiver.received).toHaveLength(1)
    await service.control.advanceBy(1)
    expect(receiver.received).toHaveLength(2)
  })

  it('is a success at the retry that is taken', async () => {
    const service = await start()
    await createDeposit(service)
    receiver.answer = status(500)
    const {id} = await service.control.payDeposit('D-1001', 500_00n)
    receiver.answer = status(204)
    await service.control.advanceBy(24 * 60 * minuteMs)
    const record = await legacy(askAt(service.url), 'GET', `${logPath}/${id}`)
    expect(record.body.data).toMatchObject({
      status: 'success',
      attempts: 2,
      response_code: 204,
      next_retry_at: null,
    })
    expect(receiver.received).toHaveLength(2)
  })

  it('is retried in the order of what is due, whichever order was first', async () => {
    const service = await start()
    for (const orderNo of ['A', 'B', 'C']) await createDeposit(service, {orderNo})
    receiver.answer = status(500)
    await service.control.payDeposit('C', 1_00n)
    await service.control.payDeposit('A', 1_00n)
    await service.control.advanceBy(30_000)
    await service.control.payDeposit('B', 1_00n)
    await service.control.advanceBy(6 * minuteMs)
    const orderNos = receiver.received.map(({body}) => body.orderNo)
    expect(orderNos.join('')).toBe('CABCABCAB')
  })

  // A status that came counts, whatever became of the answer after it.
  const failures: [
    what: string,
    answer: TestReceiver['answer'],
    code: number | null,
    reason: string | null,
  ][] = [
    ['a redirect, which is not followed', (r) => void r.writeHead(307, {location: '/x'}).end(), 307, null],
    ['a closed connection', (r) => void r.destroy(), null, 'connection_reset'],
    ['a reset connection', (r) => void r.socket?.resetAndDestroy(), null, 'connection_reset'],
    ['what is not HTTP', (r) => void r.socket?.end('SSH-2.0-hello\r\n'), null, 'not_http'],
    ['no answer in time', () => {}, null, 'timed_out'],
    ['an answer that never ends', (r) => void r.writeHead(503).write('.'), 503, 'body_slow'],
    [
      'an answer that is cut off',
      (r) => void r.writeHead(200, {'content-length': '9'}).write('.', () => r.destroy()),
      200,
      'body_broken',
    ],
    ['a 404', status(404, 'no such page'), 404, null],
    ['a 201', status(201), 201, null],
  ]
  it.each(failures)('records %s', async (_, answer, code, reason) => {
    const service = await start({deliveryTimeoutMs: 300})
    await createDeposit(service)
    receiver.answer = answer
    const record = await service.control.payDeposit('D-1001', 500_00n)
    const isTaken = code === 200 || code === 201
    expect(record).toMatchObject({response_code: code, status: isTaken ? 'success' : 'failed'})
    expect(service.control.attempts(record.id)).toMatchObject([{responseCode: code, reason}])
    expect(receiver.received).toHaveLength(1)
  })

  it('keeps the first 4 KiB of what the receiver said', async () => {
    const service = await start()
    await createDeposit(service)
    receiver.answer = status(500, 'x'.repeat(1_000_000))
    const {id} = await service.control.payDeposit('D-1001', 500_00n)
    const record = await legacy(askAt(service.url), 'GET', `${logPath}/${id}`)
    expect(record.body.data.response_body).toBe('x'.repeat(4096))
    expect(record.body.data.payload).toEqual(receiver.received[0]?.body)
  })

  it('is never sent beyond this machine unless that is allowed', async () => {
    const events: SandboxEvent[] = []
    const service = await start({log: (event) => events.push(event)})
    await createDeposit(service, {returnUrl: 'https://shop.example/hook'})
    const record = await service.control.payDeposit('D-1001', 500_00n)
    expect(record).toMatchObject({status: 'failed', response_code: null, attempts: 1})
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'delivery_attempted',
        problem: 'Not sent: the sandbox delivers to this machine only.',
      }),
    )
  })
})

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
