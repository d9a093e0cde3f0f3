import {type Context, Hono} from 'hono'
import type {Dialect} from '../core/dialect.ts'
import {deliveryStatuses, isUuid, legacyPageLimitMax} from '../core/order.ts'
import {sameSignature} from '../core/signing/compare.ts'
import {signByRecipe} from '../core/signing/recipe.ts'
import {answerJson, Refusal, refuseField} from './answers.ts'
import {showDelivery, showDeliveryDetail} from './delivery-record.ts'
import {skippedRecords} from './faults/call-faults.ts'
import type {MerchantsById, SandboxMerchant} from './merchants.ts'
import type {SandboxParts} from './parts.ts'
import {readBytes} from './request-reading.ts'
import type {StoredDelivery} from './store/deliveries.ts'
import type {StoredDeliveryFilter} from './store/delivery-list.ts'

const pageLimitDefault = 20

/** The deprecated legacy API (service §4.5 to §4.7), below the dialect's legacy path (A11). */
export function legacyRoutes({deliveries, list, engine, merchants, dialect, serviceNow}: SandboxParts): Hono {
  const routes = new Hono()
  const authenticate = (c: Context) => authenticateLegacy(c, merchants, dialect, serviceNow())
  const answer = (c: Context, data: unknown) =>
    answerJson(c, {success: true, data, meta: {timestamp: new Date(serviceNow()).toISOString()}})
  const findOwn = (merchant: SandboxMerchant, id: string): StoredDelivery => {
    const delivery = deliveries.find(id)
    if (delivery?.merchantId === merchant.merchantId) return delivery
    throw new Refusal(
      404,
      'WEBHOOK_NOT_FOUND',
      'This merchant has no delivery record with that id.',
      'Take the id from the list.',
    )
  }

  routes.get('/', async (c) => {
    const {merchantId} = await authenticate(c)
    const filter = readFilter(c, merchantId)
    const page = readCount(c, 'page', 1, Number.MAX_SAFE_INTEGER / legacyPageLimitMax)
    const limit = readCount(c, 'limit', pageLimitDefault, legacyPageLimitMax)
    const {records, total} = list.readPage(filter, page, limit, skippedRecords(c))
    return answer(c, {
      data: records.map(showDelivery),
      pagination: {page, limit, total, total_pages: Math.ceil(total / limit)},
    })
  })

  routes.get('/:webhookId', async (c) => {
    const delivery = findOwn(await authenticate(c), c.req.param('webhookId'))
    return answer(c, showDeliveryDetail(delivery))
  })

  routes.post('/:webhookId/resend', async (c) => {
    const {id} = findOwn(await authenticate(c), c.req.param('webhookId'))
    await engine.resend(id)
    const delivery = deliveries.find(id)
    return answer(c, delivery ? showDelivery(delivery) : null)
  })

  return routes
}

function readFilter(c: Context, merchantId: string): StoredDeliveryFilter {
  const status = deliveryStatuses.find((known) => known === c.req.query('status'))
  if (c.req.query('status') !== undefined && !status) {
    throw refuseField('status', `one of ${deliveryStatuses.join(', ')}`)
  }
  const orderId = c.req.query('order_id')
  if (orderId !== undefined && !isUuid(orderId)) throw refuseField('order_id', 'a UUID')
  return {merchantId, status, orderId}
}

function readCount(c: Context, name: string, byDefault: number, max: number): number {
  const text = c.req.query(name)
  if (text === undefined) return byDefault
  const count = /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : 0
  if (count >= 1 && count <= max) return count
  throw refuseField(name, `a whole number from 1 to ${Math.floor(max)}`)
}

const timestampToleranceSeconds = 300

/**
 * Checks merchant, key, time and signature of a legacy request (service §5.2). The path is signed without its query,
 * by the dialect's recipe (A6). Real time counts, because a client signs with its own clock. Throws `Refusal` 401.
 */
async function authenticateLegacy(
  c: Context,
  merchants: MerchantsById,
  dialect: Dialect,
  serviceNowMs: number,
): Promise<SandboxMerchant> {
  const header = (name: string) => c.req.header(name) ?? ''
  const merchant = merchants.get(header('x-merchant-id'))
  if (!merchant) throw refuse('MERCHANT_UNKNOWN', 'X-Merchant-Id names no merchant.')
  const {credentials} = merchant
  if (!sameSignature(header('x-api-key'), credentials.apiKey)) {
    throw refuse('API_KEY_INVALID', 'X-API-Key is not the key of this merchant.')
  }
  const timestamp = header('x-timestamp')
  checkTimestamp(timestamp, serviceNowMs)
  const parts = {
    timestamp,
    method: c.req.method,
    path: new URL(c.req.url).pathname,
    body: await readBytes(c),
    merchantId: merchant.merchantId,
    apiKey: credentials.apiKey,
  }
  if (!sameSignature(header('x-signature'), signByRecipe(dialect.legacySignature, parts, credentials))) {
    throw refuse('SIGNATURE_INVALID', 'X-Signature is not that of this request; the query is not part of it.')
  }
  return merchant
}

function checkTimestamp(timestamp: string, serviceNowMs: number): void {
  if (!/^\d{1,12}$/.test(timestamp)) throw refuse('TIMESTAMP_INVALID', 'X-Timestamp is not Unix seconds.')
  const offSeconds = Math.round(serviceNowMs / 1000) - Number(timestamp)
  if (Math.abs(offSeconds) <= timestampToleranceSeconds) return
  throw refuse(
    'TIMESTAMP_STALE',
    `X-Timestamp is ${Math.abs(offSeconds)} s ${offSeconds > 0 ? 'behind' : 'ahead of'} the service's clock.`,
  )
}

function refuse(code: string, message: string): Refusal {
  return new Refusal(401, code, message, 'See section 5.2 of the service document.')
}
