import {createHash} from 'node:crypto'
import {z} from 'zod'
import {type Dialect, readStatus} from '../core/dialect.ts'
import {isJsonObject, JsonNumber, type JsonObject, type JsonValue} from '../core/json.ts'
import {parsePaisa} from '../core/money.ts'
import {
  type Delivery,
  deliveryStatuses,
  isSameId,
  isUuid,
  type OddDelivery,
  type OrderKind,
  type ServiceOrder,
} from '../core/order.ts'
import {escapeInvisible} from '../core/text.ts'
import {parseInstant} from '../core/time.ts'
import {InvalidResponse, timestampOf} from './answer.ts'

export interface CreatedDeposit {
  readonly merchantId: string
  readonly orderNo: string
  readonly platformOrderNo: string
  readonly payCode: string | null
  readonly payUrl: string
  readonly raw: JsonObject
}

export interface CreatedPayout {
  readonly merchantId: string
  readonly orderNo: string
  readonly platformOrderNo: string
  readonly rawStatus: string
  readonly raw: JsonObject
}

export type OrderAnswer =
  | {readonly found: true; readonly order: ServiceOrder; readonly raw: JsonObject}
  /** `isBare`: said by a JSON 404 that has neither a code nor a word of an order, as a gateway's (A5). */
  | {readonly found: false; readonly isBare?: true}

/** One page of delivery records (service §4.5). Their order is unknown (A10). */
export interface DeliveryPage {
  readonly records: readonly Delivery[]
  readonly odd: readonly OddDelivery[]
  readonly page: number
  readonly limit: number
  readonly total: number
  readonly totalPages: number
  /** `meta.timestamp`: the service's time of the answer, or null. */
  readonly answeredAt: string | null
}

/** The view of a single record (service §4.6). `payload` and `responseBody` are undefined if absent. */
export interface DeliveryDetail {
  readonly delivery: Delivery
  readonly payload: JsonValue | undefined
  readonly responseBody: JsonValue | undefined
  readonly raw: JsonObject
}

/** A record with the one line of `responseBody` that may be shown and stored (P20, P24). */
export interface QuotedDelivery extends DeliveryDetail {
  readonly answerLine: string | null
}

const word = z.string().min(1)
const count = z
  .instanceof(JsonNumber, {error: 'expected a number'})
  .refine((number) => /^\d{1,15}$/.test(number.source), {error: 'expected a whole number, 0 or more'})
  .transform((number) => Number(number.source))
const instant = z
  .string()
  .refine((text) => parseInstant(text) !== null, {error: 'expected an ISO 8601 time with an offset'})

const echo = {merchantId: word, orderNo: word, platformOrderNo: word}
const depositShape = z.object({
  ...echo,
  payCode: z.string().nullish(),
  payUrl: word.refine(isWebAddress, {error: 'expected an http or https address'}),
})
const payoutShape = z.object({...echo, status: word})
const orderShape = z.object({...echo, status: word})

const deliveryShape = z.object({
  id: z.string().refine(isUuid, {error: 'expected a UUID'}),
  order_id: z.string(),
  // Null or missing says what an empty text says: the record has no number.
  merchant_order_id: z
    .string()
    .nullish()
    .transform((text) => text ?? ''),
  url: z.string(),
  event: z.string(),
  status: z.enum(deliveryStatuses),
  response_code: count.nullish(),
  attempts: count,
  max_attempts: count,
  // Required: null means that the service will not retry.
  next_retry_at: instant.nullable(),
  sent_at: instant.nullish(),
  created_at: instant,
})
const pageShape = z.object({
  data: z.array(z.unknown()),
  pagination: z.object({page: count, limit: count, total: count, total_pages: count}),
})

/** Names of fields: of a create's `data` (service §2.1, §2.2), and of a single record (service §2.3). */
export const createdFields: readonly string[] = [
  ...Object.keys({...depositShape.shape, ...payoutShape.shape}),
]
export const recordFields: readonly string[] = [
  ...Object.keys(deliveryShape.shape),
  'payload',
  'response_body',
]

/** What an answer must repeat from the request (P8). */
export interface Echo {
  readonly merchantId: string
  readonly orderNo: string
}

export function readCreatedDeposit(json: JsonValue, sent: Echo): CreatedDeposit {
  const raw = dataOf(json)
  const {payCode = null, payUrl, ...order} = readShape(depositShape, raw)
  checkEcho(order, sent)
  return {...order, payCode, payUrl, raw}
}

export function readCreatedPayout(json: JsonValue, sent: Echo): CreatedPayout {
  const raw = dataOf(json)
  const {status, ...order} = readShape(payoutShape, raw)
  checkEcho(order, sent)
  return {...order, rawStatus: status, raw}
}

/** Reads an order by the profile's field names (A2) and status words (A3). */
export function readOrder(json: JsonValue, sent: Echo, kind: OrderKind, dialect: Dialect): OrderAnswer {
  const raw = dataOf(json)
  const names = dialect.response
  const orderNoName = names.orderNo.find((name) => raw[name] !== undefined)
  const read = readShape(orderShape, {
    merchantId: raw.merchantId,
    orderNo: orderNoName === undefined ? undefined : raw[orderNoName],
    platformOrderNo: raw[names.platformOrderNo],
    status: raw[names.status],
  })
  checkEcho(read, sent)
  const {orderNo, platformOrderNo, status: rawStatus} = read
  const amount = readAmount(raw[names.amount], names.amount)
  const order = {
    kind,
    orderNo,
    platformOrderNo,
    status: readStatus(dialect, kind, rawStatus),
    rawStatus,
    amount,
    ...(typeof raw.playerRef === 'string' && raw.playerRef.trim() !== '' && {playerRef: raw.playerRef}),
  }
  return {found: true, order, raw}
}

export function readDeliveryPage(json: JsonValue): DeliveryPage {
  const {data, pagination} = readShape(pageShape, dataOf(json))
  const {page, limit, total, total_pages: totalPages} = pagination
  const answeredAt = timestampOf(json) ?? null
  const records: Delivery[] = []
  const odd: OddDelivery[] = []
  for (const [at, value] of data.entries()) {
    const read = deliveryShape.safeParse(value)
    if (read.success) records.push(deliveryOf(read.data))
    else odd.push(oddOf(value, at, whereNot(read.error, '')))
  }
  return {records, odd, page, limit, total, totalPages, answeredAt}
}

export function readDeliveryDetail(json: JsonValue, id: string): DeliveryDetail {
  const raw = dataOf(json)
  const delivery = deliveryOf(readShape(deliveryShape, raw))
  if (delivery.id.toLowerCase() !== id.toLowerCase()) throw new InvalidResponse('is about another record')
  return {delivery, payload: raw.payload, responseBody: raw.response_body, raw}
}

function deliveryOf(read: z.output<typeof deliveryShape>): Delivery {
  return {
    id: read.id,
    orderId: read.order_id,
    merchantOrderId: read.merchant_order_id,
    url: read.url,
    event: read.event,
    status: read.status,
    responseCode: read.response_code ?? null,
    attempts: read.attempts,
    attemptsMax: read.max_attempts,
    nextRetryAt: read.next_retry_at,
    sentAt: read.sent_at ?? null,
    createdAt: read.created_at,
  }
}

/** The `data` of an answer. Throws `InvalidResponse`. */
export function dataOf(json: JsonValue): JsonObject {
  const data = isJsonObject(json) ? json.data : undefined
  if (!isJsonObject(data)) throw new InvalidResponse('has no "data" object')
  return data
}

function readShape<T>(shape: z.ZodType<T>, value: unknown): T {
  const {success, data, error} = shape.safeParse(value)
  if (success) return data
  throw new InvalidResponse(`has another shape than documented (${whereNot(error, 'data')})`)
}

function whereNot({issues: [issue]}: z.ZodError, within: string): string {
  const place = [within, ...(issue?.path ?? [])].filter((part) => part !== '').join('.')
  return escapeInvisible(`${place === '' ? 'it' : place}: ${issue?.message ?? 'unreadable'}`, 160)
}

function checkEcho(read: Echo, sent: Echo): void {
  if (!isSameId(read.merchantId, sent.merchantId)) throw new InvalidResponse('is about another merchant')
  if (read.orderNo !== sent.orderNo) throw new InvalidResponse('is about another order number')
}

function readAmount(value: JsonValue | undefined, name: string): bigint | null {
  if (value === undefined || value === null) return null
  const text = value instanceof JsonNumber ? value.source : value
  const paisa = typeof text === 'string' ? parsePaisa(text) : null
  if (paisa === null) throw new InvalidResponse(`has an unreadable amount (data.${name})`)
  return paisa
}

function isWebAddress(text: string): boolean {
  const protocol = URL.parse(text)?.protocol
  return protocol === 'https:' || protocol === 'http:'
}

/** Keeps the readable fields of an odd record, so that the others stay usable. */
function oddOf(value: unknown, at: number, why: string): OddDelivery {
  const raw = isJsonObject(value as JsonValue) ? (value as JsonObject) : {}
  const textOf = (name: string) => {
    const value = raw[name]
    const text = value instanceof JsonNumber ? value.source : value
    return typeof text === 'string' && text !== '' ? text : null
  }
  const id = textOf('id')
  const createdAt = textOf('created_at')
  return {
    id: id !== null && isUuid(id) ? id : idOfContent(JSON.stringify(value)),
    orderId: textOf('order_id'),
    merchantOrderId: textOf('merchant_order_id'),
    event: textOf('event'),
    createdAt: createdAt !== null && parseInstant(createdAt) !== null ? createdAt : null,
    status: textOf('status'),
    ...{why, at},
  }
}

function idOfContent(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  )
}
