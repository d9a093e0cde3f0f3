import type {MeasuredTime} from '../../core/clocks.ts'
import type {Delivery} from '../../core/order.ts'
import {type EarlierResend, weighDelivery} from '../../core/reconcile/evidence.ts'
import {reasonAgainst} from '../../core/reconcile/reason-against.ts'
import {override, type Reconciled} from '../../workflows/resend/seen.ts'
import {resendCommand} from './resend-command.ts'

const noOverrides = {includeDelivered: false, ignoreCooldown: false, retryUnknown: false}

/** What to do about a record that was read alone, in one sentence; a newer record of its order may change that. */
export function nextStep(
  delivery: Delivery,
  earlier: EarlierResend | null,
  {
    timeZone,
    profileFlag,
    time,
    takenSeenMs,
    reconciled,
  }: {
    readonly timeZone: string
    readonly profileFlag: string | undefined
    readonly time: MeasuredTime
    /** When a run last saw it as taken. */
    readonly takenSeenMs: number | null
    readonly reconciled: Reconciled | null
  },
): string {
  const command = resendCommand([delivery.id], profileFlag)
  const {cause, action} = weighDelivery({is: 'read', newest: delivery}, earlier, noOverrides, time, {
    takenSeenMs,
  })
  if (action === 'resend' && reconciled) {
    // An ended ignore says its own command.
    return reconciled.why.replace(override, `If it is not booked, run: ${command} --include-delivered`)
  }
  if (action === 'resend') return `When your server takes webhooks again, run: ${command}`
  if (cause === 'delivered_not_booked') {
    return `Nothing, if your server booked it. If not, find out why, then run: ${command} --include-delivered`
  }
  const why = reasonAgainst(cause, delivery, earlier, noOverrides, timeZone, time)
  return cause === 'resend_in_doubt' ? `${why} ${command} --retry-unknown` : why
}
