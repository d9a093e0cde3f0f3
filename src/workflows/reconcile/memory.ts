import type {Dialect} from '../../core/dialect.ts'
import type {JsonValue} from '../../core/json.ts'
import {formatTaka} from '../../core/money.ts'
import type {Delivery, ServiceOrder} from '../../core/order.ts'
import {deliveredAmount} from '../../core/reconcile/delivered.ts'
import type {EarlierResend, ResendBaseline} from '../../core/reconcile/evidence.ts'
import {explain} from '../../core/reconcile/explain.ts'
import type {Finding, ResendOutcome} from '../../core/reconcile/finding.ts'
import {severityOf} from '../../core/reconcile/verdict.ts'
import type {Journal} from '../../journal/journal.ts'
import {resendKey} from '../../journal/resends.ts'
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
 * The resends this very run has made already, before it was interrupted (`--resume`): none is made again, not
 * even by another record of the same order and event (P4), and each keeps the cause it was sent for.
 */
export class RunResends {
  private readonly byKey: ReadonlyMap<string, ResendRow>

  /** An intent without an answer is what a killed process leaves behind: from now on its outcome is unknown. */
  static of(journal: Journal, runId: string): RunResends {
    for (const {id, state} of journal.resendsOfRun(runId)) {
      if (state === 'intent') journal.settleResend(id, 'unknown', {})
    }
    return new RunResends(journal.resendsOfRun(runId))
  }

  private constructor(rows: readonly ResendRow[]) {
    this.byKey = new Map(rows.map((row) => [resendKey(row.orderId, row.event), row]))
  }

  restore(finding: Finding, timeZone: string): Finding {
    const {delivery} = finding
    const row = delivery && this.byKey.get(keyOf(delivery))
    if (!delivery || !row?.cause) return finding
    const cause = row.cause as Finding['cause']
    const restored = {
      ...finding,
      delivery: asBefore(delivery, row),
      cause,
      action: 'resend' as const,
      severity: severityOf(finding.verdict, cause),
    }
    return {
      ...restored,
      explanation: explain({...restored, detail: null}, timeZone),
      resend: outcomeFrom(row),
    }
  }

  planned(findings: readonly Finding[], dialect: Dialect): ResendJob[] {
    // Two orders can be joined to one record, or to two of one order_id, where its id is neither's (A9).
    const taken = new Set(this.byKey.keys())
    return findings.flatMap(({action, delivery, kind, orderNo, cause, service}) => {
      if (action !== 'resend' || !delivery || taken.has(keyOf(delivery))) return []
      taken.add(keyOf(delivery))
      return [
        {
          delivery,
          kind,
          orderNo,
          cause,
          refusePayload: (payload) => whyAnotherAmount(payload, service, dialect),
        },
      ]
    })
  }

  unsettled(findings: readonly Finding[]): WatchedResend[] {
    const watched = new Map<number, WatchedResend>()
    for (const {delivery} of findings) {
      const row = delivery && this.byKey.get(keyOf(delivery))
      if (!row || row.deliveryId !== delivery.id || !isUnsettled(row)) continue
      watched.set(row.id, {
        delivery,
        journalId: row.id,
        baseline: baselineOf(row),
        sentAtMs: row.sentAtMs ?? row.intentAtMs,
        accepted: row.state === 'accepted',
      })
    }
    return [...watched.values()]
  }
}

/** A webhook that would credit another amount than the service stands by is not sent again. */
function whyAnotherAmount(
  payload: JsonValue | undefined,
  service: ServiceOrder | null,
  dialect: Dialect,
): string | null {
  const stated = service && deliveredAmount(payload, service, dialect)
  if (stated == null || service?.amount == null || stated === service.amount) return null
  return `Not sent: the webhook says BDT ${formatTaka(stated)}, and the service now says BDT ${formatTaka(service.amount)}. Ask the service which was paid.`
}

/** The record as it stood when the resend was decided: the one read now is already what came of it. */
function asBefore(delivery: Delivery, row: ResendRow): Delivery {
  if (delivery.id !== row.deliveryId) return delivery
  const {baselineStatus: status, baselineResponseCode: responseCode} = row
  return {...delivery, ...baselineOf(row), status, responseCode}
}

function keyOf({orderId, event}: Delivery): string {
  return resendKey(orderId, event)
}

function isUnsettled({state}: ResendRow): boolean {
  return state === 'intent' || state === 'accepted' || state === 'unknown'
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
      return {state: 'healed', sentAtMs, responseCode, why: null}
    case 'still_failing':
      return {state: 'still_failing', sentAtMs, responseCode, why}
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
