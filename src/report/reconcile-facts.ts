import type {Dialect} from '../core/dialect.ts'
import type {TakenAnswers} from '../core/reconcile/classify.ts'
import type {ColumnWarning} from '../core/reconcile/corruption.ts'
import type {RecordsRead} from '../core/reconcile/records-read.ts'
import type {WindowMeeting} from '../core/reconcile/run-windows.ts'
import type {TallyGroup} from '../core/reconcile/tally.ts'
import type {TieOut} from '../core/reconcile/tie-out.ts'
import type {MaybeWindow} from '../core/reconcile/window.ts'
import type {AgeingFacts} from './ageing-view.ts'
import type {DoubtView} from './doubts-list.ts'

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

/** Everything a reconciliation's report is made of. */
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
  /** Creates and resends whose outcome nobody knows, of any age (P6). */
  readonly inDoubt: readonly DoubtView[]
  readonly records: RecordsRead
  /** Orders not asked for again, by the run that settled them. */
  readonly takenFrom: ReadonlyMap<string, TakenAnswers>
  readonly queriesPerSecond: number | null
}
