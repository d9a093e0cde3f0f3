import {describe, expect, it} from 'vitest'

import PayoutCreate from '../../../src/commands/payout/create.ts'
import PayoutQuery from '../../../src/commands/payout/query.ts'
import WebhooksList from '../../../src/commands/webhooks/list.ts'
import {depositFields} from '../acting-merchant.ts'
import {clientOf, shellWithChaos} from './played.ts'

const payout = [
  ...['--out-order-no', 'P-1', '--amount', '250', '--bank-type', 'BKASH', '--user-name', 'Rahim Uddin'],
  ...['--account', '01812345678', '--return-url', 'http://127.0.0.1:9/hook', '--yes', '--json'],
]

describe('a payout', () => {
  it.each(['lost-answer-before', 'lost-answer-after', 'html', 'truncated'])(
    'that meets %s once is made, once',
    async (fault) => {
      const {sandbox, shell} = await shellWithChaos(`payout-create.${fault}=#1`)
      const created = await shell.run(PayoutCreate, ...payout)
      expect(created.status).toBe(0)
      expect(created.json()).toMatchObject({orderNo: 'P-1', confirmed: true})
      expect(sandbox.faults.state().played).toEqual({[fault]: 1})
      expect(sandbox.control.balance()).toBe(999_750_00n)
    },
  )

  it.each([
    ['lost-answer-before', 7],
    ['lost-answer-after', 0],
    ['html', 0],
    ['truncated', 0],
  ])('that meets %s every time is asked for, and says whether it was made', async (fault, asked) => {
    const {sandbox, shell} = await shellWithChaos(`payout-create.${fault}`)
    expect((await shell.run(PayoutCreate, ...payout)).status).toBe(asked === 0 ? 0 : 6)
    expect(sandbox.control.balance()).toBe(asked === 0 ? 999_750_00n : 1_000_000_00n)
    expect((await shell.run(PayoutQuery, 'P-1')).status).toBe(asked)
  })
})

it('drip: an answer that never ends is given up at the deadline, and the same number finds the order', async () => {
  const {sandbox} = await shellWithChaos('deposit-create.drip=#1')
  const {client} = clientOf(sandbox, {limits: {totalTimeoutMs: 400}})
  const {orderNo, playerPhone, playerRef, returnUrl} = depositFields() as Record<string, string>
  const request = {orderNo: orderNo ?? '', playerPhone: playerPhone ?? '', playerRef: playerRef ?? ''}
  const created = await client.createDeposit({...request, returnUrl: returnUrl ?? ''})
  expect(created.orderNo).toBe(orderNo)
  expect(sandbox.faults.state().played).toEqual({drip: 1})
})

it('rate-limited: hisab waits as long as it is told, and asks again', async () => {
  const {sandbox} = await shellWithChaos('deposit-query.rate-limited=#1:7s')
  const {client, waitedMs} = clientOf(sandbox)
  expect(await client.queryOrder('deposit', 'D-1')).toMatchObject({found: false})
  // Its own back-off would be a second at most.
  expect(Math.max(...waitedMs)).toBeGreaterThan(6_000)
})

it.each(['html', 'truncated'])('%s is no answer to a query: neither there nor absent', async (fault) => {
  const {shell} = await shellWithChaos(`payout-query.${fault}`)
  const asked = await shell.run(PayoutQuery, 'P-1', '--json')
  expect(asked.status).toBe(8)
})

describe('the webhook log', () => {
  const records = 230

  async function shellWithRecords(...chaos: string[]) {
    const {sandbox, shell} = await shellWithChaos(...chaos)
    const {client} = clientOf(sandbox)
    for (let n = 1; n <= records; n += 1) {
      const orderNo = `D-${n}`
      const fields = {orderNo, playerPhone: '01712345678', playerRef: 'player-7'}
      await client.createDeposit({...fields, returnUrl: 'http://127.0.0.1:9/hook'})
      await sandbox.control.payDeposit(orderNo, 500_00n)
    }
    return shell
  }

  it('that moves once while it is read is read again, and whole', async () => {
    const shell = await shellWithRecords('moving-pages=#2')
    const listed = await shell.run(WebhooksList, '--all', '--json')
    expect(listed.status).toBe(0)
    expect(listed.json()).toMatchObject({complete: true})
    expect(new Set((listed.json().records as {id: string}[]).map(({id}) => id)).size).toBe(records)
  })

  it('that only grows while it is read is whole', async () => {
    const shell = await shellWithRecords('moving-pages')
    const listed = await shell.run(WebhooksList, '--all', '--json')
    expect(listed.status).toBe(0)
    expect(listed.json()).toMatchObject({complete: true})
    expect(new Set((listed.json().records as {id: string}[]).map(({id}) => id)).size).toBe(records)
  })

  it('of a deployment without it is not there, which is no empty list', async () => {
    const {shell} = await shellWithChaos('no-legacy-api')
    const listed = await shell.run(WebhooksList, '--json')
    expect(listed.status).toBe(5)
    expect(listed.json()).toMatchObject({error: {code: 'legacy_unavailable'}})
  })

  it('of a service whose clock is off refuses, and hisab says that it is the clock', async () => {
    const {shell} = await shellWithChaos('skewed-clock:10m')
    const listed = await shell.run(WebhooksList)
    expect(listed.status).toBe(3)
    expect(listed.stderr).toMatch(/clock/)
  })
})
