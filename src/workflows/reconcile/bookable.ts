import {whyNoTimeDecides} from '../../core/clocks.ts'
import {cooldownMs} from '../../core/reconcile/evidence.ts'
import type {Finding} from '../../core/reconcile/finding.ts'
import {isNeverResent} from '../../core/reconcile/verdict-facts.ts'
import type {DecisionInput} from './decide.ts'

/**
 * An order may be booked by hand if its own row is not booked, no run resent its webhook, and nothing would hold back a
 * resend. `EarlierRuns` decides whether the service's automatic retries are over.
 */
export async function markBookable(
  finding: Finding,
  hold: (finding: Finding) => Promise<Finding>,
  areOthersSince: (orderedAtMs: number) => Promise<boolean>,
  {deliveries, time}: DecisionInput,
): Promise<Finding> {
  const {verdict, cause, line, action, service, orderedAtMs, takenFrom} = finding
  if (verdict !== 'missing_completion' || !isNeverResent(cause) || line === null || action !== 'review')
    return finding
  const isOld = orderedAtMs != null && time.nowMs - orderedAtMs > cooldownMs
  if (service?.amount == null || takenFrom !== undefined || !isOld) return finding
  // A webhook with another event, such as order.paid, may have reached the merchant's server.
  if (deliveries.eventsOf(service).length > 0 || !(await areOthersSince(orderedAtMs))) return finding
  // An older order may have a record that left the list. If the clocks differ, no age is proven (P19).
  if (deliveries.startsAfter(service, orderedAtMs) !== null || whyNoTimeDecides(time.skewMs) !== null)
    return finding
  const asSent = await hold({...finding, action: 'resend'})
  return asSent.action === 'resend' ? {...finding, isBookable: true} : finding
}
