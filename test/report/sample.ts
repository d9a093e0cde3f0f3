import {defaultDialect} from '../../src/core/dialect.ts'
import {type Finding, type Findings, isUnremarkable} from '../../src/core/reconcile/finding.ts'
import type {RememberedFinding} from '../../src/core/reconcile/history.ts'
import {Tally} from '../../src/core/reconcile/tally.ts'
import type {TieOutSums} from '../../src/core/reconcile/tie-out.ts'
import {reportHtml} from '../../src/report/html/page.ts'
import {buildReport, type ReconcileFacts, type ReportPaths} from '../../src/report/reconcile-report.ts'
import {delivery, nowMs, order} from '../core/reconcile/sample.ts'

export const paths: ReportPaths = {
  dir: '/reports/run-1',
  json: '/reports/run-1/report.json',
  csv: '/reports/run-1/findings.csv',
  xlsx: '/reports/run-1/findings.xlsx',
  html: '/reports/run-1/report.html',
  mail: '/reports/run-1/report.eml',
  booking: '/reports/run-1/booking.csv',
}

/** A deposit that was paid and not booked, its webhook failed for good. */
export function finding(change: Partial<Finding> = {}): Finding {
  return {
    line: 17,
    file: 0,
    kind: 'deposit',
    orderNo: 'D-1',
    verdict: 'missing_completion',
    cause: 'delivery_exhausted',
    action: 'resend',
    severity: 'high',
    atRisk: 50_000n,
    ledger: {status: 'open', amount: 50_000n},
    service: order(),
    delivery: delivery(),
    resend: null,
    explanation: 'Paid, and not booked.',
    ...change,
  } as Finding
}

export const delivered: Finding = finding({
  resend: {state: 'delivered', sentAtMs: nowMs, responseCode: 200, why: null},
})
export const matched: Finding = finding({
  ...{
    line: 18,
    orderNo: 'D-2',
    verdict: 'matched',
    cause: null,
    action: 'none',
    severity: 'none',
    atRisk: 0n,
  },
  ...{delivery: null, ledger: {status: 'completed', amount: 50_000n}, explanation: 'Agree.'},
})

/** Open for two days. */
export const remembered: RememberedFinding = {
  ...{
    id: 1,
    kind: 'payout',
    orderNo: 'P-9',
    verdict: 'missing_at_provider',
    cause: 'booked',
    severity: 'high',
  },
  ...{atRisk: 1_23_456_00n, firstRunId: 'run-0', openedRunId: 'run-0', closedMs: null, closedRunId: null},
  ...{closedBy: null, orderedAtMs: null},
  ...{firstSeenMs: nowMs - 2 * 86_400_000, openedMs: nowMs - 2 * 86_400_000, lastSeenMs: nowMs - 86_400_000},
  ...{lastRunId: 'run-0', snapshot: '', changedRunId: null},
}

const sums: TieOutSums = {
  ...{ledgerCompleted: 50_000n, providerCompleted: 100_000n, difference: -50_000n},
  ...{explained: -50_000n, unexplained: 0n, amountUnknown: 0},
  ...{unanswered: 0, unansweredAmount: 0n},
}
const noSums: TieOutSums = {
  ...{
    ledgerCompleted: 0n,
    providerCompleted: 0n,
    difference: 0n,
    explained: 0n,
    unexplained: 0n,
    amountUnknown: 0,
    unanswered: 0,
    unansweredAmount: 0n,
  },
}

const gross = {orders: 1, plus: 50_000n, minus: 0n}

/** report.html of a run. */
export function pageOf(all: ReconcileFacts): string {
  return [...reportHtml(buildReport(all, paths), all)].join('')
}

function findingsOf(all: readonly Finding[]): Findings {
  return Object.assign(
    all.filter((finding) => !isUnremarkable(finding)),
    {all},
  )
}

export function facts(findings: readonly Finding[], change: Partial<ReconcileFacts> = {}): ReconcileFacts {
  const tally = new Tally()
  for (const one of findings) tally.add(one)
  return {
    ...{runId: 'run-1', profile: 'live', merchantId: 'merchant-1', timeZone: 'Asia/Dhaka'},
    dialect: defaultDialect,
    ledger: [{path: 'ledger.csv', sha256: 'ab'.repeat(32), rows: findings.length}],
    ...{startedAtMs: nowMs, finishedAtMs: nowMs + 60_000, dryRun: false, all: false},
    ...{findings: findingsOf(findings), tally: tally.result()},
    ...{resumeCommand: 'hisab reconcile --resume run-1', resendsMax: 100},
    plannedResends: findings.filter(({resend}) => resend !== null).length,
    tieOut: {
      ...sums,
      byKind: {deposit: sums, payout: noSums},
      reconciling: {
        deposit: [{verdict: 'missing_completion', cause: 'delivery_exhausted', ...gross}],
        payout: [],
      },
    },
    receivers: [],
    ...{itemMovement: {before: [], after: []}, preparedBy: 'karim', evidence: null},
    ...{service: 'https://pay.example/v1', days: [], lang: 'en', businessDay: null},
    inDoubt: [],
    ...{closed: [], notExamined: [], takenFrom: new Map(), queriesPerSecond: null, sinceLast: false},
    ...{meetings: [], sinceLastRun: false},
    doubts: [],
    notes: [],
    records: {way: 'full-list', because: null, pagesRead: 1, pagesTotal: 1, lookUps: 0},
    bookedEarlier: [],
    window: {ok: true, fromMs: nowMs - 3_600_000, toMs: nowMs},
    incompleteBecause: [],
    ...{interim: null, notSent: null},
    calls: {query: 2, list: 1, get: 2, resend: 1},
    clockSkewMs: null,
    ...change,
  }
}
