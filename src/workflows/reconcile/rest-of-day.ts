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

/** Why the ledger may lack rows of its business day before its first one, and after its last, as clauses; null without proof. */
export interface NotWhole {
  readonly before: string | null
  readonly after: string | null
}

/**
 * What is of the business day and outside of the ledger is not resent, because a later export may have it booked. The window: what
 * this run searches.
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
): Promise<NotWhole> {
  const startMs = parseInstant(businessDay, timeZone)
  if (startMs === null) return {before: null, after: null}
  const after = {fromMs: toMs + 1, toMs: startOfNextDay(startMs, timeZone) - 1}
  const late = {fromMs: startMs + paidLateMs, toMs: fromMs - 1}
  const before = isOfCredits ? {...late, fromMs: startMs} : late
  const last = {which: 'later', row: 'last', rowMs: toMs}
  const first = {which: 'earlier', row: 'first', rowMs: fromMs}
  const lost = {isTaken: false, min: 1, state: 'did not take the webhook'}
  const taken = {isTaken: true, min: deliveredMin, state: 'took the webhooks'}
  const look = async (part: Window, {which, row, rowMs}: typeof last, {isTaken, min, state}: typeof lost) => {
    const asked =
      part.fromMs > part.toMs ? [] : [...completions(part)].filter((one) => one.isTaken === isTaken)
    if (asked.length < min) return null
    const answers = await ask(asked.slice(0, triedMax))
    const rowless = answers.flatMap(({order, side}) =>
      side.is === 'found' && side.order.status === 'completed' ? escapeInvisible(order.orderNo, 40) : [],
    )
    if (rowless.length < min) return null
    const orders = `at least ${rowless.length} ${which} order${rowless.length === 1 ? '' : 's'}`
    return `the ${row} row of the ledger is of ${formatMinute(rowMs, timeZone)}, and your server ${state} of ${orders} of ${businessDay} that no row names (${rowless.join(', ')}): the ledger may not be that of the whole day`
  }
  return {
    before: (await look(before, first, lost)) ?? (await look(late, first, taken)),
    after: (await look(after, last, lost)) ?? (await look(after, last, taken)),
  }
}
