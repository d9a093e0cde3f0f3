import {createHash, createHmac} from 'node:crypto'

import type {Tongue} from './tongue.ts'
import {type DeliveryRecord, type Kind, keyOf, type Order, taka, type World} from './world.ts'

export const secret = 'simulated-secret'
export const apiKey = 'simulated-key'
export const merchantId = '0d9e4c1a-7f43-4f0e-9a52-3b6a8a1f2c01'

export type OperationName = 'query' | 'create' | 'list' | 'get' | 'resend'

/** A request as the service understands it (document §4). */
export interface Request {
  readonly name: OperationName
  readonly origin: string
  /** Of a query or a create. */
  readonly kind: Kind
  /** The order's number, or the record's id; of a list, the order id it is filtered by. */
  readonly subject: string
  readonly fields: Readonly<Record<string, string>>
  /** The bytes as they came. */
  readonly text: string
  readonly status: string | null
  readonly page: number
  readonly limit: number
  /** What is answered to a request that is not as this service has it. */
  readonly refusal: Reply | null
}

export interface Reply {
  readonly status: number
  readonly body: string
  readonly type?: string
  readonly retryAfter?: string
  /** It says no, whatever its HTTP status. */
  readonly isNo?: true
}

/** A request that no correct client sends. */
export class BadRequest extends Error {}

const legacyPath = '/api/v1/merchant/webhooks'

/** Reads a request and its signature by the document alone; what is not as documented throws `BadRequest`. */
export function readRequest(
  origin: string,
  method: string,
  target: string,
  headers: readonly string[],
  body: Uint8Array | null,
  serviceMs: number,
  spoken: Tongue,
  mistakes: readonly (keyof Tongue)[],
): Request {
  const [path = '', query = ''] = target.split('?')
  const text = body ? Buffer.from(body).toString('utf8') : ''
  const none = {
    origin,
    kind: 'deposit',
    fields: {},
    text,
    status: null,
    page: 1,
    limit: 20,
    refusal: null,
  } as const
  if (path.startsWith(legacyPath)) {
    const isRight = checkHeaders(method, path, headers, serviceMs, spoken.legacy)
    if (!isRight && !mistakes.includes('legacy')) throw new BadRequest(`headers of ${method} ${path}`)
    const refusal = isRight ? null : whoAreYou
    const [id, verb] = path.slice(legacyPath.length + 1).split('/')
    if (!id) {
      const asked = new URLSearchParams(query)
      const [page, limit] = [Number(asked.get('page') ?? 1), Number(asked.get('limit') ?? 20)]
      const subject = asked.get('order_id') ?? ''
      return {...none, refusal, name: 'list', subject, status: asked.get('status'), page, limit}
    }
    const name = verb === 'resend' ? 'resend' : 'get'
    if (method !== (name === 'get' ? 'GET' : 'POST')) throw new BadRequest(`${method} ${path}`)
    return {...none, refusal, name, subject: id}
  }
  const fields = JSON.parse(text) as Record<string, string>
  checkSignature(fields, spoken.sort)
  const kind: Kind = path.includes('/apply/') ? 'payout' : 'deposit'
  const name = path.endsWith('/create') ? 'create' : 'query'
  const depositNo = fields[name === 'query' ? spoken.queryField : 'orderNo']
  const subject = kind === 'payout' ? fields.outOrderNo : depositNo
  if (subject === undefined && !mistakes.includes('queryField')) throw new BadRequest(text)
  const refusal = subject === undefined ? whichOrder : null
  return {...none, name, kind, subject: subject ?? '', fields, refusal}
}

const whoAreYou: Reply = {status: 401, body: '{"code":40100,"message":"bad signature"}'}
const whichOrder: Reply = {status: 400, body: '{"code":40003,"message":"no order number"}'}

/** Document §5.1, written from the document. */
function checkSignature({signature, ...fields}: Record<string, unknown>, sort: Tongue['sort']): void {
  const by = (name: string) => (sort === 'ignore_case' ? name.toLowerCase() : name)
  const names = Object.keys(fields).sort((a, b) => (by(a) < by(b) ? -1 : 1))
  const text = names.map((name) => `${name}=${String(fields[name])}`).join('&')
  const right = createHash('md5').update(`${text}&key=${secret}`).digest('hex')
  if (signature !== right || fields.merchantId !== merchantId) throw new BadRequest(`signature of ${text}`)
}

/** Document §5.2, by A6. Whether the signature is right; throws for all else. */
function checkHeaders(
  method: string,
  path: string,
  headers: readonly string[],
  serviceMs: number,
  {input, hash, encoding, key}: Tongue['legacy'],
): boolean {
  const value = (name: string) => headers[headers.indexOf(name) + 1] ?? ''
  const timestamp = value('x-timestamp')
  const signed = input
    .replace('{timestamp}', timestamp)
    .replace('{method}', method)
    .replace('{path}', path)
    .replace('{body}', '')
  const right = createHmac(hash, key === 'api_key' ? apiKey : secret)
    .update(signed)
    .digest(encoding)
  const isOurs = value('x-api-key') === apiKey && value('x-merchant-id') === merchantId
  if (!isOurs) throw new BadRequest(`headers of ${method} ${path}`)
  if (Math.abs(Number(timestamp) * 1_000 - serviceMs) > 10 * 60_000) throw new BadRequest('an old timestamp')
  return value('x-signature') === right
}

/** What the service does and says where nothing is wrong. */
export function answer(world: World, request: Request, runId: string): Reply {
  const {name, kind, subject} = request
  if (!world.hasLegacyApi && (name === 'list' || name === 'get' || name === 'resend')) {
    return {status: 404, body: '<h1>Not Found</h1>', type: 'text/html'}
  }
  switch (name) {
    case 'query': {
      const order = world.orderOf(kind, subject)
      return order ? {status: 200, body: orderText(order, world.spoken)} : absent(world.spoken)
    }
    case 'create':
      return create(world, request)
    case 'list':
      return list(world, request)
    case 'get': {
      const record = world.record(subject)
      return record ? legacy(world, recordText(record, world.spoken)) : absent(world.spoken)
    }
    case 'resend': {
      if (!world.record(subject)) return absent(world.spoken)
      world.deliver(subject, runId)
      return legacy(world, '{"accepted":true}')
    }
  }
}

function absent({absence: {status, code}}: Tongue): Reply {
  return {status, body: `{"code":"${code}","message":"no such order"}`, isNo: true}
}

function create(world: World, {kind, subject, fields}: Request): Reply {
  const amount = kind === 'payout' ? paisaOf(fields.amount ?? '') : 0n
  let order = world.orders.get(keyOf(kind, subject))
  if (!order) {
    if (kind === 'payout' && amount > world.balance) {
      return {status: 400, body: '{"code":40002,"error":"INSUFFICIENT_BALANCE"}'}
    }
    if (kind === 'payout') world.balance -= amount
    const paid = kind === 'payout' ? amount : BigInt(100 + (world.count % 5_000) * 100)
    order = {
      ...{kind, orderNo: subject, platformNo: world.uuid(), word: 'processing', amount: paid},
      ...{spelling: 'text', createdMs: world.nowMs, completesMs: null},
    }
    world.addOrder(order)
  }
  const echo = {merchantId, orderNo: subject, platformOrderNo: order.platformNo}
  const page = {payCode: 'PC', payUrl: `https://pay.example/p/${order.platformNo}`}
  const data = kind === 'payout' ? {...echo, status: 'processing'} : {...echo, ...page}
  return {status: 200, body: JSON.stringify({code: 0, data})}
}

function orderText({orderNo, platformNo, word, amount, spelling}: Order, {fields, words}: Tongue): string {
  const said = (words as Readonly<Record<string, string>>)[word] ?? word
  const spelt = {
    text: `,"${fields.amount}":"${taka(amount)}"`,
    number: `,"${fields.amount}":${taka(amount)}`,
    missing: '',
  }
  const echo = `"merchantId":"${merchantId}","${fields.orderNo}":${JSON.stringify(orderNo)}`
  return `{"code":0,"data":{${echo},"${fields.platformNo}":"${platformNo}","${fields.status}":"${said}"${spelt[spelling]}}}`
}

function list(world: World, {subject, status, page, limit}: Request): Reply {
  const found = world.records.filter(
    (record) => (subject === '' || record.orderId === subject) && (!status || record.status === status),
  )
  const size = Math.min(limit, world.pageSize)
  const shown = found.slice((page - 1) * size, page * size).map((record) => recordText(record, null))
  const pages = `"page":${page},"limit":${size},"total":${found.length},"total_pages":${Math.ceil(found.length / size)}`
  return legacy(world, `{"data":[${shown.join(',')}],"pagination":{${pages}}}`)
}

/** With what its webhook said, where it is asked for by itself. */
function recordText(record: DeliveryRecord, whole: Tongue | null): string {
  const {id, orderId, orderNo, event, status, says} = record
  const time = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())
  const payload = whole && {
    ...{[whole.fields.orderNo]: orderNo, [whole.fields.platformNo]: orderId, playerRef: 'p-1'},
    [whole.fields.amount]: says === null ? '' : taka(says),
  }
  return JSON.stringify({
    ...{id, order_id: orderId, merchant_order_id: orderNo, url: 'https://shop.example/hook', event, status},
    ...{response_code: record.responseCode, attempts: record.attempts, max_attempts: 5},
    ...{next_retry_at: time(record.nextRetryMs), sent_at: time(record.sentMs)},
    created_at: time(record.createdMs),
    ...(whole ? {payload, response_body: status === 'success' ? 'ok' : 'Bad Gateway'} : {}),
  })
}

function legacy(world: World, data: string): Reply {
  const timestamp = new Date(world.nowMs + world.skewMs).toISOString()
  return {status: 200, body: `{"success":true,"data":${data},"meta":{"timestamp":"${timestamp}"}}`}
}

function paisaOf(text: string): bigint {
  return BigInt(text.replace('.', ''))
}
