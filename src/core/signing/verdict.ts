import {Failure} from '../failure.ts'
import {sameSignature} from './compare.ts'
import {requireDigest} from './given.ts'
import {
  ambiguousNames,
  canonicalize,
  documentedRule,
  type RequestSignatureRule,
  refuseBlank,
  type SignableFields,
  showCanonical,
  signCanonical,
} from './request.ts'
import {maskSecret} from './secret.ts'

/**
 * Checks one signature by the one rule. Throws `input_invalid` for what cannot be checked (nested values, a signature
 * no hash could make) and `credentials_missing` for a blank secret: neither is a mismatch.
 */
export function verifyRequest(
  fields: SignableFields,
  given: string,
  secret: string,
  rule: RequestSignatureRule = documentedRule,
) {
  refuseBlank(secret)
  requireDigest(given)
  const {text} = canonicalize(fields, rule)
  const expected = signCanonical(text, secret)
  return {
    isValid: sameSignature(given, expected),
    given,
    expected,
    canonical: maskSecret(showCanonical(text), secret),
    ambiguous: ambiguousNames(fields),
  }
}

/** The signature to check: the one given separately, else the `signature` field. Throws `usage` if there is none. */
export function givenSignature(fields: SignableFields, apart: string | undefined): string {
  if (apart !== undefined) return apart
  const {signature} = fields
  if (typeof signature === 'string') return signature
  if (signature === undefined || signature === null) {
    throw new Failure(
      'usage',
      'There is no signature to check.',
      'Give --signature, or a body with a field "signature".',
    )
  }
  throw new Failure(
    'input_invalid',
    'The field "signature" is not a string.',
    'A signature is a string of 32 lower-case hexadecimal digits (document §5.1).',
  )
}
