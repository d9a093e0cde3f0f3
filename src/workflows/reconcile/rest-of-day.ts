import {earliestNow, type MeasuredTime} from '../../core/clocks.ts'
import {Failure} from '../../core/failure.ts'
import type {Window} from '../../core/reconcile/window.ts'
import {escapeInvisible} from '../../core/text.ts'
import {formatMinute, parseInstant, startOfNextDay} from '../../core/time.ts'
import type {MissingOrder} from './query-missing.ts'
import type {CompletionOfOther} from './record-facts.ts'

/** This many delivered orders outside of the rows prove an export of a part of the day; one undelivered is enough. */
const deliveredMin = 3
/** The most of them that are queried. */
const triedMax = 10
/** The webhook of an order that the ledger of the day before has may be made after midnight; no ledger of credits has it before. */
const paidLateMs = 60 * 60_000

/** Throws `incomplete` if the day is not over by the service's clock: its ledger lacks what is booked later. */
export function refuseOpenDay(businessDay: string, timeZone: string, time: MeasuredTime): void {
  const startMs = parseInstant(businessDay, timeZone)
  const nowMs = earliestNow(time)
  if (startMs === null || startOfNextDay(startMs, timeZone) <= nowMs) return
  const clock = `${formatMinute(nowMs, timeZone)} in ${timeZone}`
  throw new Failure(
    'incomplete',
    `${businessDay} is not over: it is ${clock} by the service's clock. Nothing was sent.`,
    'Set the clock of this machine, then run it again.',
  )
}

/**
 * Why the ledger does not cover the whole business day, as a clause; null without proof. Then hisab sends nothing,
 * because a later export may have these orders booked. The window: what this run
 * searches.
 */
export async function whyNotWholeDay(
  {fromMs, toMs}: Window,
  {
    businessDay,
    timeZone,
    isOfCredits,
  }: {readonly businessDay: string; readonly timeZone: string; readonly isOfCredits: boolean},
  completions: (window: Window) => Iterable<CompletionOfOther>,
  ask: (completions: readonly CompletionOfOther[]) => Promise<readonly MissingOrder[]>,
): Promise<string | null> {
  const startMs = parseInstant(businessDay, timeZone)
  if (startMs === null) return null
  const after = {fromMs: toMs + 1, toMs: startOfNextDay(startMs, timeZone) - 1}
  const late = {fromMs: startMs + paidLateMs, toMs: fromMs - 1}
  const before = isOfCredits ? {...late, fromMs: startMs} : late
  const last = {which: 'later', row: 'last', rowMs: toMs}
  const first = {which: 'earlier', row: 'first', rowMs: fromMs}
  const lost = {isTaken: false, min: 1, state: 'did not take the webhook'}
  const taken = {isTaken: true, min: deliveredMin, state: 'took the webhooks'}
  const looks = [
    {part: after, ...last, ...lost},
    {part: after, ...last, ...taken},
    {part: before, ...first, ...lost},
    {part: late, ...first, ...taken},
  ]
  for (const {part, isTaken, min, state, which, row, rowMs} of looks) {
    const asked =
      part.fromMs > part.toMs ? [] : [...completions(part)].filter((one) => one.isTaken === isTaken)
    if (asked.length < min) continue
    const answers = await ask(asked.slice(0, triedMax))
    const rowless = answers.flatMap(({order, side}) =>
      side.is === 'found' && side.order.status === 'completed' ? escapeInvisible(order.orderNo, 40) : [],
    )
    if (rowless.length < min) continue
    const orders = `at least ${rowless.length} ${which} order${rowless.length === 1 ? '' : 's'}`
    return `the ${row} row of the ledger is of ${formatMinute(rowMs, timeZone)}, and your server ${state} of ${orders} of ${businessDay} that no row names (${rowless.join(', ')}): the ledger may not be that of the whole day`
  }
  return null
}
