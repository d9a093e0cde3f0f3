import type {OrderKind} from '../core/order.ts'
import type {LedgerColumn, LedgerMapping} from '../core/profile.ts'
import type {ColumnWarning} from '../core/reconcile/corruption.ts'
import type {Span} from './created-at.ts'
import type {RowTimes} from './row-times.ts'
import type {TableFacts, TableLayout, TableReading} from './table.ts'
import type {TotalRow} from './total-rows.ts'
import type {LatestTimes, LedgerWindow} from './window.ts'

/** How to read a run's ledger files: the same way for all of them. */
export interface LedgerOptions extends Omit<TableReading, 'isStrict'> {
  readonly mapping: LedgerMapping
  /** The kind of rows without a `kind` column or with a blank cell in it. */
  readonly kind: OrderKind | null
  /** When the run began: nothing was booked later. */
  readonly nowMs?: number
  /** A person stated the time it covers, so a file without rows means that nothing was booked then. */
  readonly isTimeStated?: boolean
  /** The business day it should contain: decides between two readings of a date. */
  readonly day?: Span | null
}

export interface LedgerFile {
  readonly path: string
  readonly sha256: string
  /** Data rows, unreadable ones included; blank lines and total rows are not counted. */
  readonly rows: number
  readonly format: TableLayout['format']
  /** Text files only. */
  readonly encoding?: NonNullable<TableFacts['encoding']>
  readonly delimiter?: string
  readonly isCompressed?: true
  /** Spreadsheets only. */
  readonly sheet?: string
  readonly headerLine: number
  /** hisab's column → the header it was found under. */
  readonly columns: Readonly<Record<string, string>>
  /** Headers of columns that are not read. */
  readonly ignored: readonly string[]
  /** Columns found by a guess at their header. */
  readonly guesses: readonly LedgerColumn[]
  readonly kinds: readonly OrderKind[]
  /** There is no `kind` column and no kind was stated: its rows were read as deposits. */
  readonly kindAssumed: boolean
  /** An unread header looks like a status, so rows read as completed may not be. */
  readonly isStatusUnread?: true
  /** Set if the last line has no newline: many exporters omit it, but a cut-off file looks the same. */
  readonly endsMidLine?: true
  readonly lastLine: number
  readonly totals: readonly TotalRow[]
  /** Booked rows whose unread columns say otherwise; at most one sentence. */
  readonly contradictions?: readonly string[]
  /** Headers of unread columns that distinguish rows as a status does. */
  readonly unreadStatuses?: readonly string[]
}

/** What is known of a run's files after reading them. Their rows went to the reader's sink. */
export interface Ledger {
  readonly files: readonly LedgerFile[]
  readonly window: LedgerWindow
  readonly rowTimes: Pick<RowTimes, 'stretchAt'>
  /** The rows whose `created_at` is unreadable or in the future, in a sentence; the window leaves them out. */
  readonly unreadTimes: string | null
  /** Of its times, those that may not be over. */
  readonly latest: LatestTimes
  /** Unread columns that distinguish rows as a status does, a sentence for each file. */
  readonly unreadStatuses: readonly string[]
  /** Totals that differ from the sum of their rows, a sentence each. */
  readonly wrongTotals: readonly string[]
  /** Signs of damage without an unreadable row, a sentence each. */
  readonly doubts: readonly ColumnWarning[]
  /** Other notes on how the files were read, a sentence each. */
  readonly notes: readonly string[]
  /** The notes about guessed headers and totals, which a table of columns and totals shows as well. */
  readonly readings: readonly string[]
}
