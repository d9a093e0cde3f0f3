import {type ExitStatus, worstStatus} from '../core/failure.ts'
import {formatPaisa, formatTaka, parsePaisa} from '../core/money.ts'
import type {OrderKind, OrderState} from '../core/order.ts'
import type {ServiceSide} from '../core/reconcile/classify.ts'
import {orderKey} from '../core/reconcile/orders.ts'
import type {ListColumn} from './list-text.ts'

/** One order of `deposit query` or `payout query` as JSON. `found` is null where no answer can be trusted. */
export interface OrderView {
  readonly orderNo: string
  readonly found: boolean | null
  readonly status: OrderState | 'unknown_status' | null
  /** The service's own word. */
  readonly rawStatus: string | null
  readonly amount: string | null
  readonly platformOrderNo: string | null
  /** Only where `found` is null. */
  readonly why?: string
}

/** The answers in the order they were asked for. */
export function viewOrders(
  asked: readonly {readonly kind: OrderKind; readonly orderNo: string}[],
  answers: ReadonlyMap<string, ServiceSide>,
): OrderView[] {
  return asked.map((order) => viewOrder(order.orderNo, answers.get(orderKey(order))))
}

/** 8 where an order got no trustworthy answer, 7 where one does not exist. */
export function ordersStatus(orders: readonly OrderView[]): ExitStatus {
  return worstStatus(orders.map(({found}) => (found === null ? 8 : found ? 0 : 7)))
}

export const orderColumns: readonly ListColumn<OrderView>[] = [
  {name: 'orderNo', title: 'ORDER', kind: 'text', isLast: true, value: ({orderNo}) => orderNo},
  {name: 'found', title: 'FOUND', kind: 'text', value: ({found}) => found, shown: foundText},
  {name: 'status', title: 'STATUS', kind: 'text', value: ({status}) => status},
  {name: 'rawStatus', title: 'SERVICE SAYS', kind: 'text', value: ({rawStatus}) => rawStatus},
  {
    name: 'amount',
    title: 'BDT',
    kind: 'number',
    value: ({amount}) => amount,
    shown: ({amount}) => (amount === null ? '' : formatTaka(parsePaisa(amount) ?? 0n)),
  },
  {
    name: 'platformOrderNo',
    title: 'PLATFORM ORDER',
    kind: 'text',
    value: ({platformOrderNo}) => platformOrderNo,
  },
  {name: 'why', title: 'WHY', kind: 'text', isLast: true, value: ({why}) => why},
]

function viewOrder(orderNo: string, side: ServiceSide | undefined): OrderView {
  const nothing = {status: null, rawStatus: null, amount: null, platformOrderNo: null}
  if (side?.is === 'found') {
    const {status, rawStatus, amount, platformOrderNo} = side.order
    return {
      orderNo,
      found: true,
      status,
      rawStatus,
      amount: amount === null ? null : formatPaisa(amount),
      platformOrderNo,
    }
  }
  if (side?.is === 'absent') return {orderNo, found: false, ...nothing}
  return {orderNo, found: null, ...nothing, why: side?.because ?? 'it was not asked for'}
}

function foundText({found}: OrderView): string {
  return found === null ? 'no answer' : found ? 'yes' : 'no'
}
