import {type UnreadableCause, unreadableCauses} from './entry.ts'

/** What the comparison of one order on both sides can say: a closed list (docs/verdicts.md#verdicts). */
export const verdicts = [
  'matched',
  'in_flight',
  'missing_completion',
  'missing_in_ledger',
  'amount_mismatch',
  'status_mismatch',
  'missing_at_provider',
  'unknown_status',
  'query_failed',
  'duplicate_in_ledger',
  'unreadable_row',
] as const
export type Verdict = (typeof verdicts)[number]

/** Why `status_mismatch` and `missing_at_provider` are what they are. */
export const orderCauses = [
  'booked_but_open',
  'booked_but_failed',
  'failed_not_booked',
  'reopened',
  'booked',
  'open',
  'other_platform_order_no',
] as const
export type OrderCause = (typeof orderCauses)[number]

/** What the newest `order.completed` record says of a completion the ledger lacks. */
export const deliveryCauses = [
  'delivery_exhausted',
  'retry_scheduled',
  'delivery_stuck',
  'delivered_not_booked',
  'recently_resent',
  'resend_in_doubt',
  'no_delivery_record',
  'resend_unavailable',
  'delivery_unknown',
] as const
export type DeliveryCause = (typeof deliveryCauses)[number]

/** What the webhook your server took says, where amounts differ: which of the three stands against the others. */
export const amountCauses = [
  'delivered_amount_differs',
  'booked_amount_differs',
  'all_amounts_differ',
] as const
export type AmountCause = (typeof amountCauses)[number]

/** Why a `query_failed` asks only to go on with the run; null where the service was asked and gave no answer. */
export const queryCauses = ['not_asked'] as const
export type QueryCause = (typeof queryCauses)[number]

/** What one row of a duplicate comes to by itself: the word of that verdict. */
export const duplicateCauses = [
  'matched',
  'in_flight',
  'missing_completion',
  'amount_mismatch',
  'status_mismatch',
  'missing_at_provider',
  'unknown_status',
  'query_failed',
] as const satisfies readonly Verdict[]
export type DuplicateCause = (typeof duplicateCauses)[number]

export const causes = [
  ...orderCauses,
  ...deliveryCauses,
  ...amountCauses,
  ...queryCauses,
  ...duplicateCauses,
  ...unreadableCauses,
] as const
export type Cause = OrderCause | DeliveryCause | AmountCause | QueryCause | DuplicateCause | UnreadableCause

/** What follows from a finding: nothing, wait, resend, look at it yourself, or run hisab again. */
export const actions = ['none', 'wait', 'resend', 'review', 'retry'] as const
export type Action = (typeof actions)[number]

export const severities = ['none', 'low', 'medium', 'high'] as const
export type Severity = (typeof severities)[number]

/**
 * How much a finding matters to the books. High: money credited without a payment behind it, or paid and not
 * credited. Low: nothing was credited and nothing was paid.
 */
export function severityOf(verdict: Verdict, cause: Cause | null): Severity {
  switch (verdict) {
    case 'matched':
    case 'in_flight':
      return 'none'
    case 'missing_completion':
    case 'missing_in_ledger':
      return cause === 'retry_scheduled' || cause === 'recently_resent' ? 'medium' : 'high'
    case 'amount_mismatch':
      return 'high'
    case 'status_mismatch':
      return cause === 'failed_not_booked' ? 'low' : cause === 'reopened' ? 'medium' : 'high'
    case 'missing_at_provider':
      return cause === 'booked' ? 'high' : 'medium'
    case 'unknown_status':
    case 'query_failed':
    case 'duplicate_in_ledger':
    case 'unreadable_row':
      return 'medium'
  }
}
