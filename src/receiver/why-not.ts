import {isJsonObject, parseJsonBytes} from '../core/json.ts'
import {causeTexts, type SigningCause} from '../core/signing/diagnose/cause.ts'
import {diagnoseRecipe} from '../core/signing/diagnose/recipe-search.ts'
import {diagnose} from '../core/signing/diagnose/search.ts'
import {recipePartsOf} from '../core/signing/signed-request.ts'
import type {Rules} from './rules.ts'
import type {WireWebhook} from './verify-webhook.ts'

/** A search costs up to a tenth of a second for bodies of this size, and anybody can send one. */
const bodyBytesMax = 4_096
const fieldsMax = 16

/**
 * Which known mistake makes a wrong signature, and how it is mended, in the fixed words of docs/signing.md: no
 * value and no signature of the body is in it (P20). Null where the body is too large to search.
 */
export function whyNot(wire: WireWebhook, rules: Rules): string | null {
  if (wire.body.length > bodyBytesMax) return null
  const causes =
    rules.dialect.webhookSignature.scheme === 'hmac' ? ofHeader(wire, rules) : ofFields(wire, rules)
  if (causes === null) return null
  return causes
    .map((cause) => `${cause}: ${causeTexts[cause].summary} ${causeTexts[cause].fix}`)
    .join(' And ')
}

function ofFields({body}: WireWebhook, {merchantId, dialect, keys}: Rules): readonly SigningCause[] | null {
  const fields = parseJsonBytes(body)
  if (!isJsonObject(fields) || Object.keys(fields).length > fieldsMax) return null
  const {signature: given} = fields
  if (typeof given !== 'string' || !/^[0-9a-f]{32,128}$/i.test(given)) return null
  const {cause, causes} = diagnose({
    fields,
    given,
    secret: keys.apiSecret,
    rule: dialect.requestSignature,
    merchantId,
  })
  return causes.length > 0 ? causes : [cause]
}

function ofHeader(
  {headers, path, body}: WireWebhook,
  {merchantId, dialect, keys}: Rules,
): readonly SigningCause[] {
  const {header, timestampHeader, recipe} = dialect.webhookSignature
  const timestamp = String(headers[timestampHeader.toLowerCase()] ?? '')
  const parts = recipePartsOf({timestamp, method: 'POST', path, body}, merchantId, keys.apiKey)
  const {cause} = diagnoseRecipe({recipe, parts, keys, given: String(headers[header.toLowerCase()])})
  return [cause]
}
