import type {Dialect} from '../core/dialect.ts'
import {formatPaisa} from '../core/money.ts'
import {completedEvent} from '../core/order.ts'
import {signByRecipe} from '../core/signing/recipe.ts'
import {signFields} from '../core/signing/request.ts'
import type {SandboxMerchant} from './merchants.ts'
import type {StoredDelivery} from './store/deliveries.ts'
import type {StoredDeposit, StoredPayout} from './store/orders.ts'
import {wordOf} from './words.ts'

/** The event of an order that failed. Only `order.completed` is documented (service §6). */
const failedEvent = 'order.failed'

export function eventOf(order: Pick<StoredDeposit, 'state'>): string {
  return order.state === 'completed' ? completedEvent : failedEvent
}

export type WebhookOrder = Pick<
  StoredDeposit | StoredPayout,
  'merchantId' | 'orderNo' | 'platformOrderNo' | 'state'
> &
  (Pick<StoredDeposit, 'kind' | 'amount' | 'chosen' | 'playerRef'> | Pick<StoredPayout, 'kind' | 'amount'>)

/** The webhook body of a finished order (service §6). The same bytes are signed, stored and sent in every attempt. */
export function composeWebhook(order: WebhookOrder, merchant: SandboxMerchant, dialect: Dialect): string {
  return writeWebhook(webhookFields(order, dialect), merchant, dialect)
}

/**
 * All values are strings. Only a deposit has `playerRef`. `amount` is what was paid; of a failed deposit it is what
 * the player chose, or absent.
 */
export function webhookFields(order: WebhookOrder, dialect: Dialect): Record<string, string> {
  const fields: Record<string, string> = {
    event: eventOf(order),
    merchantId: order.merchantId,
    orderNo: order.orderNo,
    platformOrderNo: order.platformOrderNo,
    status: wordOf(dialect, order.kind, order.state),
  }
  const amount = order.amount ?? (order.kind === 'deposit' ? order.chosen : null)
  if (amount !== null) fields.amount = formatPaisa(amount)
  if (order.kind === 'deposit') fields.playerRef = order.playerRef
  return fields
}

/** With the scheme `md5-sorted`, `signature` is the last field (A8). */
export function writeWebhook(
  fields: Readonly<Record<string, string>>,
  {credentials}: Pick<SandboxMerchant, 'credentials'>,
  {webhookSignature, requestSignature}: Dialect,
): string {
  if (webhookSignature.scheme !== 'md5-sorted') return JSON.stringify(fields)
  return JSON.stringify({...fields, signature: signFields(fields, credentials.apiSecret, requestSignature)})
}

/** A forger's body: completed, with an amount of a lakh. */
export function forgeWebhook(body: string): string {
  const fields = JSON.parse(body) as Record<string, string>
  const lakh = formatPaisa(1_00_000_00n)
  const amount = fields.amount === lakh ? formatPaisa(2_00_000_00n) : lakh
  return JSON.stringify({...fields, event: completedEvent, status: 'completed', amount})
}

/**
 * The headers of one attempt. With the scheme `hmac` they carry its signature, made anew each time because it covers
 * the time (`unixSeconds`, real time).
 */
export function webhookHeaders(
  delivery: Pick<StoredDelivery, 'url' | 'payload'>,
  merchant: Pick<SandboxMerchant, 'merchantId' | 'credentials'>,
  dialect: Dialect,
  unixSeconds: number,
): Record<string, string> {
  const headers: Record<string, string> = {'content-type': 'application/json', 'user-agent': 'hisab-sandbox'}
  const {scheme, header, timestampHeader, recipe} = dialect.webhookSignature
  if (scheme === 'md5-sorted') return headers
  const timestamp = String(unixSeconds)
  const parts = {
    timestamp,
    method: 'POST',
    path: new URL(delivery.url).pathname,
    body: delivery.payload,
    merchantId: merchant.merchantId,
    apiKey: merchant.credentials.apiKey,
  }
  return {
    ...headers,
    [timestampHeader]: timestamp,
    [header]: signByRecipe(recipe, parts, merchant.credentials),
  }
}
