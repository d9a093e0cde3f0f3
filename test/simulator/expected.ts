import type {WrittenRow} from './ledger-file.ts'
import type {SaidOrder, SaidRecord} from './said.ts'
import type {Tongue} from './tongue.ts'
import {taka} from './world.ts'

/** The verdict table of the contract (§4), written again from its text: verdict and cause, or none of its own. */
export function expectVerdict(
  row: Pick<WrittenRow, 'state' | 'amount'> | null,
  said: SaidOrder | null,
): readonly [verdict: string | null, cause: string | null] {
  if (said === null) {
    if (row === null) return [null, null]
    if (row.state === 'completed') return ['missing_at_provider', 'booked']
    return row.state === 'open' ? ['missing_at_provider', 'open'] : ['matched', null]
  }
  const {state} = said
  if (state === null) return ['unknown_status', null]
  if (row === null) return state === 'completed' ? ['missing_in_ledger', 'by record'] : [null, null]
  if (state === 'completed') {
    if (row.amount !== null && said.amount !== null && taka(row.amount) !== said.amount) {
      return ['amount_mismatch', null]
    }
    return row.state === 'completed' ? ['matched', null] : ['missing_completion', 'by record']
  }
  if (state === row.state) return [state === 'open' ? 'in_flight' : 'matched', null]
  if (row.state === 'completed') return ['status_mismatch', `booked_but_${state}`]
  return ['status_mismatch', state === 'failed' ? 'failed_not_booked' : 'reopened']
}

/** The exit status of a run that came to its end, worst first (contract §4). */
export function expectStatus(end: {
  readonly isStopped: boolean
  readonly isInDoubt: boolean
  /** Not all was looked at, or came to its end. */
  readonly isOpen: boolean
  /** Something is left for somebody to do. */
  readonly isLeft: boolean
}): number {
  if (end.isStopped) return 130
  if (end.isInDoubt) return 6
  if (end.isOpen) return 8
  return end.isLeft ? 7 : 0
}

/** Which records of an order's own ID are joined to it, by the setting: the first key that finds any (A9). */
export function joinedTo<Found extends {readonly orderId: string; readonly orderNo: string}>(
  {orderId, orderNo}: {readonly orderId: string; readonly orderNo: string | null},
  records: readonly Found[],
  join: Tongue['join'],
): readonly Found[] {
  const own = records.filter((record) => record.orderId === orderId)
  const byNumber = own.filter((record) => record.orderNo === orderNo)
  if (join[0] === 'order_id') return own
  return byNumber.length > 0 || !join.includes('order_id') ? byNumber : own
}

/** The delivery evidence table without what hisab did before: the cause the newest record gives, at that time. */
export function expectCause(newest: SaidRecord, atMs: number): string {
  const {status, nextRetryMs} = newest
  if (status === 'success') return 'delivered_not_booked'
  if (nextRetryMs !== null && nextRetryMs > atMs) return 'retry_scheduled'
  return status === 'failed' && nextRetryMs === null ? 'delivery_exhausted' : 'delivery_stuck'
}

/** What follows from a finding by the contract's tables; several where the table leaves it to time or to a word. */
export const actionsOf: Readonly<Record<string, readonly string[]>> = {
  matched: ['none'],
  in_flight: ['wait'],
  amount_mismatch: ['review'],
  status_mismatch: ['review'],
  missing_at_provider: ['review'],
  unknown_status: ['review'],
  query_failed: ['retry'],
  duplicate_in_ledger: ['review'],
  unreadable_row: ['review'],
  delivery_exhausted: ['resend'],
  retry_scheduled: ['wait'],
  delivery_stuck: ['resend', 'wait'],
  delivered_not_booked: ['review', 'resend'],
  recently_resent: ['wait'],
  resend_in_doubt: ['review'],
  no_delivery_record: ['review'],
  resend_unavailable: ['review'],
  delivery_unknown: ['retry'],
  delivered_amount_differs: ['review'],
}
