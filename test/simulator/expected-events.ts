import {faults, lies} from './faults.ts'
import {misheard, settings} from './tongue.ts'
import {windowShapes} from './window.ts'

/**
 * What a sample of histories must have met, each kind at least once: a simulator that silently stops trying something
 * would go on finding nothing.
 */
export const expectedEvents: readonly string[] = [
  ...[...faults, ...lies].map(({name}) => `fault: ${name}`),
  ...['kills', 'kills before', 'kills after', 'interrupts', 'full disks', 'resumes', 'overlapping runs'],
  ...['resumes of webhooks resend', 'twins compared', 'outages of the merchant'],
  ...[
    'histories followed to their end',
    'orders booked on a quiet night',
    'records that arrived while the list was read',
    'records read by sweep',
    'records read by window',
    'records read by look-ups',
    'lists that stood in order and do not any more',
    'old records that the service forgot',
    'orders without a row, looked for by sweep',
    'orders without a row, looked for by window',
    'orders without a row, outside the window',
    'findings a person said to ignore',
    'words taken back',
    'findings ignored',
    'findings ignored that would have been resent',
    'findings whose word had ended',
    'findings whose word was taken back',
    'findings whose word was about another amount',
  ],
  ...settings.map((point) => `profiles that set ${point}`),
  ...misheard.map((point) => `profiles mistaken in ${point}`),
  ...['profiles that were mended', 'records joined by order_id alone', 'amounts changed in the books'],
  ...windowShapes.map((shape) => `nights with ${shape}`),
  ...[
    'matched',
    'in_flight',
    'missing_completion',
    'missing_in_ledger',
    'amount_mismatch',
    'status_mismatch',
  ].map(verdict),
  ...['missing_at_provider', 'unknown_status', 'query_failed', 'duplicate_in_ledger', 'unreadable_row'].map(
    verdict,
  ),
  ...[
    'delivery_exhausted',
    'retry_scheduled',
    'delivery_stuck',
    'delivered_not_booked',
    'recently_resent',
  ].map(cause),
  ...['resend_in_doubt', 'no_delivery_record', 'resend_unavailable', 'delivery_unknown', 'not_asked'].map(
    cause,
  ),
  ...['delivered_amount_differs', 'booked_amount_differs'].map(cause),
  ...['planned', 'sent', 'delivered', 'still_failing', 'unknown', 'refused', 'skipped'].map(
    (state) => `resend ${state}`,
  ),
  ...['sent', 'delivered', 'still_failing', 'unknown', 'skipped'].map((state) => `bulk resend ${state}`),
  ...['confirmed', 'unconfirmed', 'killed', 'number_reused', 'outcome_unknown', 'service_refused'].map(
    (end) => `create ${end}`,
  ),
  ...['accepted', 'not_sent', 'refused', 'unknown', 'contradicted'].map((state) => `payout ${state}`),
  ...['0', '6', '7', '8', '130'].map((status) => `reconcile ends with ${status}`),
]

function verdict(name: string): string {
  return `verdict ${name}`
}

function cause(name: string): string {
  return `cause ${name}`
}
