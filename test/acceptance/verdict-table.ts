import {WireNumber} from '../fake-service/replies.ts'
import type {Cell, RecordSketch} from './cells.ts'
import {minutesAgo} from './ledger.ts'

/** Evidence that would call for a resend, were the verdict one that allows it. */
const exhausted: RecordSketch = {created_at: minutesAgo(500), sent_at: minutesAgo(60)}

/** The verdict table (docs/verdicts.md#how-an-order-gets-its-verdict), without the rows that need a run of their own. */
export const verdictTable: readonly Cell[] = [
  // completed | completed, amounts equal or one unknown
  {name: 'matched', ...both('completed', '500.00', 'completed', '500.00'), verdict: 'matched'},
  {name: 'matched-no-decimals', ...both('completed', '500', 'completed', '500.00'), verdict: 'matched'},
  {name: 'matched-thousands', ...both('completed', '1,500.50', 'completed', '1500.5'), verdict: 'matched'},
  {name: 'matched-bengali', ...both('completed', '১৫০০.৫০', 'completed', '1500.50'), verdict: 'matched'},
  {
    name: 'matched-json-number',
    ...both('completed', '19.90', 'completed', wire('19.90')),
    verdict: 'matched',
  },
  {
    // One paisa more than a double can tell: money is exact on both sides (P12).
    name: 'matched-beyond-double',
    ...both('completed', '90071992547409.93', 'completed', wire('90071992547409.93')),
    verdict: 'matched',
  },
  {name: 'matched-ledger-unknown', ...both('completed', '', 'completed', '500.00'), verdict: 'matched'},
  {name: 'matched-provider-unknown', ...both('completed', '500.00', 'completed'), verdict: 'matched'},
  {name: 'matched-word-credited', ...both('Credited', '1.00', 'completed', '1.00'), verdict: 'matched'},
  {name: 'matched-word-paid', ...both('PAID', '1.00', 'completed', '1.00'), verdict: 'matched'},
  {name: 'matched-word-success', ...both('success', '1.00', 'completed', '1.00'), verdict: 'matched'},

  // any | completed, amounts differ (both known)
  ...['completed', 'open', 'failed'].map((word) => ({
    name: `amount-${word}`,
    ...both(word, '500.00', 'completed', '499.99'),
    records: [exhausted],
    verdict: 'amount_mismatch' as const,
    action: 'review' as const,
  })),
  {
    name: 'amount-beyond-double',
    ...both('completed', '90071992547409.93', 'completed', '90071992547409.92'),
    verdict: 'amount_mismatch',
    action: 'review',
  },

  // open or failed | completed: the causes are in the evidence table, the ledger's words are here
  ...[
    'open',
    'pending',
    'processing',
    'created',
    'failed',
    'cancelled',
    'canceled',
    'expired',
    'Rejected',
  ].map((word) => ({
    name: `missing-${word}`,
    ...both(word, '500.00', 'completed', '500.00'),
    verdict: 'missing_completion' as const,
    cause: 'no_delivery_record',
    action: 'review' as const,
  })),
  {
    name: 'missing-ledger-unknown',
    ...both('open', '', 'completed', '500.00'),
    records: [exhausted],
    verdict: 'missing_completion',
    cause: 'delivery_exhausted',
    action: 'resend',
    resent: 0,
  },
  {
    name: 'missing-provider-unknown',
    ...both('open', '500.00', 'completed'),
    records: [exhausted],
    verdict: 'missing_completion',
    cause: 'delivery_exhausted',
    action: 'resend',
    resent: 0,
  },

  // open | open, with each default word of A3
  {name: 'flight-processing', ...both('open', '500.00', 'processing'), verdict: 'in_flight', action: 'wait'},
  {
    name: 'flight-pending',
    ...both('open', '500.00', 'pending', '1.00'),
    verdict: 'in_flight',
    action: 'wait',
  },

  // Both sides have a state, and not the same one. Whatever the records say, nothing is resent.
  mismatch('completed', 'processing', 'booked_but_open'),
  mismatch('completed', 'pending', 'booked_but_open'),
  mismatch('completed', 'failed', 'booked_but_failed'),
  mismatch('open', 'failed', 'failed_not_booked'),
  mismatch('failed', 'processing', 'reopened'),
  {
    name: 'matched-both-failed',
    ...both('failed', '500.00', 'failed', '500.00'),
    records: [exhausted],
    verdict: 'matched',
  },

  // The service does not know the order.
  {name: 'absent-booked', ...ledgerOnly('completed'), ...absent('booked')},
  {name: 'absent-open', ...ledgerOnly('open'), ...absent('open')},
  {name: 'absent-failed', ...ledgerOnly('failed'), verdict: 'matched'},

  // any | a word not in the profile: exact match, no trimming, no case folding (A3, P7)
  ...['completed', 'open', 'failed'].flatMap((ledgerWord) =>
    ['Completed', ' completed', 'success', 'reversed'].map((word, place) => ({
      name: `unknown-${ledgerWord}-${place}`,
      ...both(ledgerWord, '500.00', word, '500.00'),
      records: [exhausted],
      verdict: 'unknown_status' as const,
      action: 'review' as const,
    })),
  ),
]

function both(status: string, amount: string, word: string, providerAmount?: string | WireNumber) {
  const provider = providerAmount === undefined ? {status: word} : {status: word, amount: providerAmount}
  return {ledger: {status, amount}, provider}
}

function ledgerOnly(status: string) {
  // The amount of no other order, which it would hold: it may be booked by hand.
  return {ledger: {status, amount: '610.00'}}
}

function absent(cause: string) {
  return {verdict: 'missing_at_provider', cause, action: 'review'} as const
}

function mismatch(ledgerWord: string, word: string, cause: string): Cell {
  return {
    name: `status-${ledgerWord}-${word}`,
    ...both(ledgerWord, '500.00', word, '500.00'),
    records: [exhausted],
    verdict: 'status_mismatch',
    cause,
    action: 'review',
  }
}

function wire(source: string): WireNumber {
  return new WireNumber(source)
}
