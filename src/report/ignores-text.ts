import {verdictLabel} from '../core/labels.ts'
import type {OrderKind} from '../core/order.ts'
import type {Ignore} from '../core/reconcile/ignore.ts'
import type {Verdict} from '../core/reconcile/verdict.ts'
import {formatInstant} from '../core/time.ts'
import {minuteOf} from './figures.ts'
import {viewAmount} from './finding-view.ts'
import {type ListColumn, takaColumn} from './list-text.ts'

export interface IgnoreView {
  readonly id: number
  readonly kind: OrderKind
  readonly orderNo: string
  readonly verdict: Verdict
  readonly amountAtRisk: string | null
  readonly reason: string
  readonly by: string
  readonly at: string
  readonly until: string
  readonly expired: boolean
}

export function viewIgnore(ignore: Ignore, nowMs: number, timeZone: string): IgnoreView {
  const {id, kind, orderNo, verdict, atRisk, reason, by, atMs, expiresAtMs} = ignore
  return {
    ...{id, kind, orderNo, verdict, amountAtRisk: viewAmount(atRisk), reason, by},
    at: formatInstant(atMs, timeZone),
    until: formatInstant(expiresAtMs, timeZone),
    expired: expiresAtMs <= nowMs,
  }
}

export const ignoreColumns: readonly ListColumn<IgnoreView>[] = [
  {name: 'id', title: 'ID', kind: 'number', value: ({id}) => id},
  {name: 'kind', title: 'KIND', kind: 'text', value: ({kind}) => kind},
  {name: 'order_no', title: 'ORDER', kind: 'text', value: ({orderNo}) => orderNo},
  {
    ...{name: 'verdict', title: 'RESULT', kind: 'text', value: ({verdict}) => verdict},
    shown: ({verdict, kind}) => verdictLabel(verdict, kind).en,
  },
  takaColumn('amount_at_risk', ({amountAtRisk}) => amountAtRisk),
  {
    name: 'until',
    title: 'UNTIL',
    kind: 'text',
    value: ({until, expired}) => (expired ? 'expired' : until),
    shown: ({until, expired}) => (expired ? 'expired' : minuteOf(until)),
  },
  {name: 'by', title: 'BY', kind: 'text', value: ({by}) => by},
  {name: 'at', kind: 'text', value: ({at}) => at},
  {name: 'reason', title: 'REASON', kind: 'text', value: ({reason}) => reason, isBelow: true},
]
