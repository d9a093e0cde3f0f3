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

/** What the run was to look for in the list of delivery records. */
export interface LookedFor {
  readonly window: MaybeWindow
  /** A person said to leave the records unread. */
  readonly skips: boolean
  /** The rows whose time cannot be read, where the window is the ledger's own. */
  readonly unreadTimes: string | null
  /** The records that are not as documented and name no order. */
  readonly oddRecords: string | null
}

/** In sentences, what could not be checked; empty where everything was. */
export function whyIncomplete(
  tally: readonly TallyGroup[],
  {byKind}: TieOut,
  reading: DeliveryReading,
  {window, skips, unreadTimes, oddRecords}: LookedFor,
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
  if (window.ok && !reading.coversWindow && !skips) {
    reasons.push(
      `orders missing in the ledger could not be looked for: ${reading.because ?? 'the list was not read'}`,
    )
  }
  if (!window.ok && !skips)
    reasons.push(`orders missing in the ledger were not looked for: ${window.because}`)
  if (window.ok && !reading.unavailable && unreadTimes !== null)
    reasons.push(`${unreadTimes}: the window may be too small; give --since and --until`)
  if (oddRecords !== null) reasons.push(oddRecords)
  for (const kind of orderKinds) {
    if (byKind[kind].unexplained !== byKind[kind].unansweredAmount)
      reasons.push(`the totals of the ${kind}s do not tie out`)
  }
  return reasons
}
