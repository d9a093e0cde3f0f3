import {describe, expect, it} from 'vitest'
import type {ResendOutcome} from '../fake-service/book.ts'
import {html, json} from '../fake-service/replies.ts'
import {minutesAgo} from './ledger.ts'
import {expectStatus} from './outcome.ts'
import {findingOf} from './report.ts'
import {exhausted, startScenario} from './scenario.ts'

const success: ResendOutcome = {leadsTo: 'success'}
const failsAgain: ResendOutcome = {leadsTo: 'failed', code: 502}
const lost: ResendOutcome = {leadsTo: 'reset', delivered: false}

// A test waits for processes most of the time, so they wait side by side.
describe.concurrent('what a resend leads to', () => {
  it('delivered, failing still, and refused, by a 429 too, which is sent once', async () => {
    await using scenario = await startScenario()
    const delivered = scenario.addLost('delivered', [success])
    const late = scenario.addLost('delivered-late', [{leadsTo: 'success at read', read: 2}])
    const failing = scenario.addLost('failing', [failsAgain])
    const refused = scenario.addLost('refused', [{leadsTo: 'refused', httpStatus: 404}])
    const slowed = scenario.addLost('slowed', [
      {leadsTo: 'refused', httpStatus: 429, retryAfterS: 1},
      success,
    ])
    const {outcome, report} = await scenario.reconcile(['--yes'])
    // The refused one leaves the run incomplete.
    expectStatus(outcome, 8)
    expect(findingOf(report, 'delivered').resend).toMatchObject({state: 'delivered', responseCode: 200})
    expect(findingOf(report, 'delivered-late').resend).toMatchObject({state: 'delivered', responseCode: 200})
    expect(findingOf(report, 'failing').resend).toMatchObject({state: 'still_failing', responseCode: 502})
    expect(findingOf(report, 'refused').resend).toMatchObject({state: 'refused'})
    expect(findingOf(report, 'slowed').resend).toMatchObject({state: 'refused'})
    expect([delivered, late, failing, refused, slowed].map((id) => scenario.resendsOf(id))).toEqual([
      1, 1, 1, 1, 1,
    ])
    expect(report.resends).toMatchObject({planned: 5, delivered: 2, stillFailing: 1, unknown: 0})
  })

  it('everything delivered is a good night: 0', async () => {
    await using scenario = await startScenario()
    scenario.addLost('delivered')
    scenario.addOrder('matched', 'completed', 'completed')
    scenario.addOrder('flight', 'open', 'processing')
    const {outcome, report} = await scenario.reconcile(['--yes'])
    expectStatus(outcome, 0)
    expect(report).toMatchObject({complete: true, resends: {planned: 1, sent: 1, delivered: 1}})
  })

  it('an acceptance alone is no proof: nothing moved, so nothing is delivered', async () => {
    await using scenario = await startScenario()
    const id = scenario.addLost('unmoved', [{leadsTo: 'nothing moves'}])
    const first = await scenario.reconcile(['--yes'])
    expectStatus(first.outcome, 6, 7, 8)
    expect(scenario.resendsOf(id)).toBe(1)
    expect(findingOf(first.report, 'unmoved').resend?.state).toMatch(/^(sent|unknown|still_failing)$/)
    expect(first.report.resends.delivered).toBe(0)
    await scenario.reconcile(['--yes'])
    expect(scenario.resends).toBe(0)
  })
})

describe.concurrent('a resend whose outcome is unknown', () => {
  it('is never repeated by itself, only on a person’s word', async () => {
    await using scenario = await startScenario()
    const ids = [
      scenario.addLost('reset', [lost, success]),
      scenario.addLost('error-500', [{leadsTo: 'refused', httpStatus: 500}, success]),
      scenario.addLost('error-503', [{leadsTo: 'refused', httpStatus: 503}, success]),
    ]
    const well = scenario.addLost('well', [success])
    const counts = () => [...ids, well].map((id) => scenario.resendsOf(id))

    const first = await scenario.reconcile(['--yes'])
    expectStatus(first.outcome, 6)
    expect(counts()).toEqual([1, 1, 1, 1])
    expect(first.report.resends).toMatchObject({unknown: 3, delivered: 1})
    for (const orderNo of ['reset', 'error-500', 'error-503']) {
      expect(findingOf(first.report, orderNo).resend, orderNo).toMatchObject({state: 'unknown'})
    }

    const second = await scenario.reconcile(['--yes', '--ignore-cooldown'])
    expectStatus(second.outcome, 6, 7)
    expect(scenario.resendsOf(ids[0] ?? ''), 'in doubt outlives --ignore-cooldown').toBe(0)
    expect(counts().slice(0, 3)).toEqual([0, 0, 0])
    for (const orderNo of ['reset', 'error-500', 'error-503']) {
      expect(findingOf(second.report, orderNo), orderNo).toMatchObject({
        verdict: 'missing_completion',
        cause: 'resend_in_doubt',
        action: 'review',
      })
    }

    const third = await scenario.reconcile(['--yes', '--retry-unknown'])
    expect(counts()).toEqual([1, 1, 1, 0])
    expect(third.report.resends).toMatchObject({sent: 3, delivered: 3, unknown: 0})
  })

  it.each([
    ['an HTML page with status 200', html(200)],
    ['JSON cut in the middle', {...json({success: true}), text: '{"success": tr'}],
  ])('%s is no acceptance', async (_, reply) => {
    await using scenario = await startScenario()
    const id = scenario.addLost('unreadable')
    scenario.service.on('resend', () => reply)
    const {outcome, report} = await scenario.reconcile(['--yes'])
    expectStatus(outcome, 6)
    expect(findingOf(report, 'unreadable').resend).toMatchObject({state: 'unknown'})
    expect(scenario.resendsOf(id)).toBe(1)
  })

  it('the delivery went through before the connection broke: never sent a second time', async () => {
    await using scenario = await startScenario()
    const id = scenario.addLost('broken', [{leadsTo: 'reset', delivered: true}])
    const first = await scenario.reconcile(['--yes'])
    // The record itself may prove the delivery, or the run may leave it in doubt: it may not call it failed.
    expect(findingOf(first.report, 'broken').resend?.state).toMatch(/^(delivered|unknown)$/)
    expect(scenario.resendsOf(id)).toBe(1)
    await scenario.reconcile(['--yes', '--include-delivered'])
    expect(scenario.resends).toBe(0)
  })
})

describe.concurrent('the cool-down of eight hours', () => {
  it('a resend that failed again is not tried again the same night, unless told', async () => {
    await using scenario = await startScenario()
    const id = scenario.addLost('failing', [failsAgain, success])
    expectStatus((await scenario.reconcile(['--yes'])).outcome, 7)
    const second = await scenario.reconcile(['--yes'])
    expect(findingOf(second.report, 'failing')).toMatchObject({cause: 'recently_resent', action: 'wait'})
    expect(scenario.resends).toBe(0)
    expectStatus(second.outcome, 7)
    const third = await scenario.reconcile(['--yes', '--ignore-cooldown'])
    expect(scenario.resendsOf(id)).toBe(1)
    expect(findingOf(third.report, 'failing').resend).toMatchObject({state: 'delivered'})
    expectStatus(third.outcome, 0)
  })

  it('holds for an order without a row too', async () => {
    await using scenario = await startScenario()
    scenario.addRow({order_no: 'first', created_at: minutesAgo(1000)})
    scenario.addRow({order_no: 'last', created_at: minutesAgo(0)})
    for (const number of ['first', 'last', 'no-row']) {
      scenario.service.book.addOrder({kind: 'deposit', number, status: 'completed', amount: '500.00'})
    }
    const order = scenario.service.book.findOrder('deposit', 'no-row')
    if (order === undefined) throw new Error('the order is not in the book')
    scenario.service.book.addRecord({order, ...exhausted, onResend: [failsAgain]})
    await scenario.reconcile(['--yes', '--include-missing'])
    expect(scenario.resends).toBe(1)
    const second = await scenario.reconcile(['--yes'])
    expect(findingOf(second.report, 'no-row')).toMatchObject({
      verdict: 'missing_in_ledger',
      cause: 'recently_resent',
      action: 'wait',
    })
    expect(scenario.resends).toBe(0)
  })

  it('a second run the same night resends nothing that delivered, even with --include-delivered', async () => {
    await using scenario = await startScenario()
    scenario.addLost('one')
    scenario.addLost('two')
    await scenario.reconcile(['--yes'])
    expect(scenario.resends).toBe(2)
    await scenario.reconcile(['--yes'])
    expect(scenario.resends).toBe(0)
    await scenario.reconcile(['--yes', '--include-delivered'])
    expect(scenario.resends).toBe(0)
  })
})

describe.concurrent('what is not sent unless told', () => {
  it('a delivered webhook is resent only with --include-delivered', async () => {
    await using scenario = await startScenario()
    const delivered = {...exhausted, status: 'success', response_code: 200, attempts: 1} as const
    const id = scenario.addLost('delivered', [success], delivered)
    const careful = await scenario.reconcile(['--yes'])
    expectStatus(careful.outcome, 7)
    expect(scenario.resends).toBe(0)
    const bold = await scenario.reconcile(['--yes', '--include-delivered'])
    expectStatus(bold.outcome, 0)
    expect(findingOf(bold.report, 'delivered')).toMatchObject({
      cause: 'delivered_not_booked',
      action: 'resend',
      resend: {state: 'delivered'},
    })
    expect(scenario.resendsOf(id)).toBe(1)
  })

  it('without a terminal and without --yes it plans, says so, and resends nothing', async () => {
    await using scenario = await startScenario()
    scenario.addLost('planned')
    const {outcome, report} = await scenario.reconcile([])
    expectStatus(outcome, 7)
    expect(outcome.stderr).toContain('--yes')
    expect(scenario.resends).toBe(0)
    expect(report.resends).toMatchObject({planned: 1, sent: 0})
    expect(findingOf(report, 'planned')).toMatchObject({action: 'resend'})
  })

  it('more resends than --max-resends: none is sent, and the number is said', async () => {
    await using scenario = await startScenario()
    for (const n of [1, 2, 3]) scenario.addLost(`lost-${n}`)
    const args = ['reconcile', await scenario.ledger(), '--yes', '--max-resends', '2']
    for (const json of [[], ['--json']]) {
      const outcome = await scenario.machine.run([...args, ...json])
      expectStatus(outcome, 2)
      expect(`${outcome.stdout}${outcome.stderr}`).toMatch(/\b3\b/)
    }
    expect(scenario.resends).toBe(0)
    const {outcome} = await scenario.reconcile(['--yes', '--max-resends', '3'])
    expectStatus(outcome, 0)
    expect(scenario.resends).toBe(3)
  })

  it('a plan of more than --max-resends is sent by the command it names', async () => {
    await using scenario = await startScenario()
    for (const n of [1, 2]) scenario.addLost(`lost-${n}`)
    const planned = await scenario.machine.run([
      'reconcile',
      await scenario.ledger(),
      '--dry-run',
      '--max-resends',
      '1',
    ])
    const [, words = ''] = /To send: hisab (.*--yes)/.exec(planned.stdout.replace(/\s+/g, ' ')) ?? []
    const [, runId = ''] = /--resume (\S+)/.exec(words) ?? []
    const unsaid = await scenario.machine.run(['reconcile', '--resume', runId, '--yes'])
    expectStatus(unsaid, 2)
    expect([scenario.resends, unsaid.stderr]).toEqual([0, expect.stringContaining('--max-resends allows 1')])
    expect(words).toMatch(/^reconcile --resume \S+ --max-resends 2 --yes$/)
    const sent = await scenario.machine.run(words.split(' '))
    expectStatus(sent, 0)
    expect(scenario.resends).toBe(2)
  })

  it('one number, two kinds: each order has its own record, and each record is resent once', async () => {
    await using scenario = await startScenario()
    const ids = (['deposit', 'payout'] as const).map((kind) => {
      const order = scenario.addOrder('same', 'open', 'completed', kind)
      return {kind, id: scenario.service.book.addRecord({order, ...exhausted}).id}
    })
    const {outcome, report} = await scenario.reconcile(['--yes'])
    expectStatus(outcome, 0)
    for (const {kind, id} of ids) {
      expect(findingOf(report, 'same', kind)).toMatchObject({delivery: {id}, resend: {state: 'delivered'}})
      expect(scenario.resendsOf(id)).toBe(1)
    }
  })

  it.each([
    ['failed', 'status_mismatch'],
    ['completed', 'missing_completion'],
  ])('an order.failed that was never taken is not resent, the order now %s', async (word, verdict) => {
    await using scenario = await startScenario()
    for (const kind of ['deposit', 'payout'] as const) {
      const order = scenario.addOrder('same', 'open', word, kind)
      scenario.service.book.addRecord({order, ...exhausted, event: 'order.failed'})
    }
    const {outcome, report} = await scenario.reconcile(['--yes', '--include-delivered', '--include-missing'])
    expectStatus(outcome, 7)
    for (const kind of ['deposit', 'payout'] as const) {
      expect(findingOf(report, 'same', kind)).toMatchObject({verdict, action: 'review'})
    }
    expect(scenario.resends).toBe(0)
  })

  it('a record of one number’s other kind is not resent for it', async () => {
    await using scenario = await startScenario()
    scenario.addOrder('same', 'open', 'completed', 'payout')
    const deposit = scenario.addOrder('same', 'completed', 'completed', 'deposit')
    scenario.service.book.addRecord({order: deposit, ...exhausted})
    const {report} = await scenario.reconcile(['--yes'])
    expect(findingOf(report, 'same', 'payout')).toMatchObject({action: 'review'})
    expect(scenario.resends).toBe(0)
  })
})
