import type {Window} from '../../core/reconcile/window.ts'
import {escapeInvisible} from '../../core/text.ts'
import {formatMinute, parseInstant, startOfNextDay} from '../../core/time.ts'
import type {MissingOrder} from './query-missing.ts'
import type {CompletionOfOther} from './record-facts.ts'

/** This many delivered orders after the last row prove an export that ended too early; one undelivered is enough. */
const deliveredMin = 3
/** The most of them that are queried. */
const triedMax = 10

/**
 * Why the ledger does not cover the whole business day, as a clause; null without proof. Then hisab sends nothing,
 * because a later export may have these orders booked.
 */
export async function whyNotWholeDay(
  own: Window,
  {businessDay, timeZone}: {readonly businessDay: string; readonly timeZone: string},
  completions: (window: Window) => Iterable<CompletionOfOther>,
  ask: (completions: readonly CompletionOfOther[]) => Promise<readonly MissingOrder[]>,
): Promise<string | null> {
  const nightMs = parseInstant(businessDay, timeZone)
  if (nightMs === null) return null
  const toMs = startOfNextDay(nightMs, timeZone) - 1
  if (own.toMs >= toMs) return null
  const records = [...completions({fromMs: own.toMs + 1, toMs})]
  const looks = [
    {asked: records.filter(({isTaken}) => !isTaken), min: 1, state: 'did not take the webhook'},
    {asked: records.filter(({isTaken}) => isTaken), min: deliveredMin, state: 'took the webhooks'},
  ]
  for (const {asked, min, state} of looks) {
    if (asked.length < min) continue
    const answers = await ask(asked.slice(0, triedMax))
    const rowless = answers.flatMap(({order, side}) =>
      side.is === 'found' && side.order.status === 'completed' ? escapeInvisible(order.orderNo, 40) : [],
    )
    if (rowless.length < min) continue
    const orders = `at least ${rowless.length} later order${rowless.length === 1 ? '' : 's'}`
    return `the last row of the ledger is of ${formatMinute(own.toMs, timeZone)}, and your server ${state} of ${orders} of ${businessDay} that no row names (${rowless.join(', ')}): the ledger may not be that of the whole day`
  }
  return null
}
