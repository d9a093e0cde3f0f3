import {utimesSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {afterEach, describe, expect, test, vi} from 'vitest'

import DepositCreate from '../../src/commands/deposit/create.ts'
import Nightly from '../../src/commands/nightly.ts'
import PayoutCreate from '../../src/commands/payout/create.ts'
import {tempDir} from '../temp-dir.ts'
import {bookkeeper, deposit, payout} from './bookkeeper.ts'

const hourMs = 3_600_000

/** This machine's clock alone: the service's Date is of the real one. */
function setClock(aheadHours: number): void {
  vi.useRealTimers()
  if (aheadHours !== 0) vi.useFakeTimers({toFake: ['Date'], now: Date.now() + aheadHours * hourMs})
}

afterEach(() => void vi.useRealTimers())

const file = (orderNo: string, amount = '1000') => {
  const path = join(tempDir(), 'payouts.csv')
  const head = 'order_no,amount,bank_type,user_name,account'
  writeFileSync(path, `${head}\n${orderNo},${amount},BKASH,Rahim Uddin,01812345678\n`)
  return ['--from', path, '--yes', '--json']
}

describe.each([
  ['alone', payout],
  ['in a file', file],
])('a payout %s while the clock of this machine is off', (_how, asked) => {
  test.each([
    // Hours ahead for the first payout, and for the second.
    [0, 25],
    [0, 48],
    [-25, 0],
    [-48, 0],
    [25, 0],
    [0, -25],
  ])('is not paid again (clock %i h ahead, then %i h)', async (first, second) => {
    const {shell, paid} = await bookkeeper()
    setClock(first)
    expect((await shell.run(PayoutCreate, ...payout('P-1'))).status).toBe(0)
    setClock(second)
    expect((await shell.run(PayoutCreate, ...asked('P-2'))).status).not.toBe(0)
    expect(paid()).toBe(100_000n)
  })

  test('is not paid again once a clock that was behind is right', async () => {
    const {shell, paid} = await bookkeeper()
    setClock(-30)
    await shell.run(PayoutCreate, ...payout('P-1'))
    setClock(0)
    // An answer has shown the clock to be right since.
    await shell.run(PayoutCreate, ...payout('P-other', '1'))
    await shell.run(PayoutCreate, ...asked('P-2'))
    expect(paid()).toBe(100_100n)
  })

  test.each([25, -25])('is held to the ceiling of the day (%i h ahead)', async (hours) => {
    const {shell, paid} = await bookkeeper('payouts = { daily_ceiling = "1500.00" }')
    await shell.run(PayoutCreate, ...payout('P-1', '900'))
    setClock(hours)
    await shell.run(PayoutCreate, ...asked('P-2', '1000'))
    setClock(0)
    await shell.run(PayoutCreate, ...asked('P-3', '1000'))
    expect(paid()).toBe(90_000n)
  })

  test('that is meant twice is let through once it was shown', async () => {
    const {shell, paid, books} = await bookkeeper()
    await shell.run(PayoutCreate, ...payout('P-1'))
    // One that is open would be shown at any age.
    Object.assign(books.get('P-1') ?? {}, {status: 'completed'})
    setClock(25)
    const refused = await shell.run(PayoutCreate, ...asked('P-2'), '--allow-repeat')
    expect([refused.status === 0, paid()]).toEqual([false, 100_000n])
    expect((await shell.run(PayoutCreate, ...asked('P-2'), '--allow-repeat')).status).toBe(0)
    expect(paid()).toBe(200_000n)
  })
})

test.each([
  [0.06, true],
  [25, true],
  [-25, true],
  [0.02, false],
  [0, false],
])('a clock that is %d h ahead is said at every create: %s', async (hours, isTold) => {
  const {shell} = await bookkeeper()
  setClock(hours)
  const runs = [
    await shell.run(PayoutCreate, ...payout('P-1')),
    await shell.run(PayoutCreate, ...file('P-3', '70')),
    await shell.run(DepositCreate, ...deposit('D-1')),
  ]
  for (const {stderr, status} of runs) {
    expect([
      status,
      /warning: the service's clock is \d+ s (behind|ahead of) this machine's/.test(stderr),
    ]).toEqual([0, isTold])
  }
})

test.each([
  [0, 0, null],
  [24, 8, /is not over: it is .* by the service's clock\. Nothing was sent/],
  [-24, 0, /warning: by the service's clock, the day that ended last is/],
])('the day of a nightly job, with the clock %i h ahead', async (hours, status, told) => {
  const {shell, books} = await bookkeeper()
  books.set('P-1', {status: 'completed', amount: '500.00', orderNo: 'P-1', platformOrderNo: 'PL-P-1'})
  setClock(hours)
  const dayMs = 24 * hourMs
  const zoneMs = 6 * hourMs
  const date = new Date(Math.floor((Date.now() + zoneMs) / dayMs - 1) * dayMs).toISOString().slice(0, 10)
  const path = join(tempDir(), `ledger-${date}.csv`)
  writeFileSync(path, `order_no,status,amount,created_at\nP-1,completed,500.00,${date} 10:00\n`)
  // Written long ago, so the job does not wait for the export's end.
  utimesSync(path, new Date(0), new Date(0))
  const ran = await shell.run(Nightly, '--ledger', path, '--kind', 'payout', '--no-deliveries', '--json')
  expect(ran.status).toBe(status)
  const out = `${ran.stdout}${ran.stderr}`
  if (told) expect(out).toMatch(told)
  else expect(out).not.toContain("service's clock")
})
