import {describe, expect, it} from 'vitest'

import {html} from '../fake-service/replies.ts'
import {interruptWhile} from './interrupt-while.ts'
import {expectStatus, readDocument} from './outcome.ts'
import {type Scenario, startScenario} from './scenario.ts'

const numbers = Array.from({length: 40}, (_, index) => `P-${String(index).padStart(2, '0')}`)

async function withPayouts(scenario: Scenario): Promise<string> {
  for (const number of numbers) {
    scenario.service.book.addOrder({kind: 'payout', number, status: 'completed', amount: '5.00'})
  }
  return await scenario.machine.write('numbers.txt', `${numbers.join('\n')}\n`)
}

const orderNos = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as {orderNo: string}).orderNo)

describe.concurrent('payout query --from', () => {
  it('lists every order of the file, in its order', async () => {
    await using scenario = await startScenario()
    const from = await withPayouts(scenario)
    const outcome = await scenario.machine.run(['payout', 'query', '--from', from, '--format', 'ndjson'])
    expectStatus(outcome, 0)
    expect(orderNos(outcome.stdout)).toEqual(numbers)
  })

  it('hands a row on while a later one is still asked for', async () => {
    await using scenario = await startScenario()
    const from = await withPayouts(scenario)
    const held = scenario.service.calls.hold((call) => call.target === 'P-39')
    const run = scenario.machine.start(['payout', 'query', '--from', from, '--format', 'csv'])
    await run.says('P-38', 'stdout')
    held.letGo()
    expectStatus(await run.ended, 0)
  })

  it.each([
    [['--format', 'ndjson'], (stdout: string) => orderNos(stdout)],
    [
      ['--json'],
      (stdout: string) =>
        (JSON.parse(stdout) as {orders: {orderNo: string}[]}).orders.map(({orderNo}) => orderNo),
    ],
  ] as const)('Ctrl-C keeps what was answered: %j', async (flags, read) => {
    await using scenario = await startScenario()
    const from = await withPayouts(scenario)
    const held = scenario.service.calls.hold((call) => call.target === 'P-20')
    const outcome = await interruptWhile(held, scenario.machine, [
      ...['payout', 'query', '--from', from, '--concurrency', '1'],
      ...flags,
    ])
    expectStatus(outcome, 130)
    expect(read(outcome.stdout)).toEqual(numbers.slice(0, 21))
    expect(outcome.stderr).toContain('19 of 40 orders were not queried')
    if (flags[0] === '--json') expect(readDocument(outcome)).toMatchObject({complete: false, notAsked: 19})
  })

  it('an order without an answer one can trust is a row, too', async () => {
    await using scenario = await startScenario()
    const from = await withPayouts(scenario)
    scenario.service.onQuery('payout', 'P-07', () => html(404))
    const outcome = await scenario.machine.run(['payout', 'query', '--from', from, '--format', 'csv'])
    expectStatus(outcome, 8)
    const rows = outcome.stdout.trimEnd().split('\n')
    expect(rows).toHaveLength(41)
    expect(rows[8]).toMatch(/^P-07,,,,,,/)
  })
})
