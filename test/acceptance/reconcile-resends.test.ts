import {describe, expect, it} from 'vitest'
import type {ResendOutcome} from '../fake-service/book.ts'
import {html, json} from '../fake-service/replies.ts'
import {minutesAgo} from './ledger.ts'
import {beginNight, exhausted} from './night.ts'
import {expectStatus} from './outcome.ts'
import {findingOf} from './report.ts'

const success: ResendOutcome = {leadsTo: 'success'}
const failsAgain: ResendOutcome = {leadsTo: 'failed', code: 502}
const lost: ResendOutcome = {leadsTo: 'reset', delivered: false}

// A test waits for processes most of the time, so they wait side by side.
describe.concurrent('what a resend leads to', () => {
  it('delivered, failing still, and refused, by a 429 too, which is sent once', async () => {
    await using night = await beginNight()
    const delivered = night.addLost('delivered', [success])
    const late = night.addLost('delivered-late', [{leadsTo: 'success at read', read: 2}])
    const failing = night.addLost('failing', [failsAgain])
    const refused = night.addLost('refused', [{leadsTo: 'refused', httpStatus: 404}])
    const slowed = night.addLost('slowed', [{leadsTo: 'refused', httpStatus: 429, retryAfterS: 1}, success])
    const {outcome, report} = await night.reconcile(['--yes'])
    // The refused one leaves the run incomplete.
    expectStatus(outcome, 8)
    expect(findingOf(report, 'delivered').resend).toMatchObject({state: 'delivered', responseCode: 200})
    expect(findingOf(report, 'delivered-late').resend).toMatchObject({state: 'delivered', responseCode: 200})
    expect(findingOf(report, 'failing').resend).toMatchObject({state: 'still_failing', responseCode: 502})
    expect(findingOf(report, 'refused').resend).toMatchObject({state: 'refused'})
    expect(findingOf(report, 'slowed').resend).toMatchObject({state: 'refused'})
    expect([delivered, late, failing, refused, slowed].map((id) => night.resendsOf(id))).toEqual([
      1, 1, 1, 1, 1,
    ])
    expect(report.resends).toMatchObject({planned: 5, delivered: 2, stillFailing: 1, unknown: 0})
  })

  it('everything delivered is a good night: 0', async () => {
    await using night = await beginNight()
    night.addLost('delivered')
    night.addOrder('matched', 'completed', 'completed')
    night.addOrder('flight', 'open', 'processing')
    const {outcome, report} = await night.reconcile(['--yes'])
    expectStatus(outcome, 0)
    expect(report).toMatchObject({complete: true, resends: {planned: 1, sent: 1, delivered: 1}})
  })

  it('an acceptance alone is no proof: nothing moved, so nothing is delivered', async () => {
    await using night = await beginNight()
    const id = night.addLost('unmoved', [{leadsTo: 'nothing moves'}])
    const first = await night.reconcile(['--yes'])
    expectStatus(first.outcome, 6, 7, 8)
    expect(night.resendsOf(id)).toBe(1)
    expect(findingOf(first.report, 'unmoved').resend?.state).toMatch(/^(sent|unknown|still_failing)$/)
    expect(first.report.resends.delivered).toBe(0)
    await night.reconcile(['--yes'])
    expect(night.resends).toBe(0)
  })
})

describe.concurrent('a resend whose outcome is unknown', () => {
  it('is never repeated by itself, only on a person’s word', async () => {
    await using night = await beginNight()
    const ids = [
      night.addLost('reset', [lost, success]),
      night.addLost('error-500', [{leadsTo: 'refused', httpStatus: 500}, success]),
      night.addLost('error-503', [{leadsTo: 'refused', httpStatus: 503}, success]),
    ]
    const well = night.addLost('well', [success])
    const counts = () => [...ids, well].map((id) => night.resendsOf(id))

    const first = await night.reconcile(['--yes'])
    expectStatus(first.outcome, 6)
    expect(counts()).toEqual([1, 1, 1, 1])
    expect(first.report.resends).toMatchObject({unknown: 3, delivered: 1})
    for (const orderNo of ['reset', 'error-500', 'error-503']) {
      expect(findingOf(first.report, orderNo).resend, orderNo).toMatchObject({state: 'unknown'})
    }

    const second = await night.reconcile(['--yes', '--ignore-cooldown'])
    expectStatus(second.outcome, 6, 7)
    expect(night.resendsOf(ids[0] ?? ''), 'in doubt outlives --ignore-cooldown').toBe(0)
    expect(counts().slice(0, 3)).toEqual([0, 0, 0])
    for (const orderNo of ['reset', 'error-500', 'error-503']) {
      expect(findingOf(second.report, orderNo), orderNo).toMatchObject({
        verdict: 'missing_completion',
        cause: 'resend_in_doubt',
        action: 'review',
      })
    }

    const third = await night.reconcile(['--yes', '--retry-unknown'])
    expect(counts()).toEqual([1, 1, 1, 0])
    expect(third.report.resends).toMatchObject({sent: 3, delivered: 3, unknown: 0})
  })

  it.each([
    ['an HTML page with status 200', html(200)],
    ['JSON cut in the middle', {...json({success: true}), text: '{"success": tr'}],
  ])('%s is no acceptance', async (_, reply) => {
    await using night = await beginNight()
    const id = night.addLost('unreadable')
    night.service.on('resend', () => reply)
    const {outcome, report} = await night.reconcile(['--yes'])
    expectStatus(outcome, 6)
    expect(findingOf(report, 'unreadable').resend).toMatchObject({state: 'unknown'})
    expect(night.resendsOf(id)).toBe(1)
  })

  it('the delivery went through before the connection broke: never sent a second time', async () => {
    await using night = await beginNight()
    const id = night.addLost('broken', [{leadsTo: 'reset', delivered: true}])
    const first = await night.reconcile(['--yes'])
    // The record itself may prove the delivery, or the run may leave it in doubt: it may not call it failed.
    expect(findingOf(first.report, 'broken').resend?.state).toMatch(/^(delivered|unknown)$/)
    expect(night.resendsOf(id)).toBe(1)
    await night.reconcile(['--yes', '--include-delivered'])
    expect(night.resends).toBe(0)
  })
})

describe.concurrent('the cool-down of eight hours', () => {
  it('a resend that failed again is not tried again the same night, unless told', async () => {
    await using night = await beginNight()
    const id = night.addLost('failing', [failsAgain, success])
    expectStatus((await night.reconcile(['--yes'])).outcome, 7)
    const second = await night.reconcile(['--yes'])
    expect(findingOf(second.report, 'failing')).toMatchObject({cause: 'recently_resent', action: 'wait'})
    expect(night.resends).toBe(0)
    expectStatus(second.outcome, 7)
    const third = await night.reconcile(['--yes', '--ignore-cooldown'])
    expect(night.resendsOf(id)).toBe(1)
    expect(findingOf(third.report, 'failing').resend).toMatchObject({state: 'delivered'})
    expectStatus(third.outcome, 0)
  })

  it('holds for an order without a row too', async () => {
    await using night = await beginNight()
    night.addRow({order_no: 'first', created_at: minutesAgo(1000)})
    night.addRow({order_no: 'last', created_at: minutesAgo(0)})
    for (const number of ['first', 'last', 'no-row']) {
      night.service.book.addOrder({kind: 'deposit', number, status: 'completed', amount: '500.00'})
    }
    const order = night.service.book.findOrder('deposit', 'no-row')
    if (order === undefined) throw new Error('the order is not in the book')
    night.service.book.addRecord({order, ...exhausted, onResend: [failsAgain]})
    await night.reconcile(['--yes', '--include-missing'])
    expect(night.resends).toBe(1)
    const second = await night.reconcile(['--yes'])
    expect(findingOf(second.report, 'no-row')).toMatchObject({
      verdict: 'missing_in_ledger',
      cause: 'recently_resent',
      action: 'wait',
    })
    expect(night.resends).toBe(0)
  })

  it('a second run the same night resends nothing that delivered, even with --include-delivered', async () => {
    await using night = await beginNight()
    night.addLost('one')
    night.addLost('two')
    await night.reconcile(['--yes'])
    expect(night.resends).toBe(2)
    await night.reconcile(['--yes'])
    expect(night.resends).toBe(0)
    await night.reconcile(['--yes', '--include-delivered'])
    expect(night.resends).toBe(0)
  })
})

describe.concurrent('what is not sent unless told', () => {
  it('a delivered webhook is resent only with --include-delivered', async () => {
    await using night = await beginNight()
    const delivered = {...exhausted, status: 'success', response_code: 200, attempts: 1} as const
    const id = night.addLost('delivered', [success], delivered)
    const careful = await night.reconcile(['--yes'])
    expectStatus(careful.outcome, 7)
    expect(night.resends).toBe(0)
    const bold = await night.reconcile(['--yes', '--include-delivered'])
    expectStatus(bold.outcome, 0)
    expect(findingOf(bold.report, 'delivered')).toMatchObject({
      cause: 'delivered_not_booked',
      action: 'resend',
      resend: {state: 'delivered'},
    })
    expect(night.resendsOf(id)).toBe(1)
  })

  it('without a terminal and without --yes it plans, says so, and resends nothing', async () => {
    await using night = await beginNight()
    night.addLost('planned')
    const {outcome, report} = await night.reconcile([])
    expectStatus(outcome, 7)
    expect(outcome.stderr).toContain('--yes')
    expect(night.resends).toBe(0)
    expect(report.resends).toMatchObject({planned: 1, sent: 0})
    expect(findingOf(report, 'planned')).toMatchObject({action: 'resend'})
  })

  it('more resends than --max-resends: none is sent, and the number is said', async () => {
    await using night = await beginNight()
    for (const n of [1, 2, 3]) night.addLost(`lost-${n}`)
    const args = ['reconcile', await night.ledger(), '--yes', '--max-resends', '2']
    for (const json of [[], ['--json']]) {
      const outcome = await night.machine.run([...args, ...json])
      expectStatus(outcome, 2)
      expect(`${outcome.stdout}${outcome.stderr}`).toMatch(/\b3\b/)
    }
    expect(night.resends).toBe(0)
    const {outcome} = await night.reconcile(['--yes', '--max-resends', '3'])
    expectStatus(outcome, 0)
    expect(night.resends).toBe(3)
  })

  it('a plan of more than --max-resends is sent by the command it names', async () => {
    await using night = await beginNight()
    for (const n of [1, 2]) night.addLost(`lost-${n}`)
    const planned = await night.machine.run([
      'reconcile',
      await night.ledger(),
      '--dry-run',
      '--max-resends',
      '1',
    ])
    const [, words = ''] = /To send: hisab (.*--yes)/.exec(planned.stdout.replace(/\s+/g, ' ')) ?? []
    const [, runId = ''] = /--resume (\S+)/.exec(words) ?? []
    const unsaid = await night.machine.run(['reconcile', '--resume', runId, '--yes'])
    expectStatus(unsaid, 2)
    expect([night.resends, unsaid.stderr]).toEqual([0, expect.stringContaining('--max-resends allows 1')])
    expect(words).toMatch(/^reconcile --resume \S+ --max-resends 2 --yes$/)
    const sent = await night.machine.run(words.split(' '))
    expectStatus(sent, 0)
    expect(night.resends).toBe(2)
  })

  it('one number, two kinds: each order has its own record, and each record is resent once', async () => {
    await using night = await beginNight()
    const ids = (['deposit', 'payout'] as const).map((kind) => {
      const order = night.addOrder('same', 'open', 'completed', kind)
      return {kind, id: night.service.book.addRecord({order, ...exhausted}).id}
    })
    const {outcome, report} = await night.reconcile(['--yes'])
    expectStatus(outcome, 0)
    for (const {kind, id} of ids) {
      expect(findingOf(report, 'same', kind)).toMatchObject({delivery: {id}, resend: {state: 'delivered'}})
      expect(night.resendsOf(id)).toBe(1)
    }
  })

  it.each([
    ['failed', 'status_mismatch'],
    ['completed', 'missing_completion'],
  ])('an order.failed that was never taken is not resent, the order now %s', async (word, verdict) => {
    await using night = await beginNight()
    for (const kind of ['deposit', 'payout'] as const) {
      const order = night.addOrder('same', 'open', word, kind)
      night.service.book.addRecord({order, ...exhausted, event: 'order.failed'})
    }
    const {outcome, report} = await night.reconcile(['--yes', '--include-delivered', '--include-missing'])
    expectStatus(outcome, 7)
    for (const kind of ['deposit', 'payout'] as const) {
      expect(findingOf(report, 'same', kind)).toMatchObject({verdict, action: 'review'})
    }
    expect(night.resends).toBe(0)
  })

  it('a record of one number’s other kind is not resent for it', async () => {
    await using night = await beginNight()
    night.addOrder('same', 'open', 'completed', 'payout')
    const deposit = night.addOrder('same', 'completed', 'completed', 'deposit')
    night.service.book.addRecord({order: deposit, ...exhausted})
    const {report} = await night.reconcile(['--yes'])
    expect(findingOf(report, 'same', 'payout')).toMatchObject({action: 'review'})
    expect(night.resends).toBe(0)
  })
})
