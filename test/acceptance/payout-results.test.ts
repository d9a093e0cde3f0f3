import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {parse} from 'csv-parse/sync'
import {describe, expect, it} from 'vitest'
import type {Call} from '../fake-service/calls.ts'
import {reset} from '../fake-service/replies.ts'
import {expectStatus} from './outcome.ts'
import {killed} from './own-home.ts'
import {allAccepted, beginPayDay, numbers, type PayDay} from './payout-file.ts'

interface ResultRow {
  readonly out_order_no: string
  readonly state: string
  readonly why: string
}

const header = 'out_order_no,amount,bank_type,user_name,account'
const isCreateOf = (number: string) => (call: Call) => call.name === 'payout.create' && call.target === number

/** Everything a clerk finds beside the file of payouts. */
function resultFiles(day: PayDay): Map<string, ResultRow[]> {
  const {workDir: dir} = day.scenario.machine
  const names = readdirSync(dir).filter((name) => /\.csv$/.test(name) && name !== 'payouts.csv')
  return new Map(
    names.map((name) => [
      name,
      parse(readFileSync(join(dir, name), 'utf8'), {columns: true, bom: true}) as ResultRow[],
    ]),
  )
}

const rowsOf = (day: PayDay) => [...resultFiles(day).values()].flat()
const wordsFor = (day: PayDay, number: string) =>
  rowsOf(day).flatMap((row) => (row.out_order_no === number ? [row.state] : []))

/** No file calls a payout unsent that the service has in its books. */
function expectNoPaidRowCalledUnsent(day: PayDay): void {
  for (const {out_order_no: number, state} of rowsOf(day)) {
    if (state !== 'not_sent' && state !== 'refused') continue
    expect(day.scenario.service.book.findOrder('payout', number), `${number} is ${state}`).toBeUndefined()
  }
}

async function killWhile(day: PayDay, number: string): Promise<void> {
  const held = day.scenario.service.calls.hold(isCreateOf(number), 'before answering')
  const running = day.scenario.machine.start(day.command)
  await held.seen
  const {status} = await running.end('SIGKILL')
  expect(status, 'the run was over before it could be killed').toBe(killed)
  held.letGo()
}

describe.concurrent('the results of a file of payouts that is cut short', {timeout: 70_000}, () => {
  it.each(['P-1', 'P-4', 'P-6'])(
    'SIGKILL at %s: what is there says that it is not the end',
    async (number) => {
      await using day = await beginPayDay()
      await killWhile(day, number)
      expectNoPaidRowCalledUnsent(day)
      const files = resultFiles(day)
      expect([...files.keys()]).toEqual(['payouts.result.partial.csv'])
      const pending = [...files.values()].flat().filter(({state}) => state !== 'accepted')
      expect(pending.length).toBeGreaterThan(0)
      for (const row of pending) {
        expect(row).toMatchObject({
          state: 'pending',
          why: expect.stringMatching(/not over.*may have been made/),
        })
      }
      const {outcome} = await day.pay()
      expectStatus(outcome, 0)
      expect([...resultFiles(day).keys()]).toEqual(['payouts.result.csv'])
      expect(await day.result()).toEqual(allAccepted)
    },
  )

  it('Ctrl-C twice: the same', async () => {
    await using day = await beginPayDay()
    const held = day.scenario.service.calls.hold(isCreateOf('P-4'), 'before answering')
    const run = day.scenario.machine.start(day.command)
    await held.seen
    void run.end('SIGINT')
    await run.says('Stopping:')
    void run.end('SIGINT')
    expectStatus(await run.ended, 130)
    held.letGo()
    expectNoPaidRowCalledUnsent(day)
    expect([...resultFiles(day).keys()]).toEqual(['payouts.result.partial.csv'])
  })

  it('a second run that is killed leaves nothing of the first that it has made untrue', async () => {
    await using day = await beginPayDay()
    const {merchant} = day.scenario.service
    merchant.balancePaisa = 10_399n
    expectStatus((await day.pay()).outcome, 4)
    expect(wordsFor(day, 'P-5')).toEqual(['not_sent'])
    merchant.balancePaisa = 100_000n
    await killWhile(day, 'P-6')
    expectNoPaidRowCalledUnsent(day)
    expect(wordsFor(day, 'P-5')).toEqual(['pending'])
  })

  it('so does a file of the rest alone', async () => {
    await using day = await beginPayDay()
    const {merchant, book} = day.scenario.service
    merchant.balancePaisa = 10_399n
    await day.pay()
    merchant.balancePaisa = 100_000n
    const text = readFileSync(join(day.scenario.machine.workDir, 'payouts.csv'), 'utf8').split('\n')
    await day.scenario.machine.write('payouts.csv', [text[0], ...text.slice(4)].join('\n'))
    expectStatus((await day.pay()).outcome, 0)
    expect(book.findOrder('payout', 'P-5')).toBeDefined()
    for (const number of numbers) expect(wordsFor(day, number), number).toEqual(['accepted'])
  })
})

describe.concurrent('the next payouts.csv', {timeout: 70_000}, () => {
  // The file of the day before left a doubt.
  const allowed = ['--allow-repeat']
  const nextDay = `${header}\nQ-1,901.00,NAGAD,Karim,01911112221\n`

  it('leaves the rows of the one before where they are found: a doubt above all', async () => {
    await using day = await beginPayDay()
    const {service, machine} = day.scenario
    service.on('payout.create', (act, {target}) => (target === 'P-3' ? reset : act()))
    expectStatus((await day.pay()).outcome, 6)
    await machine.write('payouts.csv', nextDay)
    expectStatus((await day.pay(allowed)).outcome, 0)
    expect(await day.result()).toEqual(['Q-1 accepted'])
    expect(wordsFor(day, 'P-3')).toEqual(['unknown'])
    expect(wordsFor(day, 'P-2')).toEqual(['accepted'])
    await machine.write('payouts.csv', nextDay.replace('Q-1,901', 'Q-2,902'))
    expectStatus((await day.pay(allowed)).outcome, 0)
    expect(wordsFor(day, 'P-3'), 'a week later').toEqual(['unknown'])
    expect(wordsFor(day, 'Q-1')).toEqual(['accepted'])
  })

  it('leaves what a killed run wrote down, too', async () => {
    await using day = await beginPayDay()
    await killWhile(day, 'P-4')
    await day.scenario.machine.write('payouts.csv', nextDay)
    expectStatus((await day.pay(allowed)).outcome, 0)
    expect(wordsFor(day, 'P-4')).toEqual(['pending'])
  })

  it('a result of rows this journal knows nothing of is kept: its doubt is nowhere else', async () => {
    await using day = await beginPayDay()
    const {service} = day.scenario
    service.on('payout.create', (act, {target}) => (target === 'P-3' ? reset : act()))
    expectStatus((await day.pay()).outcome, 6)
    service.on('payout.create', (act) => act())
    await day.pay([], {env: {HISAB_DATA_DIR: join(day.scenario.machine.workDir, 'another')}})
    expect(wordsFor(day, 'P-3')).toContain('unknown')
  })
})
