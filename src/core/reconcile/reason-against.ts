import {type MeasuredTime, whyNoTimeDecides} from '../clocks.ts'
import type {Delivery} from '../order.ts'
import {escapeInvisible} from '../text.ts'
import {formatMinute, parseInstant} from '../time.ts'
import type {EarlierResend, ResendOverrides, Weighed} from './evidence.ts'
import type {DeliveryCause} from './verdict.ts'

/** What to do about an open wait, in sentences; none for other causes. */
export function whyWaitIsOpen({action, waitsSinceMs}: Weighed, timeZone: string): string[] {
  if (waitsSinceMs === undefined || action === 'resend') return []
  const since = formatMinute(waitsSinceMs, timeZone)
  return [
    `An earlier run saw it waiting at ${since}, and it is still waiting. Ask the service why it is not sent, or send it with --ignore-cooldown.`,
  ]
}

/** `rahima@laptop-3 resent it at 2026-11-20 02:14`, or is resending it; with one machine, hisab did. */
export function resentText(
  {by, atMs, isOnItsWay}: Pick<EarlierResend, 'by' | 'atMs' | 'isOnItsWay'>,
  timeZone: string,
): string {
  const who = escapeInvisible(by ?? 'hisab', 120)
  const at = formatMinute(atMs, timeZone)
  return isOnItsWay ? `${who} is resending it now, since ${at}` : `${who} resent it at ${at}`
}

/** Why a record is not resent now, with the flag that allows it, if there is one. */
export function reasonAgainst(
  cause: DeliveryCause,
  newest: Delivery,
  earlier: EarlierResend | null,
  {includeDelivered}: ResendOverrides,
  timeZone: string,
  {skewMs}: Pick<MeasuredTime, 'skewMs'>,
): string {
  const resentAt = earlier ? resentText(earlier, timeZone) : 'hisab resent it'
  const isAgain = newest.status !== 'success'
  const noTime = whyNoTimeDecides(skewMs)
  switch (cause) {
    case 'retry_scheduled':
      return `The service retries it at ${formatMinute(parseInstant(newest.nextRetryAt ?? '') ?? 0, timeZone)}. Wait.`
    case 'delivery_stuck':
      return noTime === null
        ? 'It changed less than 30 minutes ago. Wait.'
        : `Whether it is stuck is not known: ${noTime}. Set this machine's clock, then run it again.`
    case 'delivered_not_booked':
      return includeDelivered
        ? `${resentAt}, less than 8 hours ago. To send it now, add --ignore-cooldown.`
        : `Your server already accepted it${earlier?.by || (isAgain && earlier?.state === 'delivered') ? `: ${resentAt}` : ''}.${isAgain ? ` Its record is ${newest.status} again.` : ''} To send it again, add --include-delivered.`
    case 'recently_resent':
      return `${resentAt}, less than 8 hours ago, and it is not delivered. Find out why. Then wait, or add --ignore-cooldown.`
    case 'resend_in_doubt':
      if (earlier?.isOnItsWay) return `${resentAt}. Wait until that run has finished, then look again.`
      return `${resentAt}, outcome unknown. Look in your server's log. If it is not there, send it again with --retry-unknown.`
    case 'delivery_exhausted':
    case 'no_delivery_record':
    case 'resend_unavailable':
    case 'delivery_unknown':
      return `Not sent: ${cause}.`
  }
}
