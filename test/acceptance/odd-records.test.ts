import {describe, expect, it} from 'vitest'

import {json, rewrite} from '../fake-service/replies.ts'
import {minutesAgo} from './ledger.ts'
import {expectStatus, readDocument} from './outcome.ts'
import {findingOf} from './report.ts'
import {exhausted, type Scenario, startScenario} from './scenario.ts'

type Fields = Record<string, unknown>

/** The list gives one record in this way, wherever it stands; the service's own books stay as they are. */
function listsOddly(scenario: Scenario, id: string, change: Fields): void {
  scenario.service.on('list', (act) =>
    rewrite(act(), (text) => {
      const body = JSON.parse(text)
      const records: Fields[] = body.data.data
      body.data.data = records.map((record) => (record.id === id ? {...record, ...change} : record))
      return JSON.stringify(body)
    }),
  )
}

const odd: [name: string, change: Fields][] = [
  ['order_id is null', {order_id: null}],
  ['a time without a zone', {created_at: '2026-11-20T02:14:05'}],
  ['an unknown word for a status', {status: 'expired'}],
  ['attempts are missing', {attempts: undefined}],
  ['next_retry_at is missing', {next_retry_at: undefined}],
  ['url is a number', {url: 17}],
]

describe.concurrent('one odd record on a page takes none of the others away (P8)', () => {
  it.each(odd)('%s: its order is left alone, the other is delivered', async (_, change) => {
    await using scenario = await startScenario()
    const oddId = scenario.addLost('odd')
    const lost = scenario.addLost('lost')
    listsOddly(scenario, oddId, change)

    const {outcome, report} = await scenario.reconcile(['--yes'])

    expectStatus(outcome, 8)
    expect([scenario.resendsOf(lost), scenario.resendsOf(oddId)]).toEqual([1, 0])
    expect(findingOf(report, 'odd')).toMatchObject({cause: 'delivery_unknown', action: 'retry'})
    expect(findingOf(report, 'odd').explanation).toContain(oddId)
    expect(report.complete).toBe(false)
  })

  it('the record of an order that agrees: it is named, and nothing depends on it', async () => {
    await using scenario = await startScenario()
    const order = scenario.addOrder('agreed', 'completed', 'completed')
    const {id} = scenario.service.book.addRecord({order, ...exhausted, status: 'success'})
    const lost = scenario.addLost('lost')
    listsOddly(scenario, id, {order_id: null})

    const {outcome, report} = await scenario.reconcile(['--yes'])

    expectStatus(outcome, 0)
    expect(scenario.resendsOf(lost)).toBe(1)
    expect(JSON.stringify(report)).toContain(id)
  })

  it('a record that names no order: no order is without one, and the run is incomplete', async () => {
    await using scenario = await startScenario()
    const oddId = scenario.addLost('odd')
    const lost = scenario.addLost('lost')
    listsOddly(scenario, oddId, {order_id: null, merchant_order_id: null})

    const {outcome, report} = await scenario.reconcile(['--yes'])

    expectStatus(outcome, 8)
    expect([scenario.resendsOf(lost), scenario.resendsOf(oddId)]).toEqual([1, 0])
    expect(findingOf(report, 'odd').cause).toBe('delivery_unknown')
    expect(report.incompleteBecause.join()).toContain(oddId)
  })

  it('the record of an order that the ledger lacks: the order is found all the same', async () => {
    await using scenario = await startScenario()
    scenario.addRow({order_no: 'begins', status: 'failed', created_at: minutesAgo(700)})
    scenario.addRow({order_no: 'ends', status: 'failed', created_at: minutesAgo(0)})
    const order = scenario.service.book.addOrder({kind: 'deposit', number: 'lacking', status: 'completed'})
    const {id} = scenario.service.book.addRecord({order, ...exhausted})
    listsOddly(scenario, id, {order_id: null})

    const {outcome, report} = await scenario.reconcile(['--yes', '--include-missing'])

    expectStatus(outcome, 8)
    expect(findingOf(report, 'lacking')).toMatchObject({
      verdict: 'missing_in_ledger',
      cause: 'delivery_unknown',
    })
    expect(scenario.resends).toBe(0)
  })

  it('webhooks list --all gives the others, and says which is missing', async () => {
    await using scenario = await startScenario()
    const [oddId, fine] = [scenario.addLost('odd'), scenario.addLost('fine')]
    listsOddly(scenario, oddId, {status: 'expired'})
    for (const flags of [['--all', '--json'], ['--json'], ['--all', '--format', 'ndjson']]) {
      const outcome = await scenario.machine.run(['webhooks', 'list', ...flags])
      expectStatus(outcome, 8)
      expect(outcome.stdout).toContain(fine)
      expect(outcome.stderr).toContain(oddId)
    }
  })

  it('webhooks resend --status failed sends the others, and never the odd one', async () => {
    await using scenario = await startScenario()
    const [oddId, fine] = [scenario.addLost('odd'), scenario.addLost('fine')]
    listsOddly(scenario, oddId, {order_id: null})
    const outcome = await scenario.machine.run([
      'webhooks',
      'resend',
      '--status',
      'failed',
      '--yes',
      '--json',
    ])
    expectStatus(outcome, 8)
    expect([scenario.resendsOf(fine), scenario.resendsOf(oddId)]).toEqual([1, 0])
    expect(outcome.stderr).toContain(oddId)
  })

  const noNumber: [what: string, change: Fields][] = [
    ['its number is null', {merchant_order_id: null}],
    ['its number is missing', {merchant_order_id: undefined}],
    ['its number is null, and its status is an unknown word', {merchant_order_id: null, status: 'delivered'}],
    ['it has no ids', {order_id: null, merchant_order_id: null}],
    ['its number is a number', {merchant_order_id: 17_017}],
  ]
  it.each(noNumber)(
    'a completion that was taken, of an unknown order_id, holds each resend where %s',
    async (_, change) => {
      await using scenario = await startScenario()
      const order = scenario.addOrder('17017', 'open', 'completed')
      const lost = scenario.service.book.addRecord({order, ...exhausted}).id
      const {id} = scenario.service.book.addRecord({order, ...exhausted, status: 'success', attempts: 1})
      listsOddly(scenario, id, {order_id: '7c0a2f6e-0000-4000-8000-000000000001', ...change})
      const failed = ['webhooks', 'resend', '--status', 'failed', '--yes', '--json']
      expect([7, 8]).toContain((await scenario.machine.run(failed)).status)
      expect([7, 8]).toContain((await scenario.reconcile(['--yes'])).outcome.status)
      expect(scenario.resendsOf(lost)).toBe(0)
    },
  )

  it('a page that is no page stays no answer', async () => {
    await using scenario = await startScenario()
    scenario.addLost('lost')
    scenario.service.on('list', () => json({success: true, data: {data: {}, pagination: {}}}))
    const outcome = await scenario.machine.run(['webhooks', 'list', '--all', '--json'])
    expectStatus(outcome, 8)
    expect(readDocument(outcome)).not.toHaveProperty('records')
  })
})

describe.concurrent('a list that records leave while it is read is partial (P9)', () => {
  /** Each answer is given, and then the oldest record is gone and another order's has come: the total stands still. */
  function loses(scenario: Scenario): void {
    const order = scenario.service.book.addOrder({kind: 'deposit', number: 'arriving', status: 'completed'})
    scenario.service.on('list', (act, call) => {
      const reply = act()
      if (call.query.get('order_id') !== null) return reply
      scenario.service.book.records.shift()
      scenario.service.book.addRecord({order, ...exhausted})
      return reply
    })
  }

  function fill(scenario: Scenario, records: number): void {
    for (let n = 0; n < records; n++) {
      const order = scenario.service.book.addOrder({kind: 'deposit', number: `D-${n}`, status: 'completed'})
      scenario.service.book.addRecord({
        order,
        ...exhausted,
        ...(n === records - 1 ? {url: 'https://other.example/webhook'} : {}),
      })
    }
  }

  it.each([
    ['--all', '--json'],
    ['--all', '--status', 'failed', '--json'],
    ['--all', '--status', 'failed', '--format', 'ndjson'],
  ])('webhooks list %s %s %s: 8', async (...flags) => {
    await using scenario = await startScenario()
    fill(scenario, 250)
    loses(scenario)
    const outcome = await scenario.machine.run(['webhooks', 'list', ...flags])
    expectStatus(outcome, 8)
    expect(outcome.stderr).toContain('PARTIAL')
  })

  it('webhooks resend --status failed: what was read is sent once, and the run ends with 8', async () => {
    await using scenario = await startScenario()
    fill(scenario, 250)
    loses(scenario)
    const flags = ['--status', 'failed', '--yes', '--json', '--max-resends', '1000', '--no-canary']
    const outcome = await scenario.machine.run(['webhooks', 'resend', ...flags, '--host', 'other.example'])
    expectStatus(outcome, 8)
    const [record] = scenario.service.book.records.filter(({fields}) => fields.merchant_order_id === 'D-249')
    expect(scenario.resendsOf(record?.fields.id ?? '')).toBe(1)
    expect(scenario.resends).toBe(1)
  })
})
