import type {QuotedDelivery, ServiceClient} from '../api/client.ts'
import {Failure} from '../core/failure.ts'
import {outcomeInDoubt, outcomeOf, type ResendBaseline} from '../core/reconcile/evidence.ts'
import type {ResendOutcome} from '../core/reconcile/finding.ts'
import type {Journal} from '../journal/journal.ts'
import type {ResendRow} from '../journal/rows.ts'
import {baselineOf} from './resend-memory.ts'

/** A resend that left this machine and whose end is not known yet. */
export interface WatchedResend {
  readonly deliveryId: string
  readonly journalId: number
  readonly baseline: ResendBaseline
  readonly sentAtMs: number
  readonly accepted: boolean
}

export interface WatchPorts {
  readonly client: Pick<ServiceClient, 'getDelivery'>
  readonly journal: Journal
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
  /** How long to wait for the records to show an end, after the last resend. */
  readonly settleMs: number
  readonly signal: AbortSignal
  readonly onProgress?: (stage: 'settle', done: number, total: number) => void
}

/** A resend of an earlier process of the run, to be watched on. */
export function watchedFrom(row: ResendRow): WatchedResend {
  return {
    deliveryId: row.deliveryId,
    journalId: row.id,
    baseline: baselineOf(row),
    sentAtMs: row.sentAtMs ?? row.intentAtMs,
    accepted: row.state === 'accepted',
  }
}

const pollMs = [0, 500, 1_000, 2_000, 5_000]

/** Reads the records until each shows an end or the time is over, and says of each what is known then. */
export async function watchUntilSettled(
  resends: readonly WatchedResend[],
  ports: WatchPorts,
): Promise<Map<string, ResendOutcome>> {
  const outcomes = new Map<string, ResendOutcome>()
  const deadlineMs = ports.now() + ports.settleMs
  let open = resends
  for (let poll = 0; open.length > 0 && !ports.signal.aborted; poll++) {
    const waitMs = pollMs[Math.min(poll, pollMs.length - 1)] ?? 0
    if (poll > 0 && ports.now() + waitMs > deadlineMs) break
    await ports.sleep(waitMs)
    const left: WatchedResend[] = []
    for (const resend of open) {
      const outcome = ports.signal.aborted ? null : await lookOnce(resend, ports)
      if (outcome) outcomes.set(resend.deliveryId, outcome)
      else left.push(resend)
    }
    open = left
    ports.onProgress?.('settle', resends.length - open.length, resends.length)
  }
  for (const resend of open) outcomes.set(resend.deliveryId, withoutEnd(resend))
  return outcomes
}

/** What the record shows of a resend now, written down; null while it shows nothing. */
export async function lookOnce(
  resend: WatchedResend,
  {client, journal}: Pick<WatchPorts, 'client' | 'journal'>,
): Promise<ResendOutcome | null> {
  const detail = await readQuietly(resend.deliveryId, client)
  const state = detail && (resend.accepted ? outcomeOf : outcomeInDoubt)(resend.baseline, detail.delivery)
  if (!detail || !state) return null
  const {responseCode} = detail.delivery
  const why = state === 'delivered' ? null : answeredAgain(detail)
  journal.settleResend(resend.journalId, state, {responseCode, detail: why})
  return {state, sentAtMs: resend.sentAtMs, responseCode, why}
}

function withoutEnd({accepted, sentAtMs}: WatchedResend): ResendOutcome {
  return {
    state: accepted ? 'sent' : 'unknown',
    sentAtMs,
    responseCode: null,
    why: accepted
      ? 'The service took the resend, and its record shows no new attempt yet.'
      : 'The answer to the resend was lost, and its record shows no new attempt: it may still be delivered.',
  }
}

function answeredAgain({delivery: {responseCode}, answerLine}: QuotedDelivery): string {
  const answered = responseCode === null ? 'nothing' : `HTTP ${responseCode}`
  return `Your server answered ${answered} again${answerLine === null ? '.' : `: ${answerLine.replace(/\.$/, '')}.`}`
}

// Reading a record is only how we learn the end; that it fails now changes nothing of what was sent.
async function readQuietly(id: string, client: WatchPorts['client']): Promise<QuotedDelivery | null> {
  try {
    return await client.getDelivery(id)
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}
