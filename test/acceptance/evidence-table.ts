import type {Cell, RecordSketch} from './cells.ts'
import {minutesAgo, minutesAhead} from './ledger.ts'

/** The delivery evidence (docs/verdicts.md#causes-of-a-missing-completion), without the rows that need a second run. */
export interface Evidence {
  readonly name: string
  readonly records: readonly RecordSketch[]
  readonly cause: string
  readonly action: 'resend' | 'wait' | 'review'
  readonly resent?: number
}

const exhausted: RecordSketch = {created_at: minutesAgo(500), sent_at: minutesAgo(60)}
const delivered: RecordSketch = {
  status: 'success',
  response_code: 200,
  attempts: 1,
  created_at: minutesAgo(500),
  sent_at: minutesAgo(500),
}
const retried: RecordSketch = {
  status: 'failed',
  attempts: 3,
  created_at: minutesAgo(200),
  sent_at: minutesAgo(20),
  next_retry_at: minutesAhead(40),
}
const neverSent: RecordSketch = {status: 'pending', attempts: 0, response_code: null, sent_at: null}

export const evidenceTable: readonly Evidence[] = [
  resends('exhausted', 'delivery_exhausted', [exhausted]),
  {name: 'retry-failed', records: [retried], cause: 'retry_scheduled', action: 'wait'},
  {
    name: 'retry-pending',
    records: [{...retried, status: 'pending'}],
    cause: 'retry_scheduled',
    action: 'wait',
  },
  // Stuck: old enough to be sure that nothing is coming, or still young.
  resends('stuck-45min', 'delivery_stuck', [{...neverSent, created_at: minutesAgo(45)}]),
  waits('stuck-10min', [{...neverSent, created_at: minutesAgo(10)}]),
  resends('stuck-past-retry', 'delivery_stuck', [
    {
      ...neverSent,
      attempts: 2,
      created_at: minutesAgo(180),
      sent_at: minutesAgo(90),
      next_retry_at: minutesAgo(75),
    },
  ]),
  waits('stuck-past-retry-young', [
    {
      ...neverSent,
      attempts: 1,
      created_at: minutesAgo(20),
      sent_at: minutesAgo(19),
      next_retry_at: minutesAgo(18),
    },
  ]),
  resends('stuck-failed-past-retry', 'delivery_stuck', [
    {...retried, sent_at: minutesAgo(100), next_retry_at: minutesAgo(40)},
  ]),
  {name: 'delivered', records: [delivered], cause: 'delivered_not_booked', action: 'review'},

  // The newest record of the event decides, wherever the list shows it.
  {
    name: 'newest-delivered',
    records: [{...delivered, created_at: minutesAgo(100), sent_at: minutesAgo(100)}, exhausted],
    cause: 'delivered_not_booked',
    action: 'review',
  },
  resends('newest-exhausted', 'delivery_exhausted', [
    {...exhausted, created_at: minutesAgo(450), sent_at: minutesAgo(30)},
    delivered,
  ]),
  // At most one resend an order and event, however many of its records failed (P4).
  resends('two-exhausted', 'delivery_exhausted', [
    {...exhausted, created_at: minutesAgo(450), sent_at: minutesAgo(30)},
    exhausted,
  ]),
  {
    name: 'newest-retry',
    records: [retried, exhausted],
    cause: 'retry_scheduled',
    action: 'wait',
  },
  // Records of other events are not evidence of this one.
  {
    name: 'other-event-newer',
    records: [{...exhausted, event: 'order.expired', created_at: minutesAgo(100)}, delivered],
    cause: 'delivered_not_booked',
    action: 'review',
  },
]

/** Evidence that only an order of the ledger can have: without the event nobody would look for its order. */
const ledgerOnlyEvidence: readonly Evidence[] = [
  {name: 'no-record', records: [], cause: 'no_delivery_record', action: 'review'},
  {
    name: 'other-event-only',
    records: [{...exhausted, event: 'order.expired'}],
    cause: 'no_delivery_record',
    action: 'review',
  },
]

/** The merchant's books say open or failed, the provider says completed. */
export const missingCompletionCells: readonly Cell[] = ['open', 'failed'].flatMap((status) =>
  [...evidenceTable, ...ledgerOnlyEvidence].map((evidence) => ({
    ...evidence,
    name: `${status}-${evidence.name}`,
    ledger: {status, amount: '500.00'},
    provider: {status: 'completed', amount: '500.00'},
    verdict: 'missing_completion' as const,
  })),
)

/** The merchant's books do not know the order, the provider completed it. */
export const missingInLedgerCells: readonly Cell[] = evidenceTable.map((evidence) => ({
  ...evidence,
  name: `norow-${evidence.name}`,
  provider: {status: 'completed', amount: '700.00'},
  verdict: 'missing_in_ledger' as const,
}))

/** Orders without a row that are no break: no verdict is given on them. */
export const noBusinessCells: readonly Cell[] = [
  noBusiness('before-the-window', 'completed', [
    {...exhausted, created_at: minutesAgo(60 * 24 * 30), sent_at: minutesAgo(60 * 24 * 29)},
  ]),
  noBusiness('other-event', 'completed', [{...exhausted, event: 'order.expired'}]),
  noBusiness('still-open', 'processing', [exhausted]),
  noBusiness('failed', 'failed', [exhausted]),
]

function noBusiness(name: string, status: string, records: readonly RecordSketch[]): Cell {
  return {name: `norow-${name}`, provider: {status, amount: '700.00'}, records, verdict: 'nothing'}
}

function resends(name: string, cause: string, records: readonly RecordSketch[]): Evidence {
  return {name, cause, records, action: 'resend', resent: 0}
}

function waits(name: string, records: readonly RecordSketch[]): Evidence {
  return {name, cause: 'delivery_stuck', records, action: 'wait'}
}
