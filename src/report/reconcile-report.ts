import {type Assumption, assumptionsOf, type Dialect} from '../core/dialect.ts'
import type {ExitStatus} from '../core/failure.ts'
import {worstStatus} from '../core/failure.ts'
import {formatPaisa, type Paisa} from '../core/money.ts'
import type {Delivery} from '../core/order.ts'
import {type Finding, isBreak} from '../core/reconcile/finding.ts'
import type {TieOut} from '../core/reconcile/tie-out.ts'
import {type Verdict, verdicts} from '../core/reconcile/verdict.ts'
import type {MaybeWindow} from '../core/reconcile/window.ts'
import {formatInstant} from '../core/time.ts'
import {countResends, type ResendCounts} from './resend-counts.ts'

export interface LedgerFileView {
  readonly path: string
  readonly sha256: string
  readonly rows: number
}

/** Everything a reconciliation's report is made of. */
export interface ReconcileFacts {
  readonly runId: string
  readonly profile: string
  readonly merchantId: string
  readonly timeZone: string
  readonly dialect: Dialect
  readonly ledger: readonly LedgerFileView[]
  readonly startedAtMs: number
  readonly finishedAtMs: number
  readonly dryRun: boolean
  readonly findings: readonly Finding[]
  /** Deliveries the plan resends; fewer than the findings say `resend` only where a limit held some back. */
  readonly plannedResends: number
  readonly tieOut: TieOut
  readonly window: MaybeWindow
  readonly incompleteBecause: readonly string[]
  readonly calls: Readonly<Record<string, number>>
  readonly clockSkewMs: number | null
  /** Whether findings that ask nothing of anybody (`matched`, `in_flight`) are listed too. */
  readonly all: boolean
}

export interface ReportPaths {
  readonly dir: string
  readonly json: string
  readonly csv: string
  readonly html: string
}

/** The JSON result of `reconcile`, and `report.json` (contract §4). Amounts are text, times ISO 8601. */
export interface ReconcileReport {
  readonly schemaVersion: 1
  readonly runId: string
  readonly profile: string
  readonly merchantId: string
  readonly ledger: readonly LedgerFileView[]
  readonly startedAt: string
  readonly finishedAt: string
  readonly dryRun: boolean
  readonly complete: boolean
  readonly incompleteBecause: readonly string[]
  readonly counts: Readonly<Record<'rows' | Verdict, number>>
  readonly resends: ResendCounts
  readonly tieOut: Readonly<
    Record<'ledgerCompleted' | 'providerCompleted' | 'difference' | 'explained' | 'unexplained', string>
  >
  readonly calls: Readonly<Record<string, number>>
  /** Orders left out of every sum of `tieOut`: one side completed them without stating an amount. */
  readonly amountUnknown: number
  /** The window of `missing_in_ledger`; `checked` false where that verdict is not given, with the reason. */
  readonly missingInLedger:
    | {readonly checked: true; readonly from: string | null; readonly to: string | null}
    | {readonly checked: false; readonly because: string}
  readonly clockSkewMs: number | null
  readonly assumptions: readonly Assumption[]
  readonly reports: ReportPaths
  readonly findings: readonly FindingView[]
}

export interface FindingView {
  readonly line: number | null
  readonly file: string | null
  readonly kind: string | null
  readonly orderNo: string | null
  readonly verdict: string
  readonly cause: string | null
  readonly action: string
  readonly severity: string
  readonly ledger: {readonly status: string; readonly amount: string | null} | null
  readonly provider: {
    readonly status: string
    readonly rawStatus: string
    readonly amount: string | null
    readonly platformOrderNo: string
  } | null
  readonly delivery: {
    readonly id: string
    readonly orderId: string
    readonly url: string
    readonly status: string
    readonly attempts: number
    readonly responseCode: number | null
    readonly nextRetryAt: string | null
    readonly sentAt: string | null
    readonly createdAt: string
  } | null
  readonly resend: {
    readonly state: string
    readonly sentAt: string | null
    readonly responseCode: number | null
    readonly why: string | null
  } | null
  readonly explanation: string
}

export function buildReport(facts: ReconcileFacts, reports: ReportPaths): ReconcileReport {
  const {tieOut, incompleteBecause} = facts
  const {query = 0, list = 0, get = 0, resend = 0} = facts.calls
  const time = (ms: number) => formatInstant(ms, facts.timeZone)
  const listed = facts.findings.filter(
    ({verdict}) => facts.all || (verdict !== 'matched' && verdict !== 'in_flight'),
  )
  return {
    schemaVersion: 1,
    runId: facts.runId,
    profile: facts.profile,
    merchantId: facts.merchantId,
    ledger: facts.ledger,
    startedAt: time(facts.startedAtMs),
    finishedAt: time(facts.finishedAtMs),
    dryRun: facts.dryRun,
    complete: incompleteBecause.length === 0,
    incompleteBecause,
    counts: countVerdicts(facts),
    resends: countResends(
      facts.plannedResends,
      facts.findings.flatMap(({resend}) => resend?.state ?? []),
    ),
    tieOut: {
      ledgerCompleted: formatPaisa(tieOut.ledgerCompleted),
      providerCompleted: formatPaisa(tieOut.providerCompleted),
      difference: formatPaisa(tieOut.difference),
      explained: formatPaisa(tieOut.explained),
      unexplained: formatPaisa(tieOut.unexplained),
    },
    calls: {query, list, get, resend},
    amountUnknown: tieOut.amountUnknown,
    missingInLedger: viewWindow(facts.window, time),
    clockSkewMs: facts.clockSkewMs,
    assumptions: assumptionsOf(facts.dialect),
    reports,
    findings: listed.map((finding) => viewFinding(finding, facts)),
  }
}

/** The exit status a reconciliation's findings amount to (contract §4). */
export function reconcileStatus({findings, incompleteBecause}: ReconcileFacts): ExitStatus {
  const statuses: ExitStatus[] = [0]
  if (findings.some(({resend}) => resend?.state === 'unknown')) statuses.push(6)
  if (incompleteBecause.length > 0) statuses.push(8)
  if (findings.some(isBreak)) statuses.push(7)
  return worstStatus(statuses)
}

function countVerdicts({findings, ledger}: ReconcileFacts): ReconcileReport['counts'] {
  const counts = Object.fromEntries(verdicts.map((verdict) => [verdict, 0])) as Record<Verdict, number>
  for (const {verdict} of findings) counts[verdict] += 1
  return {rows: ledger.reduce((rows, file) => rows + file.rows, 0), ...counts}
}

function viewWindow(window: MaybeWindow, time: (ms: number) => string): ReconcileReport['missingInLedger'] {
  if (!window.ok) return {checked: false, because: window.because}
  return {
    checked: true,
    from: window.fromMs === 0 ? null : time(window.fromMs),
    to: window.toMs === Number.MAX_SAFE_INTEGER ? null : time(window.toMs),
  }
}

function viewFinding(finding: Finding, {ledger, timeZone}: ReconcileFacts): FindingView {
  const {line, kind, orderNo, verdict, cause, action, severity, service, resend, explanation} = finding
  return {
    line,
    file: finding.file === null ? null : (ledger[finding.file]?.path ?? null),
    kind,
    orderNo,
    verdict,
    cause,
    action,
    severity,
    ledger: finding.ledger && {status: finding.ledger.status, amount: viewAmount(finding.ledger.amount)},
    provider: service && {
      status: service.status,
      rawStatus: service.rawStatus,
      amount: viewAmount(service.amount),
      platformOrderNo: service.platformOrderNo,
    },
    delivery: finding.delivery && viewDelivery(finding.delivery),
    resend: resend && {
      state: resend.state,
      sentAt: resend.sentAtMs === null ? null : formatInstant(resend.sentAtMs, timeZone),
      responseCode: resend.responseCode,
      why: resend.why,
    },
    explanation,
  }
}

function viewDelivery(delivery: Delivery): FindingView['delivery'] {
  const {id, orderId, url, status, attempts, responseCode, nextRetryAt, sentAt, createdAt} = delivery
  return {id, orderId, url, status, attempts, responseCode, nextRetryAt, sentAt, createdAt}
}

function viewAmount(amount: Paisa | null): string | null {
  return amount === null ? null : formatPaisa(amount)
}
