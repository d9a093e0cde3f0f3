import {createReadStream} from 'node:fs'
import * as Flags from '@oclif/core/flags'

import {Failure} from '../../core/failure.ts'
import {type Capture, readCapture, readHeaders} from '../../core/signing/capture.ts'
import {joinFields, readArgument, readBody} from '../../core/signing/fields.ts'
import type {RecipeKeys, SignatureRecipe} from '../../core/signing/recipe.ts'
import {refuseBlank} from '../../core/signing/request.ts'
import {secretLengthMin} from '../../core/signing/secret.ts'
import {needsApiKey} from '../../core/signing/signed-request.ts'
import {escapeInvisible} from '../../core/text.ts'
import {whyUnread} from '../../core/unread-file.ts'
import {firstBytes} from '../../files/first-bytes.ts'
import {exactSecretFlag} from '../flags.ts'
import {hideSecret} from '../streams.ts'

/** Flags that `sign` and `verify` share. */
export const signingFlags = {
  body: Flags.string({
    summary: 'File with the body; "-" reads standard input.',
    helpValue: 'FILE|-',
  }),
  method: Flags.string({summary: 'HTTP method, for the legacy scheme.', helpValue: 'GET'}),
  path: Flags.string({
    summary: 'Path, for the legacy scheme. A query string is not signed (service §5.2).',
    helpValue: '/api/v1/…',
  }),
  timestamp: Flags.string({summary: 'Value of X-Timestamp, Unix time in seconds.', helpValue: 'SECONDS'}),
  'exact-secret': exactSecretFlag,
}

/** Larger than any body of this service, so that a wrong file is noticed early. */
const bodyBytesMax = 8 * 1024 * 1024

export async function readFields(args: readonly string[], bodyFlag: string | undefined) {
  const given = args.map(readArgument)
  if (bodyFlag === undefined) {
    if (given.length > 0) return {fields: joinFields({}, given), raw: null}
    throw new Failure(
      'usage',
      'There are no fields to sign.',
      'Give NAME=VALUE arguments, or --body FILE (--body - reads standard input).',
    )
  }
  const raw = await readInput(bodyFlag)
  return {fields: joinFields(readBody(raw, nameOf(bodyFlag)), given), raw}
}

/** Reads a file, or standard input for "-". Throws `file_unreadable`. */
export async function readInput(path: string): Promise<Uint8Array> {
  let bytes: Uint8Array
  try {
    bytes = await firstBytes(path === '-' ? process.stdin : createReadStream(path), bodyBytesMax + 1)
  } catch (error) {
    throw new Failure(
      'file_unreadable',
      `${nameOf(path)} cannot be read: ${whyUnread(error)}.`,
      'Check the path. To read standard input, give "-".',
    )
  }
  if (bytes.length <= bodyBytesMax) return bytes
  throw new Failure(
    'input_invalid',
    `${nameOf(path)} is larger than ${bodyBytesMax / 1024 / 1024} MiB.`,
    'Give the body of one request.',
  )
}

export async function readCaptureFile(path: string): Promise<Capture> {
  return readCapture(await readInput(path), nameOf(path))
}

/** A capture from flags. Throws `usage` if a part is missing. */
export async function captureFromFlags(flags: {
  readonly method?: string | undefined
  readonly path?: string | undefined
  readonly body?: string | undefined
  readonly header?: readonly string[] | undefined
}): Promise<Capture> {
  return {
    method: flags.method ?? '',
    path: flags.path ?? '',
    headers: readHeaders(flags.header ?? []),
    body: flags.body === undefined ? new Uint8Array() : await readInput(flags.body),
  }
}

export interface LoadedSecretSource {
  readonly apiSecret: () => Promise<string>
  readonly credentials: () => Promise<RecipeKeys>
  /** Remarks on reading them, such as a line end that was dropped: it changes every signature. */
  readonly notes: readonly string[]
}

/** The API secret, with remarks on stderr. */
export async function loadSecret(source: LoadedSecretSource, tell: (note: string) => void): Promise<string> {
  const secret = await source.apiSecret()
  refuseBlank(secret)
  for (const note of source.notes) tell(`note: ${note}`)
  if (secret.length < secretLengthMin) {
    tell(`warning: The secret is only ${secret.length} characters long: a key this short can be guessed.`)
  }
  hide(secret)
  return secret
}

/** The keys of a header signature; the API key is empty if the recipe does not use it. */
export async function loadRecipeKeys(
  source: LoadedSecretSource,
  recipe: SignatureRecipe,
  tell: (note: string) => void,
): Promise<RecipeKeys> {
  const apiKey = needsApiKey(recipe) ? (await source.credentials()).apiKey : ''
  hide(apiKey)
  const apiSecret = recipe.key === 'api_secret' ? await loadSecret(source, tell) : ''
  return {apiSecret, apiKey}
}

/** The API key if there is one; discovery also works without it. */
export async function findApiKey(source: LoadedSecretSource): Promise<string | null> {
  try {
    const {apiKey} = await source.credentials()
    hide(apiKey)
    return apiKey
  } catch (error) {
    if (error instanceof Failure && error.code === 'credentials_missing') return null
    throw error
  }
}

// A short secret could occur in a signature by chance, and hiding it would damage the result.
function hide(secret: string): void {
  if (secret.length >= 8) hideSecret(secret)
}

function nameOf(path: string): string {
  return path === '-' ? 'Standard input' : escapeInvisible(path, 200)
}
