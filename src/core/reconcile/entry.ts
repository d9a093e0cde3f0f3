import type {Paisa} from '../money.ts'
import type {OrderKind, OrderState} from '../order.ts'
import type {Window} from './window.ts'

/** What spreadsheets do to a ledger on its way through them. */
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

/** Corruption of a row, and its original text where that is known. hisab never repairs a row by itself. */
export interface Corruption {
  readonly what: CorruptionKind
  /** What to write instead; null where the file does not hold it any more. */
  readonly repair: string | null
  /** The service knows the repaired number, no row names it, and it is the only such one. Else it is a hint. */
  readonly isCertain: boolean
}

/** One readable row of the merchant's ledger. */
export interface LedgerEntry {
  /** Line of the file where the row starts; the header is line 1. */
  readonly line: number
  /** Index into the run's list of ledger files. */
  readonly file: number
  readonly kind: OrderKind
  readonly orderNo: string
  readonly status: OrderState
  /** Null where the cell is blank or there is no such column. */
  readonly amount: Paisa | null
  readonly playerRef: string | null
  readonly platformOrderNo: string | null
}

/** What of an entry is compared with the service. */
export type BookedRow = Pick<LedgerEntry, 'line' | 'file' | 'kind' | 'orderNo' | 'status' | 'amount'> &
  Partial<Pick<LedgerEntry, 'platformOrderNo' | 'playerRef'>> & {
    /** When its order was made at the earliest; missing where the row does not say. */
    readonly createdMs?: number
  }

/** Why a row cannot be read: the cause of an `unreadable_row`. */
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

/** One row that cannot be read. The other rows go on (P11). */
export interface UnreadableRow {
  readonly line: number
  readonly file: number
  readonly cause: UnreadableCause
  /** One sentence with the offending text, safe to show. */
  readonly detail: string
  /** What a spreadsheet did to it, where that shows. */
  readonly corruption?: Corruption
  /** Where at least that much could be read. */
  readonly orderNo: string | null
  /** Text of its `order_no` cell where that is not an order number, or may be the start of one. Not for showing. */
  readonly rawOrderNo?: string
  readonly kind?: OrderKind
  readonly status?: OrderState
  /** It may be any order of this amount, of any amount where that is null, of like digits where it has a `~`. Not there in a row without number and amount. */
  readonly anyOrder?: {readonly amount: string | null}
  /** The row may be cut off inside its number; the cell has the start of it. */
  readonly isBeginning?: true
}

/** Takes the rows of a ledger while it is read: there may be more of them than memory holds. */
export interface LedgerSink {
  /** `created` is what its `created_at` can mean, null where its cell alone does not tell. */
  entry(entry: LedgerEntry, created: Window | null): void
  unreadable(row: UnreadableRow): void
}
