import {readFile} from 'node:fs/promises'
import {beforeAll, describe, expect, it} from 'vitest'
import type {Call} from '../fake-service/calls.ts'
import {killRunAt} from './kill-at.ts'
import {expectStatus, readDocument, readError} from './outcome.ts'
import {findingOf, type Reconciled, type Report, reconcile, summaryOf} from './report.ts'
import {type Scenario, startScenario} from './scenario.ts'

const lostOrders = ['lost-1', 'lost-2', 'lost-3', 'lost-4']

/** A night with four resends to do, done without an interruption, tells what the interrupted ones must reach. */
let callsOfWholeRun: readonly Call['name'][]
let wholeRun: Reconciled

beforeAll(async () => {
  await using scenario = await startScenario()
  addLostOrders(scenario)
  wholeRun = await scenario.reconcile(['--yes'])
  expectStatus(wholeRun.outcome, 0)
  callsOfWholeRun = scenario.service.calls.all.map(({name}) => name)
}, 60_000)

describe.concurrent('SIGKILL while a call is in flight, and a second run', () => {
  /**
   * The kill points: every sixth call of the night, whatever it is; test/kill/ takes every kind. One more than a
   * night has would never be reached, so they wrap around.
   */
  it.each([0, 6, 12])(
    'the call numbered %i',
    async (point) => {
      await using scenario = await startScenario()
      addLostOrders(scenario)
      const nth = point % callsOfWholeRun.length
      await killAt(scenario, (call) => scenario.service.calls.all.indexOf(call) >= nth)
      const wasSending = scenario.resends > 0
      const second = await runAgain(scenario)
      expectOneResendEach(scenario, second)
      // Before the first resend nothing can be in doubt: a list is read to its end before anything is sent.
      if (!wasSending) expectStatus(second.outcome, 0)
      const third = await runAgain(scenario)
      expectOneResendEach(scenario, third)
    },
    70_000,
  )

  it.each([
    ['before the service acted on it', false],
    ['after the service delivered', true],
  ])(
    'the resend itself, %s',
    async (_, delivered) => {
      await using scenario = await startScenario()
      addLostOrders(scenario)
      const {target} = await killAt(scenario, isResend, delivered)
      const second = await runAgain(scenario)
      expect(scenario.service.calls.resendsOf(target), 'the resend in flight').toBe(1)
      expectOneResendEach(scenario, second)
      if (!delivered) {
        const orderNo = lostOrders.find((name) => findingOf(second.report, name).delivery?.id === target)
        expect(findingOf(second.report, orderNo ?? '')).toMatchObject({
          cause: 'resend_in_doubt',
          action: 'review',
        })
      }
    },
    70_000,
  )

  it('a person’s word sends what is in doubt, once', async () => {
    await using scenario = await startScenario()
    addLostOrders(scenario)
    const {target} = await killAt(scenario, isResend, false)
    await runAgain(scenario)
    const told = await runAgain(scenario, ['--retry-unknown'])
    expect(scenario.service.calls.resendsOf(target)).toBe(2)
    expect(told.report.resends.unknown).toBe(0)
  }, 70_000)
})

describe.concurrent('--resume', () => {
  it.each([
    ['the first query', 'deposit.query', 1],
    ['the last query', 'deposit.query', lostOrders.length],
    ['a page of the list', 'list', 1],
    ['the reading of the record before the first resend', 'get', 1],
  ] as const)(
    'after a kill during %s it ends with the report of an uninterrupted run',
    async (_, name, nth) => {
      await using scenario = await startScenario()
      addLostOrders(scenario)
      await killAt(scenario, nthOf(scenario, name, nth))
      const resumed = await runAgain(scenario, ['--resume', await findRunId(scenario)])
      expectStatus(resumed.outcome, 0)
      expect(summaryOf(resumed.report)).toEqual(summaryOf(wholeRun.report))
      expectOneResendEach(scenario, resumed)
    },
    70_000,
  )

  it.each([1, 2, 3, 4])(
    'after a kill in resend %i, which the service delivered, it equals the report of an uninterrupted run',
    async (nth) => {
      await using scenario = await startScenario()
      addLostOrders(scenario)
      await killAt(scenario, nthOf(scenario, 'resend', nth))
      const resumed = await runAgain(scenario, ['--resume', await findRunId(scenario)])
      expectStatus(resumed.outcome, 0)
      expect(summaryOf(resumed.report)).toEqual(summaryOf(wholeRun.report))
      expect(scenario.resends).toBe(lostOrders.length)
    },
    70_000,
  )

  it('it lists what the run was told to list: --all is not to be given again', async () => {
    await using scenario = await startScenario()
    addLostOrders(scenario)
    scenario.addOrder('matched', 'completed', 'completed')
    await killRunAt(
      scenario,
      ['reconcile', await scenario.ledger(), '--yes', '--wait', '1s', '--json', '--all'],
      nthOf(scenario, 'list', 1),
    )
    const resumed = await runAgain(scenario, ['--resume', await findRunId(scenario)])
    expect(findingOf(resumed.report, 'matched').verdict).toBe('matched')
  }, 70_000)

  it('after a kill during a resend it never repeats it', async () => {
    await using scenario = await startScenario()
    addLostOrders(scenario)
    const {target} = await killAt(scenario, isResend, false)
    const resumed = await runAgain(scenario, ['--resume', await findRunId(scenario)])
    expectStatus(resumed.outcome, 6, 7)
    expect(scenario.service.calls.resendsOf(target)).toBe(1)
    for (const id of scenario.service.book.records.map(({fields}) => fields.id)) {
      expect(scenario.service.calls.resendsOf(id), id).toBeLessThanOrEqual(1)
    }
  }, 70_000)
})

describe.concurrent('runs side by side', () => {
  it('the second one of a profile is turned away with 9, and the first one is not disturbed', async () => {
    await using scenario = await startScenario()
    addLostOrders(scenario)
    const held = scenario.service.calls.hold((call) => call.name === 'deposit.query')
    const args = ['reconcile', await scenario.ledger(), '--yes', '--wait', '1s', '--json']
    const first = scenario.machine.start(args)
    await held.seen
    const second = await scenario.machine.run(args)
    expectStatus(second, 9)
    readError(second)
    held.letGo()
    const outcome = await first.ended
    expectStatus(outcome, 0)
    expect(readDocument<Report>(outcome).resends).toMatchObject({sent: 4, delivered: 4})
    expect(scenario.resends).toBe(4)
  })
})

describe.concurrent('a person interrupts', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('%s ends the run with %i, and the next run converges', async (signal, status) => {
    await using scenario = await startScenario()
    addLostOrders(scenario)
    const held = scenario.service.calls.hold(isResend)
    const running = scenario.machine.start(['reconcile', await scenario.ledger(), '--yes', '--json'])
    await held.seen
    const ended = running.end(signal)
    // The run may wait for the answer to what it has sent: let it have it.
    held.letGo()
    expectStatus(await ended, status)
    expectOneResendEach(scenario, await runAgain(scenario))
  })
})

describe.concurrent('a person interrupts while orders are asked for', () => {
  it('the call under way is answered, a partial report says how to go on, and --resume ends the night', async () => {
    await using scenario = await startScenario()
    addLostOrders(scenario)
    const held = scenario.service.calls.hold((call) => call.name === 'deposit.query')
    const args = [
      'reconcile',
      await scenario.ledger(),
      '--yes',
      '--json',
      '--concurrency',
      '1',
      '--wait',
      '1s',
    ]
    const running = scenario.machine.start(args)
    await held.seen
    const isStopping = running.says('Stopping')
    const ended = running.end('SIGINT')
    await isStopping
    held.letGo()
    const outcome = await ended
    expectStatus(outcome, 130)
    const report = readDocument<Report>(outcome)
    expect(report.complete).toBe(false)
    expect(report.counts).toMatchObject({rows: 4, missing_completion: 1, query_failed: 3})
    expect(report.incompleteBecause.join()).toContain(`hisab reconcile --resume ${report.runId}`)
    expect(JSON.parse(await readFile(report.reports.json, 'utf8'))).toEqual(report)
    expect(scenario.service.calls.count('deposit.query', 'list')).toBe(1)
    const resumed = await runAgain(scenario, ['--resume', report.runId])
    expectStatus(resumed.outcome, 0)
    expect(summaryOf(resumed.report)).toEqual(summaryOf(wholeRun.report))
  }, 70_000)
})

function addLostOrders(scenario: Scenario): void {
  for (const orderNo of lostOrders) scenario.addLost(orderNo)
}

/** The nth call of a name since the night began. */
function nthOf({service}: Scenario, name: Call['name'], nth: number): (call: Call) => boolean {
  return (call) => call.name === name && service.calls.of(name).indexOf(call) === nth - 1
}

function isResend(call: Call): boolean {
  return call.name === 'resend'
}

/** Kills a reconciliation of the night's ledger at a call: see `kill-at.ts`. */
async function killAt(scenario: Scenario, matches: (call: Call) => boolean, delivered = true): Promise<Call> {
  const argv = ['reconcile', await scenario.ledger(), '--yes', '--wait', '1s', '--json']
  return killRunAt(scenario, argv, matches, delivered)
}

/** Another run over the same ledger; the service goes on counting from the killed one. */
async function runAgain(scenario: Scenario, flags: readonly string[] = []): Promise<Reconciled> {
  return reconcile(scenario.machine, scenario.service, [await scenario.ledger(), '--yes', ...flags])
}

/** P4: no record has been resent twice, and one that was never resent is known to be in doubt. */
function expectOneResendEach(scenario: Scenario, {report}: Reconciled): void {
  for (const {fields} of scenario.service.book.records) {
    const resends = scenario.service.calls.resendsOf(fields.id)
    expect(resends, `resends of ${fields.merchant_order_id}`).toBeLessThanOrEqual(1)
    if (resends === 1) continue
    expect(findingOf(report, fields.merchant_order_id)).toMatchObject({cause: 'resend_in_doubt'})
  }
}

/** The id of the killed run, as a user finds it. */
async function findRunId(scenario: Scenario): Promise<string> {
  const outcome = await scenario.machine.run(['runs', 'list', '--json'])
  expectStatus(outcome, 0)
  const [, id] = /"(?:runId|id)"\s*:\s*"([^"]+)"/.exec(outcome.stdout) ?? []
  if (id === undefined) throw new Error(`no run id in ${outcome.stdout}`)
  return id
}
