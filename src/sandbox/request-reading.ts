import type {Context} from 'hono'

import type {Dialect} from '../core/dialect.ts'
import {Failure} from '../core/failure.ts'
import {isJsonObject, type JsonObject, JsonSyntaxError, type JsonValue, parseJsonBytes} from '../core/json.ts'
import {isUuid} from '../core/order.ts'
import {sameSignature} from '../core/signing/compare.ts'
import {signFields} from '../core/signing/request.ts'
import {escapeInvisible} from '../core/text.ts'
import {Refusal, refuseField} from './answers.ts'
import {requestHeader} from './connection.ts'
import type {MerchantsById, SandboxMerchant} from './merchants.ts'

const bodyLengthMaxBytes = 64 * 1024

export interface ReceivedRequest {
  readonly merchant: SandboxMerchant
  readonly fields: JsonObject
}

/**
 * Reads a deposit or payout request and proves its sender: a JSON object, a known merchant, a right signature
 * (service §5.1). Other fields are checked only after that, so that a stranger learns nothing.
 *
 * Throws `Refusal`: 413, 415 and 400 for the body, 401 for the merchant and the signature.
 */
export async function readSignedRequest(
  c: Context,
  merchants: MerchantsById,
  dialect: Dialect,
): Promise<ReceivedRequest> {
  const fields = await readJsonObject(c)
  const {merchantId, signature} = fields
  if (typeof merchantId !== 'string' || !isUuid(merchantId)) throw refuseField('merchantId', 'a UUID')
  const merchant = merchants.get(merchantId)
  if (!merchant) {
    throw new Refusal(401, 'MERCHANT_UNKNOWN', 'No such merchant.', 'Check merchantId and the deployment.')
  }
  if (typeof signature !== 'string' || signature === '') {
    throw new Refusal(
      401,
      'SIGNATURE_MISSING',
      'The field signature is missing.',
      'Sign the request by section 5.1 of the service document.',
    )
  }
  if (!sameSignature(signature, expectedSignature(fields, merchant, dialect))) {
    throw new Refusal(
      401,
      'SIGNATURE_INVALID',
      'The signature is not that of these fields and this merchant.',
      'Compare what you sign with `hisab sign --explain`.',
    )
  }
  return {merchant, fields}
}

export async function readJsonObject(c: Context): Promise<JsonObject> {
  const type = requestHeader(c, 'content-type') ?? ''
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new Refusal(
      415,
      'CONTENT_TYPE_UNSUPPORTED',
      'The body is not declared as JSON.',
      'Send Content-Type: application/json.',
    )
  }
  const value = parseBody(await readBytes(c))
  if (isJsonObject(value)) return value
  throw malformed('The body is JSON, but not an object.')
}

export const readBytesKey = 'readBytes'

/** The raw body, empty if there is none. Throws `Refusal` 413 above 64 KiB, without reading on. */
export async function readBytes(c: Context): Promise<Uint8Array> {
  const bytes = await readAll(c)
  c.set(readBytesKey, bytes)
  return bytes
}

async function readAll(c: Context): Promise<Uint8Array> {
  const declared = requestHeader(c, 'content-length')
  if (declared !== undefined) {
    if (Number(declared) > bodyLengthMaxBytes) throw tooLarge()
    return new Uint8Array(await c.req.arrayBuffer())
  }
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of c.req.raw.body ?? []) {
    length += chunk.length
    if (length > bodyLengthMaxBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function parseBody(bytes: Uint8Array): JsonValue {
  try {
    return parseJsonBytes(bytes)
  } catch (error) {
    if (error instanceof JsonSyntaxError)
      throw malformed(`The body is not JSON: ${escapeInvisible(error.message, 300)}.`)
    throw error
  }
}

function expectedSignature(fields: JsonObject, merchant: SandboxMerchant, dialect: Dialect): string {
  try {
    return signFields(fields, merchant.credentials.apiSecret, dialect.requestSignature)
  } catch (error) {
    // An object or an array among the fields cannot be signed.
    if (error instanceof Failure && error.code === 'input_invalid') {
      throw new Refusal(400, 'VALIDATION_FAILED', escapeInvisible(error.message, 300), error.hint)
    }
    throw error
  }
}

function malformed(message: string): Refusal {
  return new Refusal(400, 'BODY_MALFORMED', message, 'Send one JSON object, without duplicate names.')
}

function tooLarge(): Refusal {
  return new Refusal(
    413,
    'BODY_TOO_LARGE',
    `The body is larger than ${bodyLengthMaxBytes} bytes.`,
    'No request of this service needs as much.',
  )
}
