import {type UnreadableCause, unreadableCauses} from './entry.ts'

/** The results of comparing one order on both sides: a closed list (docs/verdicts.md#verdicts). */
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

/** Causes of `status_mismatch` and `missing_at_provider`. */
export const orderCauses = [
  'booked_but_open',
  'booked_but_failed',
  'failed_not_booked',
  'failed_maybe_paid',
  'reopened',
  'booked',
  'open',
  'other_platform_order_no',
  'booked_before_resent',
  'paid_after_all',
] as const
export type OrderCause = (typeof orderCauses)[number]

/** State of the newest `order.completed` record of a completion that the ledger lacks. */
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

/**
 * For a completion that an earlier run found: the merchant's server has taken its webhook, but no ledger shows it
 * booked.
 */
export const laterCauses = ['delivered'] as const
export type LaterCause = (typeof laterCauses)[number]

/** Which of ledger, webhook, service and what hisab sent has the different amount. */
export const amountCauses = [
  'sent_amount_differs',
  'delivered_amount_differs',
  'booked_amount_differs',
  'all_amounts_differ',
] as const
export type AmountCause = (typeof amountCauses)[number]

/** Why a `query_failed` only needs the run to continue; null if the service gave no answer. */
export const queryCauses = ['not_asked'] as const
export type QueryCause = (typeof queryCauses)[number]

/** The verdict of one row of a duplicate alone. */
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
  ...laterCauses,
  ...amountCauses,
  ...queryCauses,
  ...duplicateCauses,
  ...unreadableCauses,
] as const
export type Cause =
  | OrderCause
  | DeliveryCause
  | LaterCause
  | AmountCause
  | QueryCause
  | DuplicateCause
  | UnreadableCause

/** The possible causes of each verdict. The two travel as one `Judged`. */
interface CausesOf {
  matched: null
  in_flight: null
  missing_completion: DeliveryCause | LaterCause | 'delivered_amount_differs' | null
  missing_in_ledger: DeliveryCause | LaterCause | 'delivered_amount_differs' | null
  amount_mismatch: AmountCause | null
  status_mismatch: Exclude<OrderCause, 'booked' | 'open'>
  missing_at_provider: 'booked' | 'open'
  unknown_status: null
  query_failed: QueryCause | null
  duplicate_in_ledger: DuplicateCause | QueryCause
  unreadable_row: UnreadableCause
}
export type CauseOf<V extends Verdict> = CausesOf[V]
export type Judged<V extends Verdict = Verdict> = {
  [One in V]: {readonly verdict: One; readonly cause: CausesOf[One]}
}[V]

export function judgedOf({verdict, cause}: Judged): Judged {
  return {verdict, cause} as Judged
}

/** What a finding needs: nothing, waiting, a resend, a look, or another run. */
export const actions = ['none', 'wait', 'resend', 'review', 'retry'] as const
export type Action = (typeof actions)[number]

export const severities = ['none', 'low', 'medium', 'high'] as const
export type Severity = (typeof severities)[number]
