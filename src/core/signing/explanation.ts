import {canonicalize, type RequestSignatureRule, type SignableFields, showCanonical} from './request.ts'
import {maskSecret} from './secret.ts'

export interface Explanation {
  readonly leftOut: readonly {readonly name: string; readonly why: string}[]
  readonly sorted: readonly string[]
  readonly joined: string
  /** The string with its key as `***`. */
  readonly canonical: string
  /** Non-ASCII text with the UTF-8 bytes that are hashed, in hexadecimal. */
  readonly bytes: readonly {readonly text: string; readonly hex: string}[]
}

export const droppedReasons = {
  signature: 'it carries the result and is never signed',
  null: 'its value is null',
  empty: 'its value is empty, and the profile drops empty values',
} as const

export function explainSignature(
  fields: SignableFields,
  secret: string,
  rule?: RequestSignatureRule,
): Explanation {
  const {text, included, dropped} = canonicalize(fields, rule)
  const joined = maskSecret(text, secret)
  return {
    leftOut: dropped.map(({name, reason}) => ({name, why: droppedReasons[reason]})),
    sorted: included,
    joined,
    canonical: showCanonical(joined),
    bytes: (joined.match(/[^\x00-\x7f]+/g) ?? []).map((piece) => ({
      text: piece,
      hex: Buffer.from(piece)
        .toString('hex')
        .replace(/..(?!$)/g, '$& '),
    })),
  }
}
