import type {CallCounts, ServiceClient} from '../../api/client.ts'
import type {ExitStatus} from '../../core/failure.ts'
import type {Language} from '../../core/language.ts'
import type {OrderKind} from '../../core/order.ts'
import type {LedgerDates, Profile} from '../../core/profile.ts'
import type {CallPlan} from '../../core/reconcile/call-plan.ts'
import type {TakenAnswers} from '../../core/reconcile/classify.ts'
import type {ResendOverrides} from '../../core/reconcile/evidence.ts'
import type {Finding, Findings} from '../../core/reconcile/finding.ts'
import type {ReceiverRecords} from '../../core/reconcile/receiver-records.ts'
import type {WindowMeeting} from '../../core/reconcile/run-windows.ts'
import type {TallyGroup} from '../../core/reconcile/tally.ts'
import type {CountedOrder, TieOut} from '../../core/reconcile/tie-out.ts'
import type {MaybeWindow} from '../../core/reconcile/window.ts'
import type {Journal} from '../../journal/journal.ts'
import type {SeenFinding} from '../../journal/memory-rows.ts'
import type {Ledger} from '../../ledger/ledger.ts'
import type {findMentions} from '../../ledger/mentions.ts'
import type {EvidenceFacts, ReconcileFacts} from '../../report/reconcile-report.ts'
import type {Staging} from '../../staging/staging.ts'
import type {WhyPaidTwice} from '../orders/paid-after-all.ts'
import type {WhyPaidAnew} from '../orders/paid-anew.ts'
import type {ResendJob} from '../resend/job.ts'
import type {WhyReceived} from '../resend/received.ts'
import type {runResends} from '../resend/resend.ts'
import type {DeliveryReading} from './delivery-reading.ts'
import type {NotFoundAgain} from './earlier-runs.ts'
import type {RunResends} from './memory.ts'

export interface ReconcileOptions {
  /** How to read the ledger; stored, so that a resumed run reads it the same way. */
  readonly reading?: {
    readonly columns: readonly string[]
    readonly dates?: LedgerDates | null
    readonly delimiter: 'comma' | 'semicolon' | 'tab' | 'pipe' | null
    readonly sheet?: string | null
    readonly headerRow?: number | null
  }
  /** Sheets, columns and texts that say nothing of bookings, as a person stated. */
  readonly ignoredSheets?: readonly string[]
  readonly ignoredColumns?: readonly string[]
  readonly ignoredTexts?: readonly string[]
  /** Settings of the profile that decide findings, by key: a resumed run must have the same. */
  readonly settings?: Readonly<Record<string, unknown>>
  readonly kind: OrderKind | null
  readonly sinceMs: number | null
  readonly untilMs: number | null
  /** Begin the window where that of the last run ended. */
  readonly sinceLastRun?: boolean
  /** `--columns-changed`: a column of the last run is missing intentionally. */
  readonly columnsChanged?: boolean
  readonly overrides: ResendOverrides
  readonly skipDeliveries: boolean
  /** Take orders that an earlier run found final from the journal, if their row is unchanged. */
  readonly skipFinal?: boolean
  /** Read the whole list of records, whatever is known of its order. */
  readonly wholeList?: boolean
  /** What the report lists; stored, so that a resumed run lists the same. */
  readonly listing?: {readonly all: boolean; readonly sinceLast: boolean; readonly lang?: Language}
  /** The most orders queried at once; the client finds out how many the service allows. */
  readonly concurrency: number
  /** The most requests started per second; null: no limit of hisab's. */
  readonly rate?: number | null
  readonly resendsPerSecond: number
  readonly waitMs: number
  readonly resendsMax: number
}

export interface ReconcilePorts {
  readonly profile: Profile
  readonly client: Pick<
    ServiceClient,
    'queryOrder' | 'listDeliveries' | 'getDelivery' | 'resendDelivery' | 'calls' | 'clockSkewMs'
  >
  readonly journal: Journal
  readonly received?: WhyReceived
  readonly runId: string
  /** An earlier process started this run; its final orders are not queried again. */
  readonly resumes: boolean
  /** The machine's clock: for times that are stored or compared with the service's. */
  readonly now: () => number
  /** For measuring waits (P17). */
  readonly monotonic: () => number
  readonly sleep: (ms: number) => Promise<void>
  readonly signal: AbortSignal
  /** `breaks`: number of orders so far that do not agree. */
  readonly onProgress: (stage: ReconcileStage, done: number, total: number, breaks?: number) => void
  /** Replaces ports if the run is recorded, or replayed from its record. */
  readonly recorded?: Recorded
  /** Called with the relation between the window and those of earlier runs. */
  readonly onWindow?: (meetings: readonly WindowMeeting[]) => void
  readonly onNote?: (note: string) => void
  /** Called with the planned calls, before the first one. */
  readonly onPlan: (plan: CallPlan) => void
}

export interface Recorded {
  /** The run is a replay; a run that is being recorded is not. */
  readonly isReplay: boolean
  /** The clock for times that are only stored and decide nothing. */
  readonly stamp: () => number
  /** For queries of the ledger's orders. */
  readonly asked: Pick<ServiceClient, 'queryOrder'>
  readonly findMentions: typeof findMentions
  readonly whyPaidAnew: WhyPaidAnew
  readonly whyPaidTwice: WhyPaidTwice
  readonly received: WhyReceived
  readonly runResends: typeof runResends
}

export type ReconcileStage = 'query' | 'pages' | 'look-ups' | 'resend' | 'results'

/** What is known and decided before anything is sent. */
export interface ExamineOptions extends ReconcileOptions {
  /** Also list orders that agree. */
  readonly keepsAll: boolean
  /** False for a dry run, which keeps nothing for later runs. */
  readonly remembers: boolean
  readonly startedAtMs: number
  /** The business day that the ledger should cover, `2026-11-21`; null outside `hisab nightly`. */
  readonly businessDay: string | null
}

export interface Reconciliation {
  readonly findings: Findings
  /** Figures of all findings, even those that report nothing. */
  readonly tally: readonly TallyGroup[]
  /** The findings to remember, after a change by `ended`; reads the store while iterating. */
  readonly seen: (ended?: (finding: Finding) => Finding) => Iterable<SeenFinding>
  readonly tieOut: TieOut
  /** Orders of `tieOut` without a final order. */
  readonly balances: Iterable<CountedOrder>
  readonly reading: DeliveryReading
  readonly receivers: readonly ReceiverRecords[]
  /** The window of `missing_in_ledger`, or why that verdict is not given. */
  readonly window: MaybeWindow
  readonly meetings: readonly WindowMeeting[]
  /** What the ledger itself covers. */
  readonly own: MaybeWindow
  /** Whether its ledger may lack the last rows of its day. */
  readonly isEndDoubted: boolean
  /** What earlier processes of this run sent. */
  readonly resends: RunResends
  readonly planned: readonly ResendJob[]
  /** For each order that only an earlier ledger has, the run that matched it. */
  readonly bookedEarlier: readonly string[]
  /** The orders taken from earlier runs, by run. */
  readonly takenFrom: ReadonlyMap<string, TakenAnswers>
  readonly notFoundAgain: NotFoundAgain
  /** Notes besides the findings. */
  readonly notes: readonly string[]
  /** Null if too few queries were made to tell. */
  readonly queriesPerSecond: number | null
  readonly incompleteBecause: readonly string[]
  readonly calls: CallCounts
  readonly clockSkewMs: number | null
}

export interface RunRequest {
  readonly ledger: Ledger
  /** Holds the ledger's rows; the caller closes it. */
  readonly staging: Staging
  readonly options: ReconcileOptions
  /** Can be pasted into a shell; with the profile that the run began with. */
  readonly resumeCommand?: string
  /** Resume the run of `ports.runId` instead of starting it. */
  readonly resume: boolean
  readonly dryRun: boolean
  /** The business day of `hisab nightly`; stored with the run. */
  readonly businessDay?: string
  readonly reportDir: string
  readonly listAll: boolean
  /** List only findings that are new or came back since the earlier runs. */
  readonly sinceLast: boolean
  /** The language of the page. */
  readonly lang: Language
}

/** The end of a run, before it is stored. */
export interface RunEnd {
  readonly facts: ReconcileFacts
  readonly status: ExitStatus
}

export interface RunPorts extends Omit<ReconcilePorts, 'resumes'> {
  /** Called with the end of the run, before the last report, which names the evidence. */
  readonly sealEvidence?: (ended: RunEnd) => Promise<EvidenceFacts>
  /** Called after `approve`, whatever the answer, before sending or storing. Throws if the run must not go on. */
  readonly takeTurn?: () => Promise<void>
  /** Shows the plan and returns whether to send it: by a flag, or by a person's answer. */
  readonly approve: (facts: ReconcileFacts) => Promise<boolean>
}
