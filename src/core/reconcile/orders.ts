import type {OrderKind} from '../order.ts'
import type {BookedRow, UnreadableRow} from './entry.ts'

export interface LedgerOrder {
  readonly kind: OrderKind
  readonly orderNo: string
  readonly entries: readonly BookedRow[]
  /** Unreadable rows with its number, of its kind or of unknown kind. */
  readonly unreadable: readonly UnreadableRow[]
}

/** Whether more than one row names the order. An unreadable row counts: it may say that the order is booked. */
export function isDuplicate({entries, unreadable}: LedgerOrder): boolean {
  return entries.length + unreadable.length > 1
}

export function orderKey({kind, orderNo}: {kind: OrderKind; orderNo: string}): string {
  return `${kind}\0${orderNo}`
}

/** The order of an `orderKey`. */
export function orderOfKey(key: string): {readonly kind: OrderKind; readonly orderNo: string} {
  const at = key.indexOf('\0')
  return {kind: key.slice(0, at) as OrderKind, orderNo: key.slice(at + 1)}
}
