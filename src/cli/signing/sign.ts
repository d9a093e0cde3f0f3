import {Failure} from '../../core/failure.ts'
import type {Profile} from '../../core/profile.ts'
import {signedPath} from '../../core/signing/capture.ts'
import {type CurlHeader, type CurlRequest, writeCurl} from '../../core/signing/curl.ts'
import {type Explanation, explainSignature} from '../../core/signing/explanation.ts'
import type {SignableFields} from '../../core/signing/request.ts'
import {
  type SignedRequest,
  type SigningScheme,
  signBody,
  signLegacy,
  signWebhook,
} from '../../core/signing/signed-request.ts'
import {trimEndOf} from '../../core/text.ts'
import type {FlagsOf} from '../flags.ts'
import {
  type LoadedSecretSource,
  loadRecipeKeys,
  loadSecret,
  readFields,
  readInput,
  type signingFlags,
} from './input.ts'

export type SignFlags = Partial<FlagsOf<typeof signingFlags>> & {readonly scheme: SigningScheme}

export interface SigningWorld {
  readonly profile: Profile
  readonly secrets: LoadedSecretSource
  readonly nowMs: number
  readonly tell: (note: string) => void
}

/** A signature, the steps that made it, and the command that would send it. */
export interface Signing {
  readonly signed: SignedRequest
  readonly explanation: Explanation | null
  /** Both throw `input_invalid` if a field holds the secret itself. */
  readonly body: () => string
  readonly curl: () => string
}

/** Signs by the chosen scheme; the profile names that of a webhook (A8). */
export async function signByScheme(
  flags: SignFlags,
  args: readonly string[],
  world: SigningWorld,
): Promise<Signing> {
  const {dialect} = world.profile
  const isSorted = flags.scheme === 'request' || isSortedWebhook(flags.scheme, world.profile)
  if (isSorted) return signSorted(flags, args, world)
  const recipe = flags.scheme === 'legacy' ? dialect.legacySignature : dialect.webhookSignature.recipe
  const body = await headerSchemeBody(flags, args)
  const keys = await loadRecipeKeys(world.secrets, recipe, world.tell)
  const {method = body.length > 0 ? 'POST' : 'GET', path = '/', timestamp} = flags
  const request = {
    timestamp: timestamp ?? String(Math.floor(world.nowMs / 1000)),
    method: method.toUpperCase(),
    path: signedPath(path),
    body,
  }
  if (flags.scheme === 'webhook') {
    const signed = signWebhook(request, world.profile, keys)
    const target = {
      method: 'POST',
      origin: addressOr(world.profile.returnUrl ?? '', 'HISAB_RETURN_URL'),
      path: '',
    }
    return {signed, explanation: null, body: () => signed.body, curl: () => curlOf(signed, target)}
  }
  if (flags.path === undefined) throw pathMissing()
  const signed = signLegacy(request, /[?#]/.test(path), world.profile, keys)
  const origin = addressOr(world.profile.legacyUrl, 'HISAB_LEGACY_URL')
  const sentPath = path.replace(/^https?:\/\/[^/?#]*/i, '')
  return {
    signed,
    explanation: null,
    body: () => signed.body,
    curl: () => curlOf(signed, {method: request.method, origin, path: sentPath}),
  }
}

export function isSortedWebhook(scheme: string, {dialect}: Profile): boolean {
  return scheme === 'webhook' && dialect.webhookSignature.scheme === 'md5-sorted'
}

export function pathMissing(): Failure {
  return new Failure(
    'usage',
    'The legacy scheme signs a path, but none was given.',
    'Give --path, for example --path /api/v1/merchant/webhooks.',
  )
}

async function signSorted(
  flags: SignFlags,
  args: readonly string[],
  {profile, secrets, tell}: SigningWorld,
): Promise<Signing> {
  const {fields} = await readFields(args, flags.body)
  const rule = profile.dialect.requestSignature
  const secret = await loadSecret(secrets, tell)
  const signed = signBody(flags.scheme, fields, secret, rule)
  return {
    signed,
    explanation: explainSignature(fields, secret, rule),
    body: () => withoutSecret(signed.body, secret),
    curl: () => {
      withoutSecret(signed.body, secret)
      const webhook = {origin: addressOr(profile.returnUrl ?? '', 'HISAB_RETURN_URL'), path: flags.path ?? ''}
      const target = flags.scheme === 'webhook' ? webhook : requestTarget(fields, profile, flags.path)
      return curlOf(signed, {method: 'POST', ...target})
    },
  }
}

/** The raw bytes of a header scheme: a given body, or compact JSON of the arguments. */
async function headerSchemeBody(flags: SignFlags, args: readonly string[]): Promise<Uint8Array> {
  if (args.length === 0) return flags.body === undefined ? new Uint8Array() : readInput(flags.body)
  if (flags.body !== undefined) {
    throw new Failure(
      'usage',
      'This scheme signs raw bytes, so --body and NAME=VALUE arguments cannot be combined.',
      'Give the whole body with --body, or give only arguments.',
    )
  }
  const {fields} = await readFields(args, undefined)
  return Buffer.from(JSON.stringify(fields))
}

/** Shell variables instead of secrets (P20). */
const headerVariables: Readonly<Record<string, string>> = {
  'X-API-Key': 'HISAB_API_KEY',
  'X-Merchant-Id': 'HISAB_MERCHANT_ID',
}

function curlOf(
  {headers, body}: SignedRequest,
  target: Pick<CurlRequest, 'method' | 'origin' | 'path'>,
): string {
  const lines = Object.entries(headers).map(([name, value]): CurlHeader => {
    const variable = value === '***' || value === '' ? headerVariables[name] : undefined
    return variable === undefined ? {name, value} : {name, value: '', fromVariable: variable}
  })
  return writeCurl({...target, headers: lines, body})
}

function withoutSecret(body: string, secret: string): string {
  if (secret.length < 4 || !body.includes(secret)) return body
  throw new Failure(
    'input_invalid',
    'A field of the body is the API secret itself. hisab never prints it.',
    'Remove the secret from the body. It is only the key of the signature.',
  )
}

/** The address of a signed body: `--path`, else the operation with these fields (service §4.1 to §4.4). */
function requestTarget(
  fields: SignableFields,
  {baseUrl, applyUrl}: Pick<Profile, 'baseUrl' | 'applyUrl'>,
  path: string | undefined,
): Pick<CurlRequest, 'origin' | 'path'> {
  const isPayout = fields.outOrderNo !== undefined
  const origin = isPayout ? addressOr(applyUrl, 'HISAB_APPLY_URL') : addressOr(baseUrl, 'HISAB_BASE_URL')
  if (path !== undefined) return {origin, path}
  if (isPayout) return {origin, path: fields.amount === undefined ? '/apply/query' : '/apply/create'}
  if (fields.orderNo !== undefined) {
    return {origin, path: fields.returnUrl === undefined ? '/pay/order/query' : '/pay/order/create'}
  }
  throw new Failure(
    'usage',
    'These fields are neither a deposit nor a payout, so the address is unknown.',
    'Give --path, for example --path /pay/order/query.',
  )
}

/** An address of the profile, or a shell variable for it. */
function addressOr(url: string, variable: string): CurlRequest['origin'] {
  return url === '' ? {variable} : trimEndOf(url, '/')
}
