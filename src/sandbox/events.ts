import type {Paisa} from '../core/money.ts'
import type {OrderKind, OrderState, PayoutChannel} from '../core/order.ts'
import type {FaultName} from './faults/kinds.ts'
import type {SmsState, WaitingReason} from './store/sms.ts'

/** What the sandbox tells its log: allowed fields only, never a secret, a phone, a name or a body (P20). */
export type SandboxEvent =
  | {
      readonly type: 'order_created'
      readonly kind: OrderKind
      readonly orderNo: string
      readonly platformOrderNo: string
    }
  | {
      readonly type: 'order_finished'
      readonly kind: OrderKind
      readonly orderNo: string
      readonly platformOrderNo: string
      readonly state: OrderState
      readonly amount: Paisa | null
    }
  | {
      readonly type: 'deposit_chosen'
      readonly orderNo: string
      readonly platformOrderNo: string
      readonly amount: Paisa
      readonly channel: PayoutChannel
    }
  | {
      readonly type: 'sms_handled'
      readonly smsId: number
      /** Null, like the amount, if no payment could be read. */
      readonly channel: PayoutChannel | null
      readonly amount: Paisa | null
      readonly state: SmsState
      readonly reason: WaitingReason | null
      /** The order it released. */
      readonly orderNo: string | null
    }
  | {
      readonly type: 'delivery_attempted'
      readonly deliveryId: string
      readonly orderNo: string
      readonly event: string
      readonly trigger: 'schedule' | 'resend'
      readonly attempts: number
      readonly responseCode: number | null
      /** Why there was no answer, or null. */
      readonly problem: string | null
      readonly nextRetryAtMs: number | null
    }
  | {
      readonly type: 'request_refused'
      readonly method: string
      readonly path: string
      readonly httpStatus: number
      readonly code: string
      readonly message: string
    }
  /** `n` counts the calls that the rule applied to. */
  | {readonly type: 'fault_played'; readonly fault: FaultName; readonly where: string; readonly n: number}
  | {
      readonly type: 'forgery_answered'
      readonly orderNo: string
      readonly responseCode: number | null
      /** The receiver answered 2xx to a forged webhook. */
      readonly isTaken: boolean
    }
  /** Null: writing works again. */
  | {readonly type: 'storage'; readonly problem: string | null}
  | {readonly type: 'defect'; readonly message: string}

export type Log = (event: SandboxEvent) => void
