import {formatTaka, type Paisa} from '../money.ts'
import type {Delivery, OrderKind, ServiceOrder} from '../order.ts'
import {escapeInvisible} from '../text.ts'
import {formatMinute, parseInstant} from '../time.ts'
import type {LedgerSide} from './classify.ts'
import type {Action, Judged, OrderCause, Verdict} from './verdict.ts'

/** A retry may still come until the run with booking.csv. */
const bookListed = 'Book it by hand if booking.csv has it, else ask the service.'

/** The facts that explain a finding. */
export type Explained<V extends Verdict = Verdict> = Judged<V> & Sources
interface Sources {
  readonly action: Action
  readonly kind: OrderKind | null
  readonly ledger: LedgerSide | null
  readonly service: ServiceOrder | null
  readonly delivery: Delivery | null
  readonly deliveredAmount?: Paisa | null
  /** The time of the last row, or null. */
  readonly ledgerEndsMs?: number | null
  /** Why there is no answer, why a row is unreadable, or which lines share a number. */
  readonly detail: string | null
}

export function explainAmounts({
  cause,
  ledger,
  service,
  deliveredAmount,
}: Explained<'amount_mismatch'>): string {
  const [ours, theirs, sent] = [ledger?.amount, service?.amount, deliveredAmount].map(taka)
  switch (cause) {
    case null:
      return `The ledger has BDT ${ours}. The service has BDT ${theirs}. Find out which amount was paid.`
    case 'sent_amount_differs':
      return `hisab sent it with BDT ${taka(service?.sentAmount)}. The service has BDT ${theirs}.${ledger?.amount == null ? '' : ` The ledger has BDT ${ours}.`} Ask the service which amount was paid.`
    case 'delivered_amount_differs':
      return `The webhook had BDT ${sent}${ledger?.amount == null ? '' : ', and so has the ledger'}. The service now has BDT ${theirs}. Ask the service which amount was paid.`
    case 'booked_amount_differs':
      return `The webhook had BDT ${sent}${service?.amount == null ? '' : ', and so has the service'}. The ledger has BDT ${ours}. Correct the ledger.`
    case 'all_amounts_differ':
      return `The ledger has BDT ${ours}, the webhook had BDT ${sent}, the service now has BDT ${theirs}. Find out which amount was paid.`
  }
}

type Missing = Explained<'missing_completion' | 'missing_in_ledger'>

export function explainMissing(found: Missing, timeZone: string): string {
  return `${missing(found)} ${delivered(found, timeZone)}`
}

function missing({verdict, kind, ledger, service}: Missing): string {
  const amount = service?.amount == null ? 'amount not stated' : `BDT ${taka(service.amount)}`
  const done = kind === 'payout' ? `Paid out by the service (${amount})` : `Paid by the player (${amount})`
  if (verdict === 'missing_in_ledger') return `${done}, but it has no row in the ledger.`
  if (ledger?.status !== 'failed') return `${done}, but still open in the ledger.`
  // A failed payout's money goes back to the player, who may then have it twice.
  const twice = kind === 'payout' ? '. If the player got the money back, it was paid twice' : ''
  return `${done}, but failed in the ledger${twice}.`
}

function delivered(
  {cause, action, service, delivery, deliveredAmount, ledgerEndsMs, detail}: Missing,
  timeZone: string,
): string {
  const answer = delivery?.responseCode == null ? 'no answer' : `HTTP ${delivery.responseCode}`
  const tries = `${delivery?.attempts ?? 0} ${delivery?.attempts === 1 ? 'try' : 'tries'}`
  switch (cause) {
    case null:
      return ''
    case 'delivered_amount_differs':
      return `Your server accepted the webhook with BDT ${taka(deliveredAmount)} (${answer}). The service now has BDT ${taka(service?.amount)}. Ask the service which amount was paid, then book it by hand. hisab never resends it.`
    case 'delivery_exhausted':
      return `Its webhook failed after ${tries} (${answer} from your server), and the service retries no more.`
    case 'retry_scheduled':
      if (action === 'review' && detail !== null) {
        return `The service planned to retry its webhook at ${clock(delivery?.nextRetryAt, timeZone)}. Whether that time is past is not known: ${detail}. Set this machine's clock, then run it again.`
      }
      return `The service retries its webhook at ${clock(delivery?.nextRetryAt, timeZone)}.${action === 'wait' ? ' Wait.' : ''}`
    case 'delivery_stuck':
      if (detail !== null) {
        return `Its webhook is neither delivered nor scheduled (${delivery?.status ?? ''}, ${tries}). Whether it is stuck is not known: ${detail}. Set this machine's clock, then run it again.`
      }
      return action === 'wait'
        ? 'Its webhook is neither delivered nor scheduled, but it changed less than 30 minutes ago. Wait.'
        : `Its webhook is neither delivered nor scheduled (${delivery?.status ?? ''}, ${tries}).`
    case 'delivered_not_booked':
      return notBooked({answer, delivery, ledgerEndsMs: ledgerEndsMs ?? null, detail}, timeZone)
    case 'delivered':
      return `Your server took its webhook since${delivery?.sentAt ? ` (${answer} at ${clock(delivery.sentAt, timeZone)})` : ''}. The next ledger that has it as booked confirms it.`
    case 'recently_resent':
      return `hisab resent its webhook${detail ? ` ${detail}` : ''}, less than 8 hours ago, and it is not delivered. Find out why your server did not take it. After the 8 hours, a run with a later export sends it again.`
    case 'resend_in_doubt':
      return `The outcome of an earlier resend${detail ? ` ${detail}` : ''} is unknown. Look in your server's log. If the webhook is not there, send it again with --retry-unknown.`
    case 'no_delivery_record':
      return detail === null
        ? `The service has no record of an order.completed webhook for it, so nothing can be resent. ${bookListed}`
        : `Its webhook is not in the list of delivery records, which starts at ${detail}, after the order was made. The service may have sent it. Look in your books, and ask the service.`
    case 'resend_unavailable':
      return `The delivery records are not available (${detail ?? 'there is no legacy API'}), so it cannot be resent. ${bookListed}`
    case 'delivery_unknown':
      return `Not all delivery records could be read (${detail ?? 'no reason known'}), so it is not resent. Run it again.`
  }
}

/** A ledger that ends before the webhook was taken cannot have booked it. */
function notBooked(
  {
    answer,
    delivery,
    ledgerEndsMs,
    detail,
  }: Pick<Missing, 'delivery' | 'detail'> & {readonly answer: string; readonly ledgerEndsMs: number | null},
  timeZone: string,
): string {
  const takenMs = parseInstant(delivery?.sentAt ?? '')
  const at = delivery?.sentAt ? ` at ${clock(delivery.sentAt, timeZone)}` : ''
  if (delivery && delivery.status !== 'success')
    return `Your server accepted the webhook before${detail ? `; ${detail}` : ''}. Its record is ${delivery.status} again (${answer}${at}). If it is not booked, send it again with --include-delivered.`
  const accepted = `Your server accepted the webhook (${answer}${at})`
  const more = detail ? `; ${detail}` : ''
  if (ledgerEndsMs === null || takenMs === null || takenMs <= ledgerEndsMs)
    return `${accepted}, but did not book it${more}. Find out why before you send it again.`
  return `${accepted}${more}. The last row of the ledger is of ${formatMinute(ledgerEndsMs, timeZone)}, before that. Look in a later export. If it is not booked there, find out why before you send it again.`
}

const contradictions: Readonly<
  Record<Exclude<OrderCause, 'other_platform_order_no' | 'booked_before_resent' | 'paid_after_all'>, string>
> = {
  booked_but_open:
    'Booked as completed, but still open at the service. It may have been credited before it was paid.',
  booked_but_failed: 'Booked as completed, but failed at the service. It was credited without a payment.',
  failed_not_booked:
    'Failed at the service, but still open in the ledger. Close it in the ledger, or resend its webhook: `hisab webhooks resend --order-no NUMBER`.',
  failed_maybe_paid: 'Failed at the service, but still open in the ledger.',
  reopened: 'Failed in the ledger, but open again at the service. It may still be paid.',
  booked: 'Booked as completed, but the service has no such order. No payment for it is known.',
  open: 'Open in the ledger, but the service has no such order. It may never have been created.',
}

/** For payouts the same contradictions mean that a player is owed money, or may be paid twice. */
const contradictionsOfPayouts: typeof contradictions = {
  booked_but_open:
    'Booked as paid out, but still open at the service. If it fails, the player is still owed the money.',
  booked_but_failed:
    'Booked as paid out, but failed at the service. The service paid nothing, so the player may be owed the money.',
  failed_not_booked:
    'Failed at the service, but still open in the ledger. The service paid nothing. Close it in the ledger, or resend its webhook: `hisab webhooks resend --order-no NUMBER`.',
  failed_maybe_paid: contradictions.failed_maybe_paid,
  reopened:
    'Failed in the ledger, but open again at the service. If the player got the money back, it may be paid twice.',
  booked: 'Booked as paid out, but the service has no such order. No payment to the player is known.',
  open: contradictions.open,
}

export function explainContradiction({
  cause,
  kind,
  ledger,
  service,
  detail,
}: Explained<'status_mismatch' | 'missing_at_provider'>): string {
  if (cause === 'booked_before_resent')
    return `${detail ?? ''} It may be booked twice. Look in your books, then close the item.`
  if (cause === 'paid_after_all') return `${detail ?? ''} Look in your books, then close the item.`
  if (cause !== 'other_platform_order_no') {
    const what = (kind === 'payout' ? contradictionsOfPayouts : contradictions)[cause]
    return cause === 'failed_maybe_paid'
      ? `${ledger?.status === 'completed' ? 'Failed at the service, but booked as paid out.' : what}${detail === null ? '' : ` Not resent: ${detail}.`} Give no money back before you have looked: the player may have it already.`
      : what
  }
  const [ours, theirs] = [ledger, service].map((side) =>
    escapeInvisible(side?.platformOrderNo ?? 'unknown', 60),
  )
  return `The row has platform order ${ours}. The service has ${theirs} under this order number. Find out which of the two was booked. Nothing is sent.`
}

function taka(amount: Paisa | null | undefined): string {
  return amount == null ? 'unknown' : formatTaka(amount)
}

/** `2026-11-20 11:04`, as in a log. */
function clock(time: string | null | undefined, timeZone: string): string {
  const ms = time == null ? null : parseInstant(time)
  return ms === null ? 'an unknown time' : formatMinute(ms, timeZone)
}
