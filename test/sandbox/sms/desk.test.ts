import {afterEach, beforeEach, describe, expect, it} from 'vitest'

import {ordinaryMerchant} from '../../../src/sandbox/merchants.ts'
import type {Sandbox} from '../../../src/sandbox/start.ts'
import {askAt, askPayoutsAt, depositFields, payoutFields, post, signed} from '../acting-merchant.ts'
import {createDeposit, startAtNoon} from '../browser/played-sandbox.ts'
import {openReceiver, type TestReceiver} from '../receiver-server.ts'

const player = '01712345678'
const minuteMs = 60_000
const payment = {channel: 'BKASH', sender: player, amount: 500_00n, trxId: 'AAAA000001'} as const

let sandbox: Sandbox
let receiver: TestReceiver

beforeEach(async () => {
  receiver = await openReceiver()
  sandbox = await startAtNoon()
  await createDeposit(sandbox, 'D-1', {returnUrl: receiver.url})
})

afterEach(async () => {
  await sandbox.close()
  await receiver.close()
})

const stateOf = async (orderNo: string): Promise<string> =>
  (await post(askAt(sandbox.url), '/v1/pay/order/query', signed({orderNo}))).body.data.status

describe('a payment SMS', () => {
  beforeEach(() => sandbox.control.chooseAmount('D-1', 500_00n, 'BKASH'))

  it('of the player, the amount and the channel releases the order and its webhook', async () => {
    const sms = await sandbox.control.receiveSms(payment)
    expect(sms).toMatchObject({state: 'released', orderNo: 'D-1', decidedBy: 'match'})
    expect(sms.delivery).toMatchObject({status: 'success', attempts: 1})
    expect(receiver.received.map(({body}) => body)).toMatchObject([
      {event: 'order.completed', orderNo: 'D-1', amount: '500.00', playerRef: 'player-7'},
    ])
    expect(JSON.stringify(receiver.received)).not.toContain(payment.trxId)
  })

  const strangers: [why: string, change: object, reason: string][] = [
    ['another number', {sender: '01812345678'}, 'stranger'],
    ['another amount', {amount: 499_99n}, 'amount_differs'],
    ['another channel', {channel: 'NAGAD'}, 'channel_differs'],
    ['another amount and another channel', {amount: 1_00n, channel: 'NAGAD'}, 'amount_differs'],
  ]
  it.each(strangers)('with %s waits at the desk', async (_, change, reason) => {
    expect(await sandbox.control.receiveSms({...payment, ...change})).toMatchObject({
      state: 'waiting',
      reason,
      orderNo: null,
    })
    expect(await stateOf('D-1')).toBe('processing')
    expect(receiver.received).toEqual([])
  })

  it.each([
    ['that its channel did not send', {from: '01812345678'}, 'not_from_channel'],
    ['of another channel’s sender', {from: 'NAGAD'}, 'not_from_channel'],
    ['that tells of none', {text: 'Your OTP is 123456'}, 'unreadable'],
    [
      'with the end of the number alone',
      {
        from: '16216',
        text: 'Tk500.00 received from A/C:***678 Fee:Tk0, Your A/C Balance: Tk1.00 TxnId:6606781284 Date:08-JUN-26',
      },
      'sender_hidden',
    ],
  ])('%s waits at the desk', async (_, change, reason) => {
    const text = `You have received Tk 500.00 from ${player}. TrxID AAAA000001`
    const sms = await sandbox.control.receiveSms({from: 'bKash', text, ...change})
    expect(sms).toMatchObject({state: 'waiting', reason})
    expect(await stateOf('D-1')).toBe('processing')
  })

  it('that comes twice is counted once, also when it first waited', async () => {
    await sandbox.control.receiveSms(payment)
    await createDeposit(sandbox, 'D-2')
    sandbox.control.chooseAmount('D-2', 500_00n, 'BKASH')
    expect(await sandbox.control.receiveSms(payment)).toMatchObject({state: 'duplicate', orderNo: null})
    // The same number of a transaction at another channel is another transaction.
    const nagad = {...payment, channel: 'NAGAD'} as const
    const waiting = await sandbox.control.receiveSms(nagad)
    const twice = await sandbox.control.receiveSms(nagad)
    expect([waiting.state, twice.state]).toEqual(['waiting', 'waiting'])
    await createDeposit(sandbox, 'D-3')
    await sandbox.control.releaseSms(twice.id, 'D-3')
    expect(sandbox.control.listSms('waiting')).toEqual([])
    await expect(sandbox.control.releaseSms(waiting.id, 'D-2')).rejects.toThrow('is duplicate already')
    expect(await stateOf('D-2')).toBe('processing')
    expect(receiver.received).toHaveLength(1)
  })

  it('that could pay for two orders pays for none by itself', async () => {
    await createDeposit(sandbox, 'D-2')
    sandbox.control.chooseAmount('D-2', 500_00n, 'BKASH')
    expect(await sandbox.control.receiveSms(payment)).toMatchObject({reason: 'several_orders'})
  })

  it('waits where the player has chosen nothing, and where the time is up', async () => {
    await createDeposit(sandbox, 'D-2', {playerPhone: '01912345678'})
    const early = await sandbox.control.receiveSms({...payment, sender: '01912345678'})
    expect(early).toMatchObject({reason: 'not_chosen'})
    await sandbox.control.advanceBy(30 * minuteMs)
    expect(await sandbox.control.receiveSms({...payment, trxId: 'AAAA000002'})).toMatchObject({
      reason: 'stranger',
    })
    expect(await stateOf('D-1')).toBe('failed')
  })

  it('counts for the choice that was made last', async () => {
    sandbox.control.chooseAmount('D-1', 700_00n, 'ROCKET')
    expect(await sandbox.control.receiveSms(payment)).toMatchObject({state: 'waiting'})
    const second = {...payment, channel: 'ROCKET', amount: 700_00n} as const
    expect(await sandbox.control.receiveSms(second)).toMatchObject({state: 'released'})
  })
})

describe('the desk', () => {
  const ask = (path: string, body: unknown) => post(askAt(sandbox.url), `/sandbox${path}`, body)

  it('releases with what was paid, once, and to an order that is open', async () => {
    sandbox.control.chooseAmount('D-1', 500_00n, 'BKASH')
    const wrong = {channel: 'NAGAD', sender: '01999999999', amount: '450.00', trxId: 'BBBB000001'}
    const {body} = await ask('/sms', wrong)
    const released = await ask('/sms/release', {id: body.data.id, orderNo: 'D-1'})
    expect(released.body.data).toMatchObject({state: 'released', decidedBy: 'desk', orderNo: 'D-1'})
    expect(receiver.received[0]?.body).toMatchObject({amount: '450.00', status: 'completed'})
    await createDeposit(sandbox, 'D-2')
    expect(await ask('/sms/release', {id: body.data.id, orderNo: 'D-2'})).toMatchObject({
      status: 409,
      body: {code: 'SMS_NOT_WAITING'},
    })
    const other = await ask('/sms', {...wrong, trxId: 'BBBB000002'})
    expect(await ask('/sms/release', {id: other.body.data.id, orderNo: 'D-1'})).toMatchObject({
      status: 409,
      body: {code: 'ORDER_NOT_OPEN'},
    })
    const waiting = await fetch(`${sandbox.url}/sandbox/sms?state=waiting`)
    expect(await waiting.json()).toMatchObject({data: {sms: [{trxId: 'BBBB000002', state: 'waiting'}]}})
    expect(receiver.received).toHaveLength(1)
  })

  it('discards, once, and then it stays discarded', async () => {
    const {id} = await sandbox.control.receiveSms(payment)
    expect((await ask('/sms/discard', {id})).body.data).toMatchObject({state: 'discarded'})
    expect(await ask('/sms/discard', {id})).toMatchObject({status: 409})
    expect(await ask('/sms/release', {id, orderNo: 'D-1'})).toMatchObject({status: 409})
    // The network sends it again: what a person decided is not decided anew by itself.
    sandbox.control.chooseAmount('D-1', 500_00n, 'BKASH')
    expect(await sandbox.control.receiveSms(payment)).toMatchObject({
      state: 'waiting',
      reason: 'discarded_before',
    })
  })

  it.each([
    ['what nobody could read', {from: 'bKash', text: 'hello'}],
    [
      'what its channel did not send',
      {from: '017', text: `You have received Tk 5 from ${player}. TrxID AAAA000001`},
    ],
  ])('releases nothing with %s', async (_, sms) => {
    const {body} = await ask('/sms', sms)
    expect(await ask('/sms/release', {id: body.data.id, orderNo: 'D-1'})).toMatchObject({
      status: 409,
      body: {code: 'SMS_NOT_A_PAYMENT'},
    })
    expect(await stateOf('D-1')).toBe('processing')
  })

  it.each([
    ['no such SMS', '/sms/discard', {id: 99}, 404],
    ['an id in quotes', '/sms/discard', {id: '1'}, 400],
    ['no such order', '/sms/release', {id: 1, orderNo: 'D-9'}, 404],
    [
      'an order of another merchant',
      '/sms/release',
      {id: 1, orderNo: 'D-1', merchantId: ordinaryMerchant.merchantId},
      404,
    ],
    ['an SMS without a sender', '/sms', {text: 'hello'}, 400],
    ['an SMS of 1001 characters', '/sms', {from: 'bKash', text: 'x'.repeat(1001)}, 400],
    ['a payment of zero', '/sms', {channel: 'BKASH', sender: player, amount: '0'}, 400],
    ['a payment from nowhere', '/sms', {channel: 'BKASH', sender: '123', amount: '5'}, 400],
    [
      'a transaction of two words',
      '/sms',
      {channel: 'BKASH', sender: player, amount: '5', trxId: 'A B'},
      400,
    ],
    ['a choice of nothing', '/deposits/choose', {orderNo: 'D-1', amount: '0', channel: 'BKASH'}, 400],
  ])('refuses %s', async (_, path, body, status) => {
    await sandbox.control.receiveSms({...payment, sender: '01999999999'})
    expect(await ask(path, body)).toMatchObject({status})
  })
})

describe('a forged SMS', () => {
  const forged = {from: '01812000000', text: `You have received Tk 500.00 from ${player}. TrxID AAAA000001`}
  const news = async (payUrl: string) => await (await fetch(`${payUrl}/news`)).json()

  it('uses nothing up and changes nothing a player sees; the true one releases the order', async () => {
    const payUrl = await createDeposit(sandbox, 'D-9', {playerPhone: '01312345678'})
    sandbox.control.chooseAmount('D-9', 500_00n, 'BKASH')
    const before = await news(payUrl)
    const own = {...forged, text: forged.text.replace(player, '01312345678')}
    expect(await sandbox.control.receiveSms(own)).toMatchObject({reason: 'not_from_channel'})
    expect(await news(payUrl)).toEqual(before)
    const genuine = {...payment, sender: '01312345678'}
    expect(await sandbox.control.receiveSms(genuine)).toMatchObject({state: 'released', orderNo: 'D-9'})
    expect(await sandbox.control.receiveSms(own)).toMatchObject({reason: 'not_from_channel'})
  })

  it('holds no order open', async () => {
    await sandbox.control.receiveSms(forged)
    await sandbox.control.advanceBy(30 * minuteMs)
    expect(await stateOf('D-1')).toBe('failed')
  })
})

describe('a payment under check', () => {
  const short = {...payment, amount: 450_00n}

  beforeEach(async () => {
    sandbox.control.chooseAmount('D-1', 500_00n, 'BKASH')
    await sandbox.control.receiveSms(short)
    await sandbox.control.advanceBy(3 * 60 * minuteMs)
  })

  it('holds its order open past its time, until a person releases it', async () => {
    expect(await stateOf('D-1')).toBe('processing')
    const [sms] = sandbox.control.listSms('waiting')
    expect(await sandbox.control.releaseSms(sms?.id ?? 0, 'D-1')).toMatchObject({state: 'released'})
    expect(receiver.received.map(({body}) => body)).toMatchObject([
      {event: 'order.completed', amount: '450.00'},
    ])
  })

  it('lets the order fail at once where a person discards it', async () => {
    const [sms] = sandbox.control.listSms('waiting')
    await sandbox.control.discardSms(sms?.id ?? 0)
    expect(await stateOf('D-1')).toBe('failed')
    await sandbox.control.idle()
    // What the player had chosen is told: a deposit's webhook carries an amount.
    expect(receiver.received.map(({body}) => body)).toMatchObject([{event: 'order.failed', amount: '500.00'}])
  })

  it('lets the true amount release it meanwhile', async () => {
    expect(await sandbox.control.receiveSms({...payment, trxId: 'AAAA000002'})).toMatchObject({
      state: 'released',
      orderNo: 'D-1',
    })
  })
})

describe('isTest', () => {
  it('makes the SMS by itself: the order is completed and the SMS is in the in-box', async () => {
    await createDeposit(sandbox, 'T-1', {isTest: true, returnUrl: receiver.url})
    await sandbox.control.idle()
    expect(await stateOf('T-1')).toBe('completed')
    expect(sandbox.control.listSms()).toMatchObject([
      {state: 'released', decidedBy: 'test', orderNo: 'T-1', amount: '500.00', sender: player},
    ])
    expect(receiver.received[0]?.body).toMatchObject({orderNo: 'T-1', amount: '500.00'})
  })

  it('is refused to an ordinary merchant, and no SMS is made', async () => {
    const account = {merchantId: ordinaryMerchant.merchantId, ...ordinaryMerchant.credentials}
    const body = signed(depositFields({isTest: true}), account)
    expect(await post(askAt(sandbox.url), '/v1/pay/order/create', body)).toMatchObject({
      status: 400,
      body: {code: 'TEST_NOT_ALLOWED'},
    })
    expect(sandbox.control.listSms()).toEqual([])
  })
})

describe('time', () => {
  it('fails a deposit nobody paid, to the second, and tells the merchant', async () => {
    await sandbox.control.advanceBy(30 * minuteMs - 1)
    expect(await stateOf('D-1')).toBe('processing')
    await sandbox.control.advanceBy(1)
    expect(await stateOf('D-1')).toBe('failed')
    expect(receiver.received.map(({body}) => body)).toMatchObject([{event: 'order.failed', orderNo: 'D-1'}])
  })

  it('fails each at its own time, also those made later', async () => {
    await sandbox.control.advanceBy(10 * minuteMs)
    await createDeposit(sandbox, 'D-2', {returnUrl: receiver.url})
    await sandbox.control.advanceBy(25 * minuteMs)
    expect([await stateOf('D-1'), await stateOf('D-2')]).toEqual(['failed', 'processing'])
    await sandbox.control.advanceBy(5 * minuteMs)
    expect(await stateOf('D-2')).toBe('failed')
  })

  it('fails many at one instant, each once, and leaves payouts alone', async () => {
    for (let n = 2; n <= 130; n += 1) await createDeposit(sandbox, `D-${n}`, {returnUrl: receiver.url})
    await post(askPayoutsAt(sandbox.url), '/v1/apply/create', signed(payoutFields()))
    await sandbox.control.advanceBy(31 * minuteMs)
    expect(new Set(receiver.received.map(({body}) => body.orderNo)).size).toBe(130)
    expect(receiver.received).toHaveLength(130)
  })
})
