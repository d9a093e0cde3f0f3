import {Failure} from '../failure.ts'
import {escapeInvisible, trimEndOf} from '../text.ts'
import type {SignatureRecipe} from './recipe.ts'

/** Hexadecimal digits of a digest, by hash. */
export const hexLengthOf = {md5: 32, sha1: 40, sha256: 64, sha512: 128} as const

const hexLengths: ReadonlySet<number> = new Set(Object.values(hexLengthOf))

/**
 * Refuses text that cannot be a signature. Upper case, base64 and the lengths of other hashes pass, because the
 * diagnosis can name them.
 */
export function requireDigest(given: string): void {
  if (decodeDigest(given) !== null) return
  throw unreadable(given, 'A signature is 32 lower-case hexadecimal digits (document §5.1).')
}

/** The same for a header signature: the digest's length in the recipe's encoding. */
export function requireRecipeSignature(
  given: string,
  recipe: Pick<SignatureRecipe, 'hash' | 'encoding'>,
): void {
  if (decodeDigest(given) !== null) return
  throw unreadable(
    given,
    `The profile says HMAC-${recipe.hash} in ${recipe.encoding}; give the bare digest, without a prefix.`,
  )
}

/** The bytes of a hexadecimal or base64 digest; null if it is neither or has no hash's length. */
export function decodeDigest(given: string): Buffer | null {
  if (/^[0-9a-f]+$/i.test(given) && hexLengths.has(given.length)) return Buffer.from(given, 'hex')
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(given)) return null
  const bytes = Buffer.from(given, 'base64')
  const unpadded = trimEndOf(given, '=')
  const isExact = bytes.toString('base64url') === unpadded.replaceAll('+', '-').replaceAll('/', '_')
  const isPadded = given === unpadded || given.length % 4 === 0
  return isExact && isPadded && hexLengths.has(bytes.length * 2) ? bytes : null
}

function unreadable(given: string, hint: string): Failure {
  const what =
    given === ''
      ? 'The signature to judge is empty.'
      : `The signature to judge cannot be one: ${given.length} characters, "${escapeInvisible(given, 140)}".`
  return new Failure('input_invalid', what, hint)
}
