import type {Delivery} from '../order.ts'
import {formatMinute, parseInstant} from '../time.ts'
import {
  type EarlierResend,
  type MeasuredTime,
  type ResendOverrides,
  type Weighed,
  whyNoTimeDecides,
} from './evidence.ts'
import type {DeliveryCause} from './verdict.ts'

/** What is to be done about a wait that does not end, sentences; none of any other. */
export function whyWaitIsOpen({action, waitsSinceMs}: Weighed, timeZone: string): string[] {
  if (waitsSinceMs === undefined || action === 'resend') return []
  const since = formatMinute(waitsSinceMs, timeZone)
  return [
    `An earlier run saw it waiting at ${since}, and it only waits still. Ask the service why it is not sent, or send it with --ignore-cooldown.`,
  ]
}

/** Why a record is not resent now, one sentence, with the flag that would send it all the same where there is one. */
export function reasonAgainst(
  cause: DeliveryCause,
  newest: Delivery,
  earlier: EarlierResend | null,
  {includeDelivered}: ResendOverrides,
  timeZone: string,
  {skewMs}: Pick<MeasuredTime, 'skewMs'>,
): string {
  const resentAt = earlier ? `hisab resent it at ${formatMinute(earlier.atMs, timeZone)}` : 'hisab resent it'
  const noTime = whyNoTimeDecides(skewMs)
  switch (cause) {
    case 'retry_scheduled':
      return `It is due again by itself at ${formatMinute(parseInstant(newest.nextRetryAt ?? '') ?? 0, timeZone)}: wait.`
    case 'delivery_stuck':
      return noTime === null
        ? 'It moved less than 30 minutes ago: wait.'
        : `Whether it is stuck cannot be told: ${noTime}. Set this machine's clock, then run it again.`
    case 'delivered_not_booked':
      return includeDelivered
        ? `${resentAt}, less than 8 hours ago: --ignore-cooldown sends it all the same.`
        : 'Your server accepted it already: --include-delivered sends it again.'
    case 'recently_resent':
      return `${resentAt}, less than 8 hours ago, and it is not delivered: find out why, then wait, or --ignore-cooldown.`
    case 'resend_in_doubt':
      return `${resentAt}, and nobody knows how that ended: look in your server's log. If it is not there, --retry-unknown sends it again.`
    case 'delivery_exhausted':
    case 'no_delivery_record':
    case 'resend_unavailable':
    case 'delivery_unknown':
      return `Not sent: ${cause}.`
  }
}
