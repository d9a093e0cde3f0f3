import {Failure} from '../core/failure.ts'
import {type DeliveryStatus, deliveryStatuses, legacyPageLimitMax} from '../core/order.ts'

export interface DeliveryQuery {
  readonly status?: DeliveryStatus
  readonly orderId?: string
  /** Counts from 1. */
  readonly page?: number
  readonly limit?: number
}

/** The query of a page of the list. Throws `usage` for what cannot be asked for. */
export function deliveryQuery(filter: DeliveryQuery): string {
  const query = new URLSearchParams()
  const {status, orderId, page, limit} = filter
  if (status !== undefined && !deliveryStatuses.includes(status)) {
    throw new Failure(
      'usage',
      'The status to list is not known.',
      `Use one of ${deliveryStatuses.join(', ')}.`,
    )
  }
  if (status !== undefined) query.set('status', status)
  if (orderId !== undefined) query.set('order_id', orderId)
  if (page !== undefined) query.set('page', wholeNumber('page', page, Number.MAX_SAFE_INTEGER))
  if (limit !== undefined) query.set('limit', wholeNumber('limit', limit, legacyPageLimitMax))
  return query.toString()
}

function wholeNumber(name: string, value: number, max: number): string {
  if (Number.isSafeInteger(value) && value >= 1 && value <= max) return String(value)
  throw new Failure('usage', `The ${name} is not a whole number from 1 to ${max}.`, `Correct --${name}.`)
}
