import {afterEach, beforeEach, describe, expect, it} from 'vitest'

import {steppedClock} from '../../src/sandbox/clock.ts'
import {type Sandbox, startSandbox} from '../../src/sandbox/start.ts'
import {askAt, depositFields, legacy, post, signed} from './acting-merchant.ts'
import {openReceiver, status, type TestReceiver} from './receiver-server.ts'

const minuteMs = 60_000
const logPath = '/api/v1/merchant/webhooks'

let receiver: TestReceiver
let service: Sandbox

/** One deposit whose receiver will refuse the webhook. */
beforeEach(async () => {
  receiver = await openReceiver()
  receiver.answer = status(503)
  service = await startSandbox({
    port: 0,
    dataDir: null,
    clock: steppedClock(Date.parse('2026-11-20T06:00:00Z')),
  })
  const body = signed(depositFields({returnUrl: receiver.url}))
  await post(askAt(service.url), '/v1/pay/order/create', body)
})

afterEach(async () => {
  await service.close()
  await receiver.close()
})

describe('a resend', () => {
  /** The id of a record whose five retries all failed. */
  async function exhaust(): Promise<string> {
    const {id} = await service.control.payDeposit('D-1001', 500_00n)
    await service.control.advanceBy(24 * 60 * minuteMs)
    return id
  }

  it('delivers once, at once, the same bytes', async () => {
    const id = await exhaust()
    receiver.answer = status(200, 'thanks')
    const answer = await legacy(askAt(service.url), 'POST', `${logPath}/${id}/resend`)
    expect(answer).toMatchObject({status: 200, body: {success: true}})
    const record = await legacy(askAt(service.url), 'GET', `${logPath}/${id}`)
    expect(record.body.data).toMatchObject({
      status: 'success',
      attempts: 7,
      response_code: 200,
      response_body: 'thanks',
      next_retry_at: null,
      sent_at: '2026-11-21T06:00:00.000Z',
    })
    expect(receiver.received).toHaveLength(7)
    expect(receiver.received[6]?.raw).toBe(receiver.received[0]?.raw)
  })

  it('that fails starts no new retries', async () => {
    const id = await exhaust()
    await legacy(askAt(service.url), 'POST', `${logPath}/${id}/resend`)
    await service.control.advanceBy(24 * 60 * minuteMs)
    const record = await legacy(askAt(service.url), 'GET', `${logPath}/${id}`)
    expect(record.body.data).toMatchObject({status: 'failed', attempts: 7, next_retry_at: null})
    expect(receiver.received).toHaveLength(7)
  })

  it('between two retries leaves the schedule where it is, or ends it by success', async () => {
    const {id} = await service.control.payDeposit('D-1001', 500_00n)
    const failed = await legacy(askAt(service.url), 'POST', `${logPath}/${id}/resend`)
    expect(failed.body.data).toMatchObject({attempts: 2, next_retry_at: '2026-11-20T06:01:00.000Z'})
    await service.control.advanceBy(minuteMs)
    expect(receiver.received).toHaveLength(3)
    receiver.answer = status(200)
    const delivered = await legacy(askAt(service.url), 'POST', `${logPath}/${id}/resend`)
    expect(delivered.body.data).toMatchObject({status: 'success', attempts: 4, next_retry_at: null})
    await service.control.advanceBy(24 * 60 * minuteMs)
    expect(receiver.received).toHaveLength(4)
  })

  it('asked for twice at once is delivered one after the other and counted twice', async () => {
    const id = await exhaust()
    const ask = askAt(service.url)
    await Promise.all([1, 2].map(() => legacy(ask, 'POST', `${logPath}/${id}/resend`)))
    const record = await legacy(ask, 'GET', `${logPath}/${id}`)
    expect(record.body.data.attempts).toBe(8)
    expect(receiver.received).toHaveLength(8)
  })
})
