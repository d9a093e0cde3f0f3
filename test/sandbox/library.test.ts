import {afterEach, beforeEach, expect, it} from 'vitest'

import {type RunningSandbox, type SandboxSettings, startSandbox} from '../../src/sandbox/library.ts'
import {askAt, depositFields, payoutFields, post, signed} from './acting-merchant.ts'
import {fillDisk} from './full-disk.ts'
import {openReceiver, type TestReceiver} from './receiver-server.ts'

let receiver: TestReceiver
let sandbox: RunningSandbox

beforeEach(async () => {
  receiver = await openReceiver()
})

afterEach(async () => {
  await sandbox.close()
  await receiver.close()
})

const account = {
  merchantId: '5a9db0c5-0000-4000-8000-000000000009',
  apiSecret: 'a-secret-of-this-test',
  apiKey: 'a-key-of-this-test',
}

async function start(settings: SandboxSettings = {}): Promise<RunningSandbox> {
  sandbox = await startSandbox({startAt: '2026-11-20T12:00:00+06:00', ...settings})
  await post(
    askAt(sandbox.baseUrl),
    '/pay/order/create',
    signed(depositFields({returnUrl: receiver.url}), settings.merchants?.[0]),
  )
  return sandbox
}

it('closes more than once, and says what is wrong with a call after it', async () => {
  const {close, pay, clock, deliveries} = await start()
  await Promise.all([close(), close()])
  await close()
  for (const ask of [() => pay('D-1001', '5.00'), () => clock.advance('1h')]) {
    await expect(ask()).rejects.toMatchObject({code: 'usage', message: 'The sandbox is closed.'})
  }
  expect(deliveries).toThrow('The sandbox is closed.')
})

it('says in its own words that nothing could be stored, and goes on once there is room', async () => {
  const {pay, expire, deliveries} = await start()
  const message = 'The sandbox cannot store anything: its disk may be full.'
  const unstored = {code: 'storage_failed', message}
  const disk = fillDisk()
  try {
    await expect(pay('D-1001', '500.00')).rejects.toMatchObject(unstored)
    await expect(expire('D-1001')).rejects.toMatchObject(unstored)
    expect(deliveries()).toEqual([])
  } finally {
    disk.mockRestore()
  }
  await pay('D-1001', '500.00')
  await expect.poll(() => deliveries(), {timeout: 3000}).toMatchObject([{attempts: 1, status: 'success'}])
})

it('waits two real seconds at most for a receiver that hangs while the clock stands', async () => {
  const {pay, deliveries} = await start()
  receiver.answer = () => {}
  expect(await pay('D-1001', '500.00')).toMatchObject({status: 'failed', response_code: null})
  expect(deliveries()).toMatchObject([{attempts: 1, attemptLog: [{number: 1, reason: 'timed_out'}]}])
})

it('takes the time-out of a delivery', async () => {
  const {pay, clock, deliveries} = await start({deliveryTimeout: 50})
  receiver.answer = () => {}
  await pay('D-1001', '500.00')
  await clock.advance('7h21m')
  expect(deliveries()[0]?.attemptLog).toHaveLength(6)
})

it('takes time forward only, to the year 9998, and says so without talk of signatures', async () => {
  const {clock, pay} = await start()
  for (const span of [-5, 8_700_000_000_000_000, 0.5]) {
    await expect(clock.advance(span)).rejects.toThrow('time moves forward only')
  }
  await clock.advance('1h')
  expect(clock.now().toISOString()).toBe('2026-11-20T07:00:00.000Z')
  expect(await pay('D-1001', '500.00')).toMatchObject({status: 'success'})
})

it('takes a dialect, a time to pay, a balance and merchants of its own', async () => {
  const {defaultDialect} = await import('../../src/core/dialect.ts')
  const deposit = {open: ['NEW'], completed: ['PAID'], failed: ['GONE']}
  const settings = {
    dialect: {status: {...defaultDialect.status, deposit}},
    payWithin: '10m',
    balance: '700.00',
    merchants: [{...account, balance: '20.00'}],
  }
  const {clock, balance, deliveries, baseUrl, applyUrl} = await start(settings)
  expect([balance(), balance(account)]).toEqual(['700.00', '20.00'])
  expect(await post(askAt(applyUrl), '/apply/create', signed(payoutFields(), account))).toMatchObject({
    status: 400,
    body: {code: 'INSUFFICIENT_BALANCE'},
  })
  await clock.advance('10m')
  expect(await post(askAt(baseUrl), '/pay/order/query', signed({orderNo: 'D-1001'}, account))).toMatchObject({
    body: {data: {status: 'GONE'}},
  })
  expect(deliveries()).toEqual([])
  expect(deliveries(account)).toMatchObject([{event: 'order.failed', status: 'success'}])
})

it('plays payment SMS and the desk, and tells what was refused', async () => {
  const {choose, sms, requests, baseUrl} = await start()
  choose('D-1001', '500.00')
  const payment = {channel: 'BKASH', sender: '01712345678', amount: '450.00'} as const
  const {id} = await sms.receive(payment)
  expect(sms.list('waiting')).toMatchObject([{id, reason: 'amount_differs'}])
  expect(await sms.release(id, 'D-1001')).toMatchObject({state: 'released', delivery: {status: 'success'}})
  const unsorted = {...signed({orderNo: 'D-1001'}), signature: '0'.repeat(32)}
  await post(askAt(baseUrl), '/pay/order/query', unsorted)
  const [refused] = requests.list({isRefused: true})
  expect(refused).toMatchObject({orderNo: 'D-1001', refusal: {code: 'SIGNATURE_INVALID'}})
  expect(requests.diagnose(refused?.id ?? 0)).toMatchObject({cause: 'none_found'})
})
