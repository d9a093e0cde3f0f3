import {describe, expect, it, onTestFinished} from 'vitest'

import Reconcile from '../../../src/commands/reconcile.ts'
import {writeFileAtomically} from '../../../src/files/private-files.ts'
import type {Sandbox} from '../../../src/sandbox/start.ts'
import {openReceiver} from '../receiver-server.ts'
import {clientOf, openMerchant, shellWithChaos} from './played.ts'

const minuteMs = 60_000

async function createAndPay(sandbox: Sandbox, orderNo: string, returnUrl: string) {
  const fields = {orderNo, playerPhone: '01712345678', playerRef: 'player-7', returnUrl}
  await clientOf(sandbox).client.createDeposit(fields)
  return await sandbox.control.payDeposit(orderNo, 500_00n)
}

/** An order the merchant expects, paid under these faults. */
async function playDeposit(...chaos: string[]) {
  const merchant = await openMerchant()
  merchant.expect('D-1')
  const {sandbox, shell} = await shellWithChaos(...chaos)
  const record = await createAndPay(sandbox, 'D-1', merchant.returnUrl)
  const booked = () => merchant.books.get('D-1')
  return {sandbox, shell, merchant, record, booked}
}

it('webhook-doubled: booked once', async () => {
  const {booked, record} = await playDeposit('webhook-doubled')
  expect(booked()).toMatchObject({status: 'credited', amount: 500_00n, bookings: 1})
  expect(record).toMatchObject({status: 'success', attempts: 1})
})

it('webhook-late: done at the service and not in the books, until it comes', async () => {
  const {booked, record, sandbox} = await playDeposit('webhook-late:10m')
  expect(record).toMatchObject({status: 'pending', attempts: 0, next_retry_at: null})
  await sandbox.control.advanceBy(9 * minuteMs)
  expect(booked()?.status).toBe('pending')
  await sandbox.control.advanceBy(minuteMs)
  expect(booked()).toMatchObject({status: 'credited', bookings: 1})
})

describe('webhook-forged', () => {
  it('is refused by a receiver that verifies, and the true one is booked', async () => {
    const {booked, sandbox} = await playDeposit('webhook-forged')
    expect(booked()).toMatchObject({status: 'credited', amount: 500_00n, bookings: 1})
    expect(sandbox.faults.state()).toMatchObject({played: {'webhook-forged': 1}, forgeriesTaken: 0})
  })

  it('taken by a receiver that does not is counted against it', async () => {
    const receiver = await openReceiver()
    onTestFinished(() => receiver.close())
    const {sandbox} = await shellWithChaos('webhook-forged')
    await createAndPay(sandbox, 'D-1', receiver.url)
    expect(receiver.received.map(({body}) => body.amount)).toEqual(['100000.00', '500.00'])
    expect(receiver.received[0]?.body.signature).toBe(receiver.received[1]?.body.signature)
    expect(sandbox.faults.state().forgeriesTaken).toBe(1)
  })
})

describe('receiver-outage', () => {
  it('shorter than the retries is over by itself', async () => {
    const {booked, record, sandbox} = await playDeposit('receiver-outage@/+20m')
    expect(record).toMatchObject({status: 'failed', response_code: 503, attempts: 1})
    await sandbox.control.advanceBy(6 * minuteMs)
    expect(booked()?.status).toBe('pending')
    await sandbox.control.advanceBy(15 * minuteMs)
    expect(booked()).toMatchObject({status: 'credited', bookings: 1})
  })

  it('longer than the retries leaves what reconcile heals', async () => {
    const {booked, sandbox, shell} = await playDeposit('receiver-outage@/+8h')
    await sandbox.control.advanceBy(8 * 60 * minuteMs)
    expect(booked()?.status).toBe('pending')
    const ledger = `${shell.dataDir}/ledger.csv`
    writeFileAtomically(ledger, 'order_no,status,amount\nD-1,pending,\n')
    const delivered = await shell.run(
      Reconcile,
      ledger,
      '--kind',
      'deposit',
      '--since',
      '2020-01-01',
      '--yes',
      '--json',
    )
    expect(delivered.json()).toMatchObject({resends: {planned: 1, sent: 1, delivered: 1}})
    expect(delivered.status).toBe(0)
    expect(booked()).toMatchObject({status: 'credited', bookings: 1})
  })
})
