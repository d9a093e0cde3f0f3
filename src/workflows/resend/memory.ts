import type {ResendOutcome} from '../../core/reconcile/finding.ts'
import type {Journal} from '../../journal/journal.ts'
import type {ResendRow} from '../../journal/rows.ts'

/**
 * The resends a run has made. An intent without an answer is what a killed process leaves behind: from now on
 * its outcome is unknown.
 */
export async function closeIntents(journal: Journal, runId: string): Promise<ResendRow[]> {
  for (const {id, state} of await journal.resendsOfRun(runId)) {
    if (state === 'intent') await journal.recordResendOutcome(id, 'unknown', {detail: endedBetween})
  }
  return await journal.resendsOfRun(runId)
}

/** Whether the record may still show how this resend ended. */
export function isPending({state}: ResendRow): boolean {
  return state === 'intent' || state === 'accepted' || state === 'unknown'
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
      return {state: 'refused', sentAtMs, responseCode, why}
    case 'not_sent':
      return {state: 'skipped', sentAtMs: null, responseCode, why}
    case 'accepted':
      return {state: 'sent', sentAtMs, responseCode, why}
    case 'unknown':
      return {state: 'unknown', sentAtMs, responseCode, why: why ?? endedBetween}
    case 'intent':
      return {state: 'unknown', sentAtMs, responseCode, why: endedBetween}
  }
}

const endedBetween = 'The run ended between the send and its answer.'
