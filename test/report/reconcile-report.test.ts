import {expect, test} from 'vitest'

import type {Finding} from '../../src/core/reconcile/finding.ts'
import {resendStates} from '../../src/core/reconcile/finding.ts'
import {verdicts} from '../../src/core/reconcile/verdict.ts'
import {buildReport, reconcileStatus} from '../../src/report/reconcile-report.ts'
import {nowMs} from '../core/reconcile/sample.ts'
import {delivered, facts, finding, matched, paths} from './sample.ts'

const resent = (state: (typeof resendStates)[number]): Finding =>
  finding({resend: {state, sentAtMs: nowMs, responseCode: null, why: null}})
const acting = (action: Finding['action']): Finding => finding({action})
const unfinished = {incompleteBecause: ['a page was not read']}

test.each<[what: string, findings: Finding[], status: number, change?: object]>([
  ['no findings', [], 0],
  ['all matched', [matched], 0],
  ['in flight and waits', [matched, acting('wait')], 0],
  ['delivered', [delivered, matched], 0],
  ['planned, not sent', [resent('planned')], 7],
  ['a review', [matched, acting('review')], 7],
  ['still failing', [delivered, resent('still_failing')], 7],
  ['refused', [resent('refused')], 7],
  ['incomplete, nothing found', [matched], 8, unfinished],
  ['incomplete, and breaks', [acting('review')], 8, unfinished],
  ['unknown', [resent('unknown'), matched], 6],
  ['unknown, incomplete and breaks', [resent('unknown'), acting('review')], 6, unfinished],
])('%s: exit %3$d', (_what, findings, status, change = {}) => {
  expect(reconcileStatus(facts(findings, change))).toBe(status)
})

test('every verdict is counted, also the ones that are not listed', () => {
  const {counts, findings} = buildReport(facts([delivered, matched, matched]), paths)
  expect(Object.keys(counts)).toEqual(['rows', ...verdicts])
  expect(counts).toMatchObject({rows: 3, matched: 2, missing_completion: 1, in_flight: 0})
  expect([...findings].map(({orderNo}) => orderNo)).toEqual(['D-1'])
  expect([...buildReport(facts([delivered, matched], {all: true}), paths).findings]).toHaveLength(2)
})

test('the amounts at risk of the findings are the sum at risk', () => {
  const report = buildReport(facts([delivered, acting('review'), resent('still_failing')]), paths)
  const amounts = [...report.findings].map(({amountAtRisk}) => amountAtRisk)
  expect([amounts, report.atRisk.total]).toEqual([['0.00', '500.00', '500.00'], '1000.00'])
})

test('sent is what left this machine, however it ended', () => {
  const {resends} = buildReport(facts(resendStates.map(resent)), paths)
  expect(resends).toEqual({
    ...{planned: 7, sent: 5, delivered: 1, stillFailing: 1, unknown: 1, refused: 1, skipped: 1},
  })
})

test('the JSON has the keys of contract §4.4', () => {
  const report = buildReport(facts([delivered]), paths)
  for (const key of [
    ...['schemaVersion', 'runId', 'profile', 'merchantId', 'ledger', 'startedAt', 'finishedAt', 'dryRun'],
    ...['complete', 'incompleteBecause', 'counts', 'resends', 'tieOut', 'calls', 'reports', 'findings'],
  ]) {
    expect(report).toHaveProperty(key)
  }
  expect(JSON.parse(JSON.stringify(report))).toMatchObject({
    schemaVersion: 1,
    startedAt: '2026-11-20T18:00:00+06:00',
    tieOut: {
      ...{ledgerCompleted: '500.00', providerCompleted: '1000.00', difference: '-500.00'},
      ...{explained: '-500.00', unexplained: '0.00'},
    },
    reports: paths,
    findings: [
      {
        ...{line: 17, kind: 'deposit', orderNo: 'D-1', verdict: 'missing_completion'},
        ...{cause: 'delivery_exhausted', action: 'resend', severity: 'high'},
        ledger: {status: 'open', amount: '500.00'},
        provider: {
          ...{status: 'completed', rawStatus: 'completed', amount: '500.00', platformOrderNo: 'platform-1'},
        },
        delivery: {
          ...{id: '00000000-0000-4000-8000-000000000001', status: 'failed', attempts: 5, responseCode: 503},
          ...{nextRetryAt: null, sentAt: '2026-11-20T02:00:00.000Z'},
        },
        resend: {state: 'delivered', sentAt: '2026-11-20T18:00:00+06:00', responseCode: 200},
        explanation: 'Paid, and not booked.',
      },
    ],
  })
})

test('whether missing orders were looked for, and from when to when', () => {
  const looked = (window: ReturnType<typeof facts>['window']) =>
    buildReport(facts([], {window}), paths).missingInLedger
  expect(looked({ok: true, fromMs: nowMs, toMs: Number.MAX_SAFE_INTEGER})).toEqual({
    ...{checked: true, from: '2026-11-20T18:00:00+06:00', to: null, bookedEarlier: []},
  })
  expect(looked({ok: false, because: 'no created_at'})).toEqual({checked: false, because: 'no created_at'})
})

test('the order numbers of the JSON are verbatim', () => {
  const orderNo = 'D-\u202e১২৩'
  const [view] = buildReport(facts([finding({orderNo})]), paths).findings
  expect(JSON.parse(JSON.stringify(view)).orderNo).toBe(orderNo)
})
