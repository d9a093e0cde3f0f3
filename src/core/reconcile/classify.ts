import type {FailureCode} from '../failure.ts'
import type {Paisa} from '../money.ts'
import type {OrderState, ServiceOrder} from '../order.ts'
import {mayBeSameOrderNo} from '../order-no-fold.ts'
import {isNothing} from '../text.ts'
import type {DuplicateCause, Judged} from './verdict.ts'

/** The merchant's side of one order. Null amount: blank in the file. */
export interface LedgerSide {
  readonly status: OrderState
  readonly amount: Paisa | null
  /** The platform's ID of the order, if the row has it. */
  readonly platformOrderNo?: string | null
}

/** An answer from an earlier process: the run that queried, and when. */
export interface TakenFrom {
  readonly runId: string
  readonly askedAtMs: number
}

/** Orders that were not queried because an earlier run had the answer. */
export interface TakenAnswers {
  readonly orders: number
  /** When the first of them was queried. */
  readonly oldestMs: number
}

/** The service's side: an order, a proven absence, or no reliable answer; `interrupted` was never queried. */
export type ServiceSide =
  | {readonly is: 'found'; readonly order: ServiceOrder; readonly takenFrom?: TakenFrom}
  /** `isBare`: as in an answer; it gives way to any sign of the order. */
  | {readonly is: 'absent'; readonly isBare?: true}
  | {readonly is: 'no_answer'; readonly code: FailureCode; readonly because: string}

/** The result of one row, or of an order that no row names. */
export type ClassifiedRow = Judged<DuplicateCause>
export type Classified = ClassifiedRow | Judged<'missing_in_ledger'>

/**
 * The verdict table (docs/verdicts.md#how-an-order-gets-its-verdict), row by row. `ledger` is null for an order that
 * no row names; the result is null if such an order needs no report.
 */
export function classifyOrder(ledger: LedgerSide, service: ServiceSide): ClassifiedRow
export function classifyOrder(ledger: LedgerSide | null, service: ServiceSide): Classified | null
export function classifyOrder(ledger: LedgerSide | null, service: ServiceSide): Classified | null {
  if (service.is === 'no_answer') {
    return {verdict: 'query_failed', cause: service.code === 'interrupted' ? 'not_asked' : null}
  }
  if (service.is === 'absent') return classifyAbsent(ledger)
  const {order} = service
  if (ledger !== null && namesAnother(ledger, order)) {
    return {verdict: 'status_mismatch', cause: 'other_platform_order_no'}
  }
  if (order.status === 'unknown_status') return {verdict: 'unknown_status', cause: null}
  if (order.status === 'completed' && order.sentAmount !== undefined)
    return {verdict: 'amount_mismatch', cause: 'sent_amount_differs'}
  if (ledger === null) {
    return order.status === 'completed' ? {verdict: 'missing_in_ledger', cause: null} : null
  }
  return classifyPair(ledger, order.status, order.amount)
}

/** Whether a row has the platform ID of another order than the service has under its number. */
export function namesAnother(
  {platformOrderNo: stated}: Pick<LedgerSide, 'platformOrderNo'>,
  {platformOrderNo}: Pick<ServiceOrder, 'platformOrderNo'>,
): boolean {
  if (stated == null || isNothing(stated)) return false
  return !mayBeSameOrderNo(stated, platformOrderNo)
}

function classifyAbsent(ledger: LedgerSide | null): Classified | null {
  if (ledger === null) return null
  switch (ledger.status) {
    case 'completed':
      return {verdict: 'missing_at_provider', cause: 'booked'}
    case 'open':
      return {verdict: 'missing_at_provider', cause: 'open'}
    case 'failed':
      return {verdict: 'matched', cause: null}
  }
}

function classifyPair(ledger: LedgerSide, status: OrderState, amount: Paisa | null): ClassifiedRow {
  if (status === 'completed') {
    if (ledger.amount !== null && amount !== null && ledger.amount !== amount) {
      return {verdict: 'amount_mismatch', cause: null}
    }
    return {verdict: ledger.status === 'completed' ? 'matched' : 'missing_completion', cause: null}
  }
  if (ledger.status === status) {
    return {verdict: status === 'open' ? 'in_flight' : 'matched', cause: null}
  }
  if (ledger.status === 'completed') {
    return {verdict: 'status_mismatch', cause: status === 'open' ? 'booked_but_open' : 'booked_but_failed'}
  }
  return {verdict: 'status_mismatch', cause: status === 'failed' ? 'failed_not_booked' : 'reopened'}
}
