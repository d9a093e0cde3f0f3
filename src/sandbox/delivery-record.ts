import {retryDelaysMs} from '../core/order.ts'
import type {StoredDelivery} from './store/deliveries.ts'

export type DeliveryRecord = ReturnType<typeof showDelivery>

/**
 * `max_attempts` counts the automatic retries (service §8), `attempts` every attempt: after five failed retries it
 * reads 6 of 5. `next_retry_at` is null while `pending`.
 */
export function showDelivery(delivery: StoredDelivery) {
  return {
    id: delivery.id,
    order_id: delivery.orderId,
    merchant_order_id: delivery.merchantOrderId,
    url: delivery.url,
    event: delivery.event,
    status: delivery.status,
    response_code: delivery.responseCode,
    attempts: delivery.attempts,
    max_attempts: retryDelaysMs.length,
    next_retry_at: delivery.status === 'failed' ? showInstant(delivery.dueAtMs) : null,
    sent_at: showInstant(delivery.sentAtMs),
    created_at: new Date(delivery.createdAtMs).toISOString(),
  }
}

/** The view of a single record adds what was sent and what the merchant's server answered (service §2.3, §4.6). */
export type DeliveryDetail = ReturnType<typeof showDeliveryDetail>

export function showDeliveryDetail(delivery: StoredDelivery) {
  return {
    ...showDelivery(delivery),
    payload: JSON.parse(delivery.payload) as Readonly<Record<string, string>>,
    response_body: delivery.responseBody,
  }
}

function showInstant(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
