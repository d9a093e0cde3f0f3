import {createHmac, hash} from 'node:crypto'

import {Failure} from '../failure.ts'
import {trimEndOf} from '../text.ts'
import {isInvisible} from './secret.ts'

export const recipeHashes = ['md5', 'sha1', 'sha256', 'sha512'] as const
export const recipeEncodings = [
  'hex',
  'HEX',
  'base64',
  'base64-unpadded',
  'base64url',
  'base64url-padded',
] as const
export const recipeKeys = ['api_secret', 'api_key'] as const
export const recipeKeyEncodings = ['utf8', 'hex', 'base64'] as const
export const recipeParts = [
  'timestamp',
  'method',
  'path',
  'body',
  'merchantId',
  'apiKey',
  'bodySha256',
  'bodySha256Base64',
  'bodySha512',
  'bodySha1',
  'bodyMd5',
  'bodyMd5Base64',
  'methodLower',
  'pathAfterApi',
  'pathAfterVersion',
  'pathBare',
  'timestampIso',
] as const

/**
 * How an HMAC over parts of a request is made: the legacy header signature (service §5.2, A6) and, if a profile says
 * so, the webhook's (A8). It is a value because it is not documented.
 */
export interface SignatureRecipe {
  /** Parts in braces and the text between them; `\n`, `\r` and `\t` may be written with a backslash. */
  readonly input: string
  readonly hash: (typeof recipeHashes)[number]
  readonly encoding: (typeof recipeEncodings)[number]
  readonly key: (typeof recipeKeys)[number]
  readonly keyEncoding: (typeof recipeKeyEncodings)[number]
}

/**
 * The values for each `{name}` of a recipe's input: the first six of `recipeParts`; the others are derived. A body is
 * the raw bytes, never re-serialised.
 */
export type RecipeParts = Readonly<Record<string, string | Uint8Array>>

export interface RecipeKeys {
  readonly apiSecret: string
  readonly apiKey: string
}

const placeholder = /\{([A-Za-z][A-Za-z0-9]*)\}/g

/** The names in a recipe's input, in order. */
export function partsOf(input: string): string[] {
  return [...input.matchAll(placeholder)].map((match) => match[1] ?? '')
}

/** The exact bytes that a recipe signs. Throws `config_invalid` for an unknown part. */
export function recipeInput(input: string, parts: RecipeParts): Buffer {
  const pieces: (string | Uint8Array)[] = []
  let end = 0
  for (const match of input.matchAll(placeholder)) {
    pieces.push(unescapeControls(input.slice(end, match.index)), partOf(match[1] ?? '', parts))
    end = match.index + match[0].length
  }
  pieces.push(unescapeControls(input.slice(end)))
  return Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)))
}

export function signByRecipe(recipe: SignatureRecipe, parts: RecipeParts, keys: RecipeKeys): string {
  const secret = recipe.key === 'api_key' ? keys.apiKey : keys.apiSecret
  const key = Buffer.from(secret, recipe.keyEncoding)
  if (key.length === 0 || isInvisible(secret)) {
    throw new Failure(
      'credentials_missing',
      `The key of the signature (${recipe.key}) is empty once read as ${recipe.keyEncoding}.`,
      'Set the secret, or correct `key` and `key_encoding` of the signature in the profile.',
    )
  }
  const mac = createHmac(recipe.hash, key).update(recipeInput(recipe.input, parts))
  return writeDigest(mac.digest(), recipe.encoding)
}

export function writeDigest(digest: Buffer, encoding: SignatureRecipe['encoding']): string {
  switch (encoding) {
    case 'HEX':
      return digest.toString('hex').toUpperCase()
    case 'base64-unpadded':
      return trimEndOf(digest.toString('base64'), '=')
    case 'base64url-padded':
      return digest.toString('base64').replaceAll('+', '-').replaceAll('/', '_')
    default:
      return digest.toString(encoding)
  }
}

/** A part of a request, given or derived. Throws `config_invalid` if it is neither. */
function partOf(name: string, parts: RecipeParts): string | Uint8Array {
  const part = parts[name]
  if (part !== undefined) return part
  const derivation = derivations[name]
  const source = derivation && parts[derivation.from]
  const derived = source === undefined ? undefined : derivation?.make(source)
  if (derived !== undefined) return derived
  throw new Failure(
    'config_invalid',
    `The signature's input needs {${name}}, but this request has no such part.`,
    `Known parts: ${recipeParts.map((known) => `{${known}}`).join(' ')}.`,
  )
}

interface Derivation {
  readonly from: string
  readonly make: (source: string | Uint8Array) => string | undefined
}

const ofText = (from: string, make: (source: string) => string | undefined): Derivation => ({
  from,
  make: (source) => make(typeof source === 'string' ? source : Buffer.from(source).toString()),
})
const digest = (algorithm: string, encoding: 'hex' | 'base64'): Derivation => ({
  from: 'body',
  make: (body) => hash(algorithm, body, encoding),
})

const derivations: Readonly<Record<string, Derivation>> = {
  bodySha256: digest('sha256', 'hex'),
  bodySha256Base64: digest('sha256', 'base64'),
  bodySha512: digest('sha512', 'hex'),
  bodySha1: digest('sha1', 'hex'),
  bodyMd5: digest('md5', 'hex'),
  bodyMd5Base64: digest('md5', 'base64'),
  methodLower: ofText('method', (method) => method.toLowerCase()),
  pathAfterApi: ofText('path', (path) => /^.*?\/api(\/.*)$/.exec(path)?.[1]),
  pathAfterVersion: ofText('path', (path) => /^.*?\/v\d+(\/.*)$/.exec(path)?.[1]),
  pathBare: ofText('path', (path) => path.replace(/^\//, '')),
  timestampIso: ofText('timestamp', isoOfSeconds),
}

function isoOfSeconds(timestamp: string): string | undefined {
  if (!/^\d{9,13}$/.test(timestamp)) return undefined
  const ms = timestamp.length > 11 ? Number(timestamp) : Number(timestamp) * 1000
  return new Date(ms).toISOString().replace('.000Z', 'Z')
}

function unescapeControls(text: string): string {
  return text.replaceAll('\\n', '\n').replaceAll('\\r', '\r').replaceAll('\\t', '\t')
}
