import {readFileSync} from 'node:fs'
import {describe, expect, it} from 'vitest'
import type {DeliveryRecord} from '../fake-service/book.ts'
import {reset} from '../fake-service/replies.ts'
import {killRunAt} from './kill-at.ts'
import {expectStatus, readDocument} from './outcome.ts'
import {type Scenario, startScenario} from './scenario.ts'

interface Listed {
  readonly orders: readonly {
    readonly kind: string
    readonly orderNo: string
    readonly recordId: string | null
  }[]
}

const send = (id: string) => ['webhooks', 'resend', id, '--yes', '--wait', '0s', '--json']

/** A night on which one resend got no answer, and its record shows nothing new. */
async function withDoubt(): Promise<Scenario & {id: string}> {
  const scenario = await startScenario()
  const id = scenario.addLost('D-1')
  scenario.service.on('resend', () => reset)
  expectStatus(await scenario.machine.run(send(id)), 6)
  return Object.assign(scenario, {id})
}

async function said(scenario: Scenario, ...argv: string[]): Promise<string> {
  const {stdout, stderr} = await scenario.machine.run(argv)
  return `${stdout}${stderr}`.replace(/\s+/g, ' ')
}

async function doubts(scenario: Scenario): Promise<Listed['orders']> {
  return readDocument<Listed>(await scenario.machine.run(['payout', 'list', '--in-doubt', '--json'])).orders
}

function move(fields: DeliveryRecord, code: number): void {
  fields.status = code < 300 ? 'success' : 'failed'
  fields.response_code = code
  fields.attempts += 1
  fields.sent_at = new Date().toISOString()
}

function recordOf({service}: Scenario, recordId: string): DeliveryRecord {
  const record = service.book.records.find(({fields}) => fields.id === recordId)
  if (!record) throw new Error(`there is no record ${recordId}`)
  return record.fields
}

describe.concurrent('a resend nobody knows the end of', () => {
  it('is in sight everywhere, with the command that ends it, which leads on to the next one', async () => {
    await using scenario = await withDoubt()
    const {id} = scenario
    const next = `hisab webhooks get ${id}`
    expect(await doubts(scenario)).toMatchObject([{kind: 'resend', orderNo: 'D-1', recordId: id}])
    expect(await said(scenario, 'payout', 'list', '--in-doubt')).toContain(next)
    expect(await said(scenario, 'doctor', '--offline')).toMatch(
      /1 resend whose outcome.*payout list --in-doubt/,
    )
    expect(await said(scenario, 'runs', 'list')).toMatch(
      /the outcome of 1 resend is unknown.*payout list --in-doubt/,
    )
    const {runs} = readDocument<{runs: {id: string}[]}>(
      await scenario.machine.run(['runs', 'list', '--json']),
    )
    expect(await said(scenario, 'runs', 'show', runs[0]?.id ?? '')).toContain(next)

    // Also where this ledger has no such order.
    scenario.rows.length = 0
    scenario.addOrder('D-2', 'completed', 'completed')
    expect(await said(scenario, 'reconcile', await scenario.ledger(), '--yes')).toContain(
      'the outcome of 1 resend is unknown',
    )
    const {report} = await scenario.reconcile(['--yes'])
    expect(report).toMatchObject({
      inDoubt: [{kind: 'resend', orderNo: 'D-1', recordId: id, next: expect.stringContaining(next)}],
    })
    expect(readFileSync(report.reports.html, 'utf8')).toContain(next)

    const record = await said(scenario, 'webhooks', 'get', id)
    expect(record).toMatch(/Look in your server's log.*webhooks resend \S+ --retry-unknown/)
    scenario.service.on('resend', (act) => act())
    expectStatus(await scenario.machine.run([...send(id), '--retry-unknown']), 0)
    expect(await doubts(scenario)).toEqual([])
    expect(await said(scenario, 'doctor', '--offline')).not.toContain('whose outcome')
  }, 60_000)

  it.each([
    ['webhooks get', (scenario: Scenario, id: string) => scenario.machine.run(['webhooks', 'get', id])],
    ['webhooks list', (scenario: Scenario) => scenario.machine.run(['webhooks', 'list'])],
    [
      'webhooks list --all',
      (scenario: Scenario) => scenario.machine.run(['webhooks', 'list', '--all', '--format', 'csv']),
    ],
    [
      'a dry webhooks resend',
      (scenario: Scenario, id: string) => scenario.machine.run(['webhooks', 'resend', id, '--dry-run']),
    ],
    ['webhooks resend', (scenario: Scenario, id: string) => scenario.machine.run(send(id))],
    ['reconcile', async (scenario: Scenario) => (await scenario.reconcile(['--yes'])).outcome],
  ] as const)(
    'is written down as ended once %s reads a record that shows it',
    async (_, read) => {
      await using scenario = await withDoubt()
      await read(scenario, scenario.id)
      expect(await doubts(scenario), 'a record that has not moved ends nothing').toHaveLength(1)
      move(recordOf(scenario, scenario.id), 200)
      const outcome = await read(scenario, scenario.id)
      expect(outcome.stderr).toContain('the earlier resend of D-1 has a result: your server took it')
      expect(await doubts(scenario)).toEqual([])
      expect(await resendOf(scenario)).toEqual([['delivered', 200]])
    },
    60_000,
  )

  it('that failed is known to be failing, and is not sent again for 8 hours', async () => {
    await using scenario = await withDoubt()
    move(recordOf(scenario, scenario.id), 503)
    await scenario.machine.run(['webhooks', 'get', scenario.id])
    expect(await resendOf(scenario)).toEqual([['still_failing', 503]])
    const {report} = await scenario.reconcile(['--yes'])
    expect([scenario.resends, report.findings[0]?.cause]).toEqual([0, 'recently_resent'])
  }, 60_000)

  it('while its run is at work, is that run’s to watch; once that is killed, anybody’s', async () => {
    await using scenario = await startScenario()
    const id = scenario.addLost('D-1')
    const held = scenario.service.calls.hold(({name}) => name === 'resend')
    const running = scenario.machine.start(send(id))
    await held.seen
    move(recordOf(scenario, id), 200)
    await scenario.machine.run(['webhooks', 'get', id])
    expect(await resendOf(scenario)).toEqual([['intent', null]])
    held.letGo()
    expectStatus(await running.ended, 0)

    await using killed = await startScenario()
    const other = killed.addLost('D-1')
    await killRunAt(killed, send(other), ({name}) => name === 'resend', false)
    move(recordOf(killed, other), 200)
    await killed.machine.run(['webhooks', 'get', other])
    expect(await resendOf(killed)).toEqual([['delivered', 200]])
    expect(await doubts(killed)).toEqual([])
  }, 60_000)
})

/** State and answer of each resend of the newest run that made one, as `runs show` tells them. */
async function resendOf(scenario: Scenario): Promise<[string, number | null][]> {
  const {runs} = readDocument<{runs: {id: string}[]}>(await scenario.machine.run(['runs', 'list', '--json']))
  for (const {id} of runs) {
    const shown = await scenario.machine.run(['runs', 'show', id, '--json'])
    const {resends} = readDocument<{resends: {state: string; responseCode: number | null}[]}>(shown)
    if (resends.length > 0) return resends.map(({state, responseCode}) => [state, responseCode])
  }
  return []
}
