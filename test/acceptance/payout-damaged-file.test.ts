import {readdirSync} from 'node:fs'
import {join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'
import {describe, expect, it} from 'vitest'
import {expectStatus, readError} from './outcome.ts'
import {type Scenario, startScenario} from './scenario.ts'

const header = 'out_order_no,amount,bank_type,user_name,account'
/** One payee and one amount a place in the file, whatever its number reads. */
const rowsOf = (numbers: readonly string[]) =>
  numbers.map((number, index) => `${number},${700 + index}.00,BKASH,Rahim ${index},0171111222${index}`)

async function pay(scenario: Scenario, numbers: readonly string[], ...flags: string[]) {
  await scenario.machine.write('payouts.csv', `${header}\n${rowsOf(numbers).join('\n')}\n`)
  return await scenario.machine.run([
    'payout',
    'create',
    '--from',
    'payouts.csv',
    '--yes',
    '--json',
    ...flags,
  ])
}

/** As if all that the journal knows had happened that many days earlier. */
function daysLater(scenario: Scenario, days: number): void {
  const dir = join(scenario.machine.dataDir, 'journal')
  for (const name of readdirSync(dir).filter((file) => file.endsWith('.db'))) {
    const sql = new DatabaseSync(join(dir, name))
    const ms = days * 86_400_000
    sql.exec(`UPDATE requests SET intent_at_ms = intent_at_ms - ${ms}, claimed_at_ms = claimed_at_ms - ${ms}`)
    sql.close()
  }
}

/** The payouts in the service's own books: the only count of what was paid. */
const paidAtTheService = (scenario: Scenario) =>
  [...scenario.service.book.orders.values()].map(({number}) => number)

const damages: readonly (readonly [what: string, first: readonly string[], again: readonly string[]])[] = [
  ['leading zeros are lost', ['0001001', '0001002'], ['1001', '1002']],
  [
    '15 digits are left',
    ['202611220000000123', '202611220000100456'],
    ['202611220000000000', '202611220000100000'],
  ],
  [
    '64-bit floats',
    ['202611220000000123', '202611220000100456'],
    ['202611220000000128', '202611220000100448'],
  ],
  ['the case is changed', ['P-77a', 'P-77b'], ['p-77A', 'P-77B']],
  ['Bengali digits', ['P-77', 'P-78'], ['P-৭৭', 'P-৭৮']],
  ['a mended file after the damaged one', ['1001', '1002'], ['0001001', '0001002']],
]

describe.concurrent('a file of payouts that a spreadsheet saved again', {timeout: 70_000}, () => {
  it.each(damages)('pays nobody a second time three days later: %s', async (_what, first, again) => {
    await using scenario = await startScenario()
    expectStatus(await pay(scenario, first), 0)
    daysLater(scenario, 3)
    const second = await pay(scenario, again)
    expect(paidAtTheService(scenario)).toEqual(first)
    expectStatus(second, 2)
    expect(readError(second)).toMatchObject({code: 'payout_repeated'})
    expect(readError(second).message).toMatch(/may be one number/)
    expectStatus(await pay(scenario, again, '--allow-repeat'), 0)
    expect(paidAtTheService(scenario)).toEqual([...first, ...again])
  })

  it.each([
    ['a blank is added', ['P-77', 'P-78'], ['P -77', 'P- 78']],
    ['an apostrophe is put before', ['1077', '1078'], ["'1077", "'1078"]],
  ])('pays nobody at all: %s', async (_what, first, again) => {
    await using scenario = await startScenario()
    expectStatus(await pay(scenario, first), 0)
    daysLater(scenario, 3)
    const second = await pay(scenario, again, '--allow-repeat')
    expectStatus(second, 2)
    expect(readError(second)).toMatchObject({code: 'input_invalid'})
    expect(paidAtTheService(scenario)).toEqual(first)
  })

  it('one payout by flags is held back in the same way', async () => {
    await using scenario = await startScenario()
    expectStatus(await pay(scenario, ['0001001']), 0)
    daysLater(scenario, 400)
    const create = ['payout', 'create', '--order-no', '1001', '--amount', '700', '--bank-type', 'BKASH']
    const payee = ['--user-name', 'Rahim 0', '--account', '01711112220', '--yes', '--json']
    expectStatus(await scenario.machine.run([...create, ...payee]), 2)
    expect(paidAtTheService(scenario)).toEqual(['0001001'])
    expectStatus(await scenario.machine.run([...create, ...payee, '--allow-repeat']), 0)
  })

  it('the same payee and amount under quite another number is an ordinary payout once the last one is completed', async () => {
    await using scenario = await startScenario()
    expectStatus(await pay(scenario, ['W-46-1', 'W-46-2']), 0)
    daysLater(scenario, 3)
    expectStatus(await pay(scenario, ['W-47-1', 'W-47-2']), 2)
    for (const order of scenario.service.book.orders.values()) order.status = 'completed'
    expectStatus(await pay(scenario, ['W-47-1', 'W-47-2']), 0)
    expect(paidAtTheService(scenario)).toHaveLength(4)
  })

  it.each([
    ['lost zeros', '0001001', '1001'],
    ['another case', 'P-1a', 'p-1A'],
    ['Bengali digits', 'P-12', 'P-১২'],
  ])(
    'a number that stands in the file twice is a bad row, whoever is paid: %s',
    async (_what, one, other) => {
      await using scenario = await startScenario()
      const outcome = await pay(scenario, [one, 'P-2', other])
      expectStatus(outcome, 2)
      expect(readError(outcome).message).toMatch(/line 4: .*may be the number .* of line 2/)
      expect(paidAtTheService(scenario)).toEqual([])
    },
  )

  it('a rounded number beside the whole one is a bad row where both pay one person', async () => {
    await using scenario = await startScenario()
    const row = (number: string, account: string) => `${number},700,BKASH,Rahim,${account}`
    const send = async (...rows: string[]) => {
      await scenario.machine.write('payouts.csv', `${header}\n${rows.join('\n')}\n`)
      return await scenario.machine.run(['payout', 'create', '--from', 'payouts.csv', '--yes', '--json'])
    }
    const [whole, rounded] = ['20261122093000121', '20261122093000120']
    const twice = await send(row(whole, '01711112220'), row(rounded, '01711112220'))
    expectStatus(twice, 2)
    expect(readError(twice).message).toMatch(/line 3: .*may be the number .* of line 2/)
    // Numbers made of the time lie that near to each other.
    expectStatus(await send(row(whole, '01711112220'), row(rounded, '01711112221')), 0)
  })

  it('numbers that a spreadsheet has rounded are named', async () => {
    await using scenario = await startScenario()
    const outcome = await pay(scenario, ['202611220000100000', '202611220000200000', '202611220000300000'])
    expect(outcome.stderr).toMatch(/WARNING .*15 digits/)
    expect((await pay(scenario, ['P-1', 'P-2', 'P-3'])).stderr).not.toMatch(/digits/)
  })

  it('the column may be called order_no, as the flag is', async () => {
    await using scenario = await startScenario()
    await scenario.machine.write(
      'payouts.csv',
      `${header.replace('out_order_no', 'Order No')}\n${rowsOf(['P-1'])}\n`,
    )
    expectStatus(
      await scenario.machine.run(['payout', 'create', '--from', 'payouts.csv', '--yes', '--json']),
      0,
    )
    expect(paidAtTheService(scenario)).toEqual(['P-1'])
  })
})
