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
  /** The run's mail, and the orders to book by hand; null while the run is not over. */
  readonly mail: string | null
  readonly booking: string | null
}

type TieOutView = Readonly<
  Record<Exclude<keyof TieOutSums, 'amountUnknown' | 'unanswered' | 'unansweredAmount'>, string>
>

export interface ReconcileReport {
  readonly schemaVersion: 1
  readonly runId: string
  readonly profile: string
  readonly merchantId: string
  readonly ledger: readonly LedgerFileView[]
  readonly startedAt: string
  /** Null while the run is not over. */
  readonly finishedAt: string | null
  readonly dryRun: boolean
  readonly complete: boolean
  readonly incompleteBecause: readonly string[]
  /** Set while the run is not over: why, and the command that continues it. */
  readonly interim: {readonly because: string; readonly resume: string} | null
  /**
   * Set if more resends are planned than --max-resends allows, and none was sent: why, and the command that sends
   * them.
   */
  readonly notSent: {readonly because: string; readonly next: string} | null
  readonly counts: Readonly<Record<'rows' | Verdict, number>>
  /** Findings that disagree and are not delivered, listed or not. */
  readonly breaks: number
  readonly resends: ResendCounts
  /** Findings that a person must decide or check, listed or not. */
  readonly needPerson: number
  /** Orders whose webhooks earlier runs delivered, and that no ledger has shown as booked yet. */
  readonly unconfirmed: number
  readonly atRisk: AtRisk
  readonly tieOut: TieOutView
  readonly tieOutByKind: Readonly<Record<OrderKind, TieOutView>>
  readonly statement: readonly StatementView[]
  /** The machine's user; null if unknown. */
  readonly preparedBy: string | null
  /** The proof of the run (docs/evidence.md); null if none is kept, or while the run is not over. */
  readonly evidence: EvidenceFacts | null
  readonly calls: Readonly<Record<string, number>>
  readonly amountUnknown: number
  /** Orders without an answer, whose completed amounts stay unexplained. */
  readonly unanswered: number
  /** The window of `missing_in_ledger`. `checked` is false if that verdict is not given, with the reason. */
  readonly missingInLedger:
    | {
        readonly checked: true
        readonly from: string | null
        readonly to: string | null
        /** Orders of the window that only an earlier ledger has, by the run that matched them. */
        readonly bookedEarlier: readonly {readonly runId: string; readonly orders: number}[]
      }
    | {readonly checked: false; readonly because: string}
  /**
   * For each kind, the earlier run whose window reached farthest, and the last time before this window that no run
   * covered.
   */
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
  readonly inDoubt: readonly DoubtView[]
  readonly records: RecordsRead
  /** The delivery records of each of your servers, before any resend. */
  readonly receivers: readonly ReceiverRecords[]
  readonly final: {
    readonly taken: number
    /** `askedFrom`: when the first of them was queried. */
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
  const {breaks, resends, needPerson, unconfirmed} = countActs(facts)
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
    ...{needPerson, unconfirmed},
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

export function verifyCommand({runId, profile}: Pick<ReconcileReport, 'runId' | 'profile'>): string {
  return `hisab runs verify ${runId} --profile ${quoteForShell(profile)}`
}

export function listedViews(facts: ReconcileFacts): ReconcileReport['findings'] {
  return new Listing(() => Iterator.from(listedFindings(facts)).map((finding) => viewFinding(finding, facts)))
}

function countActs({
  findings,
  plannedResends,
}: ReconcileFacts): Pick<ReconcileReport, 'breaks' | 'resends' | 'needPerson' | 'unconfirmed'> {
  const states: ResendState[] = []
  let [breaks, needPerson, unconfirmed] = [0, 0, 0]
  for (const finding of findings) {
    if (finding.resend) states.push(finding.resend.state)
    if (isBreak(finding)) breaks += 1
    if (asksAPerson(finding)) needPerson += 1
    if (finding.cause === 'delivered' && finding.resend === null) unconfirmed += 1
  }
  return {breaks, resends: countResends(plannedResends, states), needPerson, unconfirmed}
}

export function listedFindings({all, sinceLast, findings}: ReconcileFacts): Iterable<Finding> {
  const some = all ? findings.all : findings
  return sinceLast
    ? Iterator.from(some).filter(({history, keepsItem}) => keepsItem || history?.state !== 'open')
    : some
}

/** The exit status of the findings (docs/verdicts.md#exit-status). */
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
  /** Total rows are not among `rows`. `agrees` is null without an amount. */
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
  /** The sum of its manifest, which covers every byte. Null if the evidence could not be finished. */
  readonly sha256: string | null
}

export interface ReconcileFacts extends AgeingFacts {
  /** All findings in figures, listed or not. */
  readonly tally: readonly TallyGroup[]
  readonly runId: string
  /** Continues this run; can be pasted into a shell. */
  readonly resumeCommand: string
  readonly profile: string
  readonly merchantId: string
  readonly timeZone: string
  readonly dialect: Dialect
  readonly ledger: readonly LedgerFileView[]
  readonly startedAtMs: number
  readonly finishedAtMs: number
  readonly dryRun: boolean
  /** Fewer than the findings with action `resend` only if a limit held some back. */
  readonly plannedResends: number
  readonly resendsMax: number
  readonly tieOut: TieOut
  readonly window: MaybeWindow
  /** How it relates to the windows of earlier runs. */
  readonly meetings: readonly WindowMeeting[]
  readonly sinceLastRun: boolean
  /** The run that matched each order which only an earlier ledger has. */
  readonly bookedEarlier: readonly string[]
  readonly incompleteBecause: readonly string[]
  /** Why the run is not over; null in its last report. */
  readonly interim: string | null
  readonly notSent: ReconcileReport['notSent']
  readonly calls: Readonly<Record<string, number>>
  readonly clockSkewMs: number | null
  /** Also list findings that need nothing (`matched`, `in_flight`). */
  readonly all: boolean
  readonly sinceLast: boolean
  /** Signs of damage in the ledger without an unreadable row. */
  readonly doubts: readonly ColumnWarning[]
  /** Other notes on how the ledger was read. */
  readonly notes: readonly string[]
  /** Creates and resends with unknown outcome, of any age (P6). */
  readonly inDoubt: readonly DoubtView[]
  readonly records: RecordsRead
  readonly receivers: ReconcileReport['receivers']
  /** Orders not queried again, by the run that found them final. */
  readonly takenFrom: ReadonlyMap<string, TakenAnswers>
  readonly queriesPerSecond: number | null
  /** Open items before this run and after it. */
  readonly itemMovement: ItemMovement
  readonly preparedBy: string | null
  readonly evidence: EvidenceFacts | null
  readonly service: string
  /** The days before this run, and this run's day with its figures. */
  readonly days: readonly TrendDay[]
  readonly lang: Language
  readonly businessDay: string | null
}
