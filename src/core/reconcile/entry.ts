import type {Paisa} from '../money.ts'
import type {OrderKind, OrderState} from '../order.ts'
import type {Window} from './window.ts'

/** What spreadsheets do to a ledger. */
export const corruptionKinds = [
  'leading_zeros_lost',
  'shortened',
  'digits_rounded',
  'read_as_date',
  'day_month_swapped',
  'non_breaking_space',
  'bengali_digits',
  'other_spelling',
  'cut_off',
] as const
export type CorruptionKind = (typeof corruptionKinds)[number]

export interface Corruption {
  readonly what: CorruptionKind
  /** The original text; null if the file no longer has it. */
  readonly repair: string | null
  /** The service knows the repaired number, no row names it, and it is the only such one. Otherwise it is a hint. */
  readonly isCertain: boolean
}

export interface LedgerEntry {
  /** The line where the row starts; the header is line 1. */
  readonly line: number
  /** Index of the ledger file in the run's list. */
  readonly file: number
  readonly kind: OrderKind
  readonly orderNo: string
  readonly status: OrderState
  /** Null for a blank cell or a missing column. */
  readonly amount: Paisa | null
  readonly playerRef: string | null
  readonly platformOrderNo: string | null
}

export type BookedRow = Pick<LedgerEntry, 'line' | 'file' | 'kind' | 'orderNo' | 'status' | 'amount'> &
  Partial<Pick<LedgerEntry, 'platformOrderNo' | 'playerRef'>> & {
    /** The earliest time of its order; absent if the row does not say. */
    readonly createdMs?: number
    /** The latest: a date without a time covers its day. */
    readonly latestMs?: number
    /** When it was booked, if a column of its own says so. */
    readonly bookedMs?: number
  }

/** Why a row cannot be read: the causes of `unreadable_row`. */
export const unreadableCauses = [
  'order_no_missing',
  'order_no_malformed',
  'amount_unreadable',
  'currency_other',
  'status_unknown',
  'kind_unknown',
  'column_count',
] as const
export type UnreadableCause = (typeof unreadableCauses)[number]

/** An unreadable row. The other rows are processed (P11). */
export interface UnreadableRow {
  readonly line: number
  readonly file: number
  readonly cause: UnreadableCause
  /** One sentence with the text in question, safe to show. */
  readonly detail: string
  readonly corruption?: Corruption
  /** Set if at least that much could be read. */
  readonly orderNo: string | null
  /** The text of its `order_no` cell if that is no order number, or may be the start of one. Not for showing. */
  readonly rawOrderNo?: string
  readonly kind?: OrderKind
  readonly status?: OrderState
  /**
   * It may be any order of this amount: of any amount for null, of similar digits with a `~`. Absent in a row without
   * number and amount.
   */
  readonly anyOrder?: {readonly amount: string | null}
  /** It may be an order that somebody booked by hand: nothing readable says otherwise, and it has an amount. */
  readonly mayBeBooking?: true
  /** Its kind, if that can be read and the rest cannot. */
  readonly statedKind?: OrderKind
  /** Who its player may be, a line each, if the ledger states players. */
  readonly players?: string
  /** The earliest time of its order; absent if the row does not say. */
  readonly createdMs?: number
  /** The row may be cut off inside its number. */
  readonly isBeginning?: true
}

/** A line of a ledger, as its cells. */
export type LedgerLine = readonly [line: number, cells: readonly string[]]

/** What `05/11/2026` can mean; null where it is no date. */
export interface DateInDigits {
  readonly dayFirst: Window | null
  readonly monthFirst: Window | null
}

/** Takes the rows of a ledger as they are read: there may be more than memory holds. */
export interface LedgerSink {
  /**
   * `created` is the possible time of its `created_at`: of a date in digits, by the order of day and month. `delayMs`: how long
   * after it the row says that it was booked.
   */
  entry(entry: LedgerEntry, created: Window | DateInDigits | null, delayMs: number | null): void
  /** After the last row: the order of dates in digits, as the whole column shows it. */
  dates?(order: keyof DateInDigits): void
  /** After the last row of a file: what was taken for the time of the booking is another. */
  withoutDelays?(file: number): void
  unreadable(row: UnreadableRow): void
  /** Each line of a text file that is not blank, as its cells, in their order. */
  line(file: number, line: number, cells: readonly string[]): void
}
