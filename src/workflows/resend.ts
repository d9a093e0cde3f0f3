import type {QuotedDelivery, ServiceClient} from '../api/client.ts'
import {Failure} from '../core/failure.ts'
import type {JsonValue} from '../core/json.ts'
import type {Delivery, OrderKind} from '../core/order.ts'
import type {ResendOutcome} from '../core/reconcile/finding.ts'
import type {OverrideWord} from '../journal/rows.ts'
import {counted} from '../report/figures.ts'
import {ResendBrake} from './resend-brake.ts'
import {outcomeFrom} from './resend-memory.ts'
import {lookOnce, type WatchedResend, type WatchPorts, watchUntilSettled} from './resend-watch.ts'

/** One delivery to be sent again, with what was known of it when that was decided. */
export interface ResendJob {
  readonly delivery: Delivery
  readonly kind: OrderKind | null
  readonly orderNo: string | null
  readonly cause: string | null
  /** Why this payload is not to be sent again, as a sentence; null where it may. Asked just before it is sent. */
  readonly refusePayload?: (payload: JsonValue | undefined) => string | null
}

export interface ResendPorts extends Omit<WatchPorts, 'client' | 'onProgress'> {
  readonly client: Pick<ServiceClient, 'getDelivery' | 'resendDelivery'>
  readonly runId: string
  /** Resends a second, at most. */
  readonly ratePerSecond: number
  /** Whether one is sent first and watched, and the others only once its record shows success. */
  readonly canary?: boolean
  /** The overrides a person gave, recorded with each intent (P4, P5). */
  readonly overrides: readonly OverrideWord[]
  readonly onProgress?: (stage: 'resend' | 'settle', done: number, total: number) => void
}

export interface ResendResult {
  /** By delivery id. */
  readonly outcomes: ReadonlyMap<string, ResendOutcome>
}

/**
 * Sends deliveries again, one at a time: read the record, stop if it moved; write and sync the intent; send
 * once; then watch the record. A 2xx proves nothing and a lost answer is its own state (P3, P4, P6).
 *
 * `watched` are resends of this run that an earlier process made and did not see end.
 */
export async function runResends(
  jobs: readonly ResendJob[],
  ports: ResendPorts,
  watched: readonly WatchedResend[] = [],
): Promise<ResendResult> {
  const outcomes = new Map<string, ResendOutcome>()
  const brake = new ResendBrake()
  // What failed before the run was killed failed in the same row (P15).
  for (const row of ports.journal.resendsOfRun(ports.runId)) brake.note(outcomeFrom(row))
  let open: readonly WatchedResend[] = watched
  let awaitsCanary = ports.canary ?? false
  for (const [index, job] of jobs.entries()) {
    open = await lookAtOldest(open, ports, outcomes, brake)
    const stop = ports.signal.aborted ? interruptedBefore : brake.heldBecause
    if (stop) {
      outcomes.set(job.delivery.id, skipped(stop))
      continue
    }
    const startedMs = ports.now()
    const sent = await sendOnce(job, ports)
    if ('outcome' in sent) {
      outcomes.set(job.delivery.id, sent.outcome)
      if (!sent.isOurs) brake.note(sent.outcome)
    } else {
      const outcome = awaitsCanary
        ? (await watchUntilSettled([sent], ports)).get(job.delivery.id)
        : await lookOnce(sent, ports)
      if (outcome) outcomes.set(job.delivery.id, outcome)
      else open = [...open, sent]
      if (outcome || !sent.accepted) brake.note(outcome ?? lostAnswer)
    }
    const first = outcomes.get(job.delivery.id)
    if (awaitsCanary && first && !('outcome' in sent && sent.isOurs)) {
      brake.noteCanary(job.orderNo ?? job.delivery.id, first)
      awaitsCanary = false
    }
    ports.onProgress?.('resend', index + 1, jobs.length)
    if (index < jobs.length - 1) await ports.sleep(startedMs + 1000 / ports.ratePerSecond - ports.now())
  }
  for (const [id, outcome] of await watchUntilSettled(open, ports)) outcomes.set(id, outcome)
  return {outcomes}
}

/** Of those without an end the oldest: where ends come late, this is how the brake hears of them in time. */
async function lookAtOldest(
  open: readonly WatchedResend[],
  ports: ResendPorts,
  outcomes: Map<string, ResendOutcome>,
  brake: ResendBrake,
): Promise<readonly WatchedResend[]> {
  const [oldest, ...rest] = open
  if (!oldest || ports.signal.aborted) return open
  const outcome = await lookOnce(oldest, ports)
  if (!outcome) return [...rest, oldest]
  outcomes.set(oldest.deliveryId, outcome)
  // A lost answer was counted when it was lost.
  if (oldest.accepted || outcome.state === 'delivered') brake.note(outcome)
  return rest
}

/** A resend that did not take place: `isOurs` where hisab held it back, else the service did not take it. */
interface NotSent {
  readonly outcome: ResendOutcome
  readonly isOurs: boolean
}

async function sendOnce(job: ResendJob, ports: ResendPorts): Promise<WatchedResend | NotSent> {
  const {client, journal, now} = ports
  const {id} = job.delivery
  const held = await holdBack(job, client)
  const stop = held ?? (ports.signal.aborted ? skipped(interruptedBefore) : null)
  if (stop) return {outcome: stop, isOurs: true}

  const {attempts, sentAt, nextRetryAt, status, responseCode} = job.delivery
  const journalId = journal.recordIntent({
    runId: ports.runId,
    deliveryId: id,
    orderId: job.delivery.orderId,
    event: job.delivery.event,
    kind: job.kind,
    orderNo: job.orderNo,
    intentAtMs: now(),
    baselineAttempts: attempts,
    baselineSentAt: sentAt,
    baselineStatus: status,
    baselineNextRetryAt: nextRetryAt,
    baselineResponseCode: responseCode,
    overrides: [...ports.overrides],
    cause: job.cause,
  })
  const sentAtMs = now()
  const watch = {deliveryId: id, journalId, baseline: {attempts, sentAt, nextRetryAt}, sentAtMs}
  try {
    await client.resendDelivery(id)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (error.code !== 'outcome_unknown') return notTaken(error, journalId, journal)
    journal.settleResend(journalId, 'unknown', {detail: error.message, sentAtMs})
    return {...watch, accepted: false}
  }
  journal.settleResend(journalId, 'accepted', {sentAtMs})
  return {...watch, accepted: true}
}

function notTaken({code, message}: Failure, journalId: number, journal: ResendPorts['journal']): NotSent {
  const isRefused = code === 'service_refused'
  const why = isRefused ? message : `Not sent: ${message}`
  journal.settleResend(journalId, isRefused ? 'refused' : 'not_sent', {detail: why})
  return {outcome: {...skipped(why), state: isRefused ? 'refused' : 'skipped'}, isOurs: false}
}

// The evidence may be as old as the question on the screen: a record that moved since is not ours to send.
async function holdBack(
  {delivery: known, refusePayload}: ResendJob,
  client: ResendPorts['client'],
): Promise<ResendOutcome | null> {
  let detail: QuotedDelivery | null
  try {
    detail = await client.getDelivery(known.id)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return skipped(`Not sent: its record could not be read just before (${error.message}).`)
  }
  if (!detail) return skipped('Not sent: the service no longer has its record.')
  const {delivery: fresh, payload} = detail
  const isSame =
    fresh.status === known.status &&
    fresh.attempts === known.attempts &&
    fresh.sentAt === known.sentAt &&
    fresh.nextRetryAt === known.nextRetryAt
  if (!isSame) {
    const now = `now ${fresh.status}, ${fresh.attempts} tries`
    return skipped(`Not sent: its record moved since it was read (${now}).`)
  }
  const refusal = refusePayload?.(payload) ?? null
  return refusal === null ? null : {...skipped(refusal), needsPerson: true}
}

const interruptedBefore = 'Not sent: the run was interrupted before its turn.'

const lostAnswer = {state: 'unknown', why: 'The answers to the resends were lost.'} as const

function skipped(why: string): ResendOutcome {
  return {state: 'skipped', sentAtMs: null, responseCode: null, why}
}

/** In sentences, what of a run's resends is neither done nor given up; empty where nothing is. */
export function whyUnfinished(outcomes: Iterable<ResendOutcome>): string[] {
  let open = 0
  let notSent = 0
  for (const {state, needsPerson} of outcomes) {
    if (state === 'sent') open += 1
    if (state === 'skipped' && !needsPerson) notSent += 1
  }
  const reasons: string[] = []
  if (open > 0) reasons.push(`${open} accepted resends show no end yet`)
  if (notSent > 0) reasons.push(`${counted(notSent, 'planned resend was', 'planned resends were')} not sent`)
  return reasons
}
