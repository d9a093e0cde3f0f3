import {once} from 'node:events'

import {afterEach, beforeEach, expect, it} from 'vitest'

import {steppedClock} from '../../../src/sandbox/clock.ts'
import {tempDir} from '../../temp-dir.ts'
import {askAt, depositFields, post, signed} from '../acting-merchant.ts'
import {createDeposit, noon, startAtNoon} from '../browser/played-sandbox.ts'
import {startProcess} from '../browser/start-process.ts'
import {openReceiver, type TestReceiver} from '../receiver-server.ts'

const payment = {channel: 'BKASH', sender: '01712345678', amount: '500.00', trxId: 'AAAA000001'}

let receiver: TestReceiver

beforeEach(async () => {
  receiver = await openReceiver()
})

afterEach(() => receiver.close())

it('choices, SMS at the desk and releases survive SIGKILL: nothing lost, nothing counted twice', async () => {
  const dataDir = tempDir()
  const first = await startProcess(dataDir)
  const ask = (path: string, body: unknown) => post(askAt(first.url), path, body)
  for (const orderNo of ['D-1', 'D-2']) {
    await ask('/v1/pay/order/create', signed(depositFields({orderNo, returnUrl: receiver.url})))
    await ask('/sandbox/deposits/choose', {
      orderNo,
      amount: '500.00',
      channel: orderNo === 'D-1' ? 'BKASH' : 'NAGAD',
    })
  }
  await ask('/sandbox/sms', payment)
  await ask('/sandbox/sms', {...payment, sender: '01999999999', trxId: 'AAAA000002'})
  first.child.kill('SIGKILL')
  await once(first.child, 'exit')

  const reopened = await startAtNoon({dataDir})
  const {control} = reopened
  expect(control.listSms().map(({trxId, state, orderNo}) => [trxId, state, orderNo])).toEqual([
    ['AAAA000002', 'waiting', null],
    ['AAAA000001', 'released', 'D-1'],
  ])
  const again = {channel: 'BKASH', sender: '01712345678', amount: 500_00n, trxId: 'AAAA000001'} as const
  expect(await control.receiveSms(again)).toMatchObject({state: 'duplicate'})
  expect(await control.receiveSms({...again, channel: 'NAGAD'})).toMatchObject({
    state: 'released',
    orderNo: 'D-2',
  })
  await reopened.close()
  expect(receiver.received.map(({body}) => body.orderNo)).toEqual(['D-1', 'D-2'])
})

it('a deposit that expired while the sandbox was down fails when it is started again', async () => {
  const dataDir = tempDir()
  const first = await startAtNoon({dataDir})
  await createDeposit(first, 'D-1', {returnUrl: receiver.url})
  await first.close()
  const second = await startAtNoon({dataDir, clock: steppedClock(noon + 31 * 60_000)})
  await second.control.idle()
  expect(receiver.received.map(({body}) => body.event)).toEqual(['order.failed'])
  await second.close()
})

it('a deposit of a merchant that is not set up any more stays, and does not hold up the others', async () => {
  const dataDir = tempDir()
  const gone = {
    merchantId: '5a9db0c5-0000-4000-8000-0000000000aa',
    credentials: {apiSecret: 's', apiKey: 'k'},
    isDemo: false,
  }
  const first = await startAtNoon({dataDir, merchants: [gone]})
  const account = {merchantId: gone.merchantId, ...gone.credentials}
  await post(askAt(first.url), '/v1/pay/order/create', signed(depositFields(), account))
  await createDeposit(first, 'D-1', {returnUrl: receiver.url})
  await first.close()
  const second = await startAtNoon({dataDir})
  await second.control.advanceBy(40 * 60_000)
  expect(receiver.received.map(({body}) => body.orderNo)).toEqual(['D-1'])
  await second.close()
})
