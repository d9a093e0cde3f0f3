import type {Paisa} from '../money.ts'
import {escapeInvisible} from '../text.ts'
import {type Explained, explainAmounts, explainContradiction, explainMissing} from './explain.ts'
import type {Finding} from './finding.ts'
import type {Action, Cause, CauseOf, Judged, Severity, Verdict} from './verdict.ts'

export type EndedBy = 'answer' | 'answer or row' | 'rows' | 'person'

type Sides = Pick<Finding, 'ledger' | 'service' | 'deliveredAmount'>

/** The facts of a verdict and its causes; labels are in core/labels.ts. */
interface VerdictFacts<V extends Verdict> {
  /** The next step, unless a delivery record decides another. */
  readonly action: Action
  /**
   * High: money credited without a payment, or paid and not credited. Low: nothing was credited and nothing was paid.
   */
  readonly severity: (cause: CauseOf<V>) => Severity
  /** Amount of a finding, for totals; null if no side has one. */
  readonly amount: (found: Sides) => Paisa | null
  /** The amount at risk: none if the sides agree, or nothing was paid and nothing credited. */
  readonly atRisk: (found: Judged<V> & Sides, isFurtherRow: boolean) => Paisa | null
  /**
   * What ends it if this ledger does not name the order: an answer that agrees with the earlier row, also a row of
   * another ledger, or rows alone, whatever the service says. Only a person ends what no later ledger can disprove.
   */
  readonly endedBy: (cause: CauseOf<V>) => EndedBy
  /**
   * Whether `webhooks resend` leaves the order out while it is open, because the webhook would credit it twice or
   * wrongly.
   */
  readonly holdsResends: boolean
  /** For a finance person: the facts, their meaning for the books, and the next step. */
  readonly explain: (found: Explained<V>, timeZone: string) => string
}

const answer = {endedBy: (): EndedBy => 'answer', holdsResends: false}
const answerOrRow = {endedBy: (): EndedBy => 'answer or row', holdsResends: false}
const rows = {endedBy: (): EndedBy => 'rows'}
const agreed = {severity: (): Severity => 'none', amount: booked, atRisk: () => 0n}
const missing = {
  action: 'review',
  severity: (cause: CauseOf<'missing_completion'>): Severity =>
    cause === 'delivered'
      ? 'low'
      : cause === 'retry_scheduled' || cause === 'recently_resent'
        ? 'medium'
        : 'high',
  amount: paid,
  atRisk: paid,
  explain: explainMissing,
  ...answerOrRow,
} as const
const unclear = {
  action: 'review',
  severity: (): Severity => 'medium',
  amount: booked,
  atRisk: booked,
} as const

const verdictFacts: {readonly [V in Verdict]: VerdictFacts<V>} = {
  matched: {...agreed, ...answer, action: 'none', explain: () => 'Ledger and service agree.'},
  in_flight: {
    ...agreed,
    ...answerOrRow,
    action: 'wait',
    explain: () => 'Open on both sides. Nothing to do yet.',
  },
  missing_completion: missing,
  missing_in_ledger: missing,
  amount_mismatch: {
    action: 'review',
    severity: () => 'high',
    amount: (found) =>
      apart(found.service?.sentAmount ?? found.ledger?.amount, found.service?.amount) ?? booked(found),
    atRisk: ({ledger, service, deliveredAmount}) => {
      if (service?.sentAmount !== undefined) return apart(service.sentAmount, service.amount)
      const [one, other] = [ledger?.amount, service?.amount, deliveredAmount].filter((one) => one != null)
      return apart(one, other)
    },
    explain: explainAmounts,
    endedBy: () => 'answer',
    holdsResends: true,
  },
  status_mismatch: {
    ...answer,
    endedBy: (cause) =>
      cause === 'booked_before_resent' || cause === 'paid_after_all'
        ? 'person'
        : cause === 'other_platform_order_no'
          ? 'rows'
          : 'answer',
    action: 'review',
    severity: (cause) =>
      cause === 'failed_not_booked'
        ? 'low'
        : cause === 'reopened' || cause === 'failed_maybe_paid'
          ? 'medium'
          : 'high',
    amount: booked,
    atRisk: (found) =>
      found.cause === 'failed_not_booked' ||
      (found.cause === 'failed_maybe_paid' && found.ledger?.status !== 'completed')
        ? 0n
        : booked(found),
    explain: explainContradiction,
  },
  missing_at_provider: {
    ...answer,
    action: 'review',
    severity: (cause) => (cause === 'booked' ? 'high' : 'medium'),
    amount: booked,
    atRisk: (found) => (found.cause === 'open' ? 0n : booked(found)),
    explain: explainContradiction,
  },
  unknown_status: {
    ...unclear,
    ...answer,
    explain: ({service}) =>
      `Its status at the service is "${escapeInvisible(service?.rawStatus ?? '', 60)}". The profile does not know this word, so the order counts neither as paid nor as failed. Ask the service what it means, then add it to [status] of the profile.`,
  },
  query_failed: {
    ...unclear,
    ...answerOrRow,
    action: 'retry',
    explain: ({cause, detail}) =>
      cause === 'not_asked'
        ? 'The run was interrupted before this order was queried. Continue the run with --resume.'
        : `The service gave no reliable answer about this order: ${detail ?? 'no reason known'}. Run it again.`,
  },
  duplicate_in_ledger: {
    ...unclear,
    ...rows,
    holdsResends: true,
    // The first row belongs to the order; further rows are at risk.
    atRisk: ({ledger}, isFurtherRow) => (isFurtherRow ? (ledger?.amount ?? null) : 0n),
    explain: ({detail}) =>
      `The order is more than once in the ledger (${detail ?? ''}). Keep one row, or it is booked twice.`,
  },
  unreadable_row: {
    ...unclear,
    ...rows,
    holdsResends: false,
    explain: ({detail}) => detail ?? 'The row cannot be read.',
  },
}

const factsOf = <V extends Verdict>(verdict: V): VerdictFacts<V> => verdictFacts[verdict]

export function actionOf(verdict: Verdict): Action {
  return factsOf(verdict).action
}

export function endedBy({verdict, cause}: Judged): EndedBy {
  return factsOf<Verdict>(verdict).endedBy(cause)
}

/** Whether no answer of the service ends it. */
export function isOfRows(judged: Judged): boolean {
  return endedBy(judged) === 'rows' || endedBy(judged) === 'person'
}

/** Completed at the service, and not booked in the ledger. */
export function isCompletion(verdict: Verdict): verdict is 'missing_completion' | 'missing_in_ledger' {
  return verdict === 'missing_completion' || verdict === 'missing_in_ledger'
}

/** Whether no known webhook of the order can be sent again. */
export function isNeverResent(cause: Cause | null): boolean {
  return cause === 'no_delivery_record' || cause === 'resend_unavailable'
}

/** Whether the webhook was last seen as taken. */
export function isTaken(cause: Cause | null): boolean {
  return cause === 'delivered' || cause === 'delivered_not_booked' || cause === 'delivered_amount_differs'
}

/** Whether the webhook was last seen as not taken. */
export function isUndelivered(cause: Cause | null): boolean {
  return undelivered.has(cause)
}
const undelivered: ReadonlySet<Cause | null> = new Set([
  'delivery_exhausted',
  'delivery_stuck',
  'retry_scheduled',
  'recently_resent',
  'resend_in_doubt',
])

/** Whether the service will do nothing more by itself. */
export function isAtRest(cause: Cause | null): boolean {
  return atRest.has(cause)
}
const atRest: ReadonlySet<Cause | null> = new Set([
  'delivery_exhausted',
  'delivered_not_booked',
  'no_delivery_record',
  'delivered_amount_differs',
])

export function holdsResends(verdict: Verdict): boolean {
  return factsOf(verdict).holdsResends
}

export function severityOf({verdict, cause}: Judged): Severity {
  return factsOf<Verdict>(verdict).severity(cause)
}

export function amountInvolved(found: Judged & Sides): Paisa | null {
  return factsOf(found.verdict).amount(found)
}

export function amountAtRisk(found: Judged & Sides, isFurtherRow = false): Paisa | null {
  return factsOf<Verdict>(found.verdict).atRisk(found, isFurtherRow)
}

/** Times are in the ledger's `timeZone`. */
export function explain(found: Explained, timeZone = 'UTC'): string {
  return factsOf<Verdict>(found.verdict).explain(found, timeZone)
}

function booked({ledger, service}: Sides): Paisa | null {
  return ledger?.amount ?? service?.amount ?? null
}

function paid({ledger, service}: Sides): Paisa | null {
  return service?.amount ?? ledger?.amount ?? null
}

function apart(a: Paisa | null | undefined, b: Paisa | null | undefined): Paisa | null {
  if (a == null || b == null) return null
  return a > b ? a - b : b - a
}
