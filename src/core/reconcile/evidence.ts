import {type MeasuredTime, whyNoTimeDecides} from '../clocks.ts'
import {type Delivery, isSameId} from '../order.ts'
import {parseInstant} from '../time.ts'
import type {Action, DeliveryCause} from './verdict.ts'

export const cooldownMs = 8 * 60 * 60_000

/** A delivery that neither ends nor is scheduled is stuck after this long (`delivery_stuck`). */
export const stuckAfterMs = 30 * 60_000

/**
 * Whether a time of this machine is less than 8 hours ago. If the clocks differ, now or then, one of them may have been
 * set since, so the larger difference is waited for too. Without a measurement now, no time is enough.
 */
export function isRecent(atMs: number, {nowMs, skewMs}: MeasuredTime, skewThenMs = 0): boolean {
  return skewMs === null || nowMs - atMs < cooldownMs + Math.max(Math.abs(skewMs), skewThenMs)
}

/**
 * Whether a resend is less than 8 hours old. If the clocks could not be compared when it was sent, its record has to
 * show a later attempt that is old enough by the service's clock.
 */
export function isCoolingDown(
  {atMs, skewMs: skewThenMs, deliveryId, baseline}: EarlierResend,
  {id, sentAt}: Pick<ResentRecord, 'id' | 'sentAt'>,
  time: MeasuredTime,
): boolean {
  if (isRecent(atMs, time, skewThenMs ?? 0)) return true
  if (skewThenMs !== null) return false
  const isMoved = isSameId(id, deliveryId) && instantOf(sentAt) > instantOf(baseline.sentAt)
  return !isMoved || isRecent(instantOf(sentAt) - (time.skewMs ?? 0), time)
}

/** What is known about an order's records. */
export type DeliveryEvidence =
  /** `newest` is null only if absence is proven: a whole list, or a look-up of this order (P9). */
  | {readonly is: 'read'; readonly newest: Delivery | null}
  | {readonly is: 'unavailable'; readonly because: string}
  | {readonly is: 'unread'; readonly because: string}

/** hisab's latest resend of this order's event, from the journal. */
export interface EarlierResend {
  readonly state: 'unknown' | 'accepted' | 'refused' | 'still_failing' | 'delivered'
  readonly atMs: number
  /** The clock difference then, in either direction; null if it was not measured. */
  readonly skewMs: number | null
  readonly deliveryId: string
  /** Who sent it, `person@machine`; null in a journal of one machine. */
  readonly by: string | null
  /** Another machine is sending it now. */
  readonly isOnItsWay?: boolean
  /** The record just before that resend. */
  readonly baseline: ResendBaseline
}

export interface ResendBaseline {
  readonly attempts: number
  readonly sentAt: string | null
  readonly nextRetryAt: string | null
}

/** The fields of a record that show how a resend ended. */
export type ResentRecord = Pick<Delivery, 'id' | 'status' | 'attempts' | 'sentAt'>

/** Overrides of guards (P4, P5). Each one used is recorded. */
export interface ResendOverrides {
  readonly includeDelivered: boolean
  readonly ignoreCooldown: boolean
  readonly retryUnknown: boolean
  /** Of `reconcile` only: resends what is missing in a ledger of orders. */
  readonly includeMissing?: boolean
}

export interface Weighed {
  readonly cause: DeliveryCause
  readonly action: Action
  /** For an open wait: when an earlier run first saw it. */
  readonly waitsSinceMs?: number
}

/** Causes whose wait ends by itself. */
export const waitCauses: readonly string[] = ['retry_scheduled', 'delivery_stuck'] satisfies DeliveryCause[]

/** Longer than the automatic retries take. A wait that an earlier run saw this long ago is an open item. */
export const waitMaxMs = 24 * 60 * 60_000

/**
 * The table of delivery evidence (docs/verdicts.md#causes-of-a-missing-completion). A resend starts the merchant's
 * credit logic again, so every doubt is checked before any reason to send. `ledgerEndsMs`: a ledger that ends after an
 * earlier resend would show what that credited. `takenSeenMs`: when a run last saw that the merchant's server had taken the
 * webhook, whatever its record shows now.
 */
export function weighDelivery(
  evidence: DeliveryEvidence,
  earlier: EarlierResend | null,
  overrides: ResendOverrides,
  time: MeasuredTime,
  {
    ledgerEndsMs = null,
    takenSeenMs = null,
  }: Partial<Record<'ledgerEndsMs' | 'takenSeenMs', number | null>> = {},
): Weighed {
  if (evidence.is === 'unavailable') return {cause: 'resend_unavailable', action: 'review'}
  if (evidence.is === 'unread') return {cause: 'delivery_unknown', action: 'retry'}
  const {newest} = evidence
  if (newest === null) return {cause: 'no_delivery_record', action: 'review'}

  const {nowMs} = time
  const state = earlier && stateBy(earlier, newest)
  if (state === 'unknown' && !overrides.retryUnknown) return {cause: 'resend_in_doubt', action: 'review'}

  // A delivered resend cools down too, and so does a refused one: its record may be late (P5). After this line,
  // `unknown` is one that a person wants sent again.
  const isYoung = earlier !== null && isCoolingDown(earlier, newest, time)
  const isCooling = isYoung && state !== 'unknown' && !overrides.ignoreCooldown
  const nextRetryMs = newest.nextRetryAt === null ? null : instantOf(newest.nextRetryAt)
  const isScheduled = nextRetryMs !== null && nextRetryMs > nowMs
  const noTimeDecides = whyNoTimeDecides(time.skewMs) !== null
  if (newest.status === 'success') {
    const isDue = isScheduled || (nextRetryMs !== null && noTimeDecides)
    const mayResend = overrides.includeDelivered && !isCooling && !isDue
    return {cause: 'delivered_not_booked', action: mayResend ? 'resend' : 'review'}
  }
  if (isScheduled) {
    // The service's clock is ahead and shows it overdue: the retry may never come.
    const isOverdue = noTimeDecides && nextRetryMs <= nowMs + (time.skewMs ?? 0)
    return {cause: 'retry_scheduled', action: isOverdue ? 'review' : 'wait'}
  }
  // The service took it, or said no after it left, and its record never moved: it may have arrived all the same.
  const mayHaveArrived = state === 'accepted' || state === 'refused'
  // No wait ends if its beginning is unknown.
  const isEndless = earlier?.skewMs === null && mayHaveArrived && !isRecent(earlier.atMs, time)
  if (isCooling && !isEndless) return {cause: 'recently_resent', action: 'wait'}
  const isShown =
    earlier !== null &&
    earlier.skewMs !== null &&
    ledgerEndsMs !== null &&
    ledgerEndsMs > earlier.atMs + earlier.skewMs
  if (mayHaveArrived && !isShown && !overrides.retryUnknown && !overrides.ignoreCooldown)
    return {cause: 'resend_in_doubt', action: 'review'}
  // A later push may have failed, but the player may be credited from the first. A resend after that had a person's word.
  const wasTaken = state === 'delivered' || (takenSeenMs ?? 0) > (earlier?.atMs ?? 0)
  const quietMs = nowMs - Math.max(instantOf(newest.createdAt), instantOf(newest.sentAt), nextRetryMs ?? 0)
  if (
    newest.status === 'failed' &&
    nextRetryMs === null &&
    (!hasTriesLeft(newest) || (quietMs > stuckAfterMs && !noTimeDecides))
  ) {
    return wasTaken && !overrides.includeDelivered ? again : {cause: 'delivery_exhausted', action: 'resend'}
  }
  if (noTimeDecides) return {cause: 'delivery_stuck', action: 'review'}
  if (quietMs <= stuckAfterMs) return {cause: 'delivery_stuck', action: 'wait'}
  return wasTaken && !overrides.includeDelivered ? again : {cause: 'delivery_stuck', action: 'resend'}
}

const again: Weighed = {cause: 'delivered_not_booked', action: 'review'}

/**
 * A wait that an earlier run saw 24 hours ago or more is an open item (P17). Sending it needs `--ignore-cooldown`
 * (P5), and clocks that agree (P19).
 */
export function weighWait(
  weighed: Weighed,
  sinceMs: () => number | null,
  {ignoreCooldown}: ResendOverrides,
  {nowMs, skewMs}: MeasuredTime,
): Weighed {
  const {cause, action} = weighed
  const waitsSinceMs = action === 'wait' && waitCauses.includes(cause) ? sinceMs() : null
  if (waitsSinceMs === null || nowMs - waitsSinceMs < waitMaxMs) return weighed
  const mayResend = ignoreCooldown && whyNoTimeDecides(skewMs) === null
  return {cause, action: mayResend ? 'resend' : 'review', waitsSinceMs}
}

/** With tries left and none scheduled, the service may just be about to write the next one. */
function hasTriesLeft({attempts, attemptsMax}: Pick<Delivery, 'attempts' | 'attemptsMax'>): boolean {
  return attempts < attemptsMax
}

/**
 * Whether the service will send by itself, or is sending now: a retry that is due, or an attempt without a result. At any
 * age if no time decides.
 */
export function isDueAgain(
  record: Omit<Delivery, 'id' | 'orderId' | 'merchantOrderId' | 'url' | 'event' | 'responseCode'>,
  {nowMs, skewMs}: MeasuredTime,
): boolean {
  const {status, nextRetryAt, sentAt, createdAt} = record
  if (status === 'success') return false
  const isEnding = status === 'pending' || (nextRetryAt === null && hasTriesLeft(record))
  const lastMs = Math.max(instantOf(nextRetryAt), instantOf(isEnding ? (sentAt ?? createdAt) : null))
  return lastMs > (whyNoTimeDecides(skewMs) === null ? nowMs - stuckAfterMs : 0)
}

/** Whether your server took it after this time; where that is null, nobody asks. */
export function isTakenSince(
  {status, sentAt}: Pick<Delivery, 'status' | 'sentAt'>,
  ms: number | null,
): boolean {
  return ms !== null && status === 'success' && instantOf(sentAt) > ms
}

/**
 * The result of a resend by its record, or null while the record shows none. `delivered`: `success` with a later attempt
 * than before. `still_failing`: a later attempt failed.
 */
export function outcomeOf(
  baseline: ResendBaseline,
  record: ResentRecord,
): 'delivered' | 'still_failing' | null {
  const moved = record.attempts > baseline.attempts || instantOf(record.sentAt) > instantOf(baseline.sentAt)
  if (!moved) return null
  if (record.status === 'success') return 'delivered'
  return record.status === 'failed' ? 'still_failing' : null
}

/**
 * The same if the resend's answer was lost. A later failed attempt may then have been a scheduled retry, and shows
 * nothing (P6).
 */
export function outcomeInDoubt(
  baseline: ResendBaseline,
  record: ResentRecord,
): 'delivered' | 'still_failing' | null {
  const outcome = outcomeOf(baseline, record)
  return outcome === 'delivered' || baseline.nextRetryAt === null ? outcome : null
}

/** The result of an earlier resend by its current record; a record with another id does not count. */
export function stateBy(earlier: EarlierResend, record: ResentRecord): EarlierResend['state'] {
  const {state, deliveryId, baseline} = earlier
  if (state === 'delivered' || state === 'still_failing') return state
  return isSameId(record.id, deliveryId) ? (outcomeInDoubt(baseline, record) ?? state) : state
}

/** The newest of several records of an event: by creation, then by latest delivery, then by attempts. */
export function newestOf(records: readonly Delivery[]): Delivery | null {
  let newest: Delivery | null = null
  for (const record of records) if (newest === null || isNewer(record, newest)) newest = record
  return newest
}

function isNewer(a: Delivery, b: Delivery): boolean {
  const byCreation = instantOf(a.createdAt) - instantOf(b.createdAt)
  if (byCreation !== 0) return byCreation > 0
  const bySending = instantOf(a.sentAt) - instantOf(b.sentAt)
  if (bySending !== 0) return bySending > 0
  return a.attempts > b.attempts
}

function instantOf(text: string | null): number {
  return text === null ? 0 : (parseInstant(text) ?? 0)
}
