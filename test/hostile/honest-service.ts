import {Books, newPlatformNo, type Work} from './books.ts'
import {type HttpAnswer, type HttpRequest, json} from './wire.ts'

/** The operations of the service (service §4). */
export type Operation =
  | 'deposit create'
  | 'deposit query'
  | 'payout create'
  | 'payout query'
  | 'list'
  | 'get'
  | 'resend'

export const merchantId = '7a3c1f52-0b1e-4d52-9f0a-5d2f7c61e9aa'
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

/**
 * The service as documented. It does its work in the books, and it answers; the two are apart, so that a fault can come
 * between them. It does not check signatures (test/fake-service does).
 */
export class HonestService {
  readonly books = new Books()

  work(operation: Operation, body: string, work: Work = 'done'): void {
    if (work === 'not done') return
    if (operation === 'resend') this.books.deliver(work === 'done')
    if (operation !== 'deposit create' && operation !== 'payout create') return
    const {kind, number, amount} = readOrder(operation, body)
    this.books.make(kind, number, amount)
  }

  /** What it says where all is well: of a write that it was done, whether it was or not. */
  answer(operation: Operation, request: HttpRequest): HttpAnswer {
    switch (operation) {
      case 'deposit create':
      case 'payout create':
        return accepted(operation, request)
      case 'deposit query':
      case 'payout query':
        return this.query(operation, request)
      case 'list':
        return this.list(request)
      case 'get':
        return legacy({
          ...this.books.record,
          payload: {amount: '700.00', playerRef: 'u-7'},
          response_body: 'no',
        })
      case 'resend':
        return legacy({})
    }
  }

  private query(operation: Operation, {body}: HttpRequest): HttpAnswer {
    const {kind, number} = readOrder(operation, body)
    const order = this.books.orders.get(`${kind} ${number}`)
    if (!order) return json({code: 'ORDER_NOT_FOUND', message: 'no such order'}, 404)
    return json({code: 0, data: {merchantId, orderNo: number, ...order}})
  }

  private list({query}: HttpRequest): HttpAnswer {
    const {record} = this.books
    const isWanted =
      (query.get('status') ?? record.status) === record.status &&
      (query.get('order_id') ?? record.order_id) === record.order_id
    const data = isWanted ? [record] : []
    const limit = Number(query.get('limit') ?? 20)
    return legacy({data, pagination: {page: 1, limit, total: data.length, total_pages: data.length}})
  }
}

function accepted(operation: Operation, {body}: HttpRequest): HttpAnswer {
  const {kind, number} = readOrder(operation, body)
  const echo = {merchantId, orderNo: number, platformOrderNo: newPlatformNo(number)}
  return json({
    code: 0,
    data:
      kind === 'payout'
        ? {...echo, status: 'processing'}
        : {...echo, payCode: 'PC9', payUrl: 'https://pay.example/9'},
  })
}

function readOrder(operation: Operation, body: string) {
  const {orderNo, outOrderNo, amount} = JSON.parse(body) as Record<string, string>
  const kind = operation.startsWith('deposit') ? ('deposit' as const) : ('payout' as const)
  return {
    kind,
    number: (kind === 'deposit' ? orderNo : outOrderNo) ?? '',
    ...(amount !== undefined && {amount}),
  }
}

export function legacy(data: unknown): HttpAnswer {
  return json({success: true, data, meta: {timestamp: new Date().toISOString()}})
}
