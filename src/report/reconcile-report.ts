import {type Assumption, assumptionsOf, type Dialect} from '../core/dialect.ts'
import {type ExitStatus, worstStatus} from '../core/failure.ts'
import type {Language} from '../core/language.ts'
import {formatPaisa} from '../core/money.ts'
import type {OrderKind} from '../core/order.ts'
import type {TakenAnswers} from '../core/reconcile/classify.ts'
import type {ColumnWarning} from '../core/reconcile/corruption.ts'
import {asksAPerson, type Finding, isBreak, type ResendState} from '../core/reconcile/finding.ts'
import type {ReceiverRecords} from '../core/reconcile/receiver-records.ts'
import type {RecordsRead} from '../core/reconcile/records-read.ts'
import type {WindowMeeting} from '../core/reconcile/run-windows.ts'
import type {TallyGroup} from '../core/reconcile/tally.ts'
import type {TieOut, TieOutSums} from '../core/reconcile/tie-out.ts'
import {type Verdict, verdicts} from '../core/reconcile/verdict.ts'
import type {MaybeWindow} from '../core/reconcile/window.ts'
import {quoteForShell} from '../core/shell.ts'
import {Listing} from '../core/text.ts'
import {formatInstant} from '../core/time.ts'
import {type AgeingFacts, type AtRisk, type MemoryView, sumAtRisk, viewMemory} from './ageing-view.ts'
import type {DoubtView} from './doubts-list.ts'
import {type FindingView, viewFinding} from './finding-view.ts'
import {countResends, type ResendCounts} from './resend-counts.ts'
import {type ItemMovement, type StatementView, viewStatement} from './statement-view.ts'
import type {TrendDay} from './trend-text.ts'
import {windowNotes} from './window-text.ts'

export type {FindingView} from './finding-view.ts'

export interface ReportPaths {
  readonly dir: string
  readonly json: string
  readonly csv: string
  readonly xlsx: string
  readonly html: string
  /** A mail of the run, for somebody else to send, and the orders to book by hand; null where the run is not over. */
  readonly mail: string | null
  readonly booking: string | null
}

type TieOutView = Readonly<
  Record<Exclude<keyof TieOutSums, 'amountUnknown' | 'unanswered' | 'unansweredAmount'>, string>
>

/** The JSON result of `reconcile`, and `report.json` (contract §4.4). Amounts are text, times ISO 8601. */
export interface ReconcileReport {
  readonly schemaVersion: 1
  readonly runId: string
  readonly profile: string
  readonly merchantId: string
  readonly ledger: readonly LedgerFileView[]
  readonly startedAt: string
  /** Null where the run is not over. */
  readonly finishedAt: string | null
  readonly dryRun: boolean
  readonly complete: boolean
  readonly incompleteBecause: readonly string[]
  /** The run is not over, and the figures are of the moment: why, and the command that goes on with it. */
  readonly interim: {readonly because: string; readonly resume: string} | null
  /** More resends are planned than --max-resends allows, and none was sent: why, and the command that sends them. */
  readonly notSent: {readonly because: string; readonly next: string} | null
  readonly counts: Readonly<Record<'rows' | Verdict, number>>
  /** Findings that do not agree and are not delivered, listed or not. */
  readonly breaks: number
  readonly resends: ResendCounts
  /** Findings that ask a person to decide or to look, listed or not. */
  readonly needPerson: number
  readonly atRisk: AtRisk
  readonly tieOut: TieOutView
  /** The same for each kind by itself: each has to tie out. */
  readonly tieOutByKind: Readonly<Record<OrderKind, TieOutView>>
  /** The same as an accountant writes it, for each kind that has any figure. */
  readonly statement: readonly StatementView[]
  /** Who ran it, by the name of the machine's user; null where that is not known. */
  readonly preparedBy: string | null
  /** What proves it later (docs/evidence.md); null where none is kept, and while the run is not over. */
  readonly evidence: EvidenceFacts | null
  readonly calls: Readonly<Record<string, number>>
  /** Orders left out of every sum of `tieOut`: one side completed them without stating an amount. */
  readonly amountUnknown: number
  /** Orders that got no answer or were not asked for; what the ledger completed of them is unexplained. */
  readonly unanswered: number
  /** The window of `missing_in_ledger`; `checked` false where that verdict is not given, with the reason. */
  readonly missingInLedger:
    | {
        readonly checked: true
        readonly from: string | null
        readonly to: string | null
        /** Orders of the window that only an earlier ledger has, by the run that matched them there. */
        readonly bookedEarlier: readonly {readonly runId: string; readonly orders: number}[]
      }
    | {readonly checked: false; readonly because: string}
  /** Of each kind, the earlier run whose window reached farthest, and the last time before this window in which nobody looked. */
  readonly window: {
    readonly sinceLastRun: boolean
    readonly kinds: readonly {
      readonly kind: OrderKind
      readonly lastRun: string | null
      readonly lastEnd: string | null
      readonly between: {readonly from: string; readonly to: string} | null
    }[]
  }
  readonly doubts: readonly ColumnWarning[]
  readonly notes: readonly string[]
  /** Deposits, payouts and resends of this merchant with unknown outcome, in the ledger or not. */
  readonly inDoubt: readonly DoubtView[]
  readonly records: RecordsRead
  /** What the delivery records say of each of your servers, before any resend. */
  readonly receivers: readonly ReceiverRecords[]
  readonly final: {
    readonly taken: number
    /** `askedFrom`: when the first of them was asked for. */
    readonly fromRuns: readonly {
      readonly runId: string
      readonly orders: number
      readonly askedFrom: string
    }[]
  }
  readonly memory: MemoryView
  readonly sinceLast: boolean
  readonly clockSkewMs: number | null
  readonly assumptions: readonly Assumption[]
  readonly reports: ReportPaths
  readonly findings: Listing<FindingView>
}

export function buildReport(facts: ReconcileFacts, reports: ReportPaths): ReconcileReport {
  const {tieOut, incompleteBecause} = facts
  const {query = 0, list = 0, get = 0, resend = 0} = facts.calls
  const time = (ms: number) => formatInstant(ms, facts.timeZone)
  const {breaks, resends, needPerson} = countActs(facts)
  const fromRuns = [...facts.takenFrom].map(([runId, {orders, oldestMs}]) => ({
    ...{runId, orders},
    askedFrom: time(oldestMs),
  }))
  return {
    schemaVersion: 1,
    runId: facts.runId,
    profile: facts.profile,
    merchantId: facts.merchantId,
    ledger: facts.ledger,
    startedAt: time(facts.startedAtMs),
    finishedAt: facts.interim === null ? time(facts.finishedAtMs) : null,
    dryRun: facts.dryRun,
    complete: incompleteBecause.length === 0,
    incompleteBecause,
    interim: facts.interim === null ? null : {because: facts.interim, resume: facts.resumeCommand},
    notSent: facts.notSent,
    counts: countVerdicts(facts),
    breaks,
    resends,
    needPerson,
    atRisk: sumAtRisk(facts.findings),
    tieOut: viewSums(tieOut),
    tieOutByKind: {deposit: viewSums(tieOut.byKind.deposit), payout: viewSums(tieOut.byKind.payout)},
    statement: viewStatement(tieOut, facts.itemMovement),
    preparedBy: facts.preparedBy,
    evidence: facts.evidence,
    calls: {query, list, get, resend},
    amountUnknown: tieOut.amountUnknown,
    unanswered: tieOut.unanswered,
    missingInLedger: viewWindow(facts, time),
    window: {
      sinceLastRun: facts.sinceLastRun,
      kinds: facts.meetings.map(({kind, last, gaps}) => ({
        kind,
        lastRun: last?.runId ?? null,
        lastEnd: last && time(last.toMs),
        between: gaps.map(({fromMs, toMs}) => ({from: time(fromMs), to: time(toMs)})).at(-1) ?? null,
      })),
    },
    doubts: facts.doubts,
    notes: [...facts.notes, ...windowNotes(facts.meetings, facts.timeZone)],
    inDoubt: facts.inDoubt,
    records: facts.records,
    receivers: facts.receivers,
    final: {taken: fromRuns.reduce((sum, {orders}) => sum + orders, 0), fromRuns},
    memory: viewMemory(facts),
    sinceLast: facts.sinceLast,
    clockSkewMs: facts.clockSkewMs,
    assumptions: assumptionsOf(facts.dialect),
    reports,
    findings: listedViews(facts),
  }
}

/** Proves the evidence of the run, fit to be pasted into a shell. */
export function verifyCommand({runId, profile}: Pick<ReconcileReport, 'runId' | 'profile'>): string {
  return `hisab runs verify ${runId} --profile ${quoteForShell(profile)}`
}

/** The findings that the report lists, as it shows them. */
export function listedViews(facts: ReconcileFacts): ReconcileReport['findings'] {
  return new Listing(() => Iterator.from(listedFindings(facts)).map((finding) => viewFinding(finding, facts)))
}

function countActs({
  findings,
  plannedResends,
}: ReconcileFacts): Pick<ReconcileReport, 'breaks' | 'resends' | 'needPerson'> {
  const states: ResendState[] = []
  let [breaks, needPerson] = [0, 0]
  for (const finding of findings) {
    if (finding.resend) states.push(finding.resend.state)
    if (isBreak(finding)) breaks += 1
    if (asksAPerson(finding)) needPerson += 1
  }
  return {breaks, resends: countResends(plannedResends, states), needPerson}
}

/** The findings that the report lists. */
export function listedFindings({all, sinceLast, findings}: ReconcileFacts): Iterable<Finding> {
  const some = all ? findings.all : findings
  return sinceLast ? Iterator.from(some).filter(({history}) => history?.state !== 'open') : some
}

/** The exit status that the findings give (docs/verdicts.md#exit-status). */
export function reconcileStatus({findings, incompleteBecause}: ReconcileFacts): ExitStatus {
  const statuses = new Set<ExitStatus>([incompleteBecause.length > 0 ? 8 : 0])
  for (const finding of findings) {
    if (finding.resend?.state === 'unknown') statuses.add(6)
    if (isBreak(finding)) statuses.add(7)
  }
  return worstStatus([...statuses])
}

function viewSums(sums: TieOutSums): TieOutView {
  return {
    ledgerCompleted: formatPaisa(sums.ledgerCompleted),
    providerCompleted: formatPaisa(sums.providerCompleted),
    difference: formatPaisa(sums.difference),
    explained: formatPaisa(sums.explained),
    unexplained: formatPaisa(sums.unexplained),
  }
}

function countVerdicts({tally, ledger}: ReconcileFacts): ReconcileReport['counts'] {
  const counts = Object.fromEntries(verdicts.map((verdict) => [verdict, 0])) as Record<Verdict, number>
  for (const {verdict, findings} of tally) counts[verdict] += findings
  return {rows: ledger.reduce((rows, file) => rows + file.rows, 0), ...counts}
}

function viewWindow(
  {window, bookedEarlier}: ReconcileFacts,
  time: (ms: number) => string,
): ReconcileReport['missingInLedger'] {
  if (!window.ok) return {checked: false, because: window.because}
  return {
    checked: true,
    from: window.fromMs === 0 ? null : time(window.fromMs),
    to: window.toMs === Number.MAX_SAFE_INTEGER ? null : time(window.toMs),
    bookedEarlier: [...Map.groupBy(bookedEarlier, (runId) => runId)].map(([runId, {length: orders}]) => ({
      runId,
      orders,
    })),
  }
}

export interface LedgerFileView {
  readonly path: string
  readonly sha256: string
  readonly rows: number
  /** There where it has any: they are no orders, and not among `rows`. `agrees` is null where one states no amount. */
  readonly totalRows?: readonly {
    readonly line: number
    readonly label: string
    readonly amount: string | null
    readonly sumOfRows: string
    readonly agrees: boolean | null
  }[]
}

export interface EvidenceFacts {
  readonly dir: string
  /** The sum of its manifest: it stands for every byte of it. Null where it could not be finished. */
  readonly sha256: string | null
}

export interface ReconcileFacts extends AgeingFacts {
  /** All findings in figures, also those that say nothing and are listed only with `all`. */
  readonly tally: readonly TallyGroup[]
  readonly runId: string
  /** Goes on with this run, fit to be pasted into a shell. */
  readonly resumeCommand: string
  readonly profile: string
  readonly merchantId: string
  readonly timeZone: string
  readonly dialect: Dialect
  readonly ledger: readonly LedgerFileView[]
  readonly startedAtMs: number
  readonly finishedAtMs: number
  readonly dryRun: boolean
  /** Deliveries the plan resends; fewer than the findings say `resend` only where a limit held some back. */
  readonly plannedResends: number
  readonly resendsMax: number
  readonly tieOut: TieOut
  readonly window: MaybeWindow
  /** How it meets the windows of earlier runs. */
  readonly meetings: readonly WindowMeeting[]
  readonly sinceLastRun: boolean
  /** Of each order that only an earlier ledger has, the run that matched it there. */
  readonly bookedEarlier: readonly string[]
  readonly incompleteBecause: readonly string[]
  /** Why the run is not over, and with it this report; null for the last one of a run. */
  readonly interim: string | null
  /** As in the report. */
  readonly notSent: ReconcileReport['notSent']
  readonly calls: Readonly<Record<string, number>>
  readonly clockSkewMs: number | null
  /** Whether findings that ask nothing of anybody (`matched`, `in_flight`) are listed too. */
  readonly all: boolean
  /** Whether findings that were open in the run before already are left out of the list; never out of a figure. */
  readonly sinceLast: boolean
  /** What looks damaged in the ledger without any row being unreadable. */
  readonly doubts: readonly ColumnWarning[]
  /** What else a person should know of how the ledger was read. */
  readonly notes: readonly string[]
  /** Creates and resends with unknown outcome, of any age (P6). */
  readonly inDoubt: readonly DoubtView[]
  readonly records: RecordsRead
  readonly receivers: ReconcileReport['receivers']
  /** Orders not asked for again, by the run that settled them. */
  readonly takenFrom: ReadonlyMap<string, TakenAnswers>
  readonly queriesPerSecond: number | null
  /** Open items before this run and after it. */
  readonly itemMovement: ItemMovement
  readonly preparedBy: string | null
  readonly evidence: EvidenceFacts | null
  /** Where it asked for its orders. */
  readonly service: string
  /** The days before this run, and the day of this one where its figures are recorded. */
  readonly nights: readonly TrendDay[]
  /** Of the page. */
  readonly lang: Language
  /** The business day, where `hisab nightly` runs it. */
  readonly night: string | null
}
