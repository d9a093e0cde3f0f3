import {describe, expect, test} from 'vitest'

import {buildReport} from '../../src/report/reconcile-report.ts'
import {summaryText} from '../../src/report/reconcile-text.ts'
import {ScenarioBench} from './scenario-run.ts'

const fileOf = (header: string, rows: readonly string[]) =>
  `${header},created_at\n${rows.map((row) => `${row},2026-11-20T09:00:00Z\n`).join('')}`

/** Deposits of BDT 500, and whatever the service says of them. */
function bench(header: string, rows: readonly string[], service: readonly object[], options: object = {}) {
  return new ScenarioBench({
    path: 'what a row proves',
    sections: new Map([
      ['ledger.csv', fileOf(header, rows)],
      ['service.json', JSON.stringify(service)],
      ['options.json', JSON.stringify({yes: true, since: '2026-11-01T00:00:00Z', ...options})],
    ]),
  })
}
const resends = ({client}: ScenarioBench) => client.log.filter((call) => call.startsWith('resend ')).length

describe('a number that stands in the ledger twice', () => {
  const header = 'order_no,status,amount'
  const twice = (status: string) => [`D-1,${status},500.00`, `D-1,${status},500.00`]

  test.each<[what: string, ours: string, theirs: object, cause: string, status: number]>([
    ['no answer', 'paid', {failure: 'answer_untrusted'}, 'query_failed', 8],
    ['agreed', 'paid', {}, 'matched', 7],
    ['open on both sides', 'open', {status: 'processing'}, 'in_flight', 7],
    ['paid and not booked', 'open', {}, 'missing_completion', 7],
    ['another amount', 'paid', {amount: '50.00'}, 'amount_mismatch', 7],
    ['credited and failed', 'paid', {status: 'failed'}, 'status_mismatch', 7],
    ['a word nobody knows', 'paid', {status: 'SETTLED'}, 'unknown_status', 7],
  ])('says what the service said of it: %s', async (_what, ours, theirs, cause, status) => {
    const run = await bench(header, twice(ours), [{orderNo: 'D-1', ...theirs}]).run('run-1')
    expect(run.report.findings).toMatchObject([
      {verdict: 'duplicate_in_ledger', cause, action: 'review'},
      {verdict: 'duplicate_in_ledger', cause, action: 'review'},
    ])
    expect([run.report.complete, run.status]).toEqual([cause !== 'query_failed', status])
  })

  test('is unknown to the service', async () => {
    const {report} = await bench(header, twice('paid'), []).run('run-1')
    expect(report.findings.map(({cause}) => cause)).toEqual(['missing_at_provider', 'missing_at_provider'])
  })

  test('was not asked for, because the run was stopped', async () => {
    const scene = bench(header, ['D-0,paid,500.00', ...twice('paid')], [{orderNo: 'D-0'}, {orderNo: 'D-1'}], {
      stopAt: 'query deposit D-0',
    })
    const {report} = await scene.run('run-1')
    expect(report.findings.filter(({orderNo}) => orderNo === 'D-1')).toMatchObject([
      {cause: 'not_asked'},
      {cause: 'not_asked'},
    ])
  })
})

test('what was never asked for is explained by nothing: an interrupted run says how much of it there is', async () => {
  const rows = ['D-1', 'D-2', 'D-3'].map((orderNo) => `${orderNo},paid,500.00`)
  const service = ['D-1', 'D-2', 'D-3'].map((orderNo) => ({orderNo}))
  const scene = bench('order_no,status,amount', rows, service, {stopAt: 'query deposit D-2'})
  const {report, facts} = await scene.run('run-1')
  expect(report.counts).toMatchObject({matched: 2, query_failed: 1})
  expect([report.tieOut.unexplained, report.unanswered]).toEqual(['500.00', 1])
  expect(summaryText(facts, buildReport(facts, report.reports), (_, text) => text)).toMatch(
    /Unexplained +500\.00\n(?:.*\n)*? +1 order without an answer/,
  )
  expect(report.incompleteBecause.join()).not.toContain('do not tie out')
})

test('a hundred rows of 15 digits are more than 64 bits hold: the run ends, and its figures are whole', async () => {
  const rows = Array.from({length: 100}, () => 'D-1,paid,999999999999999')
  const service = [{orderNo: 'D-1', amount: '999999999999999.00'}]
  const run = bench('order_no,status,amount', rows, service).run('run-1')
  await expect(run).resolves.toMatchObject({status: 7})
  const {report} = await run
  expect(report.tieOut).toMatchObject({ledgerCompleted: '99999999999999900.00', unexplained: '0.00'})
  expect(report.atRisk.total).toBe('98999999999999901.00')
})

describe('a platform_order_no of the ledger', () => {
  const header = 'order_no,status,amount,platform_order_no'

  test.each<[what: string, stated: string]>([
    ['the same', 'platform-D-1'],
    ['in other case, with blanks', ' PLATFORM-D-1'],
    ['blank', ''],
    ['a dash', '-'],
    ['NULL of a database', 'NULL'],
    ['\\N of a database', '\\N'],
  ])('proves nothing against the row: %s', async (_what, stated) => {
    const {report, status} = await bench(header, [`D-1,paid,500.00,${stated}`], [{orderNo: 'D-1'}]).run(
      'run-1',
    )
    expect([report.counts.matched, status]).toEqual([1, 0])
  })

  test.each([
    ['paid', 'completed'],
    ['open', 'completed'],
    ['open', 'processing'],
    ['failed', 'failed'],
  ])('of another order is shown and never resent: %s here, %s there', async (ours, theirs) => {
    const scene = bench(header, [`D-1,${ours},500.00,platform-D-9`], [{orderNo: 'D-1', status: theirs}])
    scene.addRecord({orderNo: 'D-1'})
    const {report, status} = await scene.run('run-1', {}, {overrides: {...everyWord}})
    expect([resends(scene), status]).toEqual([0, 7])
    expect(report.findings).toMatchObject([
      {
        ...{verdict: 'status_mismatch', cause: 'other_platform_order_no', action: 'review'},
        explanation: expect.stringContaining('platform order platform-D-9'),
      },
    ])
    expect(report.tieOut.unexplained).toBe('0.00')
  })

  test('is compared though an earlier run matched the row', async () => {
    const scene = bench(header, ['D-1,paid,500.00,platform-D-1'], [{orderNo: 'D-1'}])
    await scene.run('run-1')
    scene.rewrite(fileOf(header, ['D-1,paid,500.00,platform-D-9']))
    expect((await scene.run('run-2', {}, {skipFinal: true})).status).toBe(7)
    // Nor is such a row a proof for the runs after it.
    expect(await scene.journal.findFinalOrders('deposit', ['D-1'])).toMatchObject([{isTakenBack: true}])
  })
})

const everyWord = {includeDelivered: true, ignoreCooldown: true, retryUnknown: true, includeMissing: true}
