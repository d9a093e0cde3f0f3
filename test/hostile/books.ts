/** What a write came to at the service, whatever was answered. */
export type Work =
  /** A resend: the merchant's server took the webhook, and answered 200. */
  | 'done'
  /** A resend: the webhook arrived, and the merchant's server answered 503 again. */
  | 'done in vain'
  | 'not done'

export interface Order {
  readonly status: string
  readonly amount?: string
  readonly platformOrderNo: string
}

/** A webhook that was tried to the last and never taken, of the deposit `lost`. */
export const lostRecordId = '0b5e55ed-0000-4000-8000-000000000001'
const lostOrderId = platformNo('aa')

/** The service's own truth, where hisab cannot reach it: the judge of every cell. */
export class Books {
  readonly orders = new Map<string, Order>([
    ['deposit paid', {status: 'completed', amount: '500.00', platformOrderNo: platformNo('1')}],
    ['deposit lost', {status: 'completed', amount: '700.00', platformOrderNo: lostOrderId}],
    ['payout done', {status: 'completed', amount: '900.00', platformOrderNo: platformNo('3')}],
  ])
  /** How often the webhook of `lost` reached the merchant's server by a resend, and how often it was taken. */
  readonly webhooks = {arrived: 0, taken: 0}

  /** A number makes one order, however often it comes (service §4.1, §4.3). */
  make(kind: 'deposit' | 'payout', number: string, amount?: string): void {
    const status = kind === 'deposit' ? 'pending' : 'processing'
    const order = {status, ...(amount !== undefined && {amount}), platformOrderNo: newPlatformNo(number)}
    if (!this.has(kind, number)) this.orders.set(`${kind} ${number}`, order)
  }

  deliver(isTaken: boolean): void {
    this.webhooks.arrived += 1
    if (isTaken) this.webhooks.taken += 1
  }

  has(kind: 'deposit' | 'payout', number: string): boolean {
    return this.orders.has(`${kind} ${number}`)
  }

  /** Those a cell asked for: there are none of them before. */
  get payoutsMade(): number {
    return [...this.orders.values()].filter(({status}) => status === 'processing').length
  }

  get record() {
    return recordOf(lostRecordId, this.webhooks)
  }
}

/** One delivery record of the deposit `lost`, by the names of section 2.3. */
export function recordOf(id: string, {arrived, taken} = {arrived: 0, taken: 0}) {
  return {
    id,
    order_id: lostOrderId,
    merchant_order_id: 'lost',
    url: 'https://merchant.example/webhooks',
    event: 'order.completed',
    status: taken > 0 ? 'success' : 'failed',
    response_code: taken > 0 ? 200 : 503,
    attempts: 5 + arrived,
    max_attempts: 5,
    next_retry_at: null,
    sent_at: hoursAgo(arrived > 0 ? 0 : 2),
    created_at: hoursAgo(10),
  }
}

const startedMs = Date.now()

function hoursAgo(hours: number): string {
  return new Date(startedMs - hours * 3_600_000).toISOString()
}

/** What the service calls a new order of this number; a service that did nothing can say it as well. */
export function newPlatformNo(number: string): string {
  return platformNo(`9${Buffer.from(number).toString('hex').slice(-8)}`)
}

function platformNo(end: string): string {
  return `0b5e55ed-0000-4000-8000-${end.padStart(12, '0')}`
}
