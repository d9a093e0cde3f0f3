import {type Context, Hono} from 'hono'

import type {Dialect} from '../core/dialect.ts'
import {deliveryStatuses, isUuid, legacyPageLimitMax} from '../core/order.ts'
import {answerJson, Refusal, refuseField} from './answers.ts'
import type {DeliveryEngine} from './deliveries.ts'
import {showDelivery, showDeliveryDetail} from './delivery-record.ts'
import {skippedRecords} from './faults/call-faults.ts'
import {authenticateLegacy} from './legacy-authentication.ts'
import type {MerchantsById, SandboxMerchant} from './merchants.ts'
import type {DeliveryStore, StoredDelivery} from './store/deliveries.ts'
import type {DeliveryList, StoredDeliveryFilter} from './store/delivery-list.ts'

export interface LegacyRouteParts {
  readonly deliveries: DeliveryStore
  readonly list: DeliveryList
  readonly engine: DeliveryEngine
  readonly merchants: MerchantsById
  readonly dialect: Dialect
  /** Real time as the service has it, so that a client can tell how far its X-Timestamp is off. */
  readonly serviceNow: () => number
}

const pageLimitDefault = 20

/** The deprecated legacy API (service §4.5 to §4.7), below the dialect's legacy path (A11). */
export function legacyRoutes({
  deliveries,
  list,
  engine,
  merchants,
  dialect,
  serviceNow,
}: LegacyRouteParts): Hono {
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
