import {type ExitStatus, worstStatus} from '../core/failure.ts'
import type {Delivery} from '../core/order.ts'
import type {ResendState} from '../core/reconcile/finding.ts'
import type {ListColumn} from './list-text.ts'
import {countResends, type ResendCounts} from './resend-counts.ts'

/** One selected record of `webhooks resend`, under the service's own names, as JSON. */
export interface ResendRecordView {
  readonly id: string
  readonly order_id: string | null
  readonly merchant_order_id: string | null
  readonly event: string | null
  readonly state: ResendState
  readonly why: string | null
}

export interface ResendReport {
  readonly resends: ResendCounts
  readonly records: readonly ResendRecordView[]
}

/** What there is to say of one record. */
interface Line {
  readonly decision: {readonly id: string; readonly delivery: Delivery | null; readonly resend: boolean}
  readonly outcome: {readonly state: ResendState; readonly why: string | null}
}

/** `skipped` also counts what the plan left out. */
export function resendReport(lines: readonly Line[]): ResendReport {
  return {
    resends: countResends(
      lines.filter(({decision}) => decision.resend).length,
      lines.map(({outcome}) => outcome.state),
    ),
    records: lines.map(({decision: {id, delivery}, outcome: {state, why}}) => ({
      id,
      order_id: delivery?.orderId ?? null,
      merchant_order_id: delivery?.merchantOrderId ?? null,
      event: delivery?.event ?? null,
      state,
      why,
    })),
  }
}

/** 6 where an outcome is unknown, 8 where something was not read or not finished, 7 where it is not healed. */
export function resendStatus(
  lines: readonly Line[],
  plan: {readonly selectedBy: 'ids' | 'filter'; readonly incompleteBecause: readonly string[]},
): ExitStatus {
  const statuses = lines.map((line) => lineStatus(line, plan.selectedBy))
  return worstStatus([...statuses, plan.incompleteBecause.length > 0 ? 8 : 0])
}

function lineStatus({decision, outcome}: Line, selectedBy: 'ids' | 'filter'): ExitStatus {
  switch (outcome.state) {
    case 'healed':
      return 0
    case 'unknown':
      return 6
    case 'sent':
      return 8
    case 'still_failing':
    case 'refused':
    case 'planned':
      return 7
    case 'skipped':
      // Left out of a filter's catch is as it should be; a record somebody named was expected to be sent.
      if (decision.resend) return 8
      return selectedBy === 'ids' ? 7 : 0
  }
}

export const resendColumns: readonly ListColumn<ResendRecordView>[] = [
  {name: 'id', title: 'ID', kind: 'text', value: ({id}) => id},
  {name: 'order_id', kind: 'text', value: (row) => row.order_id},
  {name: 'event', title: 'EVENT', kind: 'text', value: ({event}) => event},
  {name: 'state', title: 'STATE', kind: 'text', value: ({state}) => state},
  {
    name: 'merchant_order_id',
    title: 'ORDER',
    kind: 'text',
    isLast: true,
    value: (row) => row.merchant_order_id,
  },
  {name: 'why', title: 'WHY', kind: 'text', isLast: true, value: ({why}) => why},
]

/** The counts in one line. */
export function resendSummary({
  planned,
  sent,
  healed,
  stillFailing,
  unknown,
  refused,
  skipped,
}: ResendCounts): string {
  const parts: [count: number, words: string][] = [
    [healed, 'healed'],
    [stillFailing, 'still failing'],
    [unknown, 'unknown'],
    [refused, 'refused'],
    [skipped, 'left out'],
  ]
  const details = parts.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`)
  return [`${planned} planned, ${sent} sent`, ...details].join(', ')
}
