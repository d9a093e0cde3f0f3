import {mkdirSync, readdirSync, readFileSync, rmSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'

import type {Call} from '../fake-service/calls.ts'
import {interruptWhile} from './live-run.ts'
import {beginNight, type Night} from './night.ts'
import {expectStatus, readError} from './outcome.ts'

const whole = ['findings.csv', 'report.html', 'report.json']
const interim = ['findings.partial.csv', 'report.html', 'report.json']

const dirOf = (night: Night) => join(night.machine.dir, 'report')
const namesIn = (night: Night) => readdirSync(dirOf(night)).sort()
const textOf = (night: Night, name: string) => readFileSync(join(dirOf(night), name), 'utf8')
const reportOf = (night: Night) => JSON.parse(textOf(night, 'report.json'))

async function commandOf(night: Night): Promise<string[]> {
  return ['reconcile', await night.ledger(), '--yes', '--json', '--wait', '2s', '--report', 'report']
}

/** A night of three lost webhooks; the second resend is being made. */
async function atTheSecondResend(night: Night) {
  for (const orderNo of ['D-1', 'D-2', 'D-3']) night.addLost(orderNo)
  let resends = 0
  const isSecond = (call: Call) => call.name === 'resend' && ++resends === 2
  return night.service.calls.hold(isSecond, 'before answering')
}

function expectInterim(night: Night): void {
  expect(namesIn(night)).toEqual(interim)
  const report = reportOf(night)
  expect(report).toMatchObject({complete: false, finishedAt: null})
  expect(report.interim.resume).toMatch(new RegExp(`reconcile --resume ${report.runId}`))
  expect(report.reports.csv).toMatch(/findings\.partial\.csv$/)
  const page = textOf(night, 'report.html')
  expect(page).toMatch(/<title>NOT FINAL/)
  expect(page).toContain(`hisab reconcile --resume ${report.runId}`)
}

describe.concurrent('the report of a run that is not over', {timeout: 70_000}, () => {
  it('says so in each of its files after SIGKILL, and the resumed run ends with a whole one', async () => {
    await using night = await beginNight()
    const held = await atTheSecondResend(night)
    const running = night.machine.start(await commandOf(night))
    await held.seen
    expect((await running.end('SIGKILL')).status).toBeNull()
    held.letGo()
    expectInterim(night)
    const {runId} = reportOf(night)
    await night.machine.run(['reconcile', '--resume', runId, '--yes', '--json'])
    expect(namesIn(night)).toEqual(whole)
    expect(reportOf(night)).toMatchObject({runId, interim: null, finishedAt: expect.any(String)})
    expect(textOf(night, 'report.html')).not.toMatch(/NOT FINAL/)
  })

  it('says so after Ctrl-C', async () => {
    await using night = await beginNight()
    const held = await atTheSecondResend(night)
    expectStatus(await interruptWhile(held, night.machine, await commandOf(night)), 130)
    expectInterim(night)
  })

  it('takes the place of the whole set of the night before', async () => {
    await using night = await beginNight()
    night.addOrder('D-0', 'completed', 'completed')
    expectStatus(await night.machine.run(await commandOf(night)), 0)
    expect(namesIn(night)).toEqual(whole)
    const held = await atTheSecondResend(night)
    const running = night.machine.start(await commandOf(night))
    await held.seen
    await running.end('SIGKILL')
    held.letGo()
    expectInterim(night)
  })
})

describe.concurrent('a file of the report cannot be written', {timeout: 70_000}, () => {
  const inTheWay = ['findings.csv', 'report.html', 'report.json']
  it.each(inTheWay)('%s: the set of the night before stays, and nothing is sent', async (name) => {
    await using night = await beginNight()
    night.addOrder('D-0', 'completed', 'completed')
    expectStatus(await night.machine.run(await commandOf(night)), 0)
    rmSync(join(dirOf(night), name))
    mkdirSync(join(dirOf(night), name))
    const others = whole.filter((one) => one !== name)
    const before = others.map((one) => textOf(night, one))
    night.addLost('D-1')
    const outcome = await night.machine.run(await commandOf(night))
    expectStatus(outcome, 8)
    expect(readError(outcome)).toMatchObject({code: 'storage_failed', message: expect.stringContaining(name)})
    expect(others.map((one) => textOf(night, one))).toEqual(before)
    expect(namesIn(night)).toEqual(whole)
    expect(night.resends).toBe(0)
  })

  it('with nothing to resend, the same', async () => {
    await using night = await beginNight()
    night.addOrder('D-0', 'completed', 'completed')
    await night.machine.run(await commandOf(night))
    const before = textOf(night, 'report.json')
    rmSync(join(dirOf(night), 'findings.csv'))
    mkdirSync(join(dirOf(night), 'findings.csv'))
    expectStatus(await night.machine.run(await commandOf(night)), 8)
    expect(textOf(night, 'report.json')).toBe(before)
  })
})
