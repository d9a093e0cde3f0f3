import {expect, onTestFinished, test, vi} from 'vitest'

import PayoutCreate from '../../src/commands/payout/create.ts'
import {bookkeeper, payout} from './bookkeeper.ts'

/*
 * A payout failed at the limit of a wallet, and was paid in parts, or several were paid as one. The judge is what the service paid: never more
 * than was owed, unless a person says so.
 */
type Payment = readonly [orderNo: string, amount: string]

test.each<{failed: Payment[]; anew: Payment[]; again: Payment[]; owed: bigint}>([
  {
    failed: [['P-101', '45000']],
    anew: [
      ['P-150', '25000'],
      ['P-151', '20000'],
    ],
    again: [
      ['P-101R', '45000'],
      ['P-160', '45000'],
    ],
    owed: 4_500_000n,
  },
  {
    failed: [['P-101', '45000']],
    anew: [
      ['P-101A', '15000'],
      ['P-101B', '16000'],
      ['P-101C', '14000'],
    ],
    again: [
      ['P-101D', '45000'],
      ['P-160', '45000'],
    ],
    owed: 4_500_000n,
  },
  {
    failed: [
      ['P-101', '25000'],
      ['P-102', '20000'],
    ],
    anew: [['P-150', '45000']],
    again: [
      ['P-101R', '25000'],
      ['P-102R', '20000'],
    ],
    owed: 4_500_000n,
  },
])('$failed failed and was paid as $anew: it is not paid again as $again', async (given) => {
  const {failed, anew, again, owed} = given
  const {shell, books} = await bookkeeper('', true)
  const pay = async (payment: Payment, ...flags: string[]) =>
    (await shell.run(PayoutCreate, ...payout(...payment), ...flags)).status
  const paid = () =>
    [...books.values()]
      .filter(({status}) => status !== 'failed')
      .reduce((sum, {amount}) => sum + BigInt(String(amount).replace('.', '')), 0n)
  for (const payment of failed) expect(await pay(payment)).toBe(0)
  for (const [orderNo] of failed) Object.assign(books.get(orderNo) ?? {}, {status: 'failed'})
  for (const payment of anew) expect(await pay(payment)).toBe(0)
  for (const [orderNo] of anew) Object.assign(books.get(orderNo) ?? {}, {status: 'completed'})
  expect(paid()).toBe(owed)
  for (const hours of [1, 50, 24 * 40]) {
    vi.useFakeTimers({toFake: ['Date'], now: Date.now() + hours * 3_600_000})
    onTestFinished(() => void vi.useRealTimers())
    for (const payment of again) expect([payment, await pay(payment)]).toEqual([payment, 2])
    expect(paid()).toBe(owed)
  }
  const [first] = again
  if (first) expect(await pay(first, '--allow-repeat')).toBe(0)
})

test('a player who was paid other amounts since is paid anew without a word', async () => {
  const {shell, books} = await bookkeeper()
  for (const [orderNo, amount] of [
    ['P-101', '45000'],
    ['P-110', '3000'],
    ['P-111', '12000'],
  ] as const) {
    expect((await shell.run(PayoutCreate, ...payout(orderNo, amount))).status).toBe(0)
    Object.assign(books.get(orderNo) ?? {}, {status: orderNo === 'P-101' ? 'failed' : 'completed'})
  }
  expect((await shell.run(PayoutCreate, ...payout('P-101R', '45000'))).status).toBe(0)
})
