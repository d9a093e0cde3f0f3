import {isJsonObject, parseJsonBytes} from '../core/json.ts'
import {causeTexts, type SigningCause} from '../core/signing/diagnose/cause.ts'
import {diagnoseRecipe} from '../core/signing/diagnose/recipe-search.ts'
import {diagnoseInSteps} from '../core/signing/diagnose/search.ts'
import {recipePartsOf} from '../core/signing/signed-request.ts'
import type {Rules} from './rules.ts'
import type {WireWebhook} from './verify-webhook.ts'

/** Anybody can send a wrong signature: limits on the search's share of the processor and on its steps. */
const bodyBytesMax = 4_096
const fieldsMax = 16
const totalMs = 50
const sliceMs = 2

type Clock = () => number

/**
 * The known mistake behind a wrong signature, and its repair, in the fixed words of docs/signing.md, without any
 * value or signature of the body (P20). Null if the body is too large to search. Genuine webhooks are processed in
 * between.
 */
export async function whyNot(
  wire: WireWebhook,
  rules: Rules,
  clock: Clock = () => performance.now(),
): Promise<string | null> {
  if (wire.body.length > bodyBytesMax) return null
  const causes =
    rules.dialect.webhookSignature.scheme === 'hmac'
      ? ofHeader(wire, rules)
      : await ofFields(wire, rules, clock)
  if (causes === null) return null
  return causes
    .map((cause) => `${cause}: ${causeTexts[cause].summary} ${causeTexts[cause].fix}`)
    .join(' And ')
}

async function ofFields(
  {body}: WireWebhook,
  {merchantId, dialect, keys}: Rules,
  clock: Clock,
): Promise<readonly SigningCause[] | null> {
  const fields = parseJsonBytes(body)
  if (!isJsonObject(fields) || Object.keys(fields).length > fieldsMax) return null
  const {signature: given} = fields
  if (typeof given !== 'string' || !/^[0-9a-f]{32,128}$/i.test(given)) return null
  const rule = dialect.requestSignature
  const found = await inSlices(
    diagnoseInSteps({fields, given, secret: keys.apiSecret, rule, merchantId}),
    clock,
  )
  if (found === null) return ['none_found']
  return found.causes.length > 0 ? found.causes : [found.cause]
}

/** Null if it took too long. */
async function inSlices<T>(work: Generator<undefined, T>, clock: Clock): Promise<T | null> {
  for (let spentMs = 0; spentMs < totalMs; ) {
    const beganAtMs = clock()
    while (clock() - beganAtMs < sliceMs) {
      const {done, value} = work.next()
      if (done) return value
    }
    spentMs += clock() - beganAtMs
    await new Promise((resolve) => setImmediate(resolve))
  }
  return null
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
