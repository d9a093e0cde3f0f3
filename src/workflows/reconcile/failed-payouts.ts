import type {ServiceOrder} from '../../core/order.ts'
import type {ServiceSide} from '../../core/reconcile/classify.ts'
import type {Finding} from '../../core/reconcile/finding.ts'
import {amountAtRisk, explain, severityOf} from '../../core/reconcile/verdict-facts.ts'
import type {Staging} from '../../staging/staging.ts'
import type {WhyPaidTwice} from '../orders/paid-after-all.ts'
import type {WhyPaidAnew} from '../orders/paid-anew.ts'
import type {FollowUps} from './follow-up.ts'

/** Those whose money a note in a ledger may be about. */
export function* failedPayouts({answers}: Staging, {followed}: FollowUps): Generator<ServiceOrder> {
  for (const {side} of answers.undecided()) if (isFailedPayout(side)) yield side.order
  for (const {side} of followed) if (isFailedPayout(side)) yield side.order
}

function isFailedPayout(side: ServiceSide | null): side is ServiceSide & {readonly is: 'found'} {
  return side?.is === 'found' && side.order.kind === 'payout' && side.order.status === 'failed'
}

/**
 * The money of a payout that failed may be with the player all the same: paid otherwise, or given back. A payout with a row
 * of its own took no other's place: the player ordered it too. With the failed one's number it may have, unless both are booked.
 */
export async function weighFailed(
  finding: Finding,
  mentions: ReadonlyMap<string, string>,
  whyPaidAnew: WhyPaidAnew,
  hasRow: (order: Pick<ServiceOrder, 'kind' | 'orderNo'>) => boolean,
): Promise<Finding> {
  const {verdict, cause, service, ledger, orderedAtMs} = finding
  const isTwice =
    verdict === 'duplicate_in_ledger' && cause === 'status_mismatch' && service?.status === 'failed'
  const told = !isTwice ? cause : ledger?.status === 'completed' ? 'booked_but_failed' : 'failed_not_booked'
  if (service?.kind !== 'payout' || (told !== 'failed_not_booked' && told !== 'booked_but_failed'))
    return finding
  const place = told === 'failed_not_booked' ? mentions.get(service.orderNo) : undefined
  const isAnother = ({orderNo}: {readonly orderNo: string}, isByNumber: boolean) =>
    hasRow({kind: 'payout', orderNo}) && (told === 'booked_but_failed' || !isByNumber)
  const detail = place ?? (await whyPaidAnew(service, orderedAtMs ?? null, isAnother))
  if (detail === null) return finding
  const pair = {...finding, verdict: 'status_mismatch'} as const
  const weighed = {...pair, cause: 'failed_maybe_paid'} as const
  const now = explain({...weighed, detail})
  const explanation = finding.explanation.replace(explain({...pair, cause: told, detail: null}), () => now)
  return isTwice
    ? {...finding, explanation}
    : {...weighed, severity: severityOf(weighed), atRisk: amountAtRisk(weighed), explanation}
}

/** A payout that failed, was paid anew, and has not failed after all: the player may have the money twice. */
export async function weighReplaced(
  finding: Finding,
  whyPaidTwice: WhyPaidTwice,
  hasRow: (order: Pick<ServiceOrder, 'kind' | 'orderNo'>) => boolean,
  /** Gets why the run is incomplete. */
  unanswered: string[],
): Promise<Finding> {
  const {verdict, service} = finding
  const twice = service && (await whyPaidTwice(service, (orderNo) => hasRow({kind: 'payout', orderNo})))
  if (twice?.isKnown === false) unanswered.push(twice.why)
  if (!twice?.isKnown) return finding
  const detail = twice.why
  if (verdict !== 'matched' && verdict !== 'in_flight')
    return {...finding, explanation: `${finding.explanation} ${detail}`}
  const judged = {...finding, verdict: 'status_mismatch', cause: 'paid_after_all', action: 'review'} as const
  return {
    ...judged,
    ...{severity: severityOf(judged), atRisk: amountAtRisk(judged)},
    explanation: explain({...judged, detail}),
  }
}
