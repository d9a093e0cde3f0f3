import {createHmac, hash} from 'node:crypto'
import {Failure} from '../../failure.ts'
import {decodeDigest, hexLengthOf} from '../given.ts'
import {
  type RecipeParts,
  recipeHashes,
  recipeInput,
  recipeKeyEncodings,
  type SignatureRecipe,
  writeDigest,
} from '../recipe.ts'
import {candidateInputs} from './inputs.ts'

/** A captured request with a right signature. */
export interface ObservedRequest {
  readonly parts: RecipeParts
  readonly signature: string
  readonly host: string | null
}

export interface DiscoveryKeys {
  readonly apiSecret: string
  readonly apiKey: string | null
}

/** `match` as soon as one is found, `progress` now and then; `tried` counts recipes so far. */
export interface DiscoveryStep {
  readonly kind: 'match' | 'progress'
  readonly tried: number
  readonly recipe: SignatureRecipe | null
}

const progressEvery = 100_000

interface KeyForm extends Pick<SignatureRecipe, 'key' | 'keyEncoding'> {
  readonly bytes: Buffer
  readonly hmac: FastHmac
}

/**
 * Searches for recipes that reproduce the first capture's signature, most likely first, and yields those that also
 * fit the others; returns how many were tried. A digest of 128 bits or more does not fit by chance. Throws
 * `input_invalid` for a signature no supported hash could make.
 */
export function* discover(
  captures: readonly [ObservedRequest, ...ObservedRequest[]],
  keys: DiscoveryKeys,
): Generator<DiscoveryStep, number> {
  const [first, ...others] = captures
  const wanted = digestOf(first.signature)
  const shape = shapeOf(captures, wanted)
  const wantedText = wanted.toString('latin1')
  const forms = keyForms(keys, shape.hash)
  const fitting = new Set<string>()
  let proven: {readonly message: string; readonly form: KeyForm} | null = null
  let tried = 0
  let reportAt = progressEvery
  for (const {template, message} of candidateInputs(first.parts, first.host)) {
    tried += forms.length
    if (tried >= reportAt) {
      reportAt += progressEvery
      yield {kind: 'progress', tried, recipe: null}
    }
    // Once a message is proven, another recipe fits only if it makes the same bytes.
    if (proven === null) {
      const form = forms.find(({hmac}) => hmac.sign(message) === wantedText)
      if (!form) continue
      proven = {message, form}
    } else if (message !== proven.message || fitting.has(template)) continue
    fitting.add(template)
    const {key, keyEncoding} = proven.form
    const recipe: SignatureRecipe = {input: template, ...shape, key, keyEncoding}
    const {bytes} = proven.form
    if (others.every((other) => isReproduced(other, recipe, bytes))) yield {kind: 'match', tried, recipe}
  }
  return tried
}

/** Keys in every readable form of the secret, without repetitions. */
function keyForms({apiSecret, apiKey}: DiscoveryKeys, hash: SignatureRecipe['hash']): KeyForm[] {
  const found = new Map<string, KeyForm>()
  for (const [key, text] of [
    ['api_secret', apiSecret],
    ['api_key', apiKey],
  ] as const) {
    if (text === null || text.trim() === '') continue
    for (const keyEncoding of recipeKeyEncodings) {
      if (!isReadableAs(text, keyEncoding)) continue
      const bytes = Buffer.from(text, keyEncoding)
      const id = bytes.toString('hex')
      if (!found.has(id)) found.set(id, {key, keyEncoding, bytes, hmac: new FastHmac(hash, bytes)})
    }
  }
  return [...found.values()]
}

function isReadableAs(text: string, encoding: SignatureRecipe['keyEncoding']): boolean {
  if (encoding === 'hex') return /^(?:[0-9a-f]{2})+$/i.test(text)
  return encoding === 'utf8' || /^[A-Za-z0-9+/_-]{2,}={0,2}$/.test(text)
}

function isReproduced(request: ObservedRequest, recipe: SignatureRecipe, key: Buffer): boolean {
  try {
    const message = recipeInput(recipe.input, request.parts)
    return createHmac(recipe.hash, key).update(message).digest().equals(digestOf(request.signature))
  } catch (error) {
    if (error instanceof Failure) return false
    throw error
  }
}

function digestOf(signature: string): Buffer {
  const digest = decodeDigest(signature)
  if (digest) return digest
  throw new Failure(
    'input_invalid',
    'The captured signature is not a digest: neither hexadecimal nor base64 of a known hash’s length.',
    'Give the bare digest with --signature, without a prefix such as sha256= or v1=.',
  )
}

/** The likelier of two with the same text. */
const likelyEncodings: readonly SignatureRecipe['encoding'][] = [
  'hex',
  'HEX',
  'base64',
  'base64url',
  'base64-unpadded',
  'base64url-padded',
]

/** The signatures themselves show hash and encoding. */
function shapeOf(
  captures: readonly ObservedRequest[],
  digest: Buffer,
): Pick<SignatureRecipe, 'hash' | 'encoding'> {
  const hash = recipeHashes.find((name) => hexLengthOf[name] === digest.length * 2) ?? 'sha256'
  const encoding = likelyEncodings.find((one) =>
    captures.every(({signature}) => writeDigest(digestOf(signature), one) === signature),
  )
  if (encoding !== undefined) return {hash, encoding}
  throw new Failure(
    'input_invalid',
    'The captured signatures are written in different ways. One recipe cannot make all of them.',
    'Give each exactly as it was sent: hexadecimal, base64 or base64url, padded or not.',
  )
}

const blockBytes: Readonly<Record<SignatureRecipe['hash'], number>> = {
  md5: 64,
  sha1: 64,
  sha256: 64,
  sha512: 128,
}

/**
 * HMAC (RFC 2104) for millions of messages under one key: two one-shot hashes over reused buffers. `createHmac` makes
 * a stream for each message, which costs more than the hashing; a test compares both. Messages and digests are
 * "binary" strings, one character a byte.
 */
export class FastHmac {
  private readonly algorithm: SignatureRecipe['hash']
  private readonly block: number
  private readonly outer: Buffer
  private inner: Buffer

  constructor(algorithm: SignatureRecipe['hash'], key: Uint8Array) {
    this.algorithm = algorithm
    this.block = blockBytes[algorithm]
    const short = key.length > this.block ? hash(algorithm, key, 'buffer') : key
    this.inner = Buffer.alloc(this.block + 1024, 0x36)
    this.outer = Buffer.alloc(this.block + hash(algorithm, '', 'buffer').length, 0x5c)
    for (const [index, byte] of short.entries()) {
      this.inner[index] = byte ^ 0x36
      this.outer[index] = byte ^ 0x5c
    }
  }

  sign(message: string): string {
    const end = this.block + message.length
    if (end > this.inner.length) {
      const larger = Buffer.alloc(end * 2)
      this.inner.copy(larger, 0, 0, this.block)
      this.inner = larger
    }
    this.inner.write(message, this.block, 'latin1')
    const first = hash(this.algorithm, this.inner.subarray(0, end), 'binary')
    this.outer.write(first, this.block, 'latin1')
    return hash(this.algorithm, this.outer, 'binary')
  }
}
