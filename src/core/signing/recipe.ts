import {createHmac, hash} from 'node:crypto'

import {Failure} from '../failure.ts'

export const recipeHashes = ['md5', 'sha1', 'sha256', 'sha512'] as const
export const recipeEncodings = ['hex', 'HEX', 'base64', 'base64url'] as const
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
] as const

/**
 * How an HMAC over parts of a request is made: the legacy header signature (document §5.2, A6) and, where a
 * profile says so, the webhook's (A8). A value, because the document does not show it.
 */
export interface SignatureRecipe {
  /** Parts in braces and the text between them; `\n`, `\r` and `\t` may be written with a backslash. */
  readonly input: string
  readonly hash: (typeof recipeHashes)[number]
  readonly encoding: (typeof recipeEncodings)[number]
  readonly key: (typeof recipeKeys)[number]
  readonly keyEncoding: (typeof recipeKeyEncodings)[number]
}

/** What stands for each `{name}` of a recipe's input. A body is the raw bytes, never a re-serialised copy. */
export type RecipeParts = Readonly<Record<string, string | Uint8Array>>

export interface RecipeKeys {
  readonly apiSecret: string
  readonly apiKey: string
}

const placeholder = /\{([A-Za-z][A-Za-z0-9]*)\}/g

/** The names a recipe's input asks for, in order. */
export function partsOf(input: string): string[] {
  return [...input.matchAll(placeholder)].map((match) => match[1] ?? '')
}

/** The exact bytes a recipe signs. Throws `config_invalid` where the input names a part nobody has. */
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
  if (key.length === 0 || secret.trim() === '') {
    throw new Failure(
      'credentials_missing',
      `The key of the signature (${recipe.key}) is empty once read as ${recipe.keyEncoding}.`,
      'Set the secret, or correct `key` and `key_encoding` of the signature in the profile.',
    )
  }
  const mac = createHmac(recipe.hash, key).update(recipeInput(recipe.input, parts))
  if (recipe.encoding === 'HEX') return mac.digest('hex').toUpperCase()
  return mac.digest(recipe.encoding)
}

function partOf(name: string, parts: RecipeParts): string | Uint8Array {
  const part = parts[name]
  if (part !== undefined) return part
  const {body} = parts
  if (name === 'bodySha256' && body !== undefined) return hash('sha256', body, 'hex')
  throw new Failure(
    'config_invalid',
    `The signature's input asks for {${name}}, and this request has no such part.`,
    `Known parts: ${recipeParts.map((part) => `{${part}}`).join(' ')}.`,
  )
}

function unescapeControls(text: string): string {
  return text.replaceAll('\\n', '\n').replaceAll('\\r', '\r').replaceAll('\\t', '\t')
}
