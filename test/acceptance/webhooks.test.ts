import {describe, expect, it} from 'vitest'
import type {DeliveryRecord} from '../fake-service/book.ts'
import {html} from '../fake-service/replies.ts'
import {minutesAgo} from './ledger.ts'
import {expectStatus, readDocument, readError} from './outcome.ts'
import {exhausted, type Scenario, startScenario} from './scenario.ts'

interface Listed {
  readonly records: readonly DeliveryRecord[]
  readonly pagination: {readonly total: number}
  readonly complete: boolean
}

interface Resent {
  readonly resends: Readonly<Record<'planned' | 'sent' | 'delivered' | 'stillFailing' | 'unknown', number>>
  readonly records: readonly {readonly id: string; readonly state: string; readonly why?: string}[]
}

describe.concurrent('webhooks list', () => {
  it('one page, as the service orders it and in its own field names', async () => {
    await using scenario = await startScenario()
    addRecords(scenario, 45)
    const outcome = await scenario.machine.run(['webhooks', 'list', '--page', '2', '--limit', '40', '--json'])
    expectStatus(outcome, 0)
    const {records, pagination} = readDocument<Listed>(outcome)
    expect(records).toEqual(scenario.service.book.records.slice(40).map(({fields}) => fields))
    expect(pagination.total).toBe(45)
  })

  it('--all reads every page, and says that it did', async () => {
    await using scenario = await startScenario()
    const ids = addRecords(scenario, 230)
    const outcome = await scenario.machine.run(['webhooks', 'list', '--all', '--json'])
    expectStatus(outcome, 0)
    const listed = readDocument<Listed>(outcome)
    expect(listed.complete).toBe(true)
    expect(listed.records.map(({id}) => id).sort()).toEqual(ids.sort())
  })

  it('--format ndjson is a record a line', async () => {
    await using scenario = await startScenario()
    const ids = addRecords(scenario, 3)
    const outcome = await scenario.machine.run(['webhooks', 'list', '--all', '--format', 'ndjson'])
    expectStatus(outcome, 0)
    const lines = outcome.stdout.trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(ids)
  })

  it('filters on either side: status and order at the service, event and number here', async () => {
    await using scenario = await startScenario()
    const order = scenario.service.book.addOrder({kind: 'deposit', number: 'wanted', status: 'completed'})
    addRecords(scenario, 5)
    const {id} = scenario.service.book.addRecord({order, ...exhausted, event: 'order.expired'})
    for (const filter of [
      ['--order-id', order.platformOrderNo],
      ['--status', 'failed', '--all', '--event', 'order.expired'],
      ['--all', '--order-no', 'wanted'],
    ]) {
      const outcome = await scenario.machine.run(['webhooks', 'list', ...filter, '--json'])
      expectStatus(outcome, 0)
      expect(
        readDocument<Listed>(outcome).records.map((record) => record.id),
        filter.join(' '),
      ).toEqual([id])
    }
  })

  it('a deployment without the legacy API has no empty list', async () => {
    await using scenario = await startScenario()
    scenario.service.removeLegacyApi()
    const outcome = await scenario.machine.run(['webhooks', 'list', '--json'])
    expectStatus(outcome, 4, 5, 8)
    readError(outcome)
  })

  it('a list that grows while it is read is whole: 0 (P9)', async () => {
    await using scenario = await startScenario()
    const ids = addRecords(scenario, 150)
    scenario.service.on('list', (act) => {
      const reply = act()
      addRecords(scenario, 1)
      return reply
    })
    const outcome = await scenario.machine.run(['webhooks', 'list', '--all', '--json'])
    expectStatus(outcome, 0)
    const {records, complete} = readDocument<Listed>(outcome)
    expect(complete).toBe(true)
    expect(new Set(records.map(({id}) => id)).isSupersetOf(new Set(ids))).toBe(true)
  })
})

describe.concurrent('webhooks get', () => {
  it('shows the record with its payload and the merchant’s answer', async () => {
    await using scenario = await startScenario()
    const [id = ''] = addRecords(scenario, 1)
    const outcome = await scenario.machine.run(['webhooks', 'get', id, '--json'])
    expectStatus(outcome, 0)
    expect(readDocument(outcome)).toMatchObject({
      ...scenario.service.book.records[0]?.fields,
      payload: {event: 'order.completed'},
      response_body: 'upstream said no',
    })
  })

  it('a record that is not there is not an empty one', async () => {
    await using scenario = await startScenario()
    const outcome = await scenario.machine.run(['webhooks', 'get', scenario.service.book.nextId(), '--json'])
    expectStatus(outcome, 4, 7)
  })
})

describe.concurrent('webhooks resend', () => {
  it('resends what is named and reads it again', async () => {
    await using scenario = await startScenario()
    const delivered = scenario.addLost('delivered')
    const failing = scenario.addLost('failing', [{leadsTo: 'failed', code: 500}])
    const first = await scenario.machine.run(['webhooks', 'resend', delivered, '--yes', '--json'])
    expectStatus(first, 0)
    expect(readDocument(first)).toMatchObject({
      resends: {planned: 1, sent: 1, delivered: 1},
      records: [{id: delivered, event: 'order.completed', state: 'delivered', order_id: expect.any(String)}],
    })
    const second = await scenario.machine.run(['webhooks', 'resend', failing, '--yes', '--json'])
    expectStatus(second, 7)
    expect(readDocument<Resent>(second).records).toMatchObject([{id: failing, state: 'still_failing'}])
  }, 60_000)

  it.each([[[]], [['--json']]])('without a terminal and without --yes it refuses: %j', async (flags) => {
    await using scenario = await startScenario()
    const id = scenario.addLost('lost')
    const outcome = await scenario.machine.run(['webhooks', 'resend', id, ...flags])
    expectStatus(outcome, 2)
    expect(`${outcome.stdout}${outcome.stderr}`).toContain('--yes')
    expect(scenario.resends).toBe(0)
  })

  it('--dry-run plans and sends nothing', async () => {
    await using scenario = await startScenario()
    const id = scenario.addLost('lost')
    const args = ['webhooks', 'resend', '--status', 'failed', '--dry-run', '--json']
    const outcome = await scenario.machine.run(args)
    expectStatus(outcome, 0, 7)
    expect(readDocument<Resent>(outcome)).toMatchObject({
      resends: {planned: 1, sent: 0},
      records: [{id, state: 'planned'}],
    })
    expect(scenario.resends).toBe(0)
  })

  it('by filter: every failed record once, though each resend takes one out of the filter (P10)', async () => {
    await using scenario = await startScenario()
    const ids = Array.from({length: 130}, (_, n) => scenario.addLost(`lost-${n}`))
    const args = ['webhooks', 'resend', '--status', 'failed', '--yes', '--max-resends', '200', '--json']
    const outcome = await scenario.machine.run([...args, '--rate', '200'])
    expectStatus(outcome, 0)
    expect(ids.filter((id) => scenario.resendsOf(id) !== 1)).toEqual([])
    expect(readDocument<Resent>(outcome).resends).toMatchObject({planned: 130, sent: 130, delivered: 130})
  }, 70_000)

  it('two records of one order and event are one resend (P4)', async () => {
    await using scenario = await startScenario()
    const order = scenario.service.book.addOrder({kind: 'deposit', number: 'one', status: 'completed'})
    for (const minutes of [500, 400]) {
      scenario.service.book.addRecord({order, ...exhausted, created_at: minutesAgo(minutes)})
    }
    await scenario.machine.run(['webhooks', 'resend', '--status', 'failed', '--yes', '--json'])
    expect(scenario.resends).toBe(1)
  }, 60_000)

  it('more than --max-resends: none is sent, 2', async () => {
    await using scenario = await startScenario()
    for (const n of [1, 2, 3]) scenario.addLost(`lost-${n}`)
    const args = ['webhooks', 'resend', '--status', 'failed', '--yes', '--max-resends', '2', '--json']
    const outcome = await scenario.machine.run(args)
    expectStatus(outcome, 2)
    expect(outcome.stdout).toMatch(/\b3\b/)
    expect(scenario.resends).toBe(0)
  })

  it('an unknown outcome is 6, and reconcile does not repeat it', async () => {
    await using scenario = await startScenario()
    const id = scenario.addLost('lost', [{leadsTo: 'reset', delivered: false}, {leadsTo: 'success'}])
    const outcome = await scenario.machine.run(['webhooks', 'resend', id, '--yes', '--wait', '1s', '--json'])
    expectStatus(outcome, 6)
    expect(scenario.resends).toBe(1)
    await scenario.reconcile(['--yes'])
    expect(scenario.resends).toBe(0)
  }, 60_000)

  it('a page in place of the list is not “nothing failed”', async () => {
    await using scenario = await startScenario()
    scenario.addLost('lost')
    scenario.service.on('list', () => html(200))
    const args = ['webhooks', 'resend', '--status', 'failed', '--yes', '--json']
    expectStatus(await scenario.machine.run(args), 4, 5, 8)
    expect(scenario.resends).toBe(0)
  })
})

/** Failed deliveries of as many orders, and their ids. */
function addRecords(scenario: Scenario, count: number): string[] {
  return Array.from({length: count}, () => {
    const number = `order-${scenario.service.book.orders.size}`
    const order = scenario.service.book.addOrder({kind: 'deposit', number, status: 'completed'})
    return scenario.service.book.addRecord({order, ...exhausted}).id
  })
}
