import {existsSync} from 'node:fs'
import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {parse} from 'csv-parse/sync'
import {expect} from 'vitest'

import type {PayoutsReport} from '../../src/report/payouts-report.ts'
import {readDocument} from './outcome.ts'
import type {RunOptions} from './own-home.ts'
import {type Scenario, startScenario} from './scenario.ts'

export const numbers = ['P-1', 'P-2', 'P-3', 'P-4', 'P-5', 'P-6']

/** BDT 101.00 to the first, 102.00 to the second and so on, each to an account of its own. */
const amountOf = (index: number) => `${101 + index}.00`

/** A service, a machine, and a file of six payouts to be made. */
export class PayDay {
  readonly scenario: Scenario

  constructor(scenario: Scenario) {
    this.scenario = scenario
  }

  async writeFile(): Promise<string> {
    const rows = numbers.map(
      (number, index) => `${number},${amountOf(index)},BKASH,Rahim ${index},0171111222${index}`,
    )
    await this.scenario.machine.write(
      'payouts.csv',
      `out_order_no,amount,bank_type,user_name,account\n${rows.join('\n')}\n`,
    )
    return 'payouts.csv'
  }

  get command(): string[] {
    return ['payout', 'create', '--from', 'payouts.csv', '--yes', '--json']
  }

  async pay(flags: readonly string[] = [], options?: RunOptions) {
    const outcome = await this.scenario.machine.run([...this.command, ...flags], options)
    return {outcome, report: readDocument<PayoutsReport>(outcome)}
  }

  /** `P-1 accepted`, from the JSON result. */
  states({payouts}: PayoutsReport): string[] {
    return payouts.map(({orderNo, state}) => `${orderNo} ${state}`)
  }

  /** The same from the result file, which must be whole whatever happened. */
  async result(): Promise<string[]> {
    const rows = await this.readResult(join(this.scenario.machine.workDir, 'payouts.result.csv'))
    return rows.map((row) => row.join(' '))
  }

  /** Number and state of each row of a result, whole or interim. */
  async readResult(path: string): Promise<[number: string, state: string][]> {
    const rows = parse(await readFile(path, 'utf8'), {columns: true, bom: true}) as Record<string, string>[]
    return rows.map((row) => [row.out_order_no ?? '', row.state ?? ''])
  }

  get hasResult(): boolean {
    return existsSync(join(this.scenario.machine.workDir, 'payouts.result.csv'))
  }

  /** How many creates of a number came, and how many different bodies they had. */
  sent(number: string): {readonly times: number; readonly bodies: number} {
    const bodies = this.scenario.service.calls.everSeen
      .filter(({name, target}) => name === 'payout.create' && target === number)
      .map(({body}) => body)
    return {times: bodies.length, bodies: new Set(bodies).size}
  }

  /** Every number was sent under one body, and the service has each payout once, of its own amount. */
  expectPaidOnce(): void {
    for (const [index, number] of numbers.entries()) {
      expect(this.sent(number).bodies, `bodies of ${number}`).toBe(1)
      expect(this.scenario.service.book.findOrder('payout', number)?.amount, number).toBe(amountOf(index))
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.scenario[Symbol.asyncDispose]()
  }
}

export async function beginPayDay(): Promise<PayDay> {
  const day = new PayDay(await startScenario())
  await day.writeFile()
  return day
}

export const allAccepted = numbers.map((number) => `${number} accepted`)
