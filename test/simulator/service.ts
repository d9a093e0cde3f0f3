import {createHash, createHmac} from 'node:crypto'

import {
  amountOf,
  type DeliveryRecord,
  type Kind,
  keyOf,
  type Order,
  taka,
  type World,
  wordOf,
} from './world.ts'

export const secret = 'simulated-secret'
export const apiKey = 'simulated-key'
export const merchantId = '0d9e4c1a-7f43-4f0e-9a52-3b6a8a1f2c01'

export type OperationName = 'query' | 'create' | 'list' | 'get' | 'resend'

/** A request as the service understands it (service §4). */
export interface Request {
  readonly name: OperationName
  /** Of a query or a create. */
  readonly kind: Kind
  /** The order's number, or the record's id; of a list, the order id it is filtered by. */
  readonly subject: string
  readonly fields: Readonly<Record<string, string>>
  readonly status: string | null
  readonly page: number
  readonly limit: number
}

export interface Reply {
  readonly status: number
  readonly body: string
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A request that no correct client sends. */
export class BadRequest extends Error {}

const legacyPath = '/api/v1/merchant/webhooks'

/** Reads a request and its signature by docs/service.md alone. Throws `BadRequest` for what is not as documented. */
export function readRequest(
  method: string,
  target: string,
  headers: readonly string[],
  body: Uint8Array | null,
): Request {
  const [path = '', query = ''] = target.split('?')
  const none = {kind: 'deposit', fields: {}, status: null, page: 1, limit: 20} as const
  if (path.startsWith(legacyPath)) {
    checkHeaders(method, path, headers)
    const [id, verb] = path.slice(legacyPath.length + 1).split('/')
    if (!id) {
      const asked = new URLSearchParams(query)
      const [page, limit] = [Number(asked.get('page') ?? 1), Number(asked.get('limit') ?? 20)]
      return {
        ...none,
        name: 'list',
        subject: asked.get('order_id') ?? '',
        status: asked.get('status'),
        page,
        limit,
      }
    }
    const name = verb === 'resend' ? 'resend' : 'get'
    if (method !== (name === 'get' ? 'GET' : 'POST')) throw new BadRequest(`${method} ${path}`)
    return {...none, name, subject: id}
  }
  const fields = JSON.parse(Buffer.from(body ?? []).toString('utf8')) as Record<string, string>
  checkSignature(fields)
  const kind: Kind = path.includes('/apply/') ? 'payout' : 'deposit'
  const name = path.endsWith('/create') ? 'create' : 'query'
  const subject = kind === 'payout' ? fields.outOrderNo : fields.orderNo
  if (subject === undefined) throw new BadRequest(path)
  return {...none, name, kind, subject, fields}
}

/** The signature of requests (service §5.1). */
function checkSignature({signature, ...fields}: Record<string, unknown>): void {
  const names = Object.keys(fields).sort((a, b) => (a < b ? -1 : 1))
  const text = names.map((name) => `${name}=${String(fields[name])}`).join('&')
  const right = createHash('md5').update(`${text}&key=${secret}`).digest('hex')
  if (signature !== right || fields.merchantId !== merchantId) throw new BadRequest(`signature of ${text}`)
}

/** The signature of the legacy API (service §5.2, A6). */
function checkHeaders(method: string, path: string, headers: readonly string[]): void {
  const value = (name: string) => headers[headers.indexOf(name) + 1] ?? ''
  const right = createHmac('sha256', secret)
    .update(`${value('x-timestamp')}${method}${path}`)
    .digest('hex')
  const isOurs = value('x-api-key') === apiKey && value('x-merchant-id') === merchantId
  if (!isOurs || value('x-signature') !== right) throw new BadRequest(`headers of ${method} ${path}`)
}

/** Does nothing, and says what an honest service says. */
export function answerTo(world: World, request: Request): Reply {
  const {name, kind, subject} = request
  if (!world.deployment.hasLegacy && (name === 'list' || name === 'get' || name === 'resend')) {
    return {status: 404, body: '<h1>Not Found</h1>', type: 'text/html'}
  }
  switch (name) {
    case 'query': {
      const order = world.order(kind, subject)
      if (world.deployment.noRoute === kind) return noRoute
      return order ? {status: 200, body: orderText(order)} : absent
    }
    case 'create': {
      const order = world.order(kind, subject)
      if (!order) return {status: 400, body: '{"code":40002,"error":"INSUFFICIENT_BALANCE"}'}
      const echo = {merchantId, orderNo: subject, platformOrderNo: order.platformNo}
      const page = {payCode: 'PC', payUrl: `https://pay.example/p/${order.platformNo}`}
      const data = kind === 'payout' ? {...echo, status: wordOf(order)} : {...echo, ...page}
      return {status: 200, body: JSON.stringify({code: 0, data})}
    }
    case 'list':
      return list(world, request)
    case 'get': {
      const record = world.record(subject)
      return record ? legacy(world, recordText(world, record, true)) : absent
    }
    case 'resend':
      return world.record(subject) ? legacy(world, '{"accepted":true}') : absent
  }
}

/** What the service does for a request; a resend's delivery is shown by its record after `lagMs`. */
export function carryOut(
  world: World,
  {name, kind, subject, fields}: Request,
  run: string,
  lagMs: number,
  askedMs: number,
): void {
  if (name === 'resend') {
    const record = world.deployment.hasLegacy ? world.record(subject) : undefined
    if (record) world.deliver(record, run, lagMs, askedMs)
    return
  }
  if (name !== 'create' || world.orders.has(keyOf(kind, subject))) return
  const amount = kind === 'payout' ? BigInt((fields.amount ?? '').replace('.', '')) : 50_000n
  if (kind === 'payout' && amount > world.balance) return
  if (kind === 'payout') world.balance -= amount
  const payee = kind === 'payout' ? `${fields.bankType} ${fields.account}` : (fields.playerRef ?? '')
  world.addOrder({
    kind,
    orderNo: subject,
    word: 'processing',
    amount,
    createdMs: world.nowMs,
    payee,
    madeBy: run,
  })
}

const absent: Reply = {status: 404, body: '{"code":"ORDER_NOT_FOUND","message":"no such order"}'}
const noRoute: Reply = {status: 404, body: '{"message":"no Route matched with those values"}'}

function orderText(order: Order): string {
  const {kind, orderNo, platformNo, spelling, payee} = order
  const amount = {text: `"${taka(amountOf(order))}"`, number: taka(amountOf(order)), missing: null}[spelling]
  const said = amount === null ? '' : `,"amount":${amount}`
  const [bankType, account] = payee.split(' ')
  const who = kind === 'payout' ? {bankType, account} : {playerRef: payee}
  const data = JSON.stringify({
    merchantId,
    orderNo,
    platformOrderNo: platformNo,
    status: wordOf(order),
    ...who,
  })
  return `{"code":0,"data":${data.slice(0, -1)}${said}}}`
}

function list(world: World, {subject, status, page, limit}: Request): Reply {
  const {pageSize} = world.deployment
  const found = world.records.filter(
    (record) =>
      (subject === '' || record.orderId === subject) && (status === null || record.status === status),
  )
  const size = Math.min(limit, pageSize)
  const shown = found.slice((page - 1) * size, page * size).map((record) => recordText(world, record, false))
  const pages = `"page":${page},"limit":${size},"total":${found.length},"total_pages":${Math.ceil(found.length / size)}`
  return legacy(world, `{"data":[${shown.join(',')}],"pagination":{${pages}}}`)
}

function recordText({deployment: {skewMs}, orders}: World, record: DeliveryRecord, isWhole: boolean): string {
  const {id, orderId, orderNo, event, status, amount, isOdd} = record
  const time = (ms: number | null) => (ms === null ? null : new Date(ms + skewMs).toISOString())
  const order = orders.get(record.orderKey)
  const whose = order?.kind === 'deposit' ? {playerRef: order.payee} : {}
  const payload = {orderNo, platformOrderNo: orderId, amount: taka(amount), ...whose}
  return JSON.stringify({
    ...{id, order_id: isOdd ? null : orderId, merchant_order_id: orderNo},
    ...{url: 'https://shop.example/hook', event, status},
    ...{response_code: record.responseCode, attempts: record.attempts, max_attempts: 5},
    ...{next_retry_at: time(record.nextRetryMs), sent_at: time(record.sentMs)},
    created_at: time(record.createdMs),
    ...(isWhole ? {payload, response_body: status === 'success' ? 'ok' : 'Bad Gateway'} : {}),
  })
}

function legacy(world: World, data: string): Reply {
  const timestamp = new Date(world.nowMs + world.deployment.skewMs).toISOString()
  const meta = world.showsTime ? `,"meta":{"timestamp":"${timestamp}"}` : ''
  return {status: 200, body: `{"success":true,"data":${data}${meta}}`}
}
