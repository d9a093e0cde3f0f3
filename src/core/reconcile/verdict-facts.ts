import type {Paisa} from '../money.ts'
import {escapeInvisible} from '../text.ts'
import {type Explained, explainAmounts, explainContradiction, explainMissing} from './explain.ts'
import type {Finding} from './finding.ts'
import type {Action, CauseOf, Judged, Severity, Verdict} from './verdict.ts'

type Sides = Pick<Finding, 'ledger' | 'service' | 'deliveredAmount'>

/** All that depends on a verdict alone, or on its cause; its label is in core/labels.ts. */
interface VerdictFacts<V extends Verdict> {
  /** What follows where no delivery record says otherwise. */
  readonly action: Action
  /**
   * How much a finding matters to the books. High: money credited without a payment behind it, or paid and not
   * credited. Low: nothing was credited and nothing was paid.
   */
  readonly severity: (cause: CauseOf<V>) => Severity
  /** The money a finding is about, for totals a person reads; null where neither side says. */
  readonly amount: (found: Sides) => Paisa | null
  /** How much of it is at risk: nothing where the sides agree or where nothing was paid and nothing credited. */
  readonly atRisk: (found: Judged<V> & Sides, isFurtherRow: boolean) => Paisa | null
  /** One sentence a finance person understands: what is so, and what it means for the books. */
  readonly explain: (found: Explained<V>, timeZone: string) => string
}

const agreed = {severity: (): Severity => 'none', amount: booked, atRisk: () => 0n}
const missing = {
  action: 'review',
  severity: (cause: CauseOf<'missing_completion'>): Severity =>
    cause === 'retry_scheduled' || cause === 'recently_resent' ? 'medium' : 'high',
  amount: paid,
  atRisk: paid,
  explain: explainMissing,
} as const
const unclear = {
  action: 'review',
  severity: (): Severity => 'medium',
  amount: booked,
  atRisk: booked,
} as const

const verdictFacts: {readonly [V in Verdict]: VerdictFacts<V>} = {
  matched: {...agreed, action: 'none', explain: () => 'Ledger and service agree.'},
  in_flight: {...agreed, action: 'wait', explain: () => 'Open on both sides: nothing to do yet.'},
  missing_completion: missing,
  missing_in_ledger: missing,
  amount_mismatch: {
    action: 'review',
    severity: () => 'high',
    amount: (found) => apart(found.ledger?.amount, found.service?.amount) ?? booked(found),
    atRisk: ({ledger, service, deliveredAmount}) => {
      const [one, other] = [ledger?.amount, service?.amount, deliveredAmount].filter((one) => one != null)
      return apart(one, other)
    },
    explain: explainAmounts,
  },
  status_mismatch: {
    action: 'review',
    severity: (cause) => (cause === 'failed_not_booked' ? 'low' : cause === 'reopened' ? 'medium' : 'high'),
    amount: booked,
    atRisk: (found) => (found.cause === 'failed_not_booked' ? 0n : booked(found)),
    explain: explainContradiction,
  },
  missing_at_provider: {
    action: 'review',
    severity: (cause) => (cause === 'booked' ? 'high' : 'medium'),
    amount: booked,
    atRisk: (found) => (found.cause === 'open' ? 0n : booked(found)),
    explain: explainContradiction,
  },
  unknown_status: {
    ...unclear,
    explain: ({service}) =>
      `The service says "${escapeInvisible(service?.rawStatus ?? '', 60)}", a word the profile does not know, so it counts neither as paid nor as failed. Add it to [status] of the profile once you know.`,
  },
  query_failed: {
    ...unclear,
    action: 'retry',
    explain: ({cause, detail}) =>
      cause === 'not_asked'
        ? 'The run was interrupted before this order was asked for, so nothing is said about it. Go on with the run.'
        : `The service gave no answer that can be trusted (${detail ?? 'no reason known'}), so nothing is said about this order. Run it again.`,
  },
  duplicate_in_ledger: {
    ...unclear,
    // Of several rows of one order the first is the order's own, the others are at risk.
    atRisk: ({ledger}, isFurtherRow) => (isFurtherRow ? (ledger?.amount ?? null) : 0n),
    explain: ({detail}) =>
      `The same order stands more than once in the ledger (${detail ?? ''}): keep one row, so that it is not booked twice.`,
  },
  unreadable_row: {...unclear, explain: ({detail}) => detail ?? 'The row cannot be read.'},
}

const factsOf = <V extends Verdict>(verdict: V): VerdictFacts<V> => verdictFacts[verdict]

export function actionOf(verdict: Verdict): Action {
  return factsOf(verdict).action
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

/** Times are told in `timeZone`, the ledger's. */
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
