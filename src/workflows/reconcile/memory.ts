import type {EarlierResend, ResendBaseline} from '../../core/reconcile/evidence.ts'
import {explain} from '../../core/reconcile/explain.ts'
import type {Finding, ResendOutcome} from '../../core/reconcile/finding.ts'
import {severityOf} from '../../core/reconcile/verdict.ts'
import type {Journal} from '../../journal/journal.ts'
import type {ResendRow} from '../../journal/rows.ts'
import type {ResendJob, WatchedResend} from '../resend.ts'

/** What the journal remembers of earlier runs' resends of an order's event; this run's own are not earlier. */
export function earlierResends(
  journal: Journal,
  runId: string,
): (orderId: string, event: string) => EarlierResend | null {
  return (orderId, event) => {
    const row = journal.latestResend(orderId, event)
    // A refused resend never reached the merchant's server: it guards nothing.
    if (!row || row.state === 'refused' || row.runId === runId) return null
    return {state: stateOf(row), atMs: row.sentAtMs ?? row.intentAtMs, baseline: baselineOf(row)}
  }
}

/**
 * The resends this very run has made already, before it was interrupted (`--resume`): none is made again, and
 * each keeps the cause it was sent for.
 */
export class RunResends {
  private readonly byDeliveryId: ReadonlyMap<string, ResendRow>

  /** An intent without an answer is what a killed process leaves behind: from now on its outcome is unknown. */
  static of(journal: Journal, runId: string): RunResends {
    for (const {id, state} of journal.resendsOfRun(runId)) {
      if (state === 'intent') journal.settleResend(id, 'unknown', {})
    }
    return new RunResends(journal.resendsOfRun(runId))
  }

  private constructor(rows: readonly ResendRow[]) {
    this.byDeliveryId = new Map(rows.map((row) => [row.deliveryId, row]))
  }

  restore(finding: Finding): Finding {
    const row = finding.delivery && this.byDeliveryId.get(finding.delivery.id)
    if (!row?.cause) return finding
    const cause = row.cause as Finding['cause']
    const restored = {
      ...finding,
      cause,
      action: 'resend' as const,
      severity: severityOf(finding.verdict, cause),
    }
    return {...restored, explanation: explain({...restored, detail: null}), resend: outcomeFrom(row)}
  }

  planned(findings: readonly Finding[]): ResendJob[] {
    return findings.flatMap(({action, delivery, kind, orderNo, cause}) =>
      action === 'resend' && delivery && !this.byDeliveryId.has(delivery.id)
        ? [{delivery, kind, orderNo, cause}]
        : [],
    )
  }

  unsettled(findings: readonly Finding[]): WatchedResend[] {
    return findings.flatMap(({delivery}) => {
      const row = delivery && this.byDeliveryId.get(delivery.id)
      if (!row || !['intent', 'accepted', 'unknown'].includes(row.state)) return []
      return [
        {
          delivery,
          journalId: row.id,
          baseline: baselineOf(row),
          sentAtMs: row.sentAtMs ?? row.intentAtMs,
          accepted: row.state === 'accepted',
        },
      ]
    })
  }
}

function stateOf({state}: ResendRow): EarlierResend['state'] {
  switch (state) {
    case 'healed':
    case 'still_failing':
      return state
    case 'accepted':
      return 'unsettled'
    // An intent without an answer: the process died in between, and nobody knows (P6).
    case 'intent':
    case 'unknown':
    case 'refused':
      return 'unknown'
  }
}

function outcomeFrom(row: ResendRow): ResendOutcome {
  const sentAtMs = row.sentAtMs ?? row.intentAtMs
  const {responseCode, detail: why} = row
  switch (row.state) {
    case 'healed':
    case 'still_failing':
      return {state: row.state, sentAtMs, responseCode, why}
    case 'refused':
      return {state: 'refused', sentAtMs: null, responseCode, why}
    case 'accepted':
      return {state: 'sent', sentAtMs, responseCode, why}
    case 'intent':
    case 'unknown':
      return {state: 'unknown', sentAtMs, responseCode, why: 'The run ended between the send and its answer.'}
  }
}

function baselineOf(row: ResendRow): ResendBaseline {
  return {attempts: row.baselineAttempts, sentAt: row.baselineSentAt, nextRetryAt: row.baselineNextRetryAt}
}
