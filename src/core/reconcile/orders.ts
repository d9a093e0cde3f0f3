import type {OrderKind} from '../order.ts'
import type {BookedRow, UnreadableRow} from './entry.ts'

/** One order of the ledger and the rows that name it. */
export interface LedgerOrder {
  readonly kind: OrderKind
  readonly orderNo: string
  readonly entries: readonly BookedRow[]
  /** Rows with its number that cannot be read, and are of its kind or of one not known. */
  readonly unreadable: readonly UnreadableRow[]
}

/** Whether more than one row names the order. One that cannot be read counts: it may say it is booked already. */
export function isDuplicate({entries, unreadable}: LedgerOrder): boolean {
  return entries.length + unreadable.length > 1
}

export function orderKey({kind, orderNo}: {kind: OrderKind; orderNo: string}): string {
  return `${kind}\0${orderNo}`
}
