import {orderKinds} from '../../core/order.ts'
import type {TallyGroup} from '../../core/reconcile/tally.ts'
import type {TieOut} from '../../core/reconcile/tie-out.ts'
import type {MaybeWindow} from '../../core/reconcile/window.ts'
import {counted} from '../../report/figures.ts'
import type {DeliveryReading} from './delivery-reading.ts'

/** The window `missing_in_ledger` was looked for in, or why it was not. */
export function windowGiven(window: MaybeWindow, reading: DeliveryReading): MaybeWindow {
  if (!window.ok || reading.coversWindow) return window
  return {ok: false, because: reading.because ?? 'the delivery records were not read'}
}

/** In sentences, what could not be checked; empty where everything was. */
export function whyIncomplete(
  tally: readonly TallyGroup[],
  {byKind}: TieOut,
  reading: DeliveryReading,
  window: MaybeWindow,
): string[] {
  const count = (is: (group: TallyGroup) => boolean) =>
    tally.filter(is).reduce((sum, {findings}) => sum + findings, 0)
  const isUnanswered = ({cause}: TallyGroup) => cause === 'query_failed' || cause === 'not_asked'
  const ofRepeated = count((group) => group.verdict === 'duplicate_in_ledger' && isUnanswered(group))
  const notAsked = count(({verdict, cause}) => verdict === 'query_failed' && cause === 'not_asked')
  const unanswered = count(({verdict}) => verdict === 'query_failed') - notAsked
  const unread = count(({cause}) => cause === 'delivery_unknown')
  const reasons: string[] = []
  if (notAsked > 0) reasons.push(`${counted(notAsked, 'order was', 'orders were')} not asked for`)
  if (unanswered > 0) reasons.push(`${counted(unanswered, 'order', 'orders')} got no trustworthy answer`)
  if (ofRepeated > 0) {
    reasons.push(
      `${counted(ofRepeated, 'row', 'rows')} of numbers that stand there twice got no trustworthy answer`,
    )
  }
  if (unread > 0)
    reasons.push(`the delivery records of ${counted(unread, 'order', 'orders')} could not be read`)
  if (window.ok && !reading.coversWindow && !reading.unavailable) {
    reasons.push(
      `orders missing in the ledger could not be looked for: ${reading.because ?? 'the list was not read'}`,
    )
  }
  for (const kind of orderKinds) {
    if (byKind[kind].unexplained !== 0n) reasons.push(`the totals of the ${kind}s do not tie out`)
  }
  return reasons
}
