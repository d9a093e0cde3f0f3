import type {DeliveryDetail, ServiceClient} from '../api/client.ts'
import {Failure} from '../core/failure.ts'
import type {JsonValue} from '../core/json.ts'
import type {Delivery, OrderKind} from '../core/order.ts'
import {outcomeInDoubt, outcomeOf, type ResendBaseline} from '../core/reconcile/evidence.ts'
import type {ResendOutcome} from '../core/reconcile/finding.ts'
import type {Journal} from '../journal/journal.ts'
import type {OverrideWord} from '../journal/rows.ts'

/** One delivery to be sent again, with what was known of it when that was decided. */
export interface ResendJob {
  readonly delivery: Delivery
  readonly kind: OrderKind | null
  readonly orderNo: string | null
  readonly cause: string | null
  /** Why this payload is not to be sent again, as a sentence; null where it may. Asked just before it is sent. */
  readonly refusePayload?: (payload: JsonValue | undefined) => string | null
}

export interface ResendPorts {
  readonly client: Pick<ServiceClient, 'getDelivery' | 'resendDelivery'>
  readonly journal: Journal
  readonly runId: string
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
  /** Resends a second, at most. */
  readonly ratePerSecond: number
  /** How long to wait for the records to show an end, after the last resend. */
  readonly settleMs: number
  /** The overrides a person gave, recorded with each intent (P4, P5). */
  readonly overrides: readonly OverrideWord[]
  readonly signal: AbortSignal
  readonly onProgress?: (stage: 'resend' | 'settle', done: number, total: number) => void
}

/** A delivery whose resend left this machine and whose end is not known yet. */
export interface WatchedResend {
  readonly delivery: Delivery
  readonly journalId: number
  readonly baseline: ResendBaseline
  readonly sentAtMs: number
  readonly accepted: boolean
}

export interface ResendResult {
  /** By delivery id. */
  readonly outcomes: ReadonlyMap<string, ResendOutcome>
  readonly incompleteBecause: readonly string[]
}

/** Resends stop after this many in a row that were not accepted: the fault is then not the order's. */
const failuresInARowMax = 5

const pollMs = [0, 500, 1_000, 2_000, 5_000]

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
  const open: WatchedResend[] = [...watched]
  let failuresInARow = 0
  for (const [index, job] of jobs.entries()) {
    const stop = stopReason(ports.signal, failuresInARow)
    if (stop) {
      outcomes.set(job.delivery.id, skipped(stop))
      continue
    }
    const startedMs = ports.now()
    const sent = await sendOnce(job, ports)
    if ('journalId' in sent) {
      failuresInARow = sent.accepted ? 0 : failuresInARow + 1
      if (!(await settle(sent, ports, outcomes))) open.push(sent)
    } else {
      if (!sent.isOurs) failuresInARow += 1
      outcomes.set(job.delivery.id, sent.outcome)
    }
    ports.onProgress?.('resend', index + 1, jobs.length)
    if (index < jobs.length - 1) await ports.sleep(startedMs + 1000 / ports.ratePerSecond - ports.now())
  }
  await watchUntilSettled(open, ports, outcomes)
  return {outcomes, incompleteBecause: whyIncomplete(outcomes)}
}

/** A resend that did not take place: `isOurs` where hisab held it back, else the service did not take it. */
interface NotSent {
  readonly outcome: ResendOutcome
  readonly isOurs: boolean
}

async function sendOnce(job: ResendJob, ports: ResendPorts): Promise<WatchedResend | NotSent> {
  const {client, journal, now} = ports
  const {id} = job.delivery
  const moved = await whyNotNow(job, client)
  const stop = moved ?? (ports.signal.aborted ? interruptedBefore : null)
  if (stop) return {outcome: skipped(stop), isOurs: true}

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
  const watch = {delivery: job.delivery, journalId, baseline: {attempts, sentAt, nextRetryAt}, sentAtMs}
  try {
    await client.resendDelivery(id)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (error.code !== 'outcome_unknown') {
      // The journal's `refused` is both: the service said no, or nothing left this machine.
      journal.settleResend(journalId, 'refused', {detail: error.message})
      const said: ResendOutcome = {state: 'refused', sentAtMs: null, responseCode: null, why: error.message}
      const outcome = error.code === 'service_refused' ? said : skipped(`Not sent: ${error.message}`)
      return {outcome, isOurs: false}
    }
    journal.settleResend(journalId, 'unknown', {detail: error.message, sentAtMs})
    return {...watch, accepted: false}
  }
  journal.settleResend(journalId, 'accepted', {sentAtMs})
  return {...watch, accepted: true}
}

// The evidence may be as old as the question on the screen: a record that moved since is not ours to send.
async function whyNotNow(
  {delivery: known, refusePayload}: ResendJob,
  client: ResendPorts['client'],
): Promise<string | null> {
  let detail: DeliveryDetail | null
  try {
    detail = await client.getDelivery(known.id)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    return `Not sent: its record could not be read just before (${error.message}).`
  }
  if (!detail) return 'Not sent: the service no longer has its record.'
  const {delivery: fresh, payload} = detail
  const isSame =
    fresh.status === known.status &&
    fresh.attempts === known.attempts &&
    fresh.sentAt === known.sentAt &&
    fresh.nextRetryAt === known.nextRetryAt
  if (!isSame)
    return `Not sent: its record moved since it was read (now ${fresh.status}, ${fresh.attempts} tries).`
  return refusePayload?.(payload) ?? null
}

async function watchUntilSettled(
  resends: readonly WatchedResend[],
  ports: ResendPorts,
  outcomes: Map<string, ResendOutcome>,
): Promise<void> {
  const deadlineMs = ports.now() + ports.settleMs
  let open = resends
  for (let poll = 0; open.length > 0 && !ports.signal.aborted; poll++) {
    const waitMs = pollMs[Math.min(poll, pollMs.length - 1)] ?? 0
    if (poll > 0 && ports.now() + waitMs > deadlineMs) break
    await ports.sleep(waitMs)
    const left: WatchedResend[] = []
    for (const resend of open) {
      if (ports.signal.aborted || !(await settle(resend, ports, outcomes))) left.push(resend)
    }
    open = left
    ports.onProgress?.('settle', resends.length - open.length, resends.length)
  }
  for (const {delivery, accepted, sentAtMs} of open) {
    outcomes.set(delivery.id, {
      state: accepted ? 'sent' : 'unknown',
      sentAtMs,
      responseCode: null,
      why: accepted
        ? 'The service took the resend, and its record shows no new attempt yet.'
        : 'The answer to the resend was lost, and its record shows no new attempt: it may still be delivered.',
    })
  }
}

async function settle(
  resend: WatchedResend,
  {client, journal}: ResendPorts,
  outcomes: Map<string, ResendOutcome>,
): Promise<boolean> {
  const record = await readQuietly(resend.delivery.id, client)
  if (!record) return false
  const outcome = (resend.accepted ? outcomeOf : outcomeInDoubt)(resend.baseline, record)
  if (!outcome) return false
  const {responseCode} = record
  const answered = responseCode === null ? 'nothing' : `HTTP ${responseCode}`
  const why = outcome === 'healed' ? null : `Your server answered ${answered} again.`
  journal.settleResend(resend.journalId, outcome, {responseCode, detail: why})
  outcomes.set(resend.delivery.id, {state: outcome, sentAtMs: resend.sentAtMs, responseCode, why})
  return true
}

// Reading a record is only how we learn the end; that it fails now changes nothing of what was sent.
async function readQuietly(id: string, client: ResendPorts['client']): Promise<Delivery | null> {
  try {
    return (await client.getDelivery(id))?.delivery ?? null
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}

const interruptedBefore = 'Not sent: the run was interrupted before its turn.'

function stopReason(signal: AbortSignal, failuresInARow: number): string | null {
  if (signal.aborted) return interruptedBefore
  if (failuresInARow < failuresInARowMax) return null
  return `Not sent: ${failuresInARowMax} resends in a row were not accepted, so the rest was held back.`
}

function skipped(why: string): ResendOutcome {
  return {state: 'skipped', sentAtMs: null, responseCode: null, why}
}

function whyIncomplete(outcomes: ReadonlyMap<string, ResendOutcome>): string[] {
  const count = (state: string) => [...outcomes.values()].filter((outcome) => outcome.state === state).length
  const reasons: string[] = []
  if (count('sent') > 0) reasons.push(`${count('sent')} accepted resends show no end yet`)
  if (count('skipped') > 0) reasons.push(`${count('skipped')} planned resends were not sent`)
  return reasons
}
