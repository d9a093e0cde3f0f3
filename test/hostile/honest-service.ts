import {type HttpAnswer, type HttpRequest, json} from './wire.ts'

/** The operations of the service's document, section 4. */
export type Operation =
  | 'deposit create'
  | 'deposit query'
  | 'payout create'
  | 'payout query'
  | 'list'
  | 'get'
  | 'resend'

export const merchantId = '7a3c1f52-0b1e-4d52-9f0a-5d2f7c61e9aa'
/** A webhook that was tried to the last and never taken, of the deposit `lost`. */
export const lostRecordId = '0b5e55ed-0000-4000-8000-000000000001'
const lostOrderId = '0b5e55ed-0000-4000-8000-0000000000aa'
const legacyPath = '/api/v1/merchant/webhooks'

export function operationOf(method: string, path: string): Operation | null {
  if (method === 'POST' && path.endsWith('/pay/order/create')) return 'deposit create'
  if (method === 'POST' && path.endsWith('/pay/order/query')) return 'deposit query'
  if (method === 'POST' && path.endsWith('/apply/create')) return 'payout create'
  if (method === 'POST' && path.endsWith('/apply/query')) return 'payout query'
  if (method === 'GET' && path === legacyPath) return 'list'
  if (method === 'GET' && path.startsWith(`${legacyPath}/`)) return 'get'
  if (method === 'POST' && /^\/api\/v1\/merchant\/webhooks\/[^/]+\/resend$/.test(path)) return 'resend'
  return null
}

interface Order {
  readonly status: string
  readonly amount?: string
  readonly platformOrderNo: string
}

/**
 * What the document's service would answer. Signatures are looked at elsewhere (test/fake-service): here it is
 * only there to be spoilt.
 */
export class HonestService {
  private readonly orders = new Map<string, Order>([
    ['deposit paid', {status: 'completed', amount: '500.00', platformOrderNo: platformNo('1')}],
    ['deposit lost', {status: 'completed', amount: '700.00', platformOrderNo: lostOrderId}],
    ['payout done', {status: 'completed', amount: '900.00', platformOrderNo: platformNo('3')}],
  ])
  private isResent = false

  answer(operation: Operation, request: HttpRequest): HttpAnswer {
    switch (operation) {
      case 'deposit create':
        return json({code: 0, data: this.create('deposit', 'pending', request)})
      case 'payout create':
        return json({code: 0, data: this.create('payout', 'processing', request)})
      case 'deposit query':
        return this.query('deposit', request)
      case 'payout query':
        return this.query('payout', request)
      case 'list':
        return this.list(request)
      case 'get':
        return legacy({...this.record(), payload: {amount: '700.00', playerRef: 'u-7'}, response_body: 'no'})
      case 'resend':
        this.isResent = true
        return legacy({})
    }
  }

  private create(kind: 'deposit' | 'payout', status: string, {body}: HttpRequest): object {
    const {orderNo, outOrderNo, amount} = JSON.parse(body)
    const number = kind === 'deposit' ? orderNo : outOrderNo
    const platformOrderNo = platformNo('9')
    this.orders.set(`${kind} ${number}`, {status, amount, platformOrderNo})
    const echo = {merchantId, orderNo: number, platformOrderNo}
    return kind === 'payout' ? {...echo, status} : {...echo, payCode: 'PC9', payUrl: 'https://pay.example/9'}
  }

  private query(kind: 'deposit' | 'payout', {body}: HttpRequest): HttpAnswer {
    const {orderNo, outOrderNo} = JSON.parse(body)
    const number = kind === 'deposit' ? orderNo : outOrderNo
    const order = this.orders.get(`${kind} ${number}`)
    if (!order) return json({code: 'ORDER_NOT_FOUND', message: 'no such order'}, 404)
    return json({code: 0, data: {merchantId, orderNo: number, ...order}})
  }

  private list({query}: HttpRequest): HttpAnswer {
    const isWanted =
      (query.get('status') ?? this.record().status) === this.record().status &&
      (query.get('order_id') ?? lostOrderId) === lostOrderId
    const data = isWanted ? [this.record()] : []
    const limit = Number(query.get('limit') ?? 20)
    return legacy({data, pagination: {page: 1, limit, total: data.length, total_pages: data.length}})
  }

  private record() {
    return recordOf(lostRecordId, this.isResent)
  }
}

/** One delivery record of the deposit `lost`, by the names of section 2.3. */
export function recordOf(id: string, isResent = false) {
  return {
    id,
    order_id: lostOrderId,
    merchant_order_id: 'lost',
    url: 'https://merchant.example/webhooks',
    event: 'order.completed',
    status: isResent ? 'success' : 'failed',
    response_code: isResent ? 200 : 503,
    attempts: isResent ? 6 : 5,
    max_attempts: 5,
    next_retry_at: null,
    sent_at: hoursAgo(isResent ? 0 : 2),
    created_at: hoursAgo(10),
  }
}

const startedMs = Date.now()

function hoursAgo(hours: number): string {
  return new Date(startedMs - hours * 3_600_000).toISOString()
}

export function legacy(data: unknown): HttpAnswer {
  return json({success: true, data, meta: {timestamp: new Date().toISOString()}})
}

function platformNo(end: string): string {
  return `0b5e55ed-0000-4000-8000-${end.padStart(12, '0')}`
}
