import {orderKinds} from '../../core/order.ts'
import type {ListMark} from '../../core/reconcile/list-order.ts'
import type {TallyGroup} from '../../core/reconcile/tally.ts'
import type {TieOut} from '../../core/reconcile/tie-out.ts'
import type {MaybeWindow} from '../../core/reconcile/window.ts'
import {formatMinute} from '../../core/time.ts'
import {counted} from '../../report/figures.ts'
import type {Records} from '../../staging/records.ts'
import type {DeliveryReading} from './delivery-reading.ts'

/** Where a list begins that keeps only its newest records; null if it is empty. */
export interface ListCut {
  readonly oldestMs: number | null
  /** The proof, as a clause. */
  readonly shownBy: string
}

/** Fewer orders with or without a record are no pattern: single orders may be booked by hand. */
const cutProofMin = 5

/**
 * Null if the list reaches back to the window's beginning, or there is too little proof against it. Proof is that
 * records which an earlier run saw are gone, that many orders that agree have a record and many others have none, or that
 * many have none in a list that begins after the window and is of other orders only.
 */
export function findCut(
  window: MaybeWindow,
  reading: DeliveryReading,
  records: Records,
  before: ListMark | null,
): ListCut | null {
  if (!window.ok || !reading.coversWindow) return null
  const oldestMs = records.oldestMs()
  if (oldestMs !== null && oldestMs <= window.fromMs) return null
  const {delivered, without} = records.countAgreed()
  const isGone = before && reading.isReadWhole && (records.countUpTo(before.newestId) ?? 0) < before.records
  // An empty list proves nothing by itself: a merchant may have no webhooks, or few orders.
  if (isGone && (oldestMs !== null || (before.records >= cutProofMin && without > 0)))
    return {oldestMs, shownBy: `records that run ${before.runId} saw are gone from it`}
  if (oldestMs === null) return null
  const isOfLater = oldestMs > window.toMs && !records.areOfLedger()
  if (without < cutProofMin || (delivered < cutProofMin && !isOfLater)) return null
  const orders = counted(without, 'completed order', 'completed orders')
  return {oldestMs, shownBy: `${orders} of the ledger have no record in it`}
}

/** What to know of a list that is empty although many orders were completed; null otherwise. */
export function noteOfEmptyList(reading: DeliveryReading, records: Records): string | null {
  if (!reading.isReadWhole || !reading.coversWindow || records.oldestMs() !== null) return null
  const {without} = records.countAgreed()
  if (without < cutProofMin) return null
  const orders = counted(without, 'completed order', 'completed orders')
  return `the list of delivery records is empty, and ${orders} of the ledger have no record in it. If your server gets webhooks, ask the service why it lists none`
}

/** The window in which `missing_in_ledger` was searched, or why it was not. */
export function windowGiven(
  window: MaybeWindow,
  reading: DeliveryReading,
  cut: ListCut | null,
  timeZone: string,
): MaybeWindow {
  if (!window.ok) return window
  if (!reading.coversWindow) {
    return {ok: false, because: reading.because ?? 'the delivery records were not read'}
  }
  if (cut === null) return window
  const {oldestMs} = cut
  if (oldestMs === null || oldestMs > window.toMs) return {ok: false, because: whyCut(cut, timeZone)}
  return {...window, fromMs: oldestMs, isCut: true}
}

function whyCut({oldestMs, shownBy}: ListCut, timeZone: string): string {
  if (oldestMs === null) return `the list of delivery records is empty, and ${shownBy}`
  return `the list of delivery records starts at ${formatMinute(oldestMs, timeZone)}, after the start of the window, and ${shownBy}`
}

/** What the run should find in the list of delivery records. */
export interface LookedFor {
  readonly window: MaybeWindow
  /** `--no-deliveries` is set. */
  readonly skips: boolean
  /** The rows with unreadable times, if the window is the ledger's own. */
  readonly unreadTimes: string | null
  /** Malformed records that name no order. */
  readonly oddRecords: string | null
  /** Why the events' names prove nothing about missing orders. */
  readonly otherEvents: string | null
  readonly cut: ListCut | null
  readonly timeZone: string
}

/** What could not be checked, as sentences; empty if everything was. */
export function whyIncomplete(
  tally: readonly TallyGroup[],
  {byKind}: TieOut,
  reading: DeliveryReading,
  {window, skips, unreadTimes, oddRecords, otherEvents, cut, timeZone}: LookedFor,
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
      `orders missing from the ledger could not be searched: ${reading.because ?? 'the list was not read'}`,
    )
  }
  if (cut !== null) {
    const isSearched = window.ok && cut.oldestMs !== null && cut.oldestMs <= window.toMs
    const searched = isSearched ? 'were searched only as far back as the list goes' : 'were not searched'
    const time = isSearched ? 'the time before' : 'that time'
    reasons.push(
      `orders missing from the ledger ${searched}: ${whyCut(cut, timeZone)}. Compare ${time} with another export of the service`,
    )
  }
  if (!window.ok && !skips)
    reasons.push(`orders missing from the ledger were not searched: ${window.because}`)
  if (window.ok && !reading.unavailable && unreadTimes !== null)
    reasons.push(`${unreadTimes}: the window may be too small; give --since and --until`)
  if (oddRecords !== null) reasons.push(oddRecords)
  if (otherEvents !== null) reasons.push(otherEvents)
  for (const kind of orderKinds) {
    if (byKind[kind].unexplained !== byKind[kind].unansweredAmount)
      reasons.push(`the totals of the ${kind}s do not tie out`)
  }
  return reasons
}
