import type {Paisa} from '../money.ts'
import type {Delivery, OrderKind, ServiceOrder} from '../order.ts'
import type {LedgerSide, TakenFrom} from './classify.ts'
import type {Corruption} from './entry.ts'
import type {FindingHistory} from './history.ts'
import type {Ignore} from './ignore.ts'
import type {Action, Judged, Severity} from './verdict.ts'

/** How a resend ended, or how far it came (docs/verdicts.md#resend-states). */
export const resendStates = [
  'planned',
  'sent',
  'delivered',
  'still_failing',
  'unknown',
  'refused',
  'skipped',
] as const
export type ResendState = (typeof resendStates)[number]

export interface ResendOutcome {
  readonly state: ResendState
  /** Milliseconds since the epoch; null if nothing was sent. */
  readonly sentAtMs: number | null
  /** The status of the merchant's server, from the record read afterwards. */
  readonly responseCode: number | null
  /** The reason in one sentence, or null. */
  readonly why: string | null
  /** Held back until a person decides: running again does not help. */
  readonly needsPerson?: true
}

export type Finding = Judged & FindingFacts
interface FindingFacts {
  /** The line where the row starts, header = 1; null for an order that no row names. */
  readonly line: number | null
  /** Index of the run's ledger file; null like `line`. */
  readonly file: number | null
  readonly kind: OrderKind | null
  readonly orderNo: string | null
  /** By its row, else by its webhook, or null. */
  readonly orderedAtMs?: number | null
  readonly playerRef?: string | null
  readonly action: Action
  readonly severity: Severity
  /** Money that was or may have been credited without a payment, or paid without a credit; null if unknown. */
  readonly atRisk: Paisa | null
  readonly ledger: LedgerSide | null
  readonly service: ServiceOrder | null
  readonly delivery: Delivery | null
  readonly resend: ResendOutcome | null
  /** One sentence a finance person understands. */
  readonly explanation: string
  /** Amount of the delivered webhook if it was read; null if it has none. */
  readonly deliveredAmount?: Paisa | null
  /** For a delivered webhook: the time of the ledger's last row, or null. */
  readonly ledgerEndsMs?: number | null
  /** What a spreadsheet did to the row, or may have done. */
  readonly corruption?: Corruption
  /** Comparison with earlier runs; absent without any. */
  readonly history?: FindingHistory
  /** The ignore in force; the action is then `none`. */
  readonly ignored?: Ignore
  /** Certainly paid and not booked, and no webhook can be resent: to be booked by hand. */
  readonly isBookable?: true
  /** The run whose booking.csv has it: it is never resent without a person's approval. */
  readonly listedBy?: string
  /** The run whose answer was used, if the order was not queried again. */
  readonly takenFrom?: TakenFrom
  /** There was no answer, so the open item of its order stays as the last run that checked it found it. */
  readonly keepsItem?: true
  /** The snapshot of an earlier run, if this one has nothing new. */
  readonly snapshot?: string | null
}

/** Any number of findings, in the order of the ledger's lines; each walk reads them again. */
export interface Findings extends Iterable<Finding> {
  /** Includes unremarkable ones, if they were kept. */
  readonly all: Iterable<Finding>
}

/** Whether both sides agree or are both open, and nothing was done: always counted, listed only on request. */
export function isUnremarkable({verdict, resend}: Pick<Finding, 'verdict' | 'resend'>): boolean {
  return (verdict === 'matched' || verdict === 'in_flight') && resend === null
}

/** The findings, each changed by `change` when it is read. */
export function changed(findings: Findings, change: (finding: Finding) => Finding): Findings {
  const walk = (some: Iterable<Finding>) => () => Iterator.from(some).map((finding) => change(finding))
  return {[Symbol.iterator]: walk(findings), all: {[Symbol.iterator]: walk(findings.all)}}
}

/**
 * Whether a finding still needs somebody: not matched, still open on both sides, a wait that ends by itself, or
 * delivered. A resend that is not delivered stays a break.
 */
export function isBreak(finding: Finding): boolean {
  if (finding.resend?.state === 'delivered') return false
  if (finding.cause === 'recently_resent') return true
  return finding.action !== 'none' && finding.action !== 'wait'
}

export function asksAPerson(finding: Finding): boolean {
  return isBreak(finding) && !waits(finding) && !asksAnotherRun(finding)
}

/** Whether the next run may resolve it: no answer this time, or an unfinished resend. */
export function asksAnotherRun(finding: Finding): boolean {
  if (!isBreak(finding) || waits(finding)) return false
  const {action, cause, resend} = finding
  if (resend === null) return action === 'retry' || cause === 'recently_resent'
  return ['sent', 'refused', 'skipped'].includes(resend.state) && !resend.needsPerson
}

/**
 * A planned resend waits for approval, and an order not queried for the rest of the run: the run's end says so once.
 */
function waits({resend, verdict, cause}: Finding): boolean {
  return resend?.state === 'planned' || (verdict === 'query_failed' && cause === 'not_asked')
}
