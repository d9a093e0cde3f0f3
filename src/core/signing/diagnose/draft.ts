import {createHmac, hash} from 'node:crypto'

import type {JsonValue} from '../../json.ts'
import {nestedNames} from '../fields.ts'
import {canonicalize, type RequestSignatureRule, type SignableFields, spell} from '../request.ts'
import {maskSecret} from '../secret.ts'

/** One `name=text` of the string; a null text is the place of the key. */
export interface DraftField {
  readonly name: string
  readonly text: string | null
  /** The value in the body, or null if the field is not from there. */
  readonly source: JsonValue
}

export type NameOrder = (a: string, b: string) => number

/** The steps of a signature as a value, so that a mistake changes one step and two mistakes change two. */
export interface Draft {
  /** What is signed, in the body's order. */
  readonly fields: readonly DraftField[]
  /** Fields that the rule leaves out, and nested values, which have no text. */
  readonly leftOut: readonly DraftField[]
  readonly nested: readonly DraftField[]
  /** Null: the body's order. */
  readonly order: NameOrder | null
  readonly joint: Joint
  readonly rewrite: (text: string) => string
  readonly frame: (text: string, key: string) => string
  /** What was wrongly added around the key, or removed. */
  readonly wear: (key: string) => string
  readonly digest: Digest
}

/** How a field is written, and what separates two. */
export interface Joint {
  readonly write: (name: string, text: string) => string
  readonly between: string
}

export interface Digest {
  readonly name: string
  readonly hexLength: number
  readonly of: (text: string, key: string) => string
}

export const byCodeUnit: NameOrder = (a, b) => (a < b ? -1 : a > b ? 1 : 0)

const md5: Digest = {name: 'MD5', hexLength: 32, of: (text) => hash('md5', text, 'hex')}

/** The correct signature (service §5.1), without nested values. */
export function rightDraft(fields: SignableFields, rule: RequestSignatureRule): Draft {
  const nested = new Set(nestedNames(fields))
  const flat: SignableFields = Object.fromEntries(
    Object.entries(fields).filter(([name]) => !nested.has(name)),
  )
  const {included, dropped} = canonicalize(flat, rule)
  const isIncluded = new Set(included)
  const rank = new Map(included.map((name, index) => [name, index]))
  const entry = (name: string, text: string): DraftField => ({name, text, source: fields[name] ?? null})
  const names = Object.keys(fields)
  return {
    fields: names
      .filter((name) => isIncluded.has(name))
      .map((name) => entry(name, spell(name, fields[name]))),
    leftOut: dropped.map(({name}) => entry(name, '')),
    nested: names.filter((name) => nested.has(name)).map((name) => entry(name, '')),
    order: rule.sort === 'code_unit' ? byCodeUnit : (a, b) => (rank.get(a) ?? -1) - (rank.get(b) ?? -1),
    joint: {write: (name, text) => `${name}=${text}`, between: '&'},
    rewrite: (text) => text,
    frame: (text, key) => `${text}&key=${key}`,
    wear: (key) => key,
    digest: md5,
  }
}

/** The signature a draft makes, in lower-case hexadecimal. */
export function signDraft(draft: Draft, secret: string): string {
  return draft.digest.of(textOf(draft, draft.wear(secret)), draft.wear(secret))
}

/** The string that a draft signs, with `***` for the key and equal values. */
export function showDraft(draft: Draft, secret: string): string {
  return maskSecret(textOf(draft, shownKey(draft, secret)), secret)
}

// What was added around the key is shown; what was removed is not.
function shownKey(draft: Draft, secret: string): string {
  const worn = draft.wear(secret)
  return worn.includes(secret) && worn !== secret ? worn.replace(secret, () => '***') : '***'
}

function textOf(draft: Draft, key: string): string {
  const {fields, order, joint} = draft
  const sorted = order ? fields.toSorted((a, b) => order(a.name, b.name)) : fields
  let text = ''
  let between = ''
  for (const field of sorted) {
    text += between + joint.write(field.name, field.text ?? key)
    between = joint.between
  }
  return draft.frame(draft.rewrite(text), key)
}

/** Other hashes over the same string, and the same hash over other bytes of it. */
export const otherDigests: readonly Digest[] = [
  ...(['sha1', 'sha256', 'sha512'] as const).map(
    (name): Digest => ({
      name: name.toUpperCase().replace('SHA', 'SHA-'),
      hexLength: hash(name, '', 'hex').length,
      of: (text) => hash(name, text, 'hex'),
    }),
  ),
  ...(['md5', 'sha1', 'sha256', 'sha512'] as const).map(
    (name): Digest => ({
      name: `HMAC-${name.toUpperCase().replace('SHA', 'SHA-')} with the secret as its key`,
      hexLength: hash(name, '', 'hex').length,
      of: (text, key) => createHmac(name, key).update(text).digest('hex'),
    }),
  ),
  {name: 'MD5 of the MD5', hexLength: 32, of: (text) => hash('md5', hash('md5', text, 'hex'), 'hex')},
  ...(['utf16le', 'latin1'] as const).map(
    (encoding): Digest => ({
      name: `MD5 over ${encoding === 'utf16le' ? 'UTF-16' : 'Latin-1'} bytes`,
      hexLength: 32,
      of: (text) => hash('md5', Buffer.from(text, encoding), 'hex'),
    }),
  ),
]
