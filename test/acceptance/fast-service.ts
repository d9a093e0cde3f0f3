import {createServer} from 'node:http'
import type {AddressInfo} from 'node:net'

/** What the service knows of one order; `null` for an order it does not know. */
export interface KnownOrder {
  readonly platformOrderNo: string
  readonly status: string
  readonly amount: string
}

/** A delivery record by the names of service §2.3. */
export interface WireRecord {
  readonly id: string
  readonly order_id: string
  readonly merchant_order_id: string
  readonly status: 'success' | 'failed'
  readonly response_code: number
  readonly attempts: number
  /** An hour of an earlier day, unless it says otherwise. */
  readonly created_at?: string
}

export interface FastService {
  readonly url: string
  queries: number
  resends: number
  close(): Promise<void>
}

const at = '2026-11-20T06:00:00.000Z'

/**
 * The two read-only answers a reconciliation needs, at the least cost: no signatures are checked and no state
 * is kept, so that a test of size measures hisab and not a service.
 */
export async function openFastService(
  orders: ReadonlyMap<string, KnownOrder>,
  records: readonly WireRecord[],
): Promise<FastService> {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const url = new URL(request.url ?? '/', 'http://service')
    let status = 200
    let answer: object
    if (url.pathname === '/v1/pay/order/query') {
      service.queries += 1
      const {merchantId, orderNo} = JSON.parse(body)
      const order = orders.get(orderNo)
      if (!order) status = 404
      answer = order
        ? {code: 0, data: {merchantId, orderNo, ...order}}
        : {code: 'ORDER_NOT_FOUND', message: 'no such order'}
    } else if (url.pathname === '/api/v1/merchant/webhooks') {
      answer = {success: true, data: pageOf(records, url.searchParams), meta: {timestamp: new Date()}}
    } else {
      if (request.method === 'POST') service.resends += 1
      status = 500
      answer = {}
    }
    response.writeHead(status, {'content-type': 'application/json'}).end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const service: FastService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    queries: 0,
    resends: 0,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return service
}

function pageOf(records: readonly WireRecord[], query: URLSearchParams): object {
  const page = Number(query.get('page'))
  const limit = Number(query.get('limit'))
  const data = records.slice((page - 1) * limit, page * limit).map((record) => ({
    url: 'https://merchant.example/webhooks',
    event: 'order.completed',
    max_attempts: 5,
    next_retry_at: null,
    sent_at: at,
    created_at: at,
    ...record,
  }))
  const total = records.length
  return {data, pagination: {page, limit, total, total_pages: Math.ceil(total / limit)}}
}
