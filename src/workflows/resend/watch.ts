import type {QuotedDelivery, ResendAnswer, ServiceClient} from '../../api/client.ts'
import {asFailure} from '../../core/failure.ts'
import type {Delivery} from '../../core/order.ts'
import {outcomeInDoubt, outcomeOf, type ResendBaseline} from '../../core/reconcile/evidence.ts'
import type {ResendOutcome} from '../../core/reconcile/finding.ts'
import type {Journal} from '../../journal/journal.ts'
import {baselineOf} from '../../journal/resends.ts'
import type {ResendRow} from '../../journal/rows.ts'

/** A resend that left this machine and whose end is not known yet. */
export interface WatchedResend {
  readonly deliveryId: string
  /** What was sent; a record that names another order or event tells nothing of it. */
  readonly orderId: string
  readonly event: string
  readonly journalId: number
  readonly baseline: ResendBaseline & Pick<Delivery, 'status'>
  readonly sentAtMs: number
  readonly answer: ResendAnswer
}

export interface WatchPorts {
  readonly client: Pick<ServiceClient, 'getDelivery'>
  readonly sending: Pick<Journal, 'recordResendOutcome'>
  /** Milliseconds that only ever grow, at the pace of a watch: what waits are measured by (P17). */
  readonly monotonic: () => number
  readonly sleep: (ms: number) => Promise<void>
  /** How long to wait for the records to show an end, after the last resend. */
  readonly waitMs: number
  readonly signal: AbortSignal
  readonly onProgress: (stage: 'results', done: number, total: number) => void
}

/** A resend of an earlier process of the run, to be watched on. */
export function watchedFrom(row: ResendRow): WatchedResend {
  return {
    deliveryId: row.deliveryId,
    orderId: row.orderId,
    event: row.event,
    journalId: row.id,
    baseline: {...baselineOf(row), status: row.baselineStatus},
    sentAtMs: row.sentAtMs ?? row.intentAtMs,
    answer: {is: row.state === 'accepted' ? 'accepted' : 'lost', but: row.detail},
  }
}

const pollMs = [0, 500, 1_000, 2_000, 5_000]

/**
 * Reads the records until each shows an end or the time is over, and reports each one's state. A no counts only if
 * the record was read and showed nothing new until the end.
 */
export async function awaitDelivery(
  resends: readonly WatchedResend[],
  ports: WatchPorts,
): Promise<Map<string, ResendOutcome>> {
  const outcomes = new Map<string, ResendOutcome>()
  const deadlineMs = ports.monotonic() + ports.waitMs
  const unmoved = new Set<WatchedResend>()
  let open = resends
  for (let poll = 0; open.length > 0 && !ports.signal.aborted; poll++) {
    const waitMs = pollMs[Math.min(poll, pollMs.length - 1)] ?? 0
    if (poll > 0 && ports.monotonic() + waitMs > deadlineMs) break
    await ports.sleep(waitMs)
    const left: WatchedResend[] = []
    for (const resend of open) {
      const seen = ports.signal.aborted ? 'unclear' : await lookOnce(resend, ports)
      if (seen === 'unmoved') unmoved.add(resend)
      else unmoved.delete(resend)
      if (typeof seen === 'object') outcomes.set(resend.deliveryId, seen)
      else left.push(resend)
    }
    open = left
    ports.onProgress('results', resends.length - open.length, resends.length)
  }
  for (const resend of open) {
    const isRefused = resend.answer.is === 'refused' && unmoved.has(resend)
    const outcome = isRefused ? refused(resend) : withoutEnd(resend)
    if (isRefused) await ports.sending.recordResendOutcome(resend.journalId, 'refused', {detail: outcome.why})
    outcomes.set(resend.deliveryId, outcome)
  }
  return outcomes
}

/**
 * What the record shows of a resend now, written down; `unmoved` where it is in all as it was before, `unclear` where it
 * could not be read or tells nothing.
 */
export async function lookOnce(
  resend: WatchedResend,
  {client, sending}: Pick<WatchPorts, 'client' | 'sending'>,
): Promise<ResendOutcome | 'unmoved' | 'unclear'> {
  const {deliveryId, journalId, baseline, sentAtMs, answer} = resend
  const detail = await readQuietly(deliveryId, client)
  if (!detail) return 'unclear'
  const {delivery} = detail
  if (delivery.orderId !== resend.orderId || delivery.event !== resend.event) return 'unclear'
  const state = (answer.is === 'accepted' ? outcomeOf : outcomeInDoubt)(baseline, delivery)
  if (!state) return isUnmoved(baseline, delivery) ? 'unmoved' : 'unclear'
  const {responseCode} = delivery
  const why = state === 'delivered' ? null : answeredAgain(detail)
  await sending.recordResendOutcome(journalId, state, {responseCode, detail: why})
  return {state, sentAtMs, responseCode, why}
}

/** Whether a record is in all as it was before. */
export function isUnmoved(baseline: WatchedResend['baseline'], record: Delivery): boolean {
  return (
    record.status === baseline.status &&
    record.attempts === baseline.attempts &&
    record.sentAt === baseline.sentAt &&
    record.nextRetryAt === baseline.nextRetryAt
  )
}

function refused({sentAtMs, answer}: WatchedResend): ResendOutcome {
  const why = `${answer.but ?? ''} Its record shows no new attempt, and it is left alone for 8 hours, in case the record is late.`
  return {state: 'refused', sentAtMs, responseCode: null, why: why.trim()}
}

function withoutEnd({answer: {is, but}, sentAtMs}: WatchedResend): ResendOutcome {
  const outcome = {sentAtMs, responseCode: null}
  switch (is) {
    case 'accepted': {
      const why = `${but ?? 'The service took the resend.'} Its record shows no new attempt yet.`
      return {...outcome, state: 'sent', why}
    }
    case 'refused': {
      const why = `${but ?? ''} Its record does not prove that nothing was sent: it may have been delivered.`
      return {...outcome, state: 'unknown', why: why.trim()}
    }
    case 'lost': {
      const why =
        'The answer to the resend was lost, and its record shows no new attempt. It may still be delivered.'
      return {...outcome, state: 'unknown', why}
    }
  }
}

function answeredAgain({delivery: {responseCode}, answerLine}: QuotedDelivery): string {
  const answered = responseCode === null ? 'nothing' : `HTTP ${responseCode}`
  return `Your server answered ${answered} again${answerLine === null ? '.' : `: ${answerLine.replace(/\.$/, '')}.`}`
}

/** A failed read changes nothing of what was sent: it is tried again, or the end stays unknown. */
export async function readQuietly(id: string, client: WatchPorts['client']): Promise<QuotedDelivery | null> {
  try {
    return await client.getDelivery(id)
  } catch (error) {
    asFailure(error)
    return null
  }
}
