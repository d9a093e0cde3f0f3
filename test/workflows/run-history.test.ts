import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, onTestFinished, test} from 'vitest'
import {defaultDialect} from '../../src/core/dialect.ts'
import {Failure} from '../../src/core/failure.ts'
import type {OrderKind, ServiceOrder} from '../../src/core/order.ts'
import {orderKey} from '../../src/core/reconcile/orders.ts'
import type {Verdict} from '../../src/core/reconcile/verdict.ts'
import {formatInstant} from '../../src/core/time.ts'
import type {Journal} from '../../src/journal/journal.ts'
import {readTotals} from '../../src/report/run-totals.ts'
import {planRun} from '../../src/workflows/reconcile/plan.ts'
import {runReconcile} from '../../src/workflows/reconcile/run.ts'
import type {ReconcileOptions} from '../../src/workflows/reconcile/types.ts'
import {reconciledBy} from '../../src/workflows/resend/seen.ts'
import {hourMs} from '../core/reconcile/sample.ts'
import {fillTemporaryFolder} from '../journal/full-temporary-folder.ts'
import {exhaustedDelivery, nightlyRun} from '../journal/sample.ts'
import {failure} from './fake-client.ts'
import {ScenarioBench} from './scenario-run.ts'

const head = 'order_no,status,amount,created_at\n'
const row = (orderNo: string, status: string, amount = '500.00') =>
  `${orderNo},${status},${amount},2026-11-20T09:00:00Z\n`

/** Deposits the service completed for BDT 500 each, and a ledger of rows. */
function bench(rows: string, orders: readonly string[] = ['D-1', 'D-2', 'D-3'], options: object = {}) {
  return new ScenarioBench({
    path: 'runs',
    sections: new Map([
      ['ledger.csv', head + rows],
      ['service.json', JSON.stringify(orders.map((orderNo) => ({orderNo})))],
      ['options.json', JSON.stringify(options)],
    ]),
  })
}

/** The merchant's ledger of another scene. */
function rewrite(scene: ScenarioBench, rows: string): void {
  writeFileSync(join(scene.dir, 'ledger.csv'), head + rows)
}

const findFinding = async (journal: Journal, kind: OrderKind, orderNo: string, verdict: string) =>
  (await journal.findingsOf([{kind, orderNo}])).find((one) => one.verdict === verdict)

const at = (ms: number) => formatInstant(ms, 'Asia/Dhaka')
const agreeing = row('D-1', 'paid') + row('D-2', 'paid')
const queries = ({client}: ScenarioBench) => client.log.filter((call) => call.startsWith('query'))

describe('--skip-final', () => {
  test('an order that agreed and is at an end is not asked for again, and the report says whose answer stands in', async () => {
    const scene = bench(agreeing)
    const first = await scene.run('run-1')
    const second = await scene.run('run-2', {}, {skipFinal: true})
    expect(queries(scene)).toHaveLength(2)
    expect(second.report.final).toMatchObject({taken: 2, fromRuns: [{runId: 'run-1', orders: 2}]})
    expect(second.report.findings.map(({takenFrom}) => takenFrom)).toEqual(['run-1', 'run-1'])
    for (const part of ['counts', 'tieOut', 'complete'] as const) {
      expect(second.report[part]).toEqual(first.report[part])
    }
  })

  test('without it every order is asked for', async () => {
    const scene = bench(agreeing)
    await scene.run('run-1')
    const {report} = await scene.run('run-2')
    expect(queries(scene)).toHaveLength(4)
    expect(report.final).toEqual({taken: 0, fromRuns: []})
  })

  test.each([
    ['its amount changed', row('D-1', 'paid', '5.00')],
    ['its status changed', row('D-1', 'open')],
    ['it stands there twice', row('D-1', 'paid') + row('D-1', 'paid')],
  ])('a row that is not what it was is asked for: %s', async (_what, changed) => {
    const scene = bench(agreeing)
    await scene.run('run-1')
    rewrite(scene, changed)
    const {report} = await scene.run('run-2', {}, {skipFinal: true})
    expect(queries(scene).slice(2)).toEqual(['query deposit D-1'])
    expect(report.final.taken).toBe(0)
  })

  test.each([
    ['open on both sides', 'open', 'processing'],
    ['a break', 'open', 'completed'],
    ['failed here, open there', 'failed', 'processing'],
  ])('%s is never settled', async (_what, ours, theirs) => {
    const scene = new ScenarioBench({
      path: 'runs',
      sections: new Map([
        ['ledger.csv', head + row('D-1', ours)],
        ['service.json', JSON.stringify([{orderNo: 'D-1', status: theirs}])],
      ]),
    })
    await scene.run('run-1')
    await scene.run('run-2', {}, {skipFinal: true})
    expect(queries(scene)).toHaveLength(2)
  })

  test('a resumed run does not ask again for what it settled before it was stopped', async () => {
    const scene = bench(agreeing + row('D-3', 'paid'))
    const {before} = scene.client
    scene.client.before = (call) => {
      before(call)
      if (call === 'query deposit D-2') scene.stop.abort()
    }
    await scene.run('run-1')
    scene.client.before = before
    scene.stop = new AbortController()
    const {report} = await scene.run('run-1', {resume: true})
    expect(queries(scene)).toEqual(['query deposit D-1', 'query deposit D-2', 'query deposit D-3'])
    expect(report).toMatchObject({complete: true, counts: {matched: 3}})
    expect(report.final).toMatchObject({
      taken: 2,
      fromRuns: [{runId: 'run-1', askedFrom: at(scene.clock.ms)}],
    })
    expect(report.findings[0]).toMatchObject({
      orderNo: 'D-1',
      takenFrom: 'run-1',
      askedAt: at(scene.clock.ms),
    })
  })

  test('a resumed run asks again for what it was told more than a day ago, and sees what was reversed since', async () => {
    const scene = bench(agreeing, ['D-1', 'D-2'], {stopAt: 'query deposit D-2'})
    await scene.run('run-1')
    Object.assign(scene.options, {stopAt: undefined})
    scene.stop = new AbortController()
    const known = scene.client.orders.get('deposit\0D-1')
    if (known && !(known instanceof Failure)) {
      scene.client.orders.set('deposit\0D-1', {...known, status: 'failed', rawStatus: 'failed'})
    }
    scene.clock.ms += 24 * hourMs
    const {report, status} = await scene.run('run-1', {resume: true})
    expect(report.findings[0]).toMatchObject({orderNo: 'D-1', cause: 'booked_but_failed', takenFrom: null})
    expect(status).toBe(7)
  })

  test('a dry run that is gone on with asks for everything again', async () => {
    const scene = bench(agreeing)
    await scene.run('run-1', {dryRun: true})
    await scene.run('run-1', {resume: true})
    expect(queries(scene)).toHaveLength(4)
  })
})

describe('memory', () => {
  const dayMs = 24 * hourMs
  const lost = row('D-1', 'open') + row('D-2', 'paid', '5.00')
  const states = ({report}: Awaited<ReturnType<ScenarioBench['run']>>) =>
    Object.fromEntries(
      report.findings.flatMap(({orderNo, history}) =>
        history ? [[orderNo, `${history.state} ${history.ageDays}`]] : [],
      ),
    )

  test('new, then open with its age, then closed, then reopened', async () => {
    const scene = bench(lost)
    expect(states(await scene.run('run-1'))).toEqual({'D-1': 'new 0', 'D-2': 'new 0'})
    scene.clock.ms += 3 * dayMs
    const second = await scene.run('run-2')
    expect(states(second)).toEqual({'D-1': 'open 3', 'D-2': 'open 3'})
    expect(second.report.memory).toMatchObject({new: 0, open: 2, closed: [], oldestDays: 3})

    rewrite(scene, row('D-1', 'paid') + row('D-2', 'paid', '5.00'))
    const third = await scene.run('run-3')
    expect(third.report.memory.closed).toMatchObject([
      {orderNo: 'D-1', verdict: 'missing_completion', ageDays: 3},
    ])
    expect((await scene.run('run-4')).report.memory).toMatchObject({open: 1, closed: []})

    scene.clock.ms += dayMs
    rewrite(scene, lost)
    expect(states(await scene.run('run-5'))).toEqual({'D-1': 'reopened 0', 'D-2': 'open 4'})
  })

  test('a finding whose order is in another ledger is open as before', async () => {
    const scene = bench(lost)
    await scene.run('run-1')
    rewrite(scene, row('D-3', 'paid').replace('-20T', '-21T'))
    scene.clock.ms += 2 * dayMs
    const second = await scene.run('run-2')
    expect(states(second)).toMatchObject({'D-1': 'open 2', 'D-2': 'open 2'})
    expect(second.status).toBe(7)
    expect(second.report.memory).toMatchObject({closed: [], notExamined: [], oldestDays: 2})
  })

  test('an order without an answer heals nothing', async () => {
    const scene = bench(lost)
    await scene.run('run-1')
    scene.client.orders.clear()
    scene.client.before = (call) => {
      if (call.startsWith('query')) scene.stop.abort()
    }
    const {report} = await scene.run('run-2')
    expect(report.memory.closed.map(({orderNo}) => orderNo)).not.toContain('D-2')
  })

  test('a resumed run tells what an uninterrupted one tells', async () => {
    const scene = bench(lost)
    const first = await scene.run('run-1')
    scene.clock.ms += 60_000
    const resumed = await scene.run('run-1', {resume: true})
    expect(resumed.report.memory).toEqual(first.report.memory)
    expect(resumed.report.findings.map(({history}) => history)).toEqual(
      first.report.findings.map(({history}) => history),
    )
  })

  test('killed once it had written down what closed, and resumed, it tells it again', async () => {
    const scene = bench(lost)
    await scene.run('run-1')
    rewrite(scene, row('D-1', 'paid') + row('D-2', 'paid', '5.00'))
    const whole = await scene.run('run-2')
    const resumed = await scene.run('run-2', {resume: true})
    expect(whole.report.memory.closed).toHaveLength(1)
    expect(resumed.report.memory).toEqual(whole.report.memory)
    expect(readTotals(await scene.journal.findTotals('run-2'))).toMatchObject({memory: {closed: 1}})
    expect((await scene.run('run-3')).report.memory.closed).toEqual([])
  })

  test.each([
    ['stays so where the resumed run gets no answer', failure('service_busy', 'HTTP 503'), 'run-2'],
    ['is open again where the resumed run finds it again', {status: 'completed'}, null],
  ] as const)('what a killed run saw closed %s', async (_what, answer, closedRunId) => {
    const scene = bench(row('D-1', 'open'))
    await scene.run('run-1')
    const {orders} = scene.client
    const key = orderKey({kind: 'deposit', orderNo: 'D-1'})
    const completed = orders.get(key) as ServiceOrder
    orders.set(key, {...completed, status: 'open', rawStatus: 'processing'})
    await scene.run('run-2')
    orders.set(key, answer instanceof Failure ? answer : completed)
    const {report} = await scene.run('run-2', {resume: true})
    expect(report.memory.closed).toHaveLength(closedRunId === null ? 0 : 1)
    const remembered = await findFinding(scene.journal, 'deposit', 'D-1', 'missing_completion')
    expect(remembered?.closedRunId).toBe(closedRunId)
  })

  test('with the temporary folder full at its end, the run is remembered all the same', async () => {
    const scene = bench(lost + row('D-3', 'paid'))
    const makeRoom = fillTemporaryFolder()
    onTestFinished(makeRoom)
    const first = await scene.run('run-1')
    expect(first.unsorted?.message).toMatch(/^the temporary folder \(TMPDIR\).*: disk full\.$/)
    expect([first.status, (await scene.journal.findRun('run-1'))?.status]).toEqual([7, 'finished'])
    expect(await scene.journal.findTotals('run-1')).not.toBeNull()
    makeRoom()
    const second = await scene.run('run-2', {}, {skipFinal: true})
    expect(second.unsorted).toBeNull()
    expect(states(second)).toEqual({'D-1': 'open 0', 'D-2': 'open 0'})
    expect(second.report.final).toMatchObject({taken: 1, fromRuns: [{runId: 'run-1', orders: 1}]})
  })

  test('a process that dies before the settled orders are put in order has finished its run', async () => {
    const scene = bench(lost + row('D-3', 'paid'))
    const {sortFinalOrders} = scene.journal
    const died = new Error('killed')
    scene.journal.sortFinalOrders = () => {
      throw died
    }
    await expect(scene.run('run-1')).rejects.toBe(died)
    scene.journal.sortFinalOrders = sortFinalOrders
    expect(await scene.journal.findRun('run-1')).toMatchObject({status: 'finished', exitStatus: 7})
    const resumed = await scene.run('run-1', {resume: true})
    expect(queries(scene)).toHaveLength(5)
    expect(resumed.report).toMatchObject({complete: true, memory: {new: 2, open: 0}})
    const second = await scene.run('run-2', {}, {skipFinal: true})
    expect(second.report).toMatchObject({final: {taken: 1}, memory: {new: 0, open: 2}})
  })

  test('--since-last lists what is new, and counts it all', async () => {
    const scene = bench(lost)
    await scene.run('run-1', {listAll: false})
    rewrite(scene, lost + row('D-3', 'open'))
    const {report, status} = await scene.run('run-2', {listAll: false, sinceLast: true})
    expect(report.findings.map(({orderNo}) => orderNo)).toEqual(['D-3'])
    expect(report.counts).toMatchObject({missing_completion: 2, amount_mismatch: 1})
    expect([report.memory.open, status]).toEqual([2, 7])
  })

  test('the figures of a run outlive its report', async () => {
    const scene = bench(lost)
    const {report} = await scene.run('run-1')
    expect(readTotals(await scene.journal.findTotals('run-1'))).toMatchObject({
      ...{complete: true, counts: report.counts, atRisk: {total: '995.00'}},
      memory: {new: 2, closed: 0},
    })
  })
})

describe('an order that only its webhook contradicts', () => {
  function told(): ScenarioBench {
    const scene = new ScenarioBench({
      path: 'runs',
      sections: new Map([
        ['ledger.csv', head + row('D-1', 'paid')],
        ['service.json', JSON.stringify([{orderNo: 'D-1', amount: null}])],
      ]),
    })
    scene.addRecord({orderNo: 'D-1', status: 'success', says: '50.00'})
    return scene
  }
  const verdictOf = ({report}: Awaited<ReturnType<ScenarioBench['run']>>) => report.findings[0]?.verdict

  test('is never settled', async () => {
    const scene = told()
    expect(verdictOf(await scene.run('run-1'))).toBe('amount_mismatch')
    expect(verdictOf(await scene.run('run-2', {}, {skipFinal: true}))).toBe('amount_mismatch')
    expect(queries(scene)).toHaveLength(2)
  })

  test('is not called closed where the webhook could not be read', async () => {
    const scene = told()
    await scene.run('run-1')
    scene.client.before = (call) => {
      if (call.startsWith('get')) throw failure('service_busy', 'HTTP 503')
    }
    const second = await scene.run('run-2')
    expect([verdictOf(second), second.status]).toEqual(['amount_mismatch', 7])
    expect(second.report.memory.closed).toEqual([])
  })
})

/** A person ignores an open finding for an hour. */
async function ignore(
  {journal, clock}: ScenarioBench,
  verdict: Verdict,
  change: {readonly expiresAtMs?: number; readonly atRisk?: bigint} = {},
  orderNo = 'D-1',
) {
  const finding = await findFinding(journal, 'deposit', orderNo, verdict)
  const {id: findingId = 0, atRisk = null} = finding ?? {}
  const words = {reason: 'booked by hand', by: 'rahima', atMs: clock.ms}
  await journal.addIgnore({findingId, atRisk, ...words, expiresAtMs: clock.ms + hourMs, ...change})
}

describe('an ignore', () => {
  async function ignored(change: {readonly expiresAtMs?: number; readonly atRisk?: bigint} = {}) {
    const scene = bench(row('D-1', 'paid', '5.00') + row('D-2', 'paid'))
    await scene.run('run-1')
    await ignore(scene, 'amount_mismatch', change)
    return scene
  }

  test('takes the finding out of what asks somebody, and out of no figure', async () => {
    const scene = await ignored()
    const {report, status} = await scene.run('run-2')
    expect(status).toBe(0)
    const [finding] = report.findings
    expect(finding).toMatchObject({
      ...{
        orderNo: 'D-1',
        verdict: 'amount_mismatch',
        severity: 'high',
        action: 'none',
        amountAtRisk: '495.00',
      },
      ignored: {reason: 'booked by hand', by: 'rahima'},
    })
    expect(finding?.explanation).toContain('Ignored until 2026-11-20 by rahima: booked by hand')
    expect(report.counts.amount_mismatch).toBe(1)
    expect(report.atRisk).toMatchObject({total: '495.00', ignored: '495.00'})
    expect(report.tieOut).toMatchObject({difference: '-495.00', explained: '-495.00'})
  })

  test.each<[string, (scene: ScenarioBench) => void]>([
    ['its time is over', (scene) => (scene.clock.ms += hourMs)],
    ['it was removed', (scene) => scene.journal.removeIgnore(1, 'karim', scene.clock.ms)],
    ['another amount is at risk', (scene) => rewrite(scene, row('D-1', 'paid', '6.00'))],
    ['as much is at risk the other way', (scene) => rewrite(scene, row('D-1', 'paid', '995.00'))],
    ['the order has another trouble', (scene) => rewrite(scene, row('D-1', 'open'))],
  ])('no more once %s', async (_what, change) => {
    const scene = await ignored()
    change(scene)
    const {report, status} = await scene.run('run-2')
    expect([report.memory.ignored, status]).toEqual([0, 7])
  })

  test('of an order that stands there three times is about all its rows, and ends with a fourth', async () => {
    const rows = row('D-1', 'paid').repeat(3)
    const scene = bench(rows)
    await scene.run('run-1')
    const finding = await findFinding(scene.journal, 'deposit', 'D-1', 'duplicate_in_ledger')
    expect(finding?.atRisk).toBe(100_000n)
    await ignore(scene, 'duplicate_in_ledger')
    const second = await scene.run('run-2')
    expect([second.report.memory.ignored, second.status]).toEqual([3, 0])
    rewrite(scene, row('D-1', 'paid').repeat(4))
    expect((await scene.run('run-3')).status).toBe(7)
  })

  const ignoreAll = async (scene: ScenarioBench) => {
    for (const {id: findingId, atRisk} of await scene.journal.openFindings()) {
      const at = {atMs: scene.clock.ms, expiresAtMs: scene.clock.ms + 999 * hourMs}
      await scene.journal.addIgnore({...{findingId, atRisk, reason: 'refund agreed', by: 'rahima'}, ...at})
    }
  }
  const serviceSays = ({client}: ScenarioBench, status: ServiceOrder['status']) => {
    const known = client.orders.get('deposit\0D-1')
    if (known && !(known instanceof Failure))
      client.orders.set('deposit\0D-1', {...known, status, rawStatus: status})
  }

  test('ends with worse news: credited before it was paid becomes credited without a payment', async () => {
    const scene = bench(row('D-1', 'paid'))
    serviceSays(scene, 'open')
    await scene.run('run-1')
    await ignoreAll(scene)
    expect((await scene.run('run-2')).status).toBe(0)
    serviceSays(scene, 'failed')
    const {report, status} = await scene.run('run-3', {sinceLast: true})
    expect(status).toBe(7)
    expect(report.findings).toMatchObject([{cause: 'booked_but_failed', history: {state: 'changed'}}])
    expect(report.findings[0]?.explanation).toContain('by rahima no longer applies')
    // OtherOrderTexts once: in the next run nothing of it is new.
    const fourth = await scene.run('run-4', {sinceLast: true})
    expect([fourth.report.findings.length, fourth.status]).toEqual([0, 7])
  })

  test('ends where the break was gone and came back', async () => {
    const scene = bench(row('D-1', 'paid', '5.00'))
    await scene.run('run-1')
    await ignoreAll(scene)
    rewrite(scene, row('D-1', 'paid'))
    scene.clock.ms += hourMs
    expect((await scene.run('run-2')).report.memory.closed).toHaveLength(1)
    rewrite(scene, row('D-1', 'paid', '5.00'))
    scene.clock.ms += hourMs
    expect((await scene.run('run-3')).status).toBe(7)
  })

  test('that fits no longer sends nothing: a webhook that gave up is first shown', async () => {
    const scene = bench(row('D-1', 'open'), ['D-1'], {yes: true})
    scene.addRecord({orderNo: 'D-1', nextRetryAt: new Date(scene.clock.ms + hourMs).toISOString()})
    await scene.run('run-1')
    await ignoreAll(scene)
    for (const [id, record] of scene.client.records)
      scene.client.records.set(id, {...record, nextRetryAt: null})
    const {report, status} = await scene.run('run-2')
    expect([scene.client.calls.resend, status]).toEqual([0, 7])
    expect(report.findings).toMatchObject([{cause: 'delivery_exhausted', action: 'review'}])
  })

  test.each(['a dry run', 'an interrupted run'])(
    'cannot be given for what %s saw: it left nothing',
    async (which) => {
      const scene = bench(row('D-1', 'paid', '5.00') + row('D-2', 'paid'))
      const {before} = scene.client
      scene.client.before = (call) => {
        before(call)
        if (which === 'an interrupted run' && call === 'query deposit D-2') scene.stop.abort()
      }
      const {report} = await scene.run('run-1', {dryRun: which === 'a dry run'})
      expect(report.counts.amount_mismatch).toBe(1)
      expect(await scene.journal.openFindings()).toEqual([])
    },
  )

  test('a dry run closes nothing either', async () => {
    const scene = bench(row('D-1', 'paid', '5.00'))
    await scene.run('run-1')
    rewrite(scene, row('D-1', 'paid'))
    await scene.run('run-2', {dryRun: true})
    expect(await scene.journal.openFindings()).toHaveLength(1)
  })

  test('an ignored order is not resent', async () => {
    const scene = bench(row('D-1', 'open'), ['D-1'])
    scene.addRecord({orderNo: 'D-1'})
    await scene.run('run-1')
    Object.assign(scene.options, {yes: true})
    await ignore(scene, 'missing_completion')
    const {status} = await scene.run('run-2')
    expect([scene.client.calls.resend, status]).toEqual([0, 0])
    // Nor where this machine alone takes its time for over.
    scene.clock.setByMs = 24 * hourMs
    scene.client.clockSkewMs = -scene.clock.setByMs
    expect([(await scene.run('run-3')).status, scene.client.calls.resend]).toEqual([0, 0])
    // Nor if the ignore came after the plan.
    const claim = {...exhaustedDelivery, runId: 'run-4', intentAtMs: scene.clock.now()}
    await scene.journal.startRun({...nightlyRun, id: 'run-4'})
    const time = {nowMs: scene.clock.now(), skewMs: scene.client.clockSkewMs}
    expect(await scene.journal.claimResend({...claim, orderNo: 'D-1'}, time)).toMatchObject({
      because: 'left_alone',
    })
  })

  test('an order is not resent unasked once its ignore has ended', async () => {
    const scene = bench(row('D-1', 'open'), ['D-1'])
    scene.addRecord({orderNo: 'D-1'})
    await scene.run('run-1')
    Object.assign(scene.options, {yes: true})
    await ignore(scene, 'missing_completion')
    scene.clock.ms += 2 * hourMs
    const record = {...exhaustedDelivery, merchantOrderId: 'D-1', createdAt: '2026-11-20T09:00:00Z'}
    const rules = {dialect: defaultDialect, nowMs: scene.clock.now(), timeZone: 'Asia/Dhaka'}
    expect(await (await reconciledBy(scene.journal, rules, [record]))(record)).toMatchObject({
      ...{why: expect.stringContaining('its ignore ended'), isOpen: true},
    })
    const {report, status} = await scene.run('run-2')
    expect([status, scene.client.calls.resend]).toEqual([7, 0])
    expect(report.findings[0]?.explanation).toContain(
      'Not resent: its ignore ended on 2026-11-20. If it is dealt with: `hisab items close D-1 --reason "..."`. If it is not booked, send it: `hisab webhooks resend --order-no D-1 --include-delivered`. Ignored by rahima: booked by hand',
    )
    await scene.journal.removeIgnore(1, 'karim', scene.clock.ms)
    expect([(await scene.run('run-3')).status, scene.client.calls.resend]).toEqual([0, 1])
  })
})

test('an order that was ignored as missing is not resent as one of an open row', async () => {
  const scene = bench(row('D-1', 'paid'), ['D-1', 'D-2'], {yes: true})
  scene.addRecord({orderNo: 'D-2', createdAt: '2026-11-20T09:00:00Z'})
  await scene.run('run-1')
  await ignore(scene, 'missing_in_ledger', {}, 'D-2')
  rewrite(scene, row('D-1', 'paid') + row('D-2', 'open'))
  const {report, status} = await scene.run('run-2')
  expect(report.findings.find(({orderNo}) => orderNo === 'D-2')).toMatchObject({
    ...{verdict: 'missing_completion', action: 'review'},
    explanation: expect.stringContaining('no longer applies'),
  })
  expect([scene.client.calls.resend, status]).toEqual([0, 7])
})

describe('the list of records from run to run', () => {
  test('is read whole once, then only as far as the window reaches; --whole-list reads it all again', async () => {
    const scene = bench(row('D-1', 'paid'), ['D-1', 'X-1'], {pageSize: 20})
    const hour = (hours: number) => new Date(scene.clock.ms - hours * hourMs).toISOString()
    scene.addRecord({orderNo: 'X-1', status: 'success', createdAt: '2026-11-20T09:00:00Z'})
    for (let n = 40; n < 400; n++) scene.addRecord({orderNo: `OLD-${n}`, createdAt: hour(n / 10)})
    const pages = async (id: string, options = {}) => {
      const before = scene.client.calls.list
      const {report} = await scene.run(id, {}, options)
      expect(report.findings.map(({orderNo}) => orderNo)).toContain('X-1')
      return [report.records.way, scene.client.calls.list - before]
    }
    expect(await pages('run-1')).toEqual(['full-list', 26])
    expect(await pages('run-2')).toEqual(['incremental-list', 2])
    expect(await pages('run-3', {wholeList: true})).toEqual(['full-list', 26])
  })

  // 400 records of other days on 20 pages, of which a window of the last hour takes the first.
  test.each([
    [19, {way: 'incremental-list', lookUps: 19}],
    [20, {way: 'full-list', lookUps: 0, pagesRead: 20}],
  ])('%d old breaks outside the window: the fewer calls', async (breaks, records) => {
    const numbers = Array.from({length: breaks}, (_, index) => `D-${index + 1}`)
    const scene = bench(numbers.map((orderNo) => row(orderNo, 'open')).join(''), numbers, {pageSize: 20})
    const hour = (hours: number) => new Date(scene.clock.ms - hours * hourMs).toISOString()
    for (let n = 40; n < 440; n++) {
      scene.addRecord({
        orderNo: numbers[n - 300] ?? `OLD-${n}`,
        createdAt: hour(n / 10),
        status: 'success',
      })
    }
    const whatWasFound = async (id: string) => {
      const {report} = await scene.run(id, {}, {sinceMs: scene.clock.ms - hourMs})
      return {records: report.records, causes: report.findings.map(({cause}) => cause)}
    }
    const first = await whatWasFound('run-1')
    expect(first.records.way).toBe('full-list')
    expect(first.causes).toEqual(Array(breaks).fill('delivered_not_booked'))
    expect(await whatWasFound('run-2')).toMatchObject({records, causes: first.causes})
  })

  test('an older record on the old end does not decide where the newer one was not read: it is looked up', async () => {
    const scene = bench(row('D-1', 'open'), ['D-1'], {pageSize: 20})
    const hour = (hours: number) => new Date(scene.clock.ms - hours * hourMs).toISOString()
    for (let n = 400; n >= 40; n--) {
      const isOurs = n === 400 || n === 200
      const taken = n === 200 ? {status: 'success' as const} : {}
      scene.addRecord({orderNo: isOurs ? 'D-1' : `OLD-${n}`, createdAt: hour(n / 10), ...taken})
    }
    const causeOf = async (id: string) => {
      const {report} = await scene.run(id, {}, {sinceMs: scene.clock.ms - hourMs})
      return [report.records.way, report.records.lookUps, ...report.findings.map(({cause}) => cause)]
    }
    expect(await causeOf('run-1')).toEqual(['full-list', 0, 'delivered_not_booked'])
    expect(await causeOf('run-2')).toEqual(['incremental-list', 1, 'delivered_not_booked'])
    expect(scene.client.calls.resend).toBe(0)
  })
})

test('a break on a last line without a line end is told that the file may have been cut off', async () => {
  const scene = bench(row('D-1', 'paid') + row('D-2', 'paid', '5.00'))
  const path = join(scene.dir, 'ledger.csv')
  writeFileSync(path, readFileSync(path, 'utf8').trimEnd())
  const {findings} = (await scene.run('run-1')).report
  expect(findings.map(({corruption}) => corruption?.what ?? null)).toEqual([null, 'cut_off'])
})

test('rows that cannot be read are one item for each number and kind, and none without a number', async () => {
  const scene = new ScenarioBench({
    path: 'runs',
    sections: new Map([
      [
        'ledger.csv',
        `order_no,kind,status,amount,created_at\n${[
          ...['D-7,deposit,paid,a lot', 'D-7,deposit,paid,500.O0', 'D-8,deposit,paid,a lot'],
          ...['X-1,deposit,paid,a lot', 'X-1,payout,paid,a lot', ',deposit,paid,a lot'],
        ]
          .map((cells) => `${cells},2026-11-20T09:00:00Z\n`)
          .join('')}`,
      ],
      ['service.json', '[]'],
    ]),
  })
  const {report} = await scene.run('run-1')
  expect(report.findings.filter(({verdict}) => verdict === 'unreadable_row')).toHaveLength(6)
  const items = (await scene.journal.listItems()).map(({kind, orderNo}) => `${kind} ${orderNo}`)
  expect(items.sort()).toEqual(['deposit D-7', 'deposit D-8', 'deposit X-1', 'payout X-1'])
})

test('the plan counts the orders that earlier runs left open', async () => {
  const scene = bench(agreeing + row('D-3', 'open'))
  await scene.run('run-1')
  scene.rewrite(head + agreeing)
  const asked = scene.client.log.filter((call) => call.startsWith('query')).length
  await scene.run('run-2')
  const queries = scene.client.log.filter((call) => call.startsWith('query')).length - asked
  expect(scene.plans.at(-1)).toMatchObject({orders: 2, queries})
  expect(queries).toBe(3)
})

test.each([
  ['all', {}, {queries: 3, final: 0}],
  ['what is not final', {skipFinal: true}, {queries: 1, final: 2}],
])('the plan that --plan shows is what the run announces: %s', async (_what, options, planned) => {
  const scene = bench(agreeing + row('D-3', 'open'))
  await scene.run('run-1')
  const shown: unknown[] = []
  scene.play = async (request, ports, ...more) => {
    shown.push(await planRun(request.ledger, request.staging, request.options, {...ports, resumes: false}))
    return runReconcile(request, ports, ...more)
  }
  await scene.run('run-2', {}, options)
  expect(shown).toMatchObject([planned])
  expect(shown).toEqual(scene.plans.slice(1))
})

describe('what the next run is compared with', () => {
  const rowsMs = Date.parse('2026-11-20T09:00:00Z')
  const ofRows = {fromMs: rowsMs, toMs: rowsMs + 999}
  test.each<[what: string, ledger: string, options: Partial<ReconcileOptions>, seen: object]>([
    ['the times of its rows', head + agreeing, {}, {...ofRows, ledgerFromMs: rowsMs, rows: ofRows}],
    [
      'the time that a person gave, and of that none to come',
      head + agreeing,
      {sinceMs: rowsMs - 5, untilMs: rowsMs + 99 * hourMs},
      {fromMs: rowsMs - 5, toMs: rowsMs + 3 * hourMs, ledgerFromMs: rowsMs - 5, rows: ofRows},
    ],
    [
      'a time that a person gave, of rows without times',
      'order_no,status,amount\nD-1,paid,500.00\n',
      {sinceMs: rowsMs - 5, untilMs: rowsMs + 1},
      {fromMs: rowsMs - 5, toMs: rowsMs, ledgerFromMs: rowsMs - 5, rows: null},
    ],
    [
      'no time',
      'order_no,status,amount\nD-1,paid,500.00\n',
      {},
      {fromMs: null, toMs: null, ledgerFromMs: null, rows: null},
    ],
  ])('the time it looked at: %s', async (_what, ledger, options, seen) => {
    const scene = bench('')
    scene.rewrite(ledger)
    await scene.run('run-1', {}, options)
    const {ledger: known} = readTotals(await scene.journal.findTotals('run-1')) ?? {}
    expect(known).toEqual({deposit: {...seen, columns: expect.any(Object)}})
  })

  test('rows that may be an order of another number: booked, cut off, unreadable, or a total', async () => {
    const rows = [
      row('D-1', 'paid'),
      row('D-2', 'open'),
      row('D-9', 'paid'),
      row('D-8', 'failed'),
      row('D-7', 'paid', 'x'),
      'Total,,7.00,\n',
      row('D-6', 'paid').slice(0, -9),
    ]
    const scene = bench(rows.join(''), ['D-1', 'D-2', 'D-3'])
    await scene.run('run-1')
    const seen: string[] = []
    for await (const one of scene.journal.rowsSeen('run-2')) {
      const {orderNo, line, isBooked, isBeginning, anyOrder} = one
      const is = [isBooked && 'booked', isBeginning && 'cut off', anyOrder && `any of ${anyOrder.amount}`]
      seen.push(`${orderNo} in line ${line}: ${is.filter(Boolean).join(', ')}`)
    }
    expect(seen.toSorted()).toEqual([
      'D-6 in line 8: booked, cut off, any of 500.00',
      'D-7 in line 6: booked, any of null',
      'D-9 in line 4: booked, any of 500.00',
      'Total in line 7: any of 7.00',
    ])
  })

  test('of several files the columns that all have, under the names of the first', async () => {
    const scene = bench(agreeing)
    scene.addLedger('order_no,amount,status,player_ref\nD-3,500.00,paid,u-1\n')
    await scene.run('run-1')
    const columns = {order_no: 'order_no', amount: 'amount', status: 'status'}
    expect(await scene.journal.lastColumns('deposit')).toEqual({runId: 'run-1', columns})
  })

  test('of one file all its columns', async () => {
    const scene = bench(agreeing)
    await scene.run('run-1')
    const known = await scene.journal.lastColumns('deposit')
    expect(Object.keys(known?.columns ?? {})).toEqual(['order_no', 'status', 'amount', 'created_at'])
  })
})

test('rows that cannot be read are one open item where they have one number, else each its own', async () => {
  const unreadable = ['D-7', 'D-8', 'D-7'].map((orderNo) => row(orderNo, 'paid', 'x'))
  const scene = bench(agreeing + unreadable.join(''))
  const {report} = await scene.run('run-1')
  expect(report.findings.filter(({verdict}) => verdict === 'unreadable_row')).toHaveLength(3)
  const open = (await scene.journal.openFindings()).filter(({verdict}) => verdict === 'unreadable_row')
  expect(open.map(({orderNo}) => orderNo).toSorted()).toEqual(['D-7', 'D-8'])
})

test('of rows that agree a report lists none, unless all are asked for', async () => {
  const scene = bench(agreeing + row('D-3', 'open'))
  const listed = async (listAll: boolean) =>
    (await scene.run(`run-${listAll}`, {listAll})).report.findings.map(({orderNo}) => orderNo)
  expect([await listed(false), await listed(true)]).toEqual([['D-3'], ['D-1', 'D-2', 'D-3']])
})
