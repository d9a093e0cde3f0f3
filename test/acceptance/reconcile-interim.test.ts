import {mkdirSync, readdirSync, readFileSync, rmSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import type {Call} from '../fake-service/calls.ts'
import {interruptWhile} from './interrupt-while.ts'
import {expectStatus, readError} from './outcome.ts'
import {killed} from './own-home.ts'
import {type Scenario, startScenario} from './scenario.ts'

const whole = ['booking.csv', 'findings.csv', 'findings.xlsx', 'report.eml', 'report.html', 'report.json']
const interim = ['findings.partial.csv', 'findings.partial.xlsx', 'report.html', 'report.json']

const dirOf = (scenario: Scenario) => join(scenario.machine.workDir, 'report')
const namesIn = (scenario: Scenario) => readdirSync(dirOf(scenario)).sort()
const textOf = (scenario: Scenario, name: string) => readFileSync(join(dirOf(scenario), name), 'utf8')
const reportOf = (scenario: Scenario) => JSON.parse(textOf(scenario, 'report.json'))

async function commandOf(scenario: Scenario): Promise<string[]> {
  return ['reconcile', await scenario.ledger(), '--yes', '--json', '--wait', '2s', '--report', 'report']
}

/** A night of three lost webhooks; the second resend is being made. */
async function atTheSecondResend(scenario: Scenario) {
  for (const orderNo of ['D-1', 'D-2', 'D-3']) scenario.addLost(orderNo)
  let resends = 0
  const isSecond = (call: Call) => call.name === 'resend' && ++resends === 2
  return scenario.service.calls.hold(isSecond, 'before answering')
}

function expectInterim(scenario: Scenario): void {
  expect(namesIn(scenario)).toEqual(interim)
  const report = reportOf(scenario)
  expect(report).toMatchObject({complete: false, finishedAt: null})
  expect(report.interim.resume).toMatch(new RegExp(`reconcile --resume ${report.runId}`))
  expect(report.reports.csv).toMatch(/findings\.partial\.csv$/)
  const page = textOf(scenario, 'report.html')
  expect(page).toMatch(/<title>NOT FINAL/)
  expect(page).toContain(`hisab reconcile --resume ${report.runId}`)
}

describe.concurrent('the report of a run that is not over', {timeout: 70_000}, () => {
  it('says so in each of its files after SIGKILL, and the resumed run ends with a whole one', async () => {
    await using scenario = await startScenario()
    const held = await atTheSecondResend(scenario)
    const running = scenario.machine.start(await commandOf(scenario))
    await held.seen
    expect((await running.end('SIGKILL')).status).toBe(killed)
    held.letGo()
    expectInterim(scenario)
    const {runId} = reportOf(scenario)
    await scenario.machine.run(['reconcile', '--resume', runId, '--yes', '--json'])
    expect(namesIn(scenario)).toEqual(whole)
    expect(reportOf(scenario)).toMatchObject({runId, interim: null, finishedAt: expect.any(String)})
    expect(textOf(scenario, 'report.html')).not.toMatch(/NOT FINAL/)
  })

  it('says so after Ctrl-C', async () => {
    await using scenario = await startScenario()
    const held = await atTheSecondResend(scenario)
    expectStatus(await interruptWhile(held, scenario.machine, await commandOf(scenario)), 130)
    expectInterim(scenario)
  })

  it('takes the place of the whole set of the night before', async () => {
    await using scenario = await startScenario()
    scenario.addOrder('D-0', 'completed', 'completed')
    expectStatus(await scenario.machine.run(await commandOf(scenario)), 0)
    expect(namesIn(scenario)).toEqual(whole)
    const held = await atTheSecondResend(scenario)
    const running = scenario.machine.start(await commandOf(scenario))
    await held.seen
    await running.end('SIGKILL')
    held.letGo()
    expectInterim(scenario)
  })
})

describe.concurrent('a file of the report cannot be written', {timeout: 70_000}, () => {
  it.each(whole)('%s: the set of the night before stays, and nothing is sent', async (name) => {
    await using scenario = await startScenario()
    scenario.addOrder('D-0', 'completed', 'completed')
    expectStatus(await scenario.machine.run(await commandOf(scenario)), 0)
    rmSync(join(dirOf(scenario), name))
    mkdirSync(join(dirOf(scenario), name))
    const others = whole.filter((one) => one !== name)
    const before = others.map((one) => textOf(scenario, one))
    scenario.addLost('D-1')
    const outcome = await scenario.machine.run(await commandOf(scenario))
    expectStatus(outcome, 8)
    expect(readError(outcome)).toMatchObject({code: 'storage_failed', message: expect.stringContaining(name)})
    expect(others.map((one) => textOf(scenario, one))).toEqual(before)
    expect(namesIn(scenario)).toEqual(whole)
    expect(scenario.resends).toBe(0)
  })

  it('with nothing to resend, the same', async () => {
    await using scenario = await startScenario()
    scenario.addOrder('D-0', 'completed', 'completed')
    await scenario.machine.run(await commandOf(scenario))
    const before = textOf(scenario, 'report.json')
    rmSync(join(dirOf(scenario), 'findings.csv'))
    mkdirSync(join(dirOf(scenario), 'findings.csv'))
    expectStatus(await scenario.machine.run(await commandOf(scenario)), 8)
    expect(textOf(scenario, 'report.json')).toBe(before)
  })
})
