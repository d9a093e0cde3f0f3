import type {OrderKind} from '../core/order.ts'
import type {LedgerColumn, LedgerMapping} from '../core/profile.ts'
import type {ColumnWarning} from '../core/reconcile/corruption.ts'
import type {Span} from './created-at.ts'
import type {RowTimes} from './row-times.ts'
import type {TableFacts, TableLayout, TableReading} from './table.ts'
import type {TotalRow} from './total-rows.ts'
import type {LedgerWindow, UncoveredTime} from './window.ts'

/** How a run's ledger files are to be read: the same way for all of them. */
export interface LedgerOptions extends Omit<TableReading, 'isStrict'> {
  readonly mapping: LedgerMapping
  /** Stands in where there is no `kind` column or its cell is blank. */
  readonly kind: OrderKind | null
  /** When the run began: nothing was booked later. */
  readonly nowMs?: number
  /** A person said which time it covers, so that a file without a row is a time in which nothing was booked. */
  readonly isTimeStated?: boolean
  /** The business day it is to have: of dates that can be read in two ways, the way that has this day counts. */
  readonly day?: Span | null
}

export interface LedgerFile {
  readonly path: string
  readonly sha256: string
  /** Data rows, unreadable ones included; blank lines and rows of totals are none. */
  readonly rows: number
  readonly format: TableLayout['format']
  /** Of text. */
  readonly encoding?: NonNullable<TableFacts['encoding']>
  readonly delimiter?: string
  readonly isCompressed?: true
  /** Of a spreadsheet. */
  readonly sheet?: string
  readonly headerLine: number
  /** hisab's column → the header it was found under. */
  readonly columns: Readonly<Record<string, string>>
  /** Headers of columns that are not read. */
  readonly ignored: readonly string[]
  /** Columns that were found by what people call them. */
  readonly guesses: readonly LedgerColumn[]
  readonly kinds: readonly OrderKind[]
  /** There is no `kind` column and no kind was stated: its rows were read as deposits. */
  readonly kindAssumed: boolean
  /** A header looks like a status and is not read: its rows may not be as completed as they were read. */
  readonly isStatusUnread?: true
  /** There where the last line has no newline: usual with many exporters, and also how a cut-off file looks. */
  readonly endsMidLine?: true
  readonly lastLine: number
  readonly totals: readonly TotalRow[]
  /** Rows that count as booked and say otherwise, in a sentence. */
  readonly contradictions?: readonly string[]
  /** Headers of columns that tell rows apart as a status does, and are not read as one. */
  readonly unreadStatuses?: readonly string[]
}

/** What is known of a run's files once they were read. Their rows went to the reader's sink. */
export interface Ledger {
  readonly files: readonly LedgerFile[]
  readonly window: LedgerWindow
  readonly rowTimes: Pick<RowTimes, 'stretchAt'>
  /** The rows whose `created_at` cannot be read or lies ahead of the run, in a sentence: the window is that of the others. */
  readonly unreadTimes: string | null
  readonly uncovered: UncoveredTime | null
  /** Columns that tell rows apart as a status does and are not read as one, a sentence for each file. */
  readonly unreadStatuses: readonly string[]
  /** Totals that the rows do not add up to, a sentence each. */
  readonly wrongTotals: readonly string[]
  /** What looks damaged without any row being unreadable, a sentence each. */
  readonly doubts: readonly ColumnWarning[]
  /** What else a person should know of how the files were read, a sentence each. */
  readonly notes: readonly string[]
  /** Those of the notes that name a guessed header or a total, which a table of the columns and totals shows as well. */
  readonly readings: readonly string[]
}
