import {describe, expect, it} from 'vitest'
import {json, rewrite} from '../fake-service/replies.ts'
import {minutesAgo} from './ledger.ts'
import {expectStatus} from './outcome.ts'
import {findingOf} from './report.ts'
import {exhausted, type Scenario, startScenario} from './scenario.ts'

describe.concurrent('a list that moves while it is read (P9)', () => {
  it('once: it is read again, and nothing is missed', async () => {
    await using scenario = await startScenario()
    const hidden = fillTwoPages(scenario)
    let reads = 0
    scenario.service.on('list', (act, call) => {
      const reply = act()
      reads += 1
      // The page boundary moves up by one after the first page: the hidden record is on neither page, while
      // the ids stay unique and the total stays what it was.
      if (reads === 1 && call.query.get('order_id') === null) moveFirstToEnd(scenario)
      return reply
    })
    const {outcome, report} = await scenario.reconcile(['--yes'])
    expectStatus(outcome, 0)
    expect(report.complete).toBe(true)
    expect(findingOf(report, 'hidden')).toMatchObject({
      cause: 'delivery_exhausted',
      resend: {state: 'delivered'},
    })
    expect(scenario.resendsOf(hidden)).toBe(1)
  })

  it('for ever: the sweep is called partial and proves no absence', async () => {
    await using scenario = await startScenario()
    fillTwoPages(scenario)
    scenario.addOrder('no-record', 'open', 'completed')
    scenario.service.on('list', (act, call) => {
      const reply = act()
      // Faster than it can be read: no page has a record of the one before it.
      for (let n = 0; call.query.get('order_id') === null && n < 60; n++) moveFirstToEnd(scenario)
      return reply
    })
    const {outcome, report} = await scenario.reconcile(['--yes'])
    expectStatus(outcome, 8)
    expect(report.complete).toBe(false)
    expect(findingOf(report, 'hidden').cause).not.toBe('no_delivery_record')
  })

  it('without an end: the run ends all the same', async () => {
    await using scenario = await startScenario()
    scenario.addLost('lost')
    const order = scenario.service.book.addOrder({kind: 'deposit', number: 'flood', status: 'processing'})
    scenario.service.on('list', (act, call) => {
      if (call.query.get('order_id') !== null) return act()
      const page = Number(call.query.get('page') ?? 1)
      const limit = Number(call.query.get('limit') ?? 20)
      const data = Array.from({length: limit}, () => ({
        ...scenario.service.book.makeRecord(order, {created_at: minutesAgo(550)}),
      }))
      const pagination = {page, limit, total: (page + 5) * limit, total_pages: page + 5}
      return json({success: true, data: {data, pagination}, meta: {timestamp: new Date().toISOString()}})
    })
    const {outcome, report} = await scenario.reconcile(['--yes'])
    expectStatus(outcome, 8)
    expect(report.complete).toBe(false)
  }, 70_000)

  it.each([
    ['a total above its rows', {total: 9}],
    ['a total below its rows', {total: 0, total_pages: 0}],
  ])('%s is not a complete sweep', async (_, lie) => {
    await using scenario = await startScenario()
    scenario.addOrder('no-record', 'open', 'completed')
    const order = scenario.service.book.addOrder({kind: 'deposit', number: 'other', status: 'completed'})
    scenario.addRow({order_no: 'other', status: 'completed'})
    scenario.service.book.addRecord({order, ...exhausted})
    scenario.service.on('list', (act, call) => {
      const reply = act()
      if (call.query.get('order_id') !== null) return reply
      return rewrite(reply, (text) => {
        const body = JSON.parse(text)
        Object.assign(body.data.pagination, lie)
        return JSON.stringify(body)
      })
    })
    const {outcome, report} = await scenario.reconcile(['--yes'])
    expectStatus(outcome, 8)
    expect(report.complete).toBe(false)
  })
})

/** More than one page of records of matched orders, and one record of a lost order at the start of page 2. */
function fillTwoPages(scenario: Scenario): string {
  const matched = scenario.addOrder('matched', 'completed', 'completed')
  const delivered = {...exhausted, status: 'success', response_code: 200} as const
  for (let n = 0; n < 100; n++) scenario.service.book.addRecord({order: matched, ...delivered})
  const hidden = scenario.addLost('hidden')
  for (let n = 0; n < 30; n++) scenario.service.book.addRecord({order: matched, ...delivered})
  scenario.addRow({order_no: 'day-ends', status: 'failed', created_at: minutesAgo(0)})
  return hidden
}

function moveFirstToEnd(scenario: Scenario): void {
  const {records} = scenario.service.book
  const first = records.shift()
  if (first !== undefined) records.push(first)
}
