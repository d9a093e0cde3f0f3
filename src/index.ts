/**
 * The signature of requests and webhooks (service §5.1) as a library: `sign` what you send, `verify` what you receive,
 * `readEvent` what it says. It is `core` alone, without input, output or clock; the command line uses the same code.
 */
import {Failure} from './core/failure.ts'
import type {JsonValue} from './core/json.ts'
import {isJsonObject, JsonNumber, JsonSyntaxError, parseJson, parseJsonBytes} from './core/json.ts'
import {sameSignature} from './core/signing/compare.ts'
import {
  ambiguousNames,
  refuseBlank,
  type SignableFields,
  signFields,
  undocumentedNames,
} from './core/signing/request.ts'

export type {FailureCode} from './core/failure.ts'
export type {
  DepositCompleted,
  DepositFailed,
  DepositUnknown,
  EventWords,
  PayoutCompleted,
  PayoutFailed,
  PayoutUnknown,
  WebhookEvent,
} from './core/webhook-event.ts'
export {compareEvents, readEvent} from './core/webhook-event.ts'
export {Failure}

/** A value that has a text in the signed string. Amounts are strings; a number must be a safe integer. */
export type Signable = string | number | boolean | null | undefined

export interface VerifyOptions {
  /** The signature, where it is not the body's own `signature` field. */
  readonly signature?: string
  /** Accept a body whose values read as further fields; see `ambiguous` in `VerifyRefusal`. */
  readonly allowAmbiguous?: boolean
}

/** The body is the one the holder of the secret signed. */
export interface VerifiedBody {
  readonly isValid: true
  /** Every signed field by its text in the signed string, numbers as they were written: `"500.00"`. */
  readonly fields: Readonly<Record<string, string>>
  /**
   * Names of fields that the service's document does not have. Act on none of them: a value such as `u7&r=1` signs like
   * `u7` and a field `r`.
   */
  readonly undocumented: readonly string[]
}

/** The body must not be acted upon: answer 401. */
export interface VerifyRefusal {
  readonly isValid: false
  /**
   * `malformed`: no flat JSON object. `unsigned`: no signature. `mismatch`: a wrong one. `ambiguous`: a right
   * one, but a value such as `u7&status=completed` would sign like two fields.
   */
  readonly reason: 'malformed' | 'unsigned' | 'mismatch' | 'ambiguous'
}

/**
 * The signature of a request's fields (service §5.1): 32 lower-case hexadecimal digits. A `signature` field,
 * nulls and undefined are left out.
 *
 * Throws `Failure`: `credentials_missing` for a blank secret, `input_invalid` for a value without a text.
 */
export function sign(fields: Readonly<Record<string, Signable>>, secret: string): string {
  const signable = Object.entries(fields).map(([name, value]) => [name, readValue(name, value)] as const)
  return signFields(Object.fromEntries(signable), secret)
}

/**
 * Judges a webhook's or request's body by its raw text, in constant time. Give the bytes as they came: a body
 * that was parsed and written again may have other numbers.
 *
 * Throws `Failure` (`credentials_missing`) for a blank secret, and for nothing in the body.
 */
export function verify(
  body: string | Uint8Array,
  secret: string,
  options: VerifyOptions = {},
): VerifiedBody | VerifyRefusal {
  refuseBlank(secret)
  const fields = readFields(body)
  if (fields === null) return {isValid: false, reason: 'malformed'}
  const given = options.signature ?? fields.signature
  if (typeof given !== 'string') return {isValid: false, reason: 'unsigned'}
  if (!sameSignature(given, signFields(fields, secret))) return {isValid: false, reason: 'mismatch'}
  if (!options.allowAmbiguous && ambiguousNames(fields).length > 0)
    return {isValid: false, reason: 'ambiguous'}
  const texts: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(fields)) {
    if (name !== 'signature' && value !== null) {
      texts[name] = value instanceof JsonNumber ? value.source : String(value)
    }
  }
  return {isValid: true, fields: texts, undocumented: undocumentedNames(fields)}
}

function readValue(name: string, value: Signable): JsonValue | undefined {
  if (typeof value !== 'number') return value
  if (Number.isSafeInteger(value)) return new JsonNumber(String(value))
  throw new Failure(
    'input_invalid',
    `The field "${name}" is the number ${value}. Its exact text is not known.`,
    'Give amounts as strings with two decimals: "500.00".',
  )
}

function readFields(body: string | Uint8Array): SignableFields | null {
  try {
    const value = typeof body === 'string' ? parseJson(body) : parseJsonBytes(body)
    if (!isJsonObject(value)) return null
    const isFlat = Object.values(value).every(
      (field) => typeof field !== 'object' || field === null || field instanceof JsonNumber,
    )
    return isFlat ? value : null
  } catch (error) {
    if (error instanceof JsonSyntaxError) return null
    throw error
  }
}
