import {hash} from 'node:crypto'

import {Failure} from '../failure.ts'
import {JsonNumber, type JsonValue} from '../json.ts'
import {escapeInvisible} from '../text.ts'
import {isInvisible} from './secret.ts'

/** The undocumented points of the signature (A12, A13). */
export interface RequestSignatureRule {
  /** Whether `name=` of an empty string is part of the signed text. */
  readonly emptyStrings: 'signed' | 'dropped'
  /** `code_unit`: by UTF-16 code unit, `A` before `_` before `a`. Never by locale. */
  readonly sort: 'code_unit' | 'ignore_case'
}

export const documentedRule: RequestSignatureRule = {emptyStrings: 'signed', sort: 'code_unit'}

/** The fields of a flat JSON body. `undefined` counts as absent. */
export type SignableFields = Readonly<Record<string, JsonValue | undefined>>

export interface Dropped {
  readonly name: string
  readonly reason: 'signature' | 'null' | 'empty'
}

/**
 * Makes the text that is signed, without its key (service §5.1, steps 1 to 3).
 *
 * Throws `input_invalid` for an object, an array, or text that is not well-formed Unicode, because no spelling of
 * them is agreed.
 */
export function canonicalize(fields: SignableFields, rule: RequestSignatureRule = documentedRule) {
  const included: string[] = []
  const dropped: Dropped[] = []
  for (const name of Object.keys(fields)) {
    const value = fields[name]
    if (value === undefined) continue
    if (name === 'signature') dropped.push({name, reason: 'signature'})
    else if (value === null) dropped.push({name, reason: 'null'})
    else if (value === '' && rule.emptyStrings === 'dropped') dropped.push({name, reason: 'empty'})
    else included.push(name)
  }
  included.sort(rule.sort === 'code_unit' ? undefined : ignoringCase)
  let text = ''
  let separator = ''
  for (const name of included) {
    const value = fields[name]
    text += `${separator}${name}=${typeof value === 'string' ? value : spell(name, value)}`
    separator = '&'
  }
  // One check of the whole text: halves in different fields cannot meet, because & and = stand between them.
  if (!text.isWellFormed()) throw halfPair(included.find((name) => !isWellFormed(name, fields[name])) ?? '')
  return {text, included, dropped}
}

/** Makes the signature, 32 lower-case hexadecimal digits (service §5.1, steps 4 and 5). */
export function signFields(fields: SignableFields, secret: string, rule?: RequestSignatureRule): string {
  return signCanonical(canonicalize(fields, rule).text, secret)
}

export function signCanonical(canonicalText: string, secret: string): string {
  refuseBlank(secret)
  return hash('md5', `${canonicalText}&key=${secret}`, 'hex')
}

/** Throws `credentials_missing` for an empty or blank secret: anybody can sign with it (P22). */
export function refuseBlank(secret: string): void {
  if (!isInvisible(secret)) return
  throw new Failure(
    'credentials_missing',
    secret === '' ? 'The API secret is empty.' : 'The API secret is only blanks.',
    'Set HISAB_API_SECRET or HISAB_API_SECRET_FILE to the real secret.',
  )
}

/** The canonical text for showing: with the place of the key, never the key (P20). */
export function showCanonical(canonicalText: string): string {
  return `${canonicalText}&key=***`
}

/**
 * Names whose value makes the signed text read as other fields (P22): `playerRef` of `u7&status=completed` signs like
 * two fields.
 */
export function ambiguousNames(fields: SignableFields): string[] {
  return Object.entries(fields)
    .filter(
      ([name, value]) =>
        name.includes('=') || name.includes('&') || (typeof value === 'string' && /&[^&=]*=/.test(value)),
    )
    .map(([name]) => name)
}

/** The fields of orders, records and webhooks in the service's document (service §2 to §6). */
const documentedFields = new Set([
  ...[
    'merchantId',
    'orderNo',
    'outOrderNo',
    'platformOrderNo',
    'returnUrl',
    'playerPhone',
    'playerRef',
    'isTest',
  ],
  ...['amount', 'bankType', 'userName', 'account', 'payCode', 'payUrl', 'status', 'event', 'signature', 'id'],
  ...['order_id', 'merchant_order_id', 'timestamp'],
])

/**
 * Names that neither the document nor the profile (`known`) has. `playerRef` of `u7&r=1` signs like `u7` and a field
 * `r`: whoever got such a webhook can split it, and only the name shows it (P22).
 */
export function undocumentedNames(fields: SignableFields, known: readonly string[] = []): string[] {
  return Object.keys(fields).filter((name) => !documentedFields.has(name) && !known.includes(name))
}

/** Names that differ only in case stay in one order, however they were sent. */
function ignoringCase(a: string, b: string): number {
  const [lowerA, lowerB] = [a.toLowerCase(), b.toLowerCase()]
  if (lowerA === lowerB) return a < b ? -1 : 1
  return lowerA < lowerB ? -1 : 1
}

/** The text of a value in the signed string (A12). Throws `input_invalid` if it has none. */
export function spell(name: string, value: JsonValue | undefined): string {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  if (value instanceof JsonNumber) return value.source
  throw new Failure(
    'input_invalid',
    `The field "${escapeInvisible(name, 80)}" is ${Array.isArray(value) ? 'an array' : 'an object'}; the signature covers flat fields only (document §5.1).`,
    'Sign strings, numbers, true and false. Leave nested values out of the body.',
  )
}

function isWellFormed(name: string, value: JsonValue | undefined): boolean {
  return name.isWellFormed() && (typeof value !== 'string' || value.isWellFormed())
}

function halfPair(name: string): Failure {
  return new Failure(
    'input_invalid',
    `The field "${escapeInvisible(name, 80)}" has half of a surrogate pair, which cannot be signed.`,
    'Send text that is valid Unicode.',
  )
}
