import type {Delivery} from '../../core/order.ts'
import {orderKey, orderOfKey} from '../../core/reconcile/orders.ts'
import {isCompletion} from '../../core/reconcile/verdict-facts.ts'
import {formatMinute, parseInstant} from '../../core/time.ts'
import type {Journal} from '../../journal/journal.ts'
import type {LedgerRows} from '../../staging/ledger-rows.ts'

/** A webhook books an order at once, but the clocks of the service and the merchant differ. */
const clocksMs = 5 * 60_000

/** A row that is older than the delivered resend of its order. */
export interface RowBeforeResend {
  readonly bookedMs: number
  readonly resentMs: number
  /** Only with an open item of an earlier run: the time of the row that this ledger has, null without one. */
  readonly rowMs?: number | null
  /** As an earlier run found the order; null if none did: `webhooks resend` sent it. */
  readonly orderedAtMs: number | null
}

/**
 * Orders whose webhook was taken from a resend, and that have a booked row of a time before it, or an open item of that. A
 * later row does not end the item, because it may be the second credit.
 */
export async function bookedBeforeResent(
  journal: Pick<Journal, 'resendHistory' | 'findingsOf'>,
  rows: Pick<LedgerRows, 'entriesOf' | 'names'>,
): Promise<ReadonlyMap<string, RowBeforeResend>> {
  const delivered = [...(await journal.resendHistory()).delivered()]
  const named = delivered.filter(([key]) => rows.names(orderOfKey(key)))
  const found = await journal.findingsOf(named.map(([key]) => orderOfKey(key)))
  const paid = new Map(
    found.filter(({verdict}) => isCompletion(verdict)).map((one) => [orderKey(one), one.orderedAtMs]),
  )
  const open = new Map(
    found.flatMap((one) =>
      one.cause === 'booked_before_resent' && one.closedMs === null ? [[orderKey(one), one.orderedAtMs]] : [],
    ),
  )
  return new Map(
    named.flatMap(([key, resentMs]) => {
      const entries = rows.entriesOf(orderOfKey(key))
      const openMs = open.get(key)
      if (openMs != null) {
        const times = entries.flatMap(({createdMs, bookedMs}) => [createdMs ?? [], bookedMs ?? []].flat())
        const rowMs = times.find((ms) => Math.abs(ms - openMs) <= clocksMs) ?? times[0] ?? null
        return [[key, {bookedMs: openMs, resentMs, orderedAtMs: null, rowMs}] as const]
      }
      // In a ledger of orders `created_at` is older than the payment, and another column says when it was booked.
      const bookedMs = entries
        .filter(({status}) => status === 'completed')
        .flatMap(({createdMs, latestMs = createdMs, bookedMs: ms}) => [
          {ms: createdMs, latestMs},
          {ms, latestMs: ms},
        ])
        .findLast(({latestMs}) => latestMs !== undefined && latestMs < resentMs - clocksMs)?.ms
      const before = bookedMs != null && {bookedMs, resentMs, orderedAtMs: paid.get(key) ?? null}
      return before ? [[key, before] as const] : []
    }),
  )
}

/**
 * Why such an order may be booked twice: its row is later than the payment too, so somebody booked it by hand, in a ledger that no
 * run had seen. A row that has the time of its order, as in a ledger of orders, is older than the payment.
 */
export function whyBookedTwice(
  {bookedMs, resentMs, rowMs, orderedAtMs}: RowBeforeResend,
  completions: readonly Delivery[],
  timeZone: string,
): string | null {
  const made = completions.flatMap(({createdAt}) => parseInstant(createdAt) ?? [])
  const paidMs = orderedAtMs ?? (made.length > 0 ? Math.min(...made) : null)
  if (rowMs === undefined && (paidMs === null || bookedMs <= paidMs + clocksMs)) return null
  const [booked, resent] = [bookedMs, resentMs].map((ms) => formatMinute(ms, timeZone))
  const isOther = rowMs != null && Math.abs(rowMs - bookedMs) > clocksMs
  const other = isOther
    ? ` Another ledger had that row. This one is of ${formatMinute(rowMs, timeZone)}.`
    : ''
  return `Booked at ${booked}, before hisab resent its webhook at ${resent}.${other}`
}
