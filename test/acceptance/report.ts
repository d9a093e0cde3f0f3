import {expect} from 'vitest'
import type {Kind} from '../fake-service/book.ts'
import type {FakeService} from '../fake-service/service.ts'
import type {Machine} from './machine.ts'
import {readDocument} from './outcome.ts'
import type {Outcome, RunOptions} from './own-home.ts'

/** Every verdict (docs/verdicts.md#verdicts): `counts` has a figure for each, zeros included. */
export const verdicts = [
  'matched',
  'amount_mismatch',
  'missing_completion',
  'in_flight',
  'status_mismatch',
  'missing_at_provider',
  'unknown_status',
  'query_failed',
  'missing_in_ledger',
  'duplicate_in_ledger',
  'unreadable_row',
] as const

export type Verdict = (typeof verdicts)[number]

/** One finding of the report (contract §4.4); what only some findings have is optional here. */
export interface Finding {
  readonly line: number | null
  readonly kind: Kind
  readonly orderNo: string
  readonly verdict: Verdict
  readonly cause?: string | null
  readonly action?: string | null
  readonly severity: string
  readonly ledger?: {readonly status: string; readonly amount: string | null} | null
  readonly provider?: {
    readonly status: string
    readonly rawStatus: string
    readonly amount: string | null
    readonly platformOrderNo: string
  } | null
  readonly delivery?: {readonly id: string; readonly status: string; readonly attempts: number} | null
  readonly resend?: {readonly state: string; readonly responseCode?: number | null} | null
  readonly explanation: string
}

export interface Report {
  readonly schemaVersion: number
  readonly runId: string
  readonly merchantId: string
  readonly ledger: readonly {readonly path: string; readonly sha256: string; readonly rows: number}[]
  readonly startedAt: string
  readonly finishedAt: string | null
  readonly dryRun: boolean
  readonly complete: boolean
  readonly incompleteBecause: readonly unknown[]
  readonly counts: Readonly<Record<Verdict | 'rows', number>>
  readonly resends: Readonly<
    Record<'planned' | 'sent' | 'delivered' | 'stillFailing' | 'unknown' | 'skipped', number>
  >
  readonly tieOut: Readonly<
    Record<'ledgerCompleted' | 'providerCompleted' | 'difference' | 'explained' | 'unexplained', string>
  >
  readonly calls: Readonly<Record<'query' | 'list' | 'get' | 'resend', number>>
  readonly memory: Readonly<Record<'new' | 'open' | 'reopened', number>> & {
    readonly closed: readonly {readonly orderNo: string}[]
    readonly notExamined: readonly {readonly orderNo: string}[]
  }
  readonly reports: Readonly<Record<'dir' | 'json' | 'csv' | 'html', string>>
  readonly findings: readonly Finding[]
}

export interface Reconciled {
  readonly outcome: Outcome
  readonly report: Report
}

/** Long enough for a resend to show, short enough to wait for in a test. */
const shortWait = ['--wait', '1s']

/** `hisab reconcile … --json`, its report, and the certainty that every request it made was rightly signed. */
export async function reconcile(
  machine: Machine,
  service: FakeService,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Reconciled> {
  const outcome = await machine.run(['reconcile', ...args, ...shortWait, '--json'], options)
  expect(service.calls.rejected, 'requests the service would not let in').toEqual([])
  expect(service.calls.of('other'), 'requests the service document does not know').toEqual([])
  const report = readDocument<Report>(outcome)
  expect(report, `${outcome.stdout}\n${outcome.stderr}`).toHaveProperty('findings')
  return {outcome, report}
}

/** The findings of one order; without a kind, of both kinds. */
export function findingsOf(report: Report, orderNo: string, kind?: Kind): Finding[] {
  return report.findings.filter(
    (finding) => finding.orderNo === orderNo && (kind === undefined || finding.kind === kind),
  )
}

/** The one finding of an order. */
export function findingOf(report: Report, orderNo: string, kind?: Kind): Finding {
  const [finding, ...more] = findingsOf(report, orderNo, kind)
  if (finding === undefined || more.length > 0) {
    throw new Error(
      `expected one finding of ${orderNo}, got ${JSON.stringify(findingsOf(report, orderNo, kind))} among ${report.findings.map((one) => one.orderNo)}`,
    )
  }
  return finding
}

/** What of a report does not depend on when and how often it was run. */
export function summaryOf({complete, counts, resends, tieOut, findings}: Report) {
  const decisions = findings.map(({kind, orderNo, line, verdict, cause, action, resend}) => {
    return {kind, orderNo, line, verdict, cause, action, state: resend?.state}
  })
  const byOrder = (one: {orderNo: string}, other: {orderNo: string}) => (one.orderNo < other.orderNo ? -1 : 1)
  return {complete, counts, resends, tieOut, decisions: decisions.sort(byOrder)}
}
