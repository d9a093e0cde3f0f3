import type {JsonValue} from '../../core/json.ts'
import type {Delivery, OrderKind, ServiceOrder} from '../../core/order.ts'

/** One delivery to be sent again, with what was known of it when that was decided. */
export interface ResendJob {
  readonly delivery: Delivery
  readonly kind: OrderKind | null
  readonly orderNo: string | null
  /** The records of its order that the decision saw. */
  readonly records?: readonly Pick<Delivery, 'id' | 'status'>[]
  /** They were looked up by `order_id`, so that finds records at this service. */
  readonly isLookedUp?: boolean
  /** As in `eventAgainst`. */
  readonly isUsual?: (event: string) => boolean
  readonly cause: string | null
  /** The order as the decision saw it, asked for again just before the send; null where its kind is not known. */
  readonly order: ServiceOrder | null
  /** Why this payload is not to be sent again, as a sentence; null where it may. Asked just before it is sent. */
  readonly refusePayload?: (payload: JsonValue | undefined) => string | null
}
