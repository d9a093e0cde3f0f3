import {describe, expect, it} from 'vitest'
import type {CallName} from '../fake-service/calls.ts'
import {html, type Reply, silence} from '../fake-service/replies.ts'
import {expectStatus, readError} from './outcome.ts'
import {findingOf} from './report.ts'
import {type Scenario, startScenario} from './scenario.ts'

/**
 * Requests the service takes and never answers. Each test waits until hisab gives up on one of them: by the profile
 * after a second, or three tests would wait for half a minute.
 */
describe.concurrent('a service that falls silent holds nobody for ever (P17)', () => {
  it('during a payout create: outcome unknown, 6, and the same bytes if it was tried again', async () => {
    await using scenario = await startImpatient()
    answerFirst(scenario, 'payout.create', silence, html(502))
    scenario.service.on('payout.query', () => html(503))
    const payout = ['payout', 'create', '--out-order-no', 'P-1', '--amount', '5.00', '--bank-type', 'ROCKET']
    const recipient = ['--user-name', 'Rahim', '--account', '01911112222', '--yes', '--json']
    const outcome = await scenario.machine.run([...payout, ...recipient])
    expectStatus(outcome, 6)
    readError(outcome)
    expect(new Set(scenario.service.calls.of('payout.create').map(({body}) => body)).size).toBe(1)
  }, 70_000)

  it('during a resend: unknown, 6, and not repeated', async () => {
    await using scenario = await startImpatient()
    const id = scenario.addLost('silent', [{leadsTo: 'hang', delivered: false}])
    const {outcome, report} = await scenario.reconcile(['--yes'])
    expectStatus(outcome, 6)
    expect(findingOf(report, 'silent').resend).toMatchObject({state: 'unknown'})
    expect(scenario.resendsOf(id)).toBe(1)
  }, 70_000)

  it('during a query: a read is simply asked again', async () => {
    await using scenario = await startImpatient()
    scenario.service.book.addOrder({kind: 'deposit', number: 'known', status: 'completed'})
    answerFirst(scenario, 'deposit.query', silence)
    expectStatus(await scenario.machine.run(['deposit', 'query', 'known', '--json']), 0)
    expect(scenario.service.calls.count('deposit.query')).toBe(2)
  }, 70_000)
})

async function startImpatient(): Promise<Scenario> {
  const scenario = await startScenario({isBuilt: true})
  const {machine} = scenario
  const config = await machine.write('config.toml', '[profiles.impatient.timeouts]\nanswer = "1s"\n')
  Object.assign(machine.env, {HISAB_CONFIG: config, HISAB_PROFILE: 'impatient'})
  return scenario
}

/** Answers the first call with one reply and the later ones with another, or as the service would. */
function answerFirst(scenario: Scenario, name: CallName, first: Reply, later?: Reply): void {
  let isFirst = true
  scenario.service.on(name, (act) => {
    if (!isFirst) return later ?? act()
    isFirst = false
    return first
  })
}
