import {type ExitStatus, worstStatus} from '../core/failure.ts'
import {resendLabels} from '../core/labels.ts'
import type {ResendState} from '../core/reconcile/finding.ts'
import type {ListColumn} from './list-text.ts'
import {countResends, type ResendCounts} from './resend-counts.ts'

export interface ResendRecordView {
  readonly id: string
  readonly order_id: string | null
  readonly merchant_order_id: string | null
  readonly event: string | null
  readonly state: ResendState
  readonly why: string | null
}

export interface ResendReport {
  /** Null if no run was started: nothing to send, or not approved. */
  readonly runId: string | null
  readonly resends: ResendCounts
  readonly records: readonly ResendRecordView[]
}

export interface ResendLine {
  readonly id: string
  /** Null, like the event, if the record could not be read. */
  readonly orderId: string | null
  readonly merchantOrderId: string | null
  readonly event: string | null
  /** The plan sends it; others are left out. */
  readonly isPlanned: boolean
  /** Left out, and waiting will not end it: resent but not delivered, or outcome unknown. */
  readonly isOpen?: boolean
  readonly outcome: {
    readonly state: ResendState
    readonly why: string | null
    readonly needsPerson?: true
    /** Left out since it was planned, because the merchant's server took it meanwhile. */
    readonly isDone?: true
  }
}

/** `skipped` includes what the plan left out. */
export function resendReport(runId: string | null, lines: readonly ResendLine[]): ResendReport {
  return {
    runId,
    resends: countResends(
      lines.filter(({isPlanned}) => isPlanned).length,
      lines.map(({outcome}) => outcome.state),
    ),
    records: lines.map(viewLine),
  }
}

export function viewLine({id, outcome: {state, why}, ...line}: ResendLine): ResendRecordView {
  return {
    id,
    order_id: line.orderId,
    merchant_order_id: line.merchantOrderId,
    event: line.event,
    state,
    why,
  }
}

/** 6: unknown outcome, 8: not read or not finished, 7: not delivered. */
export function resendStatus(
  lines: readonly ResendLine[],
  plan: {readonly selectedBy: 'ids' | 'filter'; readonly incompleteBecause: readonly string[]},
): ExitStatus {
  const statuses = lines.map((line) => lineStatus(line, plan.selectedBy))
  return worstStatus([...statuses, plan.incompleteBecause.length > 0 ? 8 : 0])
}

/** Whether continuing the run could still change something. */
export function isUnfinished(lines: readonly ResendLine[]): boolean {
  return lines.some(
    ({isPlanned, outcome: {state, needsPerson, isDone}}) =>
      isPlanned && !needsPerson && !isDone && ['sent', 'unknown', 'skipped'].includes(state),
  )
}

function lineStatus({isPlanned, isOpen, outcome}: ResendLine, selectedBy: 'ids' | 'filter'): ExitStatus {
  switch (outcome.state) {
    case 'delivered':
      return 0
    case 'unknown':
      return 6
    case 'sent':
    case 'refused':
      return 8
    case 'still_failing':
    case 'planned':
      return 7
    case 'skipped':
      if (outcome.isDone) return 0
      // Records left out of a filter are as expected; one that a person named should have been sent.
      if (isPlanned) return outcome.needsPerson ? 7 : 8
      return isOpen || selectedBy === 'ids' ? 7 : 0
  }
}

export const resendColumns: readonly ListColumn<ResendRecordView>[] = [
  {name: 'id', title: 'ID', kind: 'text', value: ({id}) => id},
  {name: 'order_id', kind: 'text', value: (row) => row.order_id},
  {name: 'event', title: 'EVENT', kind: 'text', dropRank: 1, value: ({event}) => event},
  {
    ...{name: 'state', title: 'STATE', kind: 'text', value: ({state}) => state},
    shown: ({state}) => resendLabels[state].en,
  },
  {
    name: 'merchant_order_id',
    title: 'ORDER',
    kind: 'text',
    isLast: true,
    value: (row) => row.merchant_order_id,
  },
  {name: 'why', title: 'WHY', kind: 'text', isBelow: true, value: ({why}) => why},
]

export function resendSummary({resends}: ResendReport, lines: readonly ResendLine[]): string {
  const {planned, sent, delivered, stillFailing, unknown, refused, skipped} = resends
  const done = lines.filter(({outcome}) => outcome.isDone).length
  const notSent =
    lines.filter(({isPlanned, outcome: {state}}) => isPlanned && state === 'skipped').length - done
  const parts: [count: number, words: string][] = [
    [delivered, 'delivered'],
    [stillFailing, resendLabels.still_failing.en],
    [unknown, resendLabels.unknown.en],
    [refused, 'refused'],
    [done, 'already delivered'],
    [notSent, 'not sent'],
    [skipped - done - notSent, 'left out'],
  ]
  const details = parts.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`)
  return [`${planned} planned, ${sent} sent`, ...details].join(', ')
}
