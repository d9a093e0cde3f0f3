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
  /** Milliseconds since the epoch; null where nothing left this machine. */
  readonly sentAtMs: number | null
  /** The answer of the merchant's server, by the record as read again. */
  readonly responseCode: number | null
  /** The reason, one sentence; null where the state needs none. */
  readonly why: string | null
  /** Held back until a person has decided: nothing is gained by running it again. */
  readonly needsPerson?: true
}

/** The result for one order or one row. */
export type Finding = Judged & FindingFacts
interface FindingFacts {
  /** Where the row starts, header = 1; null for an order no row names. */
  readonly line: number | null
  /** Index into the run's ledger files; null like `line`. */
  readonly file: number | null
  readonly kind: OrderKind | null
  readonly orderNo: string | null
  /** When the order was made, by its row, else by its webhook; null where nothing says. */
  readonly orderedAtMs?: number | null
  /** Of its row, where the ledger has it. */
  readonly playerRef?: string | null
  readonly action: Action
  readonly severity: Severity
  /** Money that was, or may have been, credited without a payment or paid without a credit; null where unknown. */
  readonly atRisk: Paisa | null
  readonly ledger: LedgerSide | null
  readonly service: ServiceOrder | null
  readonly delivery: Delivery | null
  readonly resend: ResendOutcome | null
  /** One sentence a finance person understands. */
  readonly explanation: string
  /** Amount of the delivered webhook, where it was read; null where the webhook has none. */
  readonly deliveredAmount?: Paisa | null
  /** Of a delivered webhook: the time of the last row of the ledger, null where no row has one. */
  readonly ledgerEndsMs?: number | null
  /** What a spreadsheet did to the row, or may have done. */
  readonly corruption?: Corruption
  /** Comparison with earlier runs; absent where there is nothing to remember. */
  readonly history?: FindingHistory
  /** The ignore in force; its action is then `none`. */
  readonly ignored?: Ignore
  /** Paid and not booked for certain, and no webhook of it can be resent: it is booked by hand. */
  readonly isBookable?: true
  /** The run whose booking.csv has it, this one or an earlier one: it is never resent without a person's word. */
  readonly listedBy?: string
  /** The run whose answer was used, where the order was not queried again. */
  readonly takenFrom?: TakenFrom
  /** What an earlier run said of it, where this one has nothing else to say. */
  readonly snapshot?: string | null
}

/** Any number of findings, in the order of the ledger's lines; walking them again reads them again. */
export interface Findings extends Iterable<Finding> {
  /** With those that say nothing, where they were kept. */
  readonly all: Iterable<Finding>
}

/**
 * Whether the two sides agree or are both open, and nothing was done: counted always, listed only where a person asks
 * for all.
 */
export function isUnremarkable({verdict, resend}: Pick<Finding, 'verdict' | 'resend'>): boolean {
  return (verdict === 'matched' || verdict === 'in_flight') && resend === null
}

/** The same findings, each as `change` makes it when it is read. */
export function changed(findings: Findings, change: (finding: Finding) => Finding): Findings {
  const walk = (some: Iterable<Finding>) => () => Iterator.from(some).map((finding) => change(finding))
  return {[Symbol.iterator]: walk(findings), all: {[Symbol.iterator]: walk(findings.all)}}
}

/**
 * Whether a finding still asks something of somebody: not matched, in flight, a wait that ends by itself, or delivered.
 * A resent webhook that is not delivered is not such a wait: it stays open.
 */
export function isBreak(finding: Finding): boolean {
  if (finding.resend?.state === 'delivered') return false
  if (finding.cause === 'recently_resent') return true
  return finding.action !== 'none' && finding.action !== 'wait'
}

/** Whether a person has to decide or look. */
export function asksAPerson(finding: Finding): boolean {
  return isBreak(finding) && !waits(finding) && !asksAnotherRun(finding)
}

/** Whether the next run may settle it by itself: no answer this time, or a resend that did not get as far as it should. */
export function asksAnotherRun(finding: Finding): boolean {
  if (!isBreak(finding) || waits(finding)) return false
  const {action, cause, resend} = finding
  if (resend === null) return action === 'retry' || cause === 'recently_resent'
  return ['sent', 'refused', 'skipped'].includes(resend.state) && !resend.needsPerson
}

/** A resend that was planned only waits for a yes, an order that was not asked for for the run to go on: its end says so once. */
function waits({resend, verdict, cause}: Finding): boolean {
  return resend?.state === 'planned' || (verdict === 'query_failed' && cause === 'not_asked')
}
