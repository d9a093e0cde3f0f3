import type {ExitStatus} from '../core/failure.ts'
import type {OrderState} from '../core/order.ts'
import type {ServiceSide} from '../core/reconcile/classify.ts'
import {viewAmount} from './finding-view.ts'
import {type ListColumn, takaColumn} from './list-text.ts'

/** One order of `deposit query` or `payout query`. `found` is null without a reliable answer. */
export interface OrderView {
  readonly orderNo: string
  readonly found: boolean | null
  readonly status: OrderState | 'unknown_status' | null
  /** The service's own status word. */
  readonly rawStatus: string | null
  readonly amount: string | null
  readonly platformOrderNo: string | null
  /** Only if `found` is null. */
  readonly why?: string
}

/** 8 without a reliable answer; 7 if it does not exist, or has a state that the profile does not know. */
export function orderStatus({found, status}: OrderView): ExitStatus {
  if (found === null) return 8
  return found && status !== 'unknown_status' ? 0 : 7
}

export const orderColumns: readonly ListColumn<OrderView>[] = [
  {name: 'orderNo', title: 'ORDER', kind: 'text', isLast: true, value: ({orderNo}) => orderNo},
  {name: 'found', title: 'FOUND', kind: 'text', value: ({found}) => found, shown: foundText},
  {name: 'status', title: 'STATUS', kind: 'text', value: ({status}) => status},
  {name: 'rawStatus', title: 'SERVICE SAYS', kind: 'text', dropRank: 1, value: ({rawStatus}) => rawStatus},
  takaColumn('amount', ({amount}) => amount),
  {
    name: 'platformOrderNo',
    title: 'PLATFORM ORDER',
    kind: 'text',
    dropRank: 2,
    value: ({platformOrderNo}) => platformOrderNo,
  },
  {name: 'why', title: 'WHY', kind: 'text', isLast: true, value: ({why}) => why},
]

export function viewOrder(orderNo: string, side: ServiceSide): OrderView {
  const nothing = {status: null, rawStatus: null, amount: null, platformOrderNo: null}
  if (side.is === 'found') {
    const {status, rawStatus, amount, platformOrderNo} = side.order
    return {orderNo, found: true, status, rawStatus, amount: viewAmount(amount), platformOrderNo}
  }
  if (side.is === 'absent') return {orderNo, found: false, ...nothing}
  return {orderNo, found: null, ...nothing, why: side.because}
}

function foundText({found}: OrderView): string {
  return found === null ? 'no answer' : found ? 'yes' : 'no'
}
