import {describe, expect, it} from 'vitest'
import {html, json, type Reply, refusal, reset, rewrite} from '../fake-service/replies.ts'
import type {Script} from '../fake-service/service.ts'
import {minutesAgo} from './ledger.ts'
import {beginNight, exhausted, type Night} from './night.ts'
import {expectStatus, readError} from './outcome.ts'
import {findingOf, findingsOf} from './report.ts'

/** Answers to a query that say nothing trustworthy about the order (P8). */
const untrustworthy: Readonly<Record<string, Script>> = {
  'html-200': () => html(200),
  'html-404': () => html(404),
  'busy-503': () => html(503),
  'error-500': () => refusal(500, 'INTERNAL', 'try later'),
  'code-1001': () => refusal(200, 1001, 'system busy'),
  'other-number': (act) => rewrite(act(), (text) => text.replace(/"orderNo":"[^"]+"/, '"orderNo":"other"')),
  'other-merchant': (act) =>
    rewrite(act(), (text) => text.replace(/"merchantId":"[^"]+"/, '"merchantId":"other"')),
  'cut-in-two': (act) => rewrite(act(), (text) => text.slice(0, text.length / 2)),
  'told-twice': (act) => rewrite(act(), (text) => text.replace('"status":', '"status":"failed","status":')),
  'plain-text': (act) => withType(act(), 'text/plain'),
  'no-status': (act) => rewrite(act(), (text) => text.replace(/"status":"\w+",/, '')),
  'broken-off': () => reset,
}

describe.concurrent('queries without a trustworthy answer', () => {
  it('are findings, stop nothing else, and make the run incomplete', async () => {
    await using night = await beginNight()
    for (const [name, script] of Object.entries(untrustworthy)) {
      night.addLost(name)
      night.service.onQuery('deposit', name, script)
    }
    night.addOrder('matched', 'completed', 'completed')
    const {outcome, report} = await night.reconcile(['--yes', '--all'])
    expectStatus(outcome, 8)
    expect(report.complete).toBe(false)
    expect(report.incompleteBecause).not.toEqual([])
    for (const name of Object.keys(untrustworthy)) {
      expect(findingOf(report, name), name).toMatchObject({verdict: 'query_failed', action: 'retry'})
    }
    expect(findingOf(report, 'matched')).toMatchObject({verdict: 'matched'})
    expect(report.counts.query_failed).toBe(Object.keys(untrustworthy).length)
    expect(night.resends).toBe(0)
  })

  it.each([
    ['HTTP 404 in JSON', refusal(404, 404, 'no such order')],
    ['ORDER_NOT_FOUND in code', refusal(400, 'ORDER_NOT_FOUND', 'no such order')],
    ['ORDER_NOT_FOUND in error.code', json({error: {code: 'ORDER_NOT_FOUND', message: 'none'}}, 400)],
  ])('%s is an answer: the order is absent', async (_, reply) => {
    await using night = await beginNight()
    night.addOrder('absent', 'completed', 'completed')
    night.service.on('deposit.query', () => reply)
    const {outcome, report} = await night.reconcile(['--yes'])
    expectStatus(outcome, 7)
    expect(findingOf(report, 'absent')).toMatchObject({verdict: 'missing_at_provider', cause: 'booked'})
  })

  it('a short spell of 503 is waited out', async () => {
    await using night = await beginNight()
    night.addOrder('matched', 'completed', 'completed')
    let answered = 0
    night.service.on('deposit.query', (act) => {
      answered += 1
      return answered === 1 ? html(503) : act()
    })
    const {outcome, report} = await night.reconcile(['--yes'])
    expectStatus(outcome, 0)
    expect(report.complete).toBe(true)
  })

  it('credentials the service rejects end the run with 3', async () => {
    await using night = await beginNight()
    night.addLost('lost')
    const env = {HISAB_API_SECRET: 'not-the-secret-of-this-merchant'}
    const args = ['reconcile', await night.ledger(), '--yes', '--json']
    expectStatus(await night.machine.run(args, {env}), 3)
    expect(night.resends).toBe(0)
  })

  it('a service that is not there is never taken for one that knows no orders', async () => {
    await using night = await beginNight()
    night.addLost('lost')
    const env = {HISAB_BASE_URL: 'http://127.0.0.1:9/v1', HISAB_APPLY_URL: 'http://127.0.0.1:9/v1'}
    const args = ['reconcile', await night.ledger(), '--yes', '--json']
    const outcome = await night.machine.run(args, {env})
    expectStatus(outcome, 5, 8)
    if (outcome.status === 5) readError(outcome)
    expect(outcome.stdout).not.toContain('missing_at_provider')
  })
})

describe.concurrent('without the legacy API', () => {
  it.each([
    ['it is not deployed', [], (night: Night) => night.service.removeLegacyApi()],
    ['--no-deliveries', ['--no-deliveries'], () => {}],
  ])('%s: orders are still compared, and nothing is resent', async (_, flags, prepare) => {
    await using night = await beginNight()
    night.addLost('lost')
    night.addOrder('booked-but-open', 'completed', 'processing')
    prepare(night)
    const {outcome, report} = await night.reconcile(['--yes', ...flags])
    // Whether the unread records make the run incomplete is left open; that it is no clean night is not.
    expectStatus(outcome, 7, 8)
    expect(findingOf(report, 'lost')).toMatchObject({
      verdict: 'missing_completion',
      cause: 'resend_unavailable',
      action: 'review',
    })
    expect(findingOf(report, 'booked-but-open')).toMatchObject({verdict: 'status_mismatch'})
    expect(night.resends).toBe(0)
  })

  it('--no-deliveries does not touch it', async () => {
    await using night = await beginNight()
    night.addLost('lost')
    await night.reconcile(['--yes', '--no-deliveries'])
    expect(night.service.calls.count('list', 'get', 'resend')).toBe(0)
  })

  it('a failing list is not a missing one, and proves no absence', async () => {
    await using night = await beginNight()
    night.addLost('lost')
    for (const name of ['list', 'get'] as const) night.service.on(name, () => html(503))
    const {outcome, report} = await night.reconcile(['--yes'])
    expectStatus(outcome, 8)
    expect(report.complete).toBe(false)
    expect(findingOf(report, 'lost').cause).not.toBe('no_delivery_record')
    expect(night.resends).toBe(0)
  })
})

describe.concurrent('a list that moves while it is read (P9)', () => {
  it('once: it is read again, and nothing is missed', async () => {
    await using night = await beginNight()
    const hidden = fillTwoPages(night)
    let reads = 0
    night.service.on('list', (act, call) => {
      const reply = act()
      reads += 1
      // The page boundary moves up by one after the first page: the hidden record is on neither page, while
      // the ids stay unique and the total stays what it was.
      if (reads === 1 && call.query.get('order_id') === null) moveFirstToEnd(night)
      return reply
    })
    const {outcome, report} = await night.reconcile(['--yes'])
    expectStatus(outcome, 0)
    expect(report.complete).toBe(true)
    expect(findingOf(report, 'hidden')).toMatchObject({
      cause: 'delivery_exhausted',
      resend: {state: 'healed'},
    })
    expect(night.resendsOf(hidden)).toBe(1)
  })

  it('for ever: the sweep is called partial and proves no absence', async () => {
    await using night = await beginNight()
    fillTwoPages(night)
    night.addOrder('no-record', 'open', 'completed')
    night.service.on('list', (act, call) => {
      const reply = act()
      if (call.query.get('order_id') === null) moveFirstToEnd(night)
      return reply
    })
    const {outcome, report} = await night.reconcile(['--yes'])
    expectStatus(outcome, 8)
    expect(report.complete).toBe(false)
    expect(findingOf(report, 'hidden').cause).not.toBe('no_delivery_record')
  })

  it('without an end: the run ends all the same', async () => {
    await using night = await beginNight()
    night.addLost('lost')
    const order = night.service.book.addOrder({kind: 'deposit', number: 'flood', status: 'processing'})
    night.service.on('list', (act, call) => {
      if (call.query.get('order_id') !== null) return act()
      const page = Number(call.query.get('page') ?? 1)
      const limit = Number(call.query.get('limit') ?? 20)
      const data = Array.from({length: limit}, () => ({
        ...night.service.book.makeRecord(order, {created_at: minutesAgo(550)}),
      }))
      const pagination = {page, limit, total: (page + 5) * limit, total_pages: page + 5}
      return json({success: true, data: {data, pagination}, meta: {timestamp: new Date().toISOString()}})
    })
    const {outcome, report} = await night.reconcile(['--yes'])
    expectStatus(outcome, 8)
    expect(report.complete).toBe(false)
  }, 70_000)

  it.each([
    ['a total above its rows', {total: 9}],
    ['a total below its rows', {total: 0, total_pages: 0}],
  ])('%s is not a complete sweep', async (_, lie) => {
    await using night = await beginNight()
    night.addOrder('no-record', 'open', 'completed')
    const order = night.service.book.addOrder({kind: 'deposit', number: 'other', status: 'completed'})
    night.addRow({order_no: 'other', status: 'completed'})
    night.service.book.addRecord({order, ...exhausted})
    night.service.on('list', (act, call) => {
      const reply = act()
      if (call.query.get('order_id') !== null) return reply
      return rewrite(reply, (text) => {
        const body = JSON.parse(text)
        Object.assign(body.data.pagination, lie)
        return JSON.stringify(body)
      })
    })
    const {outcome, report} = await night.reconcile(['--yes'])
    expectStatus(outcome, 8)
    expect(report.complete).toBe(false)
  })
})

describe.concurrent('the window of missing_in_ledger', () => {
  it('without one the verdict is not given, and the report says so', async () => {
    await using night = await beginNight()
    const order = night.service.book.addOrder({kind: 'deposit', number: 'no-row', status: 'completed'})
    night.service.book.addRecord({order, ...exhausted})
    night.service.book.addOrder({kind: 'deposit', number: 'row', status: 'completed'})
    const path = await night.machine.write('ledger.csv', 'order_no,kind\nrow,deposit\n')
    const outcome = await night.machine.run(['reconcile', path, '--yes', '--json', '--settle', '1s'])
    expect(outcome.stdout).not.toContain('"no-row"')
    expect(`${outcome.stdout}${outcome.stderr}`).toMatch(/window|--since|created_at/)
    expect(night.resends).toBe(0)
  })

  it('--since and --until give one', async () => {
    await using night = await beginNight()
    const {book} = night.service
    for (const [number, minutes] of [
      ['inside', 300],
      ['too-early', 900],
      ['too-late', 60],
    ] as const) {
      const order = book.addOrder({kind: 'deposit', number, status: 'completed', amount: '5.00'})
      book.addRecord({order, ...exhausted, created_at: minutesAgo(minutes), sent_at: minutesAgo(50)})
    }
    book.addOrder({kind: 'deposit', number: 'row', status: 'completed', amount: '500.00'})
    night.rows.push({order_no: 'row', kind: 'deposit', status: 'completed', amount: '500.00'})
    const window = ['--since', minutesAgo(600), '--until', minutesAgo(120)]
    const {outcome, report} = await night.reconcile(['--yes', ...window])
    expectStatus(outcome, 0)
    expect(findingOf(report, 'inside')).toMatchObject({verdict: 'missing_in_ledger', line: null})
    expect([...findingsOf(report, 'too-early'), ...findingsOf(report, 'too-late')]).toEqual([])
    expect(night.resends).toBe(1)
  })
})

/** More than one page of records of matched orders, and one record of a lost order at the start of page 2. */
function fillTwoPages(night: Night): string {
  const matched = night.addOrder('matched', 'completed', 'completed')
  const delivered = {...exhausted, status: 'success', response_code: 200} as const
  for (let n = 0; n < 100; n++) night.service.book.addRecord({order: matched, ...delivered})
  const hidden = night.addLost('hidden')
  for (let n = 0; n < 30; n++) night.service.book.addRecord({order: matched, ...delivered})
  night.addRow({order_no: 'day-ends', status: 'failed', created_at: minutesAgo(0)})
  return hidden
}

function moveFirstToEnd(night: Night): void {
  const {records} = night.service.book
  const first = records.shift()
  if (first !== undefined) records.push(first)
}

function withType(reply: Reply, contentType: string): Reply {
  return reply.sends === 'answer' ? {...reply, contentType} : reply
}
