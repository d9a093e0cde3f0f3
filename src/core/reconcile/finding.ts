import type {Paisa} from '../money.ts'
import type {Delivery, OrderKind, ServiceOrder} from '../order.ts'
import type {LedgerSide} from './classify.ts'
import type {Action, Cause, Severity, Verdict} from './verdict.ts'

/** How a resend ended, or how far it came (contract §4). */
export const resendStates = [
  'planned',
  'sent',
  'healed',
  'still_failing',
  'unknown',
  'refused',
  'skipped',
] as const
export type ResendState = (typeof resendStates)[number]

export interface ResendOutcome {
  readonly state: ResendState
  /** Milliseconds since the epoch; null where nothing left this machine. */
  readonly sentAtMs: number | null
  /** What the merchant's server answered, as the record read again says. */
  readonly responseCode: number | null
  /** Why it is so, one sentence; null where the state says it all. */
  readonly why: string | null
}

/** One order, or one row, and what is to be said of it. */
export interface Finding {
  /** Where the row starts, header = 1; null for an order no row names. */
  readonly line: number | null
  /** Index into the run's ledger files; null like `line`. */
  readonly file: number | null
  readonly kind: OrderKind | null
  readonly orderNo: string | null
  readonly verdict: Verdict
  readonly cause: Cause | null
  readonly action: Action
  readonly severity: Severity
  readonly ledger: LedgerSide | null
  readonly service: ServiceOrder | null
  readonly delivery: Delivery | null
  readonly resend: ResendOutcome | null
  /** One sentence a finance person understands. */
  readonly explanation: string
}

/** Whether a finding still asks something of somebody: not matched, in flight, a wait, or healed. */
export function isBreak(finding: Finding): boolean {
  if (finding.resend?.state === 'healed') return false
  return finding.action !== 'none' && finding.action !== 'wait'
}

/** The money a finding is about, for totals a person reads; null where neither side says. */
export function amountAtRisk({verdict, ledger, service}: Finding): Paisa | null {
  const ours = ledger?.amount ?? null
  const theirs = service?.amount ?? null
  if (verdict === 'amount_mismatch' && ours !== null && theirs !== null) {
    return ours > theirs ? ours - theirs : theirs - ours
  }
  return verdict === 'missing_completion' || verdict === 'missing_in_ledger'
    ? (theirs ?? ours)
    : (ours ?? theirs)
}
