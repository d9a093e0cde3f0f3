import {foldOrderNo, foldsOf} from '../../core/order-no-fold.ts'
import type {RememberedRow} from '../../journal/memory-rows.ts'
import {keyOfBeginning, keysOfNamed} from '../../staging/unexplained-rows.ts'

/** One of the keys by which a remembered row is found for an order. */
export interface Key {
  readonly key: string
  readonly row: RememberedRow
  /** The row's own text counts, not only what it may have been before the corruption. */
  readonly isOwn: boolean
  /** The row counts for orders without a row only: it is not booked, or it was cut off. */
  readonly isWeak: boolean
}

export function keysOf(row: RememberedRow, isWeak: boolean): Key[] {
  const {orderNo, anyOrder, isBeginning} = row
  const own = foldOrderNo(orderNo)
  return [
    ...[...foldsOf(orderNo)].map((key) => ({key, row, isOwn: key === own, isWeak})),
    ...(anyOrder ? keysOfNamed(orderNo) : []).map((key) => ({key, row, isOwn: false, isWeak})),
    ...(isBeginning ? [{key: keyOfBeginning(orderNo), row, isOwn: false, isWeak: true}] : []),
  ]
}
