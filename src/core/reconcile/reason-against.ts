import type {Delivery} from '../order.ts'
import {formatMinute, parseInstant} from '../time.ts'
import type {EarlierResend, ResendOverrides} from './evidence.ts'
import type {DeliveryCause} from './verdict.ts'

/** Why a record is not resent now, one sentence, with the flag that would send it all the same where there is one. */
export function reasonAgainst(
  cause: DeliveryCause,
  newest: Delivery,
  earlier: EarlierResend | null,
  {includeDelivered}: ResendOverrides,
  timeZone: string,
): string {
  const resentAt = earlier ? `hisab resent it at ${formatMinute(earlier.atMs, timeZone)}` : 'hisab resent it'
  switch (cause) {
    case 'retry_scheduled':
      return `It is due again by itself at ${formatMinute(parseInstant(newest.nextRetryAt ?? '') ?? 0, timeZone)}: wait.`
    case 'delivery_stuck':
      return 'It moved less than 30 minutes ago: wait.'
    case 'delivered_not_booked':
      return includeDelivered
        ? `${resentAt}, less than 8 hours ago: --ignore-cooldown sends it all the same.`
        : 'Your server accepted it already: --include-delivered sends it again.'
    case 'recently_resent':
      return `${resentAt}, less than 8 hours ago: wait, or --ignore-cooldown.`
    case 'resend_in_doubt':
      return `${resentAt} and the answer was lost: look at your server's log, then --retry-unknown.`
    case 'delivery_exhausted':
    case 'no_delivery_record':
    case 'resend_unavailable':
    case 'delivery_unknown':
      return `Not sent: ${cause}.`
  }
}
