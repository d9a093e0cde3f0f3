import {formatTaka, type Paisa} from '../money.ts'
import type {Delivery, OrderKind, ServiceOrder} from '../order.ts'
import {escapeInvisible} from '../text.ts'
import {formatMinute, parseInstant} from '../time.ts'
import type {LedgerSide} from './classify.ts'
import type {Action, AmountCause, Cause, DeliveryCause, OrderCause, Verdict} from './verdict.ts'

/** What a sentence about a finding can draw on. */
export interface Explained {
  readonly verdict: Verdict
  readonly cause: Cause | null
  readonly action: Action
  readonly kind: OrderKind | null
  readonly ledger: LedgerSide | null
  readonly service: ServiceOrder | null
  readonly delivery: Delivery | null
  readonly deliveredAmount?: Paisa | null
  /** Why there is no answer, why a row cannot be read, or which lines share a number. */
  readonly detail: string | null
}

/**
 * A finding in one sentence a finance person understands: what is so, and what it means for the books. Times are
 * told in `timeZone`, the ledger's.
 */
export function explain(found: Explained, timeZone = 'UTC'): string {
  const {verdict, cause, service, detail} = found
  switch (verdict) {
    case 'matched':
      return 'Ledger and service agree.'
    case 'in_flight':
      return 'Open on both sides: nothing to do yet.'
    case 'missing_completion':
    case 'missing_in_ledger':
      return `${missing(found)} ${delivered(found, timeZone)}`
    case 'amount_mismatch':
      return amounts(found)
    case 'status_mismatch':
    case 'missing_at_provider':
      if (cause === 'other_platform_order_no') return otherOrder(found)
      return found.kind === 'payout'
        ? contradictionOfPayout(cause as OrderCause)
        : contradiction(cause as OrderCause)
    case 'unknown_status':
      return `The service says "${escapeInvisible(service?.rawStatus ?? '', 60)}", a word the profile does not know, so it counts neither as paid nor as failed. Add it to [status] of the profile once you know.`
    case 'query_failed':
      if (cause === 'not_asked') {
        return 'The run was interrupted before this order was asked for, so nothing is said about it. Go on with the run.'
      }
      return `The service gave no answer that can be trusted (${detail ?? 'no reason known'}), so nothing is said about this order. Run it again.`
    case 'duplicate_in_ledger':
      return `The same order stands more than once in the ledger (${detail ?? ''}): keep one row, so that it is not booked twice.`
    case 'unreadable_row':
      return detail ?? 'The row cannot be read.'
  }
}

function amounts({cause, ledger, service, deliveredAmount}: Explained): string {
  const [ours, theirs, told] = [ledger?.amount, service?.amount, deliveredAmount].map(taka)
  switch (cause as AmountCause | null) {
    case null:
      return `The ledger says BDT ${ours}, the service says BDT ${theirs}: find out which was paid before anything else.`
    case 'delivered_amount_differs':
      return `The webhook your server took said BDT ${told}, and the service now says BDT ${theirs}: ${ledger?.amount == null ? 'what was booked by it is' : 'you booked what you were told, and it is'} not what the service stands by. Ask the service which was paid.`
    case 'booked_amount_differs':
      return `The webhook your server took said BDT ${told}${service?.amount == null ? '' : ', as the service does now'}, and the ledger says BDT ${ours}: your side booked another amount than it was told.`
    case 'all_amounts_differ':
      return `The ledger says BDT ${ours}, the webhook your server took said BDT ${told}, the service now says BDT ${theirs}: find out which was paid before anything else.`
  }
}

function missing({verdict, kind, ledger, service}: Explained): string {
  const amount =
    service?.amount == null ? 'an amount the service does not state' : `BDT ${taka(service.amount)}`
  const done = kind === 'payout' ? `Paid out by the service (${amount})` : `Paid by the player (${amount})`
  if (verdict === 'missing_in_ledger') return `${done}, but no row of the ledger names it.`
  if (ledger?.status !== 'failed') return `${done}, but still open in the ledger.`
  // A payout that failed is given back to the player, who has the money twice then.
  const twice = kind === 'payout' ? ': if the player got the money back, it was paid twice' : ''
  return `${done}, but failed in the ledger${twice}.`
}

function delivered(
  {cause, action, service, delivery, deliveredAmount, detail}: Explained,
  timeZone: string,
): string {
  const answer = delivery?.responseCode == null ? 'no answer' : `HTTP ${delivery.responseCode}`
  const tries = `${delivery?.attempts ?? 0} ${delivery?.attempts === 1 ? 'try' : 'tries'}`
  switch (cause as DeliveryCause | 'delivered_amount_differs') {
    case 'delivered_amount_differs':
      return `Your server accepted the webhook (${answer}), which said BDT ${taka(deliveredAmount)}, and the service now says BDT ${taka(service?.amount)}: ask the service which was paid before you book it. It is never sent again from here.`
    case 'delivery_exhausted':
      return `Its webhook failed for good after ${tries} (${answer} from your server)${action === 'resend' ? ': resending delivers it again' : ''}.`
    case 'retry_scheduled':
      if (action === 'review' && detail !== null) {
        return `Its webhook was to be tried again at ${clock(delivery?.nextRetryAt, timeZone)}, and whether that is past cannot be told: ${detail}. Set this machine's clock, then run it again.`
      }
      return `Its webhook is due again by itself at ${clock(delivery?.nextRetryAt, timeZone)}${action === 'wait' ? ': wait' : ''}.`
    case 'delivery_stuck':
      if (detail !== null) {
        return `Its webhook is neither delivered nor scheduled (${delivery?.status ?? ''}, ${tries}), and whether it is stuck cannot be told: ${detail}. Set this machine's clock, then run it again.`
      }
      return action === 'wait'
        ? 'Its webhook is neither delivered nor scheduled yet, but moved less than 30 minutes ago: wait.'
        : `Its webhook is neither delivered nor scheduled (${delivery?.status ?? ''}, ${tries})${action === 'resend' ? ': resending delivers it again' : ''}.`
    case 'delivered_not_booked':
      return `Your server accepted the webhook (${answer}${delivery?.sentAt ? ` at ${clock(delivery.sentAt, timeZone)}` : ''}) and did not book it${detail ? `; ${detail}` : ''}: find out why before sending it again.`
    case 'recently_resent':
      return `hisab resent its webhook${detail ? ` ${detail}` : ''}, less than 8 hours ago, and it is not delivered. Find out why your server did not take it; a run after the 8 hours sends it again.`
    case 'resend_in_doubt':
      return `Nobody knows how an earlier resend${detail ? ` ${detail}` : ''} ended: it may or may not have been delivered. Look at your server's log before sending it again (--retry-unknown).`
    case 'no_delivery_record':
      return 'The service has no record of an order.completed webhook for it, so there is nothing to resend: book it by hand.'
    case 'resend_unavailable':
      return `The delivery records are not to be had (${detail ?? 'the legacy API is not there'}), so it cannot be resent from here: book it by hand or ask the service.`
    case 'delivery_unknown':
      return `Its delivery records could not be read to their end (${detail ?? 'no reason known'}), so nothing is resent. Run it again.`
  }
}

function otherOrder({ledger, service}: Explained): string {
  const [ours, theirs] = [ledger, service].map((side) =>
    escapeInvisible(side?.platformOrderNo ?? 'unknown', 60),
  )
  return `The row names platform order ${ours}, and the service has ${theirs} under this number: find out which of the two was booked. Nothing is sent.`
}

function contradiction(cause: OrderCause): string {
  switch (cause) {
    case 'booked_but_open':
      return 'Booked as completed while the service still has it open: credited before it was paid?'
    case 'booked_but_failed':
      return 'Booked as completed, but it failed at the service: credited without a payment.'
    case 'failed_not_booked':
      return 'It failed at the service and is still open in the ledger: close it there.'
    case 'reopened':
      return 'Closed as failed in the ledger, but open again at the service: it may still be paid.'
    case 'booked':
      return 'Booked as completed, but the service has no such order: nothing is known to have been paid for it.'
    case 'open':
      return 'Open in the ledger, but the service has no such order: it may never have been created.'
    case 'other_platform_order_no':
      return 'The row names another platform order than the service has under this number.'
  }
}

/** Of money that goes out the same contradictions mean that a player is owed it, or may be paid twice. */
function contradictionOfPayout(cause: OrderCause): string {
  switch (cause) {
    case 'booked_but_open':
      return 'Booked as paid out while the service still has it open: it may still fail, and the player is owed it then.'
    case 'booked_but_failed':
      return 'Booked as paid out, but it failed at the service: the player was not paid and is owed it.'
    case 'failed_not_booked':
      return 'It failed at the service and is still open in the ledger: the player was not paid; close it there.'
    case 'reopened':
      return 'Closed as failed in the ledger, but open again at the service: if the player got the money back, it may be paid twice.'
    case 'booked':
      return 'Booked as paid out, but the service has no such order: nothing is known to have reached the player.'
    case 'open':
    case 'other_platform_order_no':
      return contradiction(cause)
  }
}

function taka(amount: Paisa | null | undefined): string {
  return amount == null ? 'unknown' : formatTaka(amount)
}

/** `2026-11-20 11:04`: what a person looks for in a log. */
function clock(time: string | null | undefined, timeZone: string): string {
  const ms = time == null ? null : parseInstant(time)
  return ms === null ? 'an unknown time' : formatMinute(ms, timeZone)
}
