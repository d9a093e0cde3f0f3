import {formatTaka, type Paisa} from '../money.ts'
import type {Delivery, OrderKind, ServiceOrder} from '../order.ts'
import {escapeInvisible} from '../text.ts'
import {formatMinute, parseInstant} from '../time.ts'
import type {LedgerSide} from './classify.ts'
import type {Action, Judged, OrderCause, Verdict} from './verdict.ts'

/** What a sentence about a finding can draw on. */
export type Explained<V extends Verdict = Verdict> = Judged<V> & Sources
interface Sources {
  readonly action: Action
  readonly kind: OrderKind | null
  readonly ledger: LedgerSide | null
  readonly service: ServiceOrder | null
  readonly delivery: Delivery | null
  readonly deliveredAmount?: Paisa | null
  /** Why there is no answer, why a row cannot be read, or which lines share a number. */
  readonly detail: string | null
}

export function explainAmounts({
  cause,
  ledger,
  service,
  deliveredAmount,
}: Explained<'amount_mismatch'>): string {
  const [ours, theirs, told] = [ledger?.amount, service?.amount, deliveredAmount].map(taka)
  switch (cause) {
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

type Missing = Explained<'missing_completion' | 'missing_in_ledger'>

export function explainMissing(found: Missing, timeZone: string): string {
  return `${missing(found)} ${delivered(found, timeZone)}`
}

function missing({verdict, kind, ledger, service}: Missing): string {
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
  {cause, action, service, delivery, deliveredAmount, detail}: Missing,
  timeZone: string,
): string {
  const answer = delivery?.responseCode == null ? 'no answer' : `HTTP ${delivery.responseCode}`
  const tries = `${delivery?.attempts ?? 0} ${delivery?.attempts === 1 ? 'try' : 'tries'}`
  switch (cause) {
    case null:
      return ''
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

const contradictions: Readonly<Record<Exclude<OrderCause, 'other_platform_order_no'>, string>> = {
  booked_but_open: 'Booked as completed while the service still has it open: credited before it was paid?',
  booked_but_failed: 'Booked as completed, but it failed at the service: credited without a payment.',
  failed_not_booked: 'It failed at the service and is still open in the ledger: close it there.',
  reopened: 'Closed as failed in the ledger, but open again at the service: it may still be paid.',
  booked:
    'Booked as completed, but the service has no such order: nothing is known to have been paid for it.',
  open: 'Open in the ledger, but the service has no such order: it may never have been created.',
}

/** Of money that goes out the same contradictions mean that a player is owed it, or may be paid twice. */
const contradictionsOfPayouts: typeof contradictions = {
  booked_but_open:
    'Booked as paid out while the service still has it open: it may still fail, and the player is owed it then.',
  booked_but_failed:
    'Booked as paid out, but it failed at the service: the player was not paid and is owed it.',
  failed_not_booked:
    'It failed at the service and is still open in the ledger: the player was not paid; close it there.',
  reopened:
    'Closed as failed in the ledger, but open again at the service: if the player got the money back, it may be paid twice.',
  booked:
    'Booked as paid out, but the service has no such order: nothing is known to have reached the player.',
  open: contradictions.open,
}

export function explainContradiction({
  cause,
  kind,
  ledger,
  service,
}: Explained<'status_mismatch' | 'missing_at_provider'>): string {
  if (cause !== 'other_platform_order_no') {
    return (kind === 'payout' ? contradictionsOfPayouts : contradictions)[cause]
  }
  const [ours, theirs] = [ledger, service].map((side) =>
    escapeInvisible(side?.platformOrderNo ?? 'unknown', 60),
  )
  return `The row names platform order ${ours}, and the service has ${theirs} under this number: find out which of the two was booked. Nothing is sent.`
}

function taka(amount: Paisa | null | undefined): string {
  return amount == null ? 'unknown' : formatTaka(amount)
}

/** `2026-11-20 11:04`: what a person looks for in a log. */
function clock(time: string | null | undefined, timeZone: string): string {
  const ms = time == null ? null : parseInstant(time)
  return ms === null ? 'an unknown time' : formatMinute(ms, timeZone)
}
