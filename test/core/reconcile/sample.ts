import type {Delivery, ServiceOrder} from '../../../src/core/order.ts'
import type {LedgerEntry} from '../../../src/core/reconcile/entry.ts'
import type {ResendOverrides} from '../../../src/core/reconcile/evidence.ts'

/** The moment every table is read at: 20 November 2026, noon UTC. */
export const nowMs = Date.UTC(2026, 10, 20, 12)
export const minuteMs = 60_000
export const hourMs = 60 * minuteMs

/** A time so many minutes before noon, as the service writes it; after noon where negative. */
export function minutesAgo(minutes: number): string {
  return new Date(nowMs - minutes * minuteMs).toISOString()
}

export const noOverrides: ResendOverrides = {
  includeDelivered: false,
  ignoreCooldown: false,
  retryUnknown: false,
}

/** A row of a deposit of BDT 500 that stands open in the ledger. */
export function entry(change: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    line: 2,
    file: 0,
    kind: 'deposit',
    orderNo: 'D-1',
    status: 'open',
    amount: 50_000n,
    playerRef: null,
    platformOrderNo: null,
    ...change,
  }
}

/** The same deposit as the service has it: completed. */
export function order(change: Partial<ServiceOrder> = {}): ServiceOrder {
  return {
    kind: 'deposit',
    orderNo: 'D-1',
    platformOrderNo: 'platform-1',
    status: 'completed',
    rawStatus: 'completed',
    amount: 50_000n,
    ...change,
  }
}

/** Its webhook, which failed for good at the fifth try, ten hours ago. */
export function delivery(change: Partial<Delivery> = {}): Delivery {
  return {
    id: '00000000-0000-4000-8000-000000000001',
    orderId: 'platform-1',
    merchantOrderId: 'D-1',
    url: 'https://shop.example/hook',
    event: 'order.completed',
    status: 'failed',
    responseCode: 503,
    attempts: 5,
    attemptsMax: 5,
    nextRetryAt: null,
    sentAt: minutesAgo(600),
    createdAt: minutesAgo(1100),
    ...change,
  }
}
