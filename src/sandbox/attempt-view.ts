import type {Dialect} from '../core/dialect.ts'
import {isJsonObject, parseJson} from '../core/json.ts'
import {sameSignature} from '../core/signing/compare.ts'
import {signByRecipe} from '../core/signing/recipe.ts'
import {canonicalize, showCanonical, signFields} from '../core/signing/request.ts'
import {recipePartsOf, showRecipeInput} from '../core/signing/signed-request.ts'
import {escapeInvisible} from '../core/text.ts'
import {attemptReasons} from './attempt-reasons.ts'
import type {SandboxMerchant} from './merchants.ts'
import type {StoredDelivery} from './store/deliveries.ts'
import type {StoredAttempt} from './store/delivery-attempts.ts'

export interface AttemptView extends Omit<StoredAttempt, 'beganAtMs' | 'beganRealMs'> {
  /** By the sandbox's clock. */
  readonly beganAt: string
  /** Real time, as in the receiver's log. */
  readonly beganRealAt: string
  readonly isDelivered: boolean
  readonly explanation: string
  readonly nextStep: string | null
  /** Null if nothing was sent, or if the merchant is no longer set up. */
  readonly signature: SignatureVerdict | null
}

export function showAttempt(
  {beganAtMs, beganRealMs, ...attempt}: StoredAttempt,
  delivery: StoredDelivery,
  merchant: SandboxMerchant | undefined,
  dialect: Dialect,
): AttemptView {
  const {responseCode, requestHeaders} = attempt
  const signature =
    merchant && requestHeaders.length > 0 ? judgeSignature(attempt, delivery.url, merchant, dialect) : null
  const beganRealAt = new Date(beganRealMs).toISOString()
  const {explanation, nextStep} = explain(attempt, signature, beganRealAt)
  return {
    ...attempt,
    beganAt: new Date(beganAtMs).toISOString(),
    beganRealAt,
    isDelivered: isDelivered(responseCode),
    explanation,
    nextStep,
    signature,
  }
}

/** Any 2xx is success. */
export function isDelivered(responseCode: number | null): boolean {
  return responseCode !== null && responseCode >= 200 && responseCode < 300
}

type Sent = Omit<StoredAttempt, 'beganAtMs' | 'beganRealMs'>
type Words = Pick<AttemptView, 'explanation' | 'nextStep'>

function explain(
  {responseCode, responseHeaders, reason, role}: Sent,
  signature: SignatureVerdict | null,
  beganRealAt: string,
): Words {
  if (role === 'forged') {
    return isDelivered(responseCode)
      ? {
          explanation: 'The receiver took a forged webhook.',
          nextStep: 'Let the receiver verify the signature before it acts.',
        }
      : {explanation: 'The receiver did not take a forged webhook: that is right.', nextStep: null}
  }
  if (reason !== null)
    return {explanation: attemptReasons[reason].text, nextStep: attemptReasons[reason].next}
  const location = responseHeaders.find(([name]) => name.toLowerCase() === 'location')?.[1]
  return explainStatus(responseCode ?? 0, signature?.isValid ?? false, beganRealAt, location)
}

function explainStatus(status: number, isSigned: boolean, beganRealAt: string, location?: string): Words {
  if (status < 300) return {explanation: `The receiver took it: HTTP ${status}.`, nextStep: null}
  if (status < 400) {
    return {
      explanation: `The receiver sent a redirect, which is not followed: HTTP ${status}.`,
      nextStep: location
        ? `Give the last address as returnUrl; this one points to ${escapeInvisible(location, 200)}.`
        : 'Give the last address as returnUrl.',
    }
  }
  if (status === 401 || status === 403) {
    return {
      explanation: `The receiver refused it: HTTP ${status}.`,
      nextStep: isSigned
        ? 'The signature is right. Compare the secret and the rule in the receiver with what is signed.'
        : 'The signature is not that of the merchant as it is set up now.',
    }
  }
  if (status === 404 || status === 405) {
    return {
      explanation: `The receiver takes no webhook at this address: HTTP ${status}.`,
      nextStep: 'Check the path of returnUrl, and that the receiver takes a POST there.',
    }
  }
  return status < 500
    ? {explanation: `The receiver refused it: HTTP ${status}.`, nextStep: 'Read its answer.'}
    : {
        explanation: `The receiver failed: HTTP ${status}.`,
        nextStep: `Look for ${beganRealAt.slice(0, 19)}Z in its log.`,
      }
}

/** Whether the signature sent is right for the merchant and the dialect as they are now. */
export type SignatureVerdict = ReturnType<typeof judgeSignature>

function judgeSignature(
  {requestHeaders, requestBody}: Sent,
  url: string,
  {merchantId, credentials}: SandboxMerchant,
  dialect: Dialect,
) {
  const {scheme, header, timestampHeader, recipe} = dialect.webhookSignature
  if (scheme === 'md5-sorted') {
    const parsed = parseJson(requestBody)
    const fields = isJsonObject(parsed) ? parsed : {}
    const expected = signFields(fields, credentials.apiSecret, dialect.requestSignature)
    const canonical = showCanonical(canonicalize(fields, dialect.requestSignature).text)
    const given = typeof fields.signature === 'string' ? fields.signature : null
    return {...compare(given, expected), place: 'the field signature', canonical}
  }
  const headerOf = (name: string) => requestHeaders.find(([known]) => known === name)?.[1] ?? null
  const request = {
    timestamp: headerOf(timestampHeader) ?? '',
    method: 'POST',
    path: new URL(url).pathname,
    body: Buffer.from(requestBody),
  }
  const parts = recipePartsOf(request, merchantId, credentials.apiKey)
  return {
    ...compare(headerOf(header), signByRecipe(recipe, parts, credentials)),
    /** Where it is: `the field signature`, or `the header X-Signature`. */
    place: `the header ${header}`,
    /** What is signed, its key as `***`. */
    canonical: showRecipeInput(recipe, parts, credentials),
  }
}

function compare(given: string | null, expected: string) {
  return {given, expected, isValid: given !== null && sameSignature(given, expected)}
}
