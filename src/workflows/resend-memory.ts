import type {EarlierResend, ResendBaseline} from '../core/reconcile/evidence.ts'
import type {ResendOutcome} from '../core/reconcile/finding.ts'
import type {Journal} from '../journal/journal.ts'
import type {ResendRow} from '../journal/rows.ts'

/** What the journal remembers of earlier runs' resends of an order's event; this run's own are not earlier. */
export function earlierResends(
  journal: Journal,
  runId: string,
): (orderId: string, event: string) => EarlierResend | null {
  return (orderId, event) => {
    const row = journal.latestResend(orderId, event)
    if (!row || row.runId === runId) return null
    return {state: stateOf(row), atMs: row.sentAtMs ?? row.intentAtMs, baseline: baselineOf(row)}
  }
}

/**
 * The resends a run has made. An intent without an answer is what a killed process leaves behind: from now on
 * its outcome is unknown.
 */
export function settleIntents(journal: Journal, runId: string): ResendRow[] {
  for (const {id, state} of journal.resendsOfRun(runId)) {
    if (state === 'intent') journal.settleResend(id, 'unknown', {})
  }
  return journal.resendsOfRun(runId)
}

/** Whether the record may still show how this resend ended. */
export function isUnsettled({state}: ResendRow): boolean {
  return state === 'intent' || state === 'accepted' || state === 'unknown'
}

export function baselineOf(row: ResendRow): ResendBaseline {
  return {attempts: row.baselineAttempts, sentAt: row.baselineSentAt, nextRetryAt: row.baselineNextRetryAt}
}

/** How a resend of an earlier process ended, or how far it came. */
export function outcomeFrom(row: ResendRow): ResendOutcome {
  const sentAtMs = row.sentAtMs ?? row.intentAtMs
  const {responseCode, detail: why} = row
  switch (row.state) {
    case 'delivered':
      return {state: 'delivered', sentAtMs, responseCode, why: null}
    case 'still_failing':
      return {state: 'still_failing', sentAtMs, responseCode, why}
    case 'refused':
      return {state: 'refused', sentAtMs: null, responseCode, why}
    case 'not_sent':
      return {state: 'skipped', sentAtMs: null, responseCode, why}
    case 'accepted':
      return {state: 'sent', sentAtMs, responseCode, why}
    case 'intent':
    case 'unknown':
      return {state: 'unknown', sentAtMs, responseCode, why: 'The run ended between the send and its answer.'}
  }
}

function stateOf({state}: ResendRow): EarlierResend['state'] {
  switch (state) {
    case 'delivered':
    case 'still_failing':
      return state
    case 'accepted':
      return 'unsettled'
    // An intent without an answer: the process died in between, and nobody knows (P6).
    case 'intent':
    case 'unknown':
    case 'refused':
    case 'not_sent':
      return 'unknown'
  }
}
