import {writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, test} from 'vitest'

import PayoutCreate from '../../src/commands/payout/create.ts'
import {openJournal} from '../../src/journal/journal.ts'
import {json, merchantId, serve} from '../api/fixture.ts'
import {payout as lost} from '../journal/sample.ts'
import {tempDir} from '../temp-dir.ts'
import {shellAt} from './run-command.ts'

const flags = {
  '--amount': '500',
  '--bank-type': 'BKASH',
  '--user-name': 'Rahim Uddin',
  '--account': '01812345678',
}
const payout = (orderNo: string, changes: Partial<typeof flags> = {}) => [
  ...['--order-no', orderNo],
  ...Object.entries({...flags, ...changes}).flat(),
  ...['--yes', '--json'],
]

/** A service that takes every payout and shows it as it was asked for; `creates` are the numbers it was sent. */
async function service(limits = '') {
  const amounts = new Map<string, unknown>()
  const {origin, seen} = await serve((response, call, nth) => {
    const {outOrderNo, amount} = JSON.parse(call.body)
    if (call.path.endsWith('/create')) amounts.set(outOrderNo, amount)
    if (!amounts.has(outOrderNo)) return json({code: 'ORDER_NOT_FOUND'}, 404)(response, call, nth)
    const data = {merchantId, orderNo: outOrderNo, platformOrderNo: `PL-${outOrderNo}`, status: 'processing'}
    json({code: 0, data: {...data, amount: amounts.get(outOrderNo)}})(response, call, nth)
  })
  const config = join(tempDir(), 'config.toml')
  const state = (limits: string) => stateLimits(config, limits)
  state(limits)
  const shell = shellAt(origin, {HISAB_CONFIG: config})
  const creates = () =>
    seen.filter(({path}) => path.endsWith('/create')).map(({body}) => JSON.parse(body).outOrderNo)
  return {shell, creates, state}
}

/** The profile `environment` with limits of its own; its addresses stay those of the environment. */
function stateLimits(path: string, limits: string): void {
  writeFileSync(path, `[profiles.environment.payouts]\n${limits}\n`, {mode: 0o600})
}

test('another number to the same account with the same amount needs a word of its own besides --yes', async () => {
  const {shell, creates} = await service()
  expect((await shell.run(PayoutCreate, ...payout('P-1'))).status).toBe(0)
  const again = await shell.run(PayoutCreate, ...payout('P-2'))
  expect(again.json()).toMatchObject({
    error: {
      code: 'payout_repeated',
      exitCode: 2,
      message: expect.stringMatching(
        /^P-2 pays the same amount .* paid already as P-1 at .* UTC \(accepted\)/,
      ),
      hint: expect.stringContaining('--allow-repeat'),
    },
  })
  expect(creates()).toEqual(['P-1'])
  expect((await shell.run(PayoutCreate, ...payout('P-2'), '--allow-repeat')).status).toBe(0)
  expect(creates()).toEqual(['P-1', 'P-2'])
})

test.each([
  ['another amount', {'--amount': '500.01'}],
  ['another account', {'--account': '01812345679'}],
])('%s is no repetition', async (_what, changes) => {
  const {shell} = await service()
  await shell.run(PayoutCreate, ...payout('P-1'))
  expect((await shell.run(PayoutCreate, ...payout('P-2', changes))).status).toBe(0)
})

test('the very same payout again is no repetition of itself', async () => {
  const {shell} = await service('daily_ceiling = "500.00"\nmax_amount = 500')
  await shell.run(PayoutCreate, ...payout('P-1'))
  const again = await shell.run(PayoutCreate, ...payout('P-1'))
  expect(again.json()).toMatchObject({existing: true, confirmed: true})
  expect(again.stderr).toMatch(/OLD ORDER: P-1 was sent before/)
  expect(again.status).toBe(0)
})

test.each([
  ['the flag', '', ['--max-amount', '499.99']],
  ['the profile', 'max_amount = "499.99"', []],
  ['the profile, which the flag cannot raise', 'max_amount = "499.99"', ['--max-amount', '1000']],
])('a payout above the limit of %s is refused', async (_whose, limits, more) => {
  const {shell, creates} = await service(limits)
  const ran = await shell.run(PayoutCreate, ...payout('P-1'), ...more)
  expect(ran.json()).toMatchObject({
    error: {
      code: 'payout_over_limit',
      exitCode: 2,
      message: expect.stringContaining('limit for one payout is BDT 499.99'),
    },
  })
  expect(creates()).toEqual([])
})

test('the payouts of one day stay under the ceiling, doubtful ones included', async () => {
  const {shell, creates} = await service('daily_ceiling = "1000"')
  await shell.run(PayoutCreate, ...payout('P-1'))
  const journal = openJournal(shell.dataDir, {environment: 'sandbox', merchantId})
  await journal.claimNumber({
    ...lost,
    orderNo: 'P-lost',
    amount: 40_000n,
    maskedAccount: '017****0000',
    intentAtMs: Date.now(),
  })
  await journal.close()
  const over = await shell.run(PayoutCreate, ...payout('P-2', {'--amount': '100.01'}))
  expect(over.json()).toMatchObject({
    error: {code: 'payout_over_limit', message: expect.stringContaining('of today are BDT 900.00')},
  })
  expect((await shell.run(PayoutCreate, ...payout('P-3', {'--amount': '100'}))).status).toBe(0)
  expect(creates()).toEqual(['P-1', 'P-3'])
})

test('a ceiling holds for settings without one, also when all that it was stated for was refused by it', async () => {
  const file = join(tempDir(), 'payouts.csv')
  writeFileSync(file, 'out_order_no,amount,bank_type,user_name,account\nF-1,1200,BKASH,Rahim,01812345670\n')
  const big = payout('P-1', {'--amount': '1200'})
  for (const refused of [big, ['--from', file, '--yes', '--json']]) {
    const {shell, creates, state} = await service('daily_ceiling = "1000"')
    expect((await shell.run(PayoutCreate, ...refused)).json()).toMatchObject({
      error: {code: 'payout_over_limit'},
    })
    state('')
    expect((await shell.run(PayoutCreate, ...big)).json()).toMatchObject({error: {code: 'payout_over_limit'}})
    expect(creates()).toEqual([])
    state('daily_ceiling = "1200"')
    expect((await shell.run(PayoutCreate, ...big)).status).toBe(0)
  }
})

test('a dry run of a file states nothing', async () => {
  const file = join(tempDir(), 'payouts.csv')
  writeFileSync(file, 'out_order_no,amount,bank_type,user_name,account\nF-1,900,BKASH,Rahim,01812345670\n')
  const {shell, state} = await service('daily_ceiling = "1000"')
  expect((await shell.run(PayoutCreate, '--from', file, '--dry-run')).status).toBe(0)
  state('')
  expect((await shell.run(PayoutCreate, ...payout('P-1', {'--amount': '1200'}))).status).toBe(0)
})

test.each([
  ['max_amount = 0.5', 'must be an amount in quotes'],
  ['max_amount = "5,000"', 'has separators'],
  ['daily_ceiling = "0"', 'not more than zero'],
  ['max_ammount = "5"', 'did you mean "max_amount"?'],
])('the limit %s is refused with its reason', async (limits, reason) => {
  const {shell, creates} = await service(limits)
  const ran = await shell.run(PayoutCreate, ...payout('P-1'))
  expect(ran.json()).toMatchObject({
    error: {code: 'config_invalid', message: expect.stringContaining(reason)},
  })
  expect(creates()).toEqual([])
})
