import type {Book, DeliveryRecord, StoredRecord} from './book.ts'
import type {Call} from './calls.ts'
import type {Merchant} from './payment-api.ts'
import {html, json, type Reply, refusal, reset, silence} from './replies.ts'
import {signLegacyRequest} from './signatures.ts'

/** The legacy API lives at the service's origin, outside the deposit API's prefix (A11). */
export const legacyPath = '/api/v1/merchant/webhooks'

const clockSkewSecondsMax = 300
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Why the request's headers do not let it in, or undefined when they do (section 5.2, A6). */
export function refuseUnsignedLegacy(call: Call, merchant: Merchant): Reply | undefined {
  const {headers, method, path, body} = call
  const timestamp = String(headers['x-timestamp'] ?? '')
  const isFresh =
    /^\d{10}$/.test(timestamp) && Math.abs(Date.now() / 1000 - Number(timestamp)) <= clockSkewSecondsMax
  const isSigned =
    headers['x-signature'] === signLegacyRequest({timestamp, method, path, body}, merchant.apiSecret)
  const isKnown = headers['x-merchant-id'] === merchant.id && headers['x-api-key'] === merchant.apiKey
  if (isFresh && isSigned && isKnown) return undefined
  return json(envelope(false, {error: {code: 'UNAUTHORIZED', message: 'signature verification failed'}}), 401)
}

/** Section 4.5. Filters first, then pages; the rows stay in the book's order (A10). */
export function listRecords(call: Call, book: Book): Reply {
  const status = call.query.get('status')
  const orderId = call.query.get('order_id')
  const limit = readCount(call.query.get('limit'), 20)
  const page = readCount(call.query.get('page'), 1)
  if (limit === undefined || limit > 100 || page === undefined) {
    return json(envelope(false, {error: {code: 'BAD_REQUEST', message: 'limit is 1 to 100'}}), 400)
  }
  if (orderId !== null && !uuid.test(orderId)) {
    return json(envelope(false, {error: {code: 'BAD_REQUEST', message: 'order_id is a UUID'}}), 400)
  }
  const rows = book.records.filter(
    ({fields}) =>
      (status === null || fields.status === status) && (orderId === null || fields.order_id === orderId),
  )
  const shown = rows.slice((page - 1) * limit, page * limit).map((record) => read(record))
  const pagination = {page, limit, total: rows.length, total_pages: Math.ceil(rows.length / limit)}
  return json(envelope(true, {data: {data: shown.map((fields) => ({...fields})), pagination}}))
}

/** Section 4.6. */
export function getRecord(call: Call, book: Book): Reply {
  const record = findRecord(call, book)
  if (record === undefined) return recordNotFound()
  const fields = read(record)
  const payload = {
    event: fields.event,
    order_id: fields.order_id,
    merchant_order_id: fields.merchant_order_id,
  }
  const data = {...fields, payload, response_body: fields.response_code === null ? null : 'upstream said no'}
  return json(envelope(true, {data}))
}

/** Service §4.7. The body of the answer is not documented: this one is empty JSON data. */
export function resendRecord(call: Call, book: Book): Reply {
  if (call.body !== '') return refusal(400, 'BAD_REQUEST', 'a resend has an empty body')
  const record = findRecord(call, book)
  if (record === undefined) return recordNotFound()
  const outcome = record.outcomes.length > 1 ? record.outcomes.shift() : record.outcomes[0]
  if (outcome === undefined) throw new Error(`no outcome is left for record ${record.fields.id}`)
  switch (outcome.leadsTo) {
    case 'success':
      deliver(record, 200)
      return accepted()
    case 'failed':
      deliver(record, outcome.code)
      return accepted()
    case 'nothing moves':
      return accepted()
    case 'success at read':
      record.readsToSuccess = outcome.read
      return accepted()
    case 'reset':
    case 'hang':
      if (outcome.delivered) deliver(record, 200)
      return outcome.leadsTo === 'reset' ? reset : silence
    case 'refused': {
      if (outcome.arrived) deliver(record, outcome.arrived === 'taken' ? 200 : 503)
      const headers = outcome.retryAfterS === undefined ? {} : {'retry-after': String(outcome.retryAfterS)}
      const error = {code: `HTTP_${outcome.httpStatus}`, message: 'refused'}
      return json(envelope(false, {error}), outcome.httpStatus, headers)
    }
  }
}

/** Makes the whole legacy API a page that is not there, as in a deployment without it. */
export function answerLikeNoLegacyApi(): Reply {
  return html(404)
}

function deliver(record: StoredRecord, responseCode: number): void {
  const {fields} = record
  record.arrivals += 1
  fields.status = responseCode < 300 ? 'success' : 'failed'
  fields.response_code = responseCode
  fields.attempts += 1
  fields.next_retry_at = null
  fields.sent_at = new Date().toISOString()
}

/** A record on its way to a late success gets there by being looked at: no test has to wait for a clock. */
function read(record: StoredRecord): DeliveryRecord {
  if (record.readsToSuccess !== undefined) {
    record.readsToSuccess -= 1
    if (record.readsToSuccess === 0) {
      deliver(record, 200)
      delete record.readsToSuccess
    }
  }
  return record.fields
}

function findRecord(call: Call, book: Book): StoredRecord | undefined {
  return book.records.find(({fields}) => fields.id === call.target)
}

function recordNotFound(): Reply {
  return json(envelope(false, {error: {code: 'NOT_FOUND', message: 'no such webhook'}}), 404)
}

function accepted(): Reply {
  return json(envelope(true, {data: {}}))
}

function envelope<Fields extends object>(success: boolean, fields: Fields) {
  return {success, ...fields, meta: {timestamp: new Date().toISOString()}}
}

/** A whole number of one or more, or undefined when the parameter is something else. */
function readCount(text: string | null, otherwise: number): number | undefined {
  if (text === null) return otherwise
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined
}
