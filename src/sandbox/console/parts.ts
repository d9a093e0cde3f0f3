import type {Dialect} from '../../core/dialect.ts'
import type {Clock} from '../clock.ts'
import type {SandboxControl} from '../control.ts'
import type {DeliveryEngine} from '../deliveries.ts'
import type {FaultService} from '../faults/fault-service.ts'
import type {MerchantsById} from '../merchants.ts'
import type {OrderService} from '../order-service.ts'
import type {PayService} from '../pay-service.ts'
import type {RequestLog} from '../request-log.ts'
import type {FailedResender} from '../resend-failed.ts'
import type {SmsInbox} from '../sms/inbox.ts'
import type {StorageHealth} from '../storage-health.ts'
import type {ConsoleDeliveries} from '../store/console-deliveries.ts'
import type {DeliveryStore} from '../store/deliveries.ts'
import type {AttemptStore} from '../store/delivery-attempts.ts'
import type {OrderLists} from '../store/order-lists.ts'
import type {SmsStore} from '../store/sms.ts'
import type {LiveFeed} from '../web/live-feed.ts'

export interface ConsoleParts {
  readonly control: SandboxControl
  readonly faults: FaultService
  readonly attempts: AttemptStore
  readonly requestLog: RequestLog
  readonly health: StorageHealth
  readonly orderService: OrderService
  readonly payService: PayService
  readonly inbox: SmsInbox
  readonly engine: DeliveryEngine
  readonly failedResender: FailedResender
  /** How long a receiver has for its whole answer, in real time. */
  readonly timeoutMs: () => number
  readonly orderLists: OrderLists
  readonly consoleDeliveries: ConsoleDeliveries
  readonly deliveries: DeliveryStore
  readonly sms: SmsStore
  readonly merchants: MerchantsById
  readonly dialect: Dialect
  readonly clock: Clock
  /** Without a slash at its end. */
  readonly origin: () => string
  readonly feed: LiveFeed
}

export const linesPerPage = 50

/** Notices above a page. The address carries the key, never the sentence. */
const done = {
  released: 'The SMS was released, and the order is completed.',
  waiting: 'The SMS came in and waits at the desk.',
  matched: 'The SMS came in and released its order.',
  duplicate: 'This transaction came in before: the SMS is a duplicate and releases nothing.',
  discarded: 'The SMS was discarded.',
  paid_out: 'The payout is completed.',
  rejected: 'The payout is rejected, and its amount is back in the balance.',
  expired: 'The deposit has failed.',
  delivered: 'The webhook was sent again, and the receiver took it.',
  resending: 'The webhook is being sent again. This page shows what comes of it.',
  resending_all: 'The failed webhooks are being sent again. This page shows what comes of it.',
  moved: 'Time has moved on, and everything due until then has run.',
  paced: 'The clock has another pace.',
  fault_added: 'The fault is in force.',
  fault_ended: 'The fault has ended.',
} as const

/** Notices of something that went wrong. */
const undone = {
  undelivered: 'The webhook was sent again, and the receiver did not take it. The newest attempt says why.',
} as const

export type ConsoleNotice = keyof typeof done | keyof typeof undone
export const notices: Readonly<Record<ConsoleNotice, string>> = {...done, ...undone}

export function isBad(notice: ConsoleNotice): boolean {
  return notice in undone
}
