import type {Book, Kind, Order} from './book.ts'
import type {Call} from './calls.ts'
import {json, type Reply, refusal} from './replies.ts'
import {type Parameters, signParameters} from './signatures.ts'

export interface Merchant {
  readonly id: string
  readonly apiSecret: string
  readonly apiKey: string
  /** Only a demo merchant may ask for a sandbox deposit (section 4.1). */
  isDemo: boolean
  /** A payout above it is refused with INSUFFICIENT_BALANCE (section 4.3). */
  balancePaisa: bigint
}

const createFields: Readonly<Record<Kind, readonly string[]>> = {
  deposit: ['merchantId', 'orderNo', 'returnUrl', 'playerPhone', 'playerRef'],
  payout: ['merchantId', 'outOrderNo', 'amount', 'bankType', 'userName', 'account', 'returnUrl'],
}

const numberField: Readonly<Record<Kind, string>> = {deposit: 'orderNo', payout: 'outOrderNo'}

/** The body as parameters, or undefined when it is not what section 4 describes. */
export function readParameters(body: string): Parameters | undefined {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const parameters: Record<string, string | boolean | null> = {}
  for (const [name, field] of Object.entries(value)) {
    if (typeof field !== 'string' && typeof field !== 'boolean' && field !== null) return undefined
    parameters[name] = field
  }
  return parameters
}

/** The order number a create or a query is about, for the log; empty when the body cannot be read. */
export function readOrderNumber(kind: Kind, body: string): string {
  const number = readParameters(body)?.[numberField[kind]]
  return typeof number === 'string' ? number : ''
}

/** Why the signed request is not let in, or undefined when it is. */
export function refuseUnsigned(call: Call, merchant: Merchant): Reply | undefined {
  const parameters = readParameters(call.body)
  if (parameters === undefined) return refusal(400, 'BAD_REQUEST', 'the body is not a flat JSON object')
  if (!/^application\/json\b/.test(call.headers['content-type'] ?? '')) {
    return refusal(400, 'BAD_REQUEST', 'Content-Type must be application/json')
  }
  const expected = signParameters(parameters, merchant.apiSecret)
  if (parameters.merchantId !== merchant.id || parameters.signature !== expected) {
    return refusal(401, 'INVALID_SIGNATURE', 'signature verification failed')
  }
  return undefined
}

/** Sections 4.1 and 4.3: a repeated number returns the original order, whatever else the request says. */
export function createOrder(kind: Kind, call: Call, book: Book, merchant: Merchant): Reply {
  const parameters = readParameters(call.body) ?? {}
  const number = readOrderNumber(kind, call.body)
  const missing = createFields[kind].find((name) => typeof parameters[name] !== 'string')
  if (missing !== undefined || number.length > 32) {
    return refusal(400, 'BAD_REQUEST', `${missing ?? numberField[kind]} is missing or too long`)
  }
  const original = book.findOrder(kind, number)
  if (original !== undefined) return showCreated(original, merchant)
  if (parameters.isTest === true && !merchant.isDemo) {
    return refusal(400, 'BAD_REQUEST', 'isTest is for demo merchants only')
  }
  if (kind === 'deposit') {
    return showCreated(book.addOrder({kind, number, status: 'pending', created: parameters}), merchant)
  }
  const amount = String(parameters.amount)
  if (merchant.balancePaisa < readPaisa(amount)) {
    return refusal(400, 'INSUFFICIENT_BALANCE', 'the balance is below the amount')
  }
  return showCreated(
    book.addOrder({kind, number, status: 'processing', amount, created: parameters}),
    merchant,
  )
}

function showCreated(order: Order, merchant: Merchant): Reply {
  const {number, platformOrderNo} = order
  const common = {merchantId: merchant.id, orderNo: number, platformOrderNo}
  if (order.kind === 'payout') return json({code: 0, data: {...common, status: order.status}})
  const payUrl = `https://pay.example/session/${platformOrderNo}`
  return json({code: 0, data: {...common, payCode: `PC${platformOrderNo.slice(-6)}`, payUrl}})
}

/** Sections 4.2 and 4.4 with assumptions A1, A2 and A5. `channel` is a field no client was told about. */
export function queryOrder(kind: Kind, call: Call, book: Book, merchant: Merchant): Reply {
  const number = readOrderNumber(kind, call.body)
  const order = book.findOrder(kind, number)
  if (order === undefined) return refusal(404, 'ORDER_NOT_FOUND', 'no such order')
  const {platformOrderNo, status, amount} = order
  return json({
    code: 0,
    data: {merchantId: merchant.id, orderNo: number, platformOrderNo, status, amount, channel: 'BKASH'},
  })
}

function readPaisa(amount: string): bigint {
  const [taka = '0', paisa = ''] = amount.split('.')
  return BigInt(taka) * 100n + BigInt(paisa.padEnd(2, '0'))
}
