import {createServer, type IncomingMessage, type ServerResponse} from 'node:http'
import type {AddressInfo, Socket} from 'node:net'
import {inspect} from 'node:util'
import {onTestFinished} from 'vitest'

import {
  type DepositRequest,
  type PayoutRequest,
  ServiceClient,
  type ServiceClientOptions,
} from '../../src/api/client.ts'
import {defaultDialect} from '../../src/core/dialect.ts'
import {Failure} from '../../src/core/failure.ts'
import {type Credentials, defaultLedgerMapping, noPayoutLimits, type Profile} from '../../src/core/profile.ts'

export const merchantId = '11111111-2222-4333-8444-555555555555'
export const deliveryId = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee'
export const credentials: Credentials = {apiSecret: 'canary-secret-7d1f', apiKey: 'canary-key-90aa'}

export const deposit: DepositRequest = {
  orderNo: 'D-1',
  returnUrl: 'https://shop.example/hook',
  playerPhone: '01712345678',
  playerRef: 'player-7',
}
export const payout: PayoutRequest = {
  outOrderNo: 'P-1',
  amount: 50_000n,
  bankType: 'BKASH',
  userName: 'Rahim Uddin',
  account: '01812345678',
  returnUrl: 'https://shop.example/hook',
}

export function profileAt(origin: string): Profile {
  return {
    name: 'test',
    merchantId,
    environment: 'sandbox',
    isEnvironmentNamed: false,
    baseUrl: `${origin}/v1`,
    applyUrl: `${origin}/pay/v1`,
    legacyUrl: origin,
    returnUrl: null,
    dialect: defaultDialect,
    ledger: defaultLedgerMapping,
    payouts: noPayoutLimits,
  }
}

export const record = {
  id: deliveryId,
  order_id: 'order-of-the-platform',
  merchant_order_id: 'D-1',
  url: 'https://shop.example/hook',
  event: 'order.completed',
  status: 'failed',
  response_code: 503,
  attempts: 5,
  max_attempts: 5,
  next_retry_at: null,
  sent_at: '2026-11-20T02:14:05Z',
  created_at: '2026-11-19T18:53:05+00:00',
}

/** What the service answers when all is well, by operation. */
export const good = {
  depositCreate: {
    code: 0,
    data: {
      merchantId,
      orderNo: 'D-1',
      platformOrderNo: 'PL-1',
      payCode: 'PC',
      payUrl: 'https://pay.example/p/1',
    },
  },
  payoutCreate: {code: 0, data: {merchantId, orderNo: 'P-1', platformOrderNo: 'PL-2', status: 'processing'}},
  query: {
    code: 0,
    data: {merchantId, orderNo: 'D-1', platformOrderNo: 'PL-1', status: 'completed', amount: '500.00'},
  },
  list: {
    success: true,
    data: {data: [record], pagination: {page: 1, limit: 20, total: 1, total_pages: 1}},
    meta: {timestamp: '2026-11-21T00:00:00.000Z'},
  },
  get: {success: true, data: {...record, payload: {amount: '500.00'}, response_body: 'Bad Gateway'}},
  resend: {success: true},
}

/** A clock that moves only when somebody sleeps, and remembers for how long. */
export function stillTime(startMs = Date.UTC(2026, 10, 21)) {
  const time = {nowMs: startMs, slept: [] as number[]}
  return {
    ...{slept: time.slept, random: () => 1, now: () => time.nowMs, monotonic: () => time.nowMs},
    sleep: async (ms: number) => {
      time.slept.push(ms)
      time.nowMs += ms
    },
  }
}

/** A client whose waits take no time; closed when the test ends. */
export function clientAt(origin: string, options: Partial<ServiceClientOptions> = {}): ServiceClient {
  const client = new ServiceClient({profile: profileAt(origin), credentials, ...stillTime(), ...options})
  onTestFinished(() => client.close())
  return client
}

interface Seen {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
  /** Counts connections from 1. */
  readonly connection: number
}

export type Answering = (response: ServerResponse, seen: Seen, nth: number) => void

/** A loopback service that answers as told and keeps what it saw. `body: 'unread'` answers before reading. */
export async function serve(answer: Answering, body: 'read' | 'unread' = 'read') {
  const seen: Seen[] = []
  const sockets = new Map<Socket, number>()
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    if (body === 'read') for await (const chunk of request) chunks.push(chunk)
    const {method = '', url: path = '', headers, socket} = request
    sockets.set(socket, sockets.get(socket) ?? sockets.size + 1)
    seen.push({
      method,
      path,
      headers,
      body: Buffer.concat(chunks).toString(),
      connection: sockets.get(socket) ?? 0,
    })
    answer(response, seen.at(-1) as Seen, seen.length)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const {port} = server.address() as AddressInfo
  const open = () => [...sockets.keys()].filter(({destroyed}) => !destroyed).length
  return {origin: `http://127.0.0.1:${port}`, seen, open}
}

export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Answering {
  return text(JSON.stringify(value), status, {'content-type': 'application/json', ...headers})
}

export function text(body: string, status = 200, headers: Record<string, string> = {}): Answering {
  return (response) => {
    response.writeHead(status, headers).end(body)
  }
}

export async function failureFrom(work: Promise<unknown>): Promise<Failure> {
  const error = await work.then(
    (value) => new Error(`it succeeded: ${inspect(value)}`),
    (reason: unknown) => reason,
  )
  if (error instanceof Failure) return error
  throw error
}
