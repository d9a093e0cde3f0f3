import {causeLabel, type Label, verdictLabel} from '../core/labels.ts'
import {formatPaisa, type Paisa} from '../core/money.ts'
import type {Delivery, DeliveryStatus, OrderKind} from '../core/order.ts'
import {maskPhones} from '../core/personal.ts'
import type {Finding, ResendState} from '../core/reconcile/finding.ts'
import {ageDays, type HistoryState} from '../core/reconcile/history.ts'
import {isClosing} from '../core/reconcile/ignore.ts'
import type {Action, Cause, Severity, Verdict} from '../core/reconcile/verdict.ts'
import {formatInstant} from '../core/time.ts'

export interface FindingView {
  readonly line: number | null
  readonly file: string | null
  readonly kind: OrderKind | null
  readonly orderNo: string | null
  /** By its row, else by its webhook. */
  readonly orderedAt: string | null
  /** Phone numbers are masked. */
  readonly playerRef: string | null
  readonly verdict: Verdict
  readonly cause: Cause | null
  readonly action: Action
  readonly severity: Severity
  readonly amountAtRisk: string | null
  readonly ledger: {readonly status: string; readonly amount: string | null} | null
  readonly provider: {
    readonly status: string
    readonly rawStatus: string
    readonly amount: string | null
    readonly platformOrderNo: string
  } | null
  readonly delivery: {
    readonly id: string
    readonly orderId: string
    readonly url: string
    readonly status: DeliveryStatus
    readonly attempts: number
    readonly responseCode: number | null
    readonly nextRetryAt: string | null
    readonly sentAt: string | null
    readonly createdAt: string
  } | null
  /** Amount of the delivered webhook; null if it was not read. */
  readonly delivered: {readonly amount: string | null} | null
  readonly resend: {
    readonly state: ResendState
    readonly sentAt: string | null
    readonly responseCode: number | null
    readonly why: string | null
  } | null
  /** Comparison with earlier runs; null without earlier runs. */
  readonly history: {
    readonly state: HistoryState
    readonly firstSeenAt: string
    readonly ageDays: number
  } | null
  readonly ignored: {
    readonly id: number
    readonly reason: string
    readonly by: string
    /** Null if a person closed it. */
    readonly until: string | null
  } | null
  /** What a spreadsheet did to the row, or may have done. */
  readonly corruption: {
    readonly what: string
    readonly repair: string | null
    readonly certain: boolean
  } | null
  /** The earlier run whose answer was used; also this run, before it was stopped. */
  readonly takenFrom: string | null
  readonly askedAt: string | null
  readonly explanation: string
}

export interface FindingContext {
  readonly ledger: readonly {readonly path: string}[]
  readonly timeZone: string
  readonly finishedAtMs: number
}

/** Nothing for a delivered webhook: the merchant has it. */
export function riskOf({resend, cause, atRisk}: Finding): Paisa | null {
  return resend?.state === 'delivered' || cause === 'delivered' ? 0n : atRisk
}

export function viewFinding(finding: Finding, context: FindingContext): FindingView {
  const {ledger, timeZone} = context
  const {line, kind, orderNo, verdict, cause, action, severity, service, resend, explanation} = finding
  const {history, ignored, deliveredAmount, corruption, takenFrom, orderedAtMs = null, playerRef} = finding
  return {
    line,
    file: finding.file === null ? null : (ledger[finding.file]?.path ?? null),
    kind,
    orderNo,
    playerRef: playerRef ? maskPhones(playerRef) : null,
    orderedAt: orderedAtMs === null ? null : formatInstant(orderedAtMs, timeZone),
    verdict,
    cause,
    action,
    severity,
    amountAtRisk: viewAmount(riskOf(finding)),
    ledger: finding.ledger && {status: finding.ledger.status, amount: viewAmount(finding.ledger.amount)},
    provider: service && {
      status: service.status,
      rawStatus: service.rawStatus,
      amount: viewAmount(service.amount),
      platformOrderNo: service.platformOrderNo,
    },
    delivery: finding.delivery && viewDelivery(finding.delivery),
    delivered: deliveredAmount === undefined ? null : {amount: viewAmount(deliveredAmount)},
    resend: resend && {
      state: resend.state,
      sentAt: resend.sentAtMs === null ? null : formatInstant(resend.sentAtMs, timeZone),
      responseCode: resend.responseCode,
      why: resend.why,
    },
    history: history
      ? {
          state: history.state,
          firstSeenAt: formatInstant(history.firstSeenMs, timeZone),
          ageDays: ageDays(history.openedMs, context.finishedAtMs),
        }
      : null,
    ignored: ignored
      ? {
          ...{id: ignored.id, reason: ignored.reason, by: ignored.by},
          until: isClosing(ignored) ? null : formatInstant(ignored.expiresAtMs, timeZone),
        }
      : null,
    corruption: corruption
      ? {what: corruption.what, repair: corruption.repair, certain: corruption.isCertain}
      : null,
    takenFrom: takenFrom?.runId ?? null,
    askedAt: takenFrom ? formatInstant(takenFrom.askedAtMs, timeZone) : null,
    explanation,
  }
}

function viewDelivery(delivery: Delivery): FindingView['delivery'] {
  const {id, orderId, url, status, attempts, responseCode, nextRetryAt, sentAt, createdAt} = delivery
  return {id, orderId, url, status, attempts, responseCode, nextRetryAt, sentAt, createdAt}
}

/** `paid, not booked; not delivered`. */
export function resultText(
  {verdict, cause, kind}: Pick<Finding, 'verdict' | 'cause' | 'kind'>,
  of = (label: Label) => label.en,
): string {
  return [verdictLabel(verdict, kind), ...(cause === null ? [] : [causeLabel(cause, kind)])]
    .map(of)
    .join('; ')
}

interface Explained {
  readonly explanation: string
  readonly resend: {readonly why: string | null} | null
}

/** The explanation of a finding, then why its resend ended as it did. */
export function wordsOf({explanation, resend}: Explained): string {
  return [explanation, resend?.why].filter(Boolean).join(' ')
}

export function viewAmount(amount: Paisa | null): string | null {
  return amount === null ? null : formatPaisa(amount)
}
