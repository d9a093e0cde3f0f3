import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {parse} from 'csv-parse/sync'
import {expect, onTestFinished, test} from 'vitest'

import {sandboxCredentials, sandboxMerchantId} from '../../src/core/profile.ts'
import {signFields} from '../../src/core/signing/request.ts'
import {type DemoStep, runDemo, startOfYesterday} from '../../src/workflows/demo/demo.ts'
import {DemoMerchant} from '../../src/workflows/demo/merchant.ts'
import {profileAt} from '../api/fixture.ts'
import {runHere} from '../commands/run-here.ts'
import {tempDir} from '../temp-dir.ts'

/** The same day for a seed, whatever the date: its outage loses webhooks of 25 orders, and one of them was answered. */
test('the demonstration: what the outage lost is delivered, what the merchant forgot and mistyped is left to a person', async () => {
  const steps: DemoStep[] = []
  let shown = ''
  const result = await runDemo({
    dir: join(tempDir(), 'demo'),
    profile: {...profileAt('http://127.0.0.1:9'), merchantId: sandboxMerchantId},
    ...{nowMs: Date.now(), seed: 21},
    onStep: async (step) => void steps.push(step),
    runHisab: async (args, {cwd, env}) => {
      const {status, stdout} = await runHere(args, {cwd, env, isHurried: true})
      shown = stdout
      return status
    },
  })
  expect(result).toMatchObject({
    ...{orders: 312, bookedTwice: 0, reconcileStatus: 7},
    before: {orders: 25, amount: 38_450_00n},
    after: {orders: 1, amount: 3_000_00n},
  })
  expect(result.outage.toMs - result.outage.fromMs).toBe((9 * 60 + 35) * 60_000)
  expect(steps).toMatchObject([
    {step: 'service', url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/)},
    {step: 'day', deposits: 260, payouts: 52},
    {step: 'gap', before: result.before, ledger: result.ledger},
    {step: 'reconcile', args: ['reconcile', 'ledger.csv', '--yes', '--report', 'report']},
  ])

  const rows: Record<string, string>[] = parse(readFileSync(result.ledger, 'utf8'), {columns: true})
  const [first = {}] = rows
  expect(Object.keys(first)).toEqual(['order_no', 'kind', 'status', 'amount', 'player_ref', 'created_at'])
  expect(
    Object.values(first)
      .join(' ')
      .replace(/\d{6}-|\d{4}-\d\d-\d\d/g, ''),
  ).toBe('D0049 deposit credited 350.00 player-14 T00:03:41+06:00')
  const booked = Map.groupBy(rows, ({kind, status}) => `${kind} ${status}`)
  const sum = (of: typeof rows) => of.reduce((total, {amount}) => total + Number(amount), 0)
  expect([...booked].map(([what, of]) => [what, of.length, sum(of)]).sort()).toEqual([
    ['deposit credited', 230, 362_850],
    ['deposit expired', 9, 0],
    ['deposit pending', 21, 0],
    ['payout paid', 44, 71_350],
    // A payout has its amount before it is paid.
    ['payout pending', 8, 8_000],
  ])
  for (const line of [
    /^ {2}asked {4}336 queries, 4 pages of delivery records, 24 look-ups$/,
    /^Delivered {2}24 orders, BDT 35,450\.00: your server took the webhook\.$/,
    /^ {2}line 130 {2}D\d+-0176 paid, not booked; webhook accepted, not booked$/,
    /^ {2}line 307 {2}D\d+-0025 amounts differ; ledger and webhook differ$/,
    /^still open on both sides {2}payout {8}3 {5}1,350\.00 {2}wait$/,
    /^still open on both sides {2}deposit {7}1 {15}wait$/,
  ])
    expect(shown).toMatch(new RegExp(line.source, 'm'))
})

test('a demonstration whose reconcile resends nothing has failed, and says so', async () => {
  const played = runDemo({
    dir: join(tempDir(), 'demo'),
    profile: {...profileAt('http://127.0.0.1:9'), merchantId: sandboxMerchantId},
    ...{nowMs: Date.now(), seed: 21},
    onStep: async () => undefined,
    runHisab: async () => 7,
  })
  await expect(played).rejects.toThrow(
    'The demo failed: reconcile ended with 7, 25 orders are still missing, 0 are booked twice.',
  )
})

test.each([
  ['2026-11-20T17:59:59.999Z', '2026-11-18T18:00:00.000Z'],
  ['2026-11-20T18:00:00.000Z', '2026-11-19T18:00:00.000Z'],
  ['2026-11-21T03:00:00.000Z', '2026-11-19T18:00:00.000Z'],
])('at %s the day that is played began at %s, midnight in Dhaka', (now, began) => {
  expect(new Date(startOfYesterday(Date.parse(now))).toISOString()).toBe(began)
})

test('the demonstration’s merchant books a genuine webhook, once', async () => {
  const merchant = new DemoMerchant(sandboxCredentials.apiSecret, new Set(['D-forgotten']))
  const url = await merchant.listen()
  onTestFinished(() => merchant.close())
  for (const [orderNo, kind, amount] of [
    ['D-1', 'deposit', null],
    ['D-2', 'deposit', null],
    ['P-1', 'payout', 500_00n],
    ['D-forgotten', 'deposit', null],
  ] as const)
    merchant.open({orderNo, kind, amount, playerRef: 'u-1', createdAtMs: 0})
  const post = async (fields: Record<string, string>, secret = sandboxCredentials.apiSecret) => {
    const body = JSON.stringify({...fields, signature: signFields(fields, secret)})
    return (await fetch(url, {method: 'POST', body})).status
  }
  const paid = {orderNo: 'D-1', status: 'completed', amount: '500.00'}
  const table: readonly (readonly [what: string, status: () => Promise<number>, expected: number])[] = [
    ['no object', async () => (await fetch(url, {method: 'POST', body: '[]'})).status, 401],
    ['signed with another secret', () => post(paid, 'another'), 401],
    ['of an order that it does not have', () => post({...paid, orderNo: 'D-9'}), 404],
    ['paid', () => post(paid), 200],
    ['paid, again', () => post({...paid, amount: '900.00'}), 200],
    ['expired', () => post({orderNo: 'D-2', status: 'failed'}), 200],
    ['paid out', () => post({...paid, orderNo: 'P-1'}), 200],
    ['one that it forgets', () => post({...paid, orderNo: 'D-forgotten'}), 200],
  ]
  for (const [what, status, expected] of table) expect(await status(), what).toBe(expected)
  merchant.setDown(true)
  expect(await post(paid)).toBe(503)
  const inBooks = [...merchant.books.values()].map((one) => [
    one.orderNo,
    one.status,
    one.amount,
    one.bookings,
  ])
  expect(inBooks).toEqual([
    ['D-1', 'credited', 500_00n, 1],
    ['D-2', 'expired', null, 0],
    ['P-1', 'paid', 500_00n, 1],
    ['D-forgotten', 'pending', null, 0],
  ])
})
