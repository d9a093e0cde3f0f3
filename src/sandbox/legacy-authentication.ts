import type {Context} from 'hono'

import type {Dialect} from '../core/dialect.ts'
import {sameSignature} from '../core/signing/compare.ts'
import {signByRecipe} from '../core/signing/recipe.ts'
import {Refusal} from './answers.ts'
import type {MerchantsById, SandboxMerchant} from './merchants.ts'
import {readBytes} from './request-reading.ts'

/** How far `X-Timestamp` may be from real time, either way. */
const timestampToleranceSeconds = 300

/**
 * Proves who sent a legacy request (service §5.2) by merchant, key, time, and the signature of the path without its query
 * by the dialect's recipe (A6). Real time counts and not the sandbox's, because a client signs with its own clock.
 *
 * Throws `Refusal` 401.
 */
export async function authenticateLegacy(
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
