import {RESPONSE_ALREADY_SENT} from '@hono/node-server/utils/response'
import type {Context} from 'hono'
import type {ContentfulStatusCode} from 'hono/utils/http-status'

import type {Dialect} from '../core/dialect.ts'
import {Failure} from '../core/failure.ts'
import {escapeInvisible} from '../core/text.ts'
import {connectionOf} from './connection.ts'

/** Set while faults are in force: a fault may still spoil the answer, so it must not be sent yet. */
export const heldAnswerKey = 'isAnswerHeld'

export const answeredTextKey = 'answeredText'

/**
 * HTTP 200 with JSON, written to the connection at once. A `Response` would go through web streams, which take a
 * third of a query's time. Hono's own short cut replaces the process's `Request` and `Response`, which a sandbox in
 * somebody's tests must not.
 */
export function answerJson(c: Context, value: unknown): Response {
  const connection = connectionOf(c)
  const text = JSON.stringify(value)
  c.set(answeredTextKey, text)
  if (connection === null || c.get(heldAnswerKey)) return jsonText(c, text, 200)
  const {outgoing} = connection
  outgoing.writeHead(200, {'content-type': 'application/json', 'content-length': Buffer.byteLength(text)})
  outgoing.end(text)
  return RESPONSE_ALREADY_SENT
}

/** A request that the service refuses. `serviceCode` is the code of the error body (A4). */
export class Refusal extends Failure {
  readonly httpStatus: ContentfulStatusCode
  override readonly serviceCode: string

  constructor(httpStatus: ContentfulStatusCode, serviceCode: string, message: string, hint: string) {
    super('service_refused', message, hint, serviceCode)
    this.httpStatus = httpStatus
    this.serviceCode = serviceCode
  }
}

export function refuseField(name: string, expected: string): Refusal {
  return new Refusal(
    400,
    'VALIDATION_FAILED',
    `The field ${escapeInvisible(name, 80)} must be ${expected}.`,
    'Correct it and send it again.',
  )
}

/** The answer for an unknown order, in the form that the dialect expects (A5). */
export function refuseUnknownOrder(dialect: Dialect, orderNo: string): Refusal {
  return new Refusal(
    (dialect.notFound.http[0] ?? 200) as ContentfulStatusCode,
    dialect.notFound.codes[0] ?? 'ORDER_NOT_FOUND',
    `No order ${escapeInvisible(orderNo, 80)} of this merchant.`,
    'Check the number, and that deposits and payouts are asked for at their own address.',
  )
}

/** The error body, at the first places that the dialect reads (A4). */
export function answerRefusal(c: Context, dialect: Dialect, refusal: Refusal): Response {
  return refuseWith(c, errorBody(dialect, refusal), refusal)
}

export function answerLegacyRefusal(c: Context, dialect: Dialect, refusal: Refusal, nowMs: number): Response {
  const body = {
    success: false,
    ...errorBody(dialect, refusal),
    meta: {timestamp: new Date(nowMs).toISOString()},
  }
  return refuseWith(c, body, refusal)
}

function refuseWith(c: Context, body: object, {httpStatus}: Refusal): Response {
  const text = JSON.stringify(body)
  c.set(answeredTextKey, text)
  return jsonText(c, text, httpStatus)
}

function jsonText(c: Context, text: string, status: ContentfulStatusCode): Response {
  return c.body(text, status, {'content-type': 'application/json'})
}

function errorBody(dialect: Dialect, refusal: Refusal): Record<string, unknown> {
  const codePath = dialect.error.code[0] ?? 'code'
  // Where the code is `error`, the message cannot be inside it: take the first place that does not overlap.
  const messagePath = dialect.error.message.find(
    (path) => path !== codePath && !path.startsWith(`${codePath}.`) && !codePath.startsWith(`${path}.`),
  )
  const body: Record<string, unknown> = {}
  place(body, codePath, refusal.serviceCode)
  if (messagePath !== undefined) place(body, messagePath, `${refusal.message} ${refusal.hint}`)
  return body
}

function place(body: Record<string, unknown>, path: string, value: string): void {
  const [first = path, ...rest] = path.split('.')
  if (rest.length === 0) {
    body[first] = value
    return
  }
  const inner = (body[first] ?? {}) as Record<string, unknown>
  place(inner, rest.join('.'), value)
  body[first] = inner
}
