import {Failure} from '../core/failure.ts'
import {isJsonObject, type JsonObject, JsonSyntaxError, type JsonValue, parseJsonBytes} from '../core/json.ts'
import {isSameId} from '../core/order.ts'
import {sameSignature} from '../core/signing/compare.ts'
import {nestedNames} from '../core/signing/fields.ts'
import {signByRecipe} from '../core/signing/recipe.ts'
import {ambiguousNames, signFields, undocumentedNames} from '../core/signing/request.ts'
import {recipePartsOf} from '../core/signing/signed-request.ts'
import {escapeInvisible} from '../core/text.ts'
import {isTimed, type Rules} from './rules.ts'
import {readWebhook, type Webhook} from './webhook.ts'

/** A webhook as received; header names in lower case, `path` without its query. */
export interface WireWebhook {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly path: string
  /** The raw bytes, never re-serialised. */
  readonly body: Uint8Array
}

/** Why a webhook is refused: a closed list. */
export type RefusalReason =
  | 'malformed'
  | 'unsigned'
  | 'mismatch'
  | 'stale'
  | 'ambiguous'
  | 'other_merchant'
  | 'no_order'
  | 'wrong_address'
  | 'wrong_method'
  | 'wrong_host'
  | 'web_page'
  | 'too_large'

export interface WebhookRefusal {
  readonly kind: 'refused'
  readonly httpStatus: number
  readonly reason: RefusalReason
  /** One sentence for the sender and the operator, without values of the body. */
  readonly message: string
}

export interface GenuineWebhook {
  readonly kind: 'genuine'
  readonly webhook: Webhook
  /** Fields that a body signature may not have been made for: see `undocumentedNames`. */
  readonly undocumented: readonly string[]
}

export type WebhookVerdict = GenuineWebhook | WebhookRefusal

/** Checks a webhook by the one configured scheme; anything not proven genuine is refused (P22). */
export function verifyWebhook(wire: WireWebhook, rules: Rules): WebhookVerdict {
  const isSorted = rules.dialect.webhookSignature.scheme === 'md5-sorted'
  // This scheme covers raw bytes, before parsing; the other one covers parsed fields.
  const unproven = isSorted ? null : verifyHeader(wire, rules)
  if (unproven) return unproven
  const body = readFields(wire.body)
  if ('refusal' in body) return body.refusal
  const {fields} = body
  const unsigned = isSorted ? verifySorted(fields, rules) : null
  if (unsigned) return unsigned
  const {merchantId} = fields
  if (typeof merchantId === 'string' && !isSameId(merchantId, rules.merchantId)) {
    return refuse('other_merchant', 'The webhook is about another merchant than the profile’s.')
  }
  const webhook = readWebhook(fields, rules)
  if (webhook) return {kind: 'genuine', webhook, undocumented: isSorted ? strangeNames(fields, rules) : []}
  const name = escapeInvisible(rules.dialect.response.platformOrderNo, 60)
  return refuse(
    'no_order',
    `The signature is right, but the body has neither ${name} nor an order number to know the order by.`,
  )
}

const statusOf: Readonly<Record<RefusalReason, number>> = {
  malformed: 400,
  unsigned: 401,
  mismatch: 401,
  stale: 401,
  ambiguous: 401,
  other_merchant: 403,
  wrong_host: 403,
  web_page: 403,
  wrong_address: 404,
  wrong_method: 405,
  too_large: 413,
  no_order: 422,
}

export function refuse(reason: RefusalReason, message: string): WebhookRefusal {
  return {kind: 'refused', httpStatus: statusOf[reason], reason, message}
}

/** An old header signature may be a replay. Null if its time is near enough, or it covers none. */
export function refuseStale({headers}: WireWebhook, rules: Rules, nowMs: number): WebhookRefusal | null {
  const {scheme, timestampHeader, maxAgeMs} = rules.dialect.webhookSignature
  if (scheme !== 'hmac' || maxAgeMs === null || !isTimed(rules)) return null
  const text = String(headers[timestampHeader.toLowerCase()] ?? '')
  // Seconds; milliseconds with 13 digits.
  const timeMs = /^\d{9,11}$/.test(text)
    ? Number(text) * 1_000
    : /^\d{13}$/.test(text)
      ? Number(text)
      : Date.parse(text)
  if (Math.abs(nowMs - timeMs) <= maxAgeMs) return null
  return refuse(
    'stale',
    `The signature is right, but its time is more than ${maxAgeMs / 1_000} s away from this machine's.`,
  )
}

function strangeNames(fields: JsonObject, {dialect: {response}}: Rules): string[] {
  const {orderNo, platformOrderNo, status, amount} = response
  return undocumentedNames(fields, [...orderNo, platformOrderNo, status, amount])
}

function verifySorted(fields: JsonObject, {dialect, keys}: Rules): WebhookRefusal | null {
  const [nested] = nestedNames(fields)
  if (nested !== undefined) {
    return refuse(
      'malformed',
      `The field "${escapeInvisible(nested, 60)}" is an object or an array, which the signature cannot cover.`,
    )
  }
  const {signature} = fields
  if (typeof signature !== 'string') return refuse('unsigned', 'The body has no signature.')
  if (!sameSignature(signature, signFields(fields, keys.apiSecret, dialect.requestSignature))) {
    return refuse('mismatch', 'The signature is wrong.')
  }
  const [ambiguous] = ambiguousNames(fields)
  if (ambiguous === undefined) return null
  return refuse(
    'ambiguous',
    `The field "${escapeInvisible(ambiguous, 60)}" reads as further fields, so that the signature proves less than it seems.`,
  )
}

function verifyHeader({headers, path, body}: WireWebhook, rules: Rules): WebhookRefusal | null {
  const {merchantId, dialect, keys} = rules
  const {header, timestampHeader, recipe} = dialect.webhookSignature
  const given = headers[header.toLowerCase()]
  const timestamp = headers[timestampHeader.toLowerCase()]
  if (typeof given !== 'string')
    return refuse('unsigned', `There is no header ${escapeInvisible(header, 60)}.`)
  if (isTimed(rules) && typeof timestamp !== 'string') {
    return refuse('unsigned', `There is no header ${escapeInvisible(timestampHeader, 60)}, which is signed.`)
  }
  const request = {timestamp: String(timestamp ?? ''), method: 'POST', path, body}
  return sameSignature(given, expectedOf()) ? null : refuse('mismatch', 'The signature is wrong.')

  function expectedOf(): string {
    try {
      return signByRecipe(recipe, recipePartsOf(request, merchantId, keys.apiKey), keys)
    } catch (error) {
      // A derived part, such as {timestampIso}, without a source in this request.
      if (error instanceof Failure) return ''
      throw error
    }
  }
}

function readFields(bytes: Uint8Array): {readonly fields: JsonObject} | {readonly refusal: WebhookRefusal} {
  let value: JsonValue
  try {
    value = parseJsonBytes(bytes)
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    return {refusal: refuse('malformed', `The body is not JSON: ${escapeInvisible(error.message, 200)}.`)}
  }
  if (isJsonObject(value)) return {fields: value}
  return {refusal: refuse('malformed', 'The body is JSON, but not an object.')}
}
