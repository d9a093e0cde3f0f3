import {Failure} from '../../core/failure.ts'
import {type Capture, signedPath} from '../../core/signing/capture.ts'
import {sameSignature} from '../../core/signing/compare.ts'
import {diagnoseRecipe} from '../../core/signing/diagnose/recipe-search.ts'
import {type Diagnosis, diagnose} from '../../core/signing/diagnose/search.ts'
import {nestedNames} from '../../core/signing/fields.ts'
import {requireDigest, requireRecipeSignature} from '../../core/signing/given.ts'
import {partsOf, signByRecipe} from '../../core/signing/recipe.ts'
import {type SignableFields, undocumentedNames} from '../../core/signing/request.ts'
import {recipePartsOf, showRecipeInput} from '../../core/signing/signed-request.ts'
import {givenSignature, verifyRequest} from '../../core/signing/verdict.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {VerifyDiagnosis, VerifyResult} from '../../report/signing-text.ts'
import {
  captureFromFlags,
  findApiKey,
  loadRecipeKeys,
  loadSecret,
  readCaptureFile,
  readFields,
} from './input.ts'
import {isSortedWebhook, pathMissing, type SignFlags, type SigningWorld} from './sign.ts'

export interface VerifyFlags extends SignFlags {
  readonly signature?: string | undefined
  readonly header?: readonly string[] | undefined
  readonly capture?: readonly string[] | undefined
}

/** Checks one signature by the one configured scheme, never by whichever fits (P22). */
export async function verifyByScheme(
  flags: VerifyFlags,
  args: readonly string[],
  world: SigningWorld,
): Promise<VerifyResult> {
  if (flags.scheme === 'request' || isSortedWebhook(flags.scheme, world.profile)) {
    return verifySorted(flags, args, world)
  }
  if (args.length > 0) {
    throw new Failure(
      'usage',
      'This scheme signs the raw bytes of the body, which NAME=VALUE arguments do not have.',
      'Give the body as it was sent with --body FILE.',
    )
  }
  return verifyHeader(flags, world)
}

async function verifySorted(
  flags: VerifyFlags,
  args: readonly string[],
  world: SigningWorld,
): Promise<VerifyResult> {
  const {fields} = await readFields(args, flags.body)
  const given = givenSignature(fields, flags.signature)
  requireDigest(given)
  const {dialect, merchantId} = world.profile
  const secret = await loadSecret(world.secrets, world.tell)
  const search = async () =>
    diagnose({
      fields,
      given,
      secret,
      rule: dialect.requestSignature,
      apiKey: await findApiKey(world.secrets),
      ...(merchantId === '' ? {} : {merchantId}),
    })
  const nested = nestedNames(fields)
  if (nested.length > 0) {
    const diagnosis = await search()
    if (diagnosis.cause === 'none_found') throw nestedRefused(nested)
    return {
      valid: false,
      scheme: flags.scheme,
      given,
      expected: null,
      canonical: null,
      diagnosis: viewDiagnosis(diagnosis),
    }
  }
  const verdict = verifyRequest(fields, given, secret, dialect.requestSignature)
  warnOfAmbiguity(verdict.ambiguous, fields, flags, world.tell)
  const {orderNo, platformOrderNo, status, amount} = dialect.response
  const known = [...orderNo, platformOrderNo, status, amount]
  const undocumented = verdict.isValid ? undocumentedNames(fields, known) : []
  if (undocumented.length > 0) {
    const names = undocumented.slice(0, 5).map((name) => `"${escapeInvisible(name, 60)}"`)
    world.tell(
      `warning: the service's document has no field ${names.join(', ')}. A value such as "u7&r=1" signs like "u7" and a field "r": act on no such field.`,
    )
  }
  return {
    valid: verdict.isValid,
    scheme: flags.scheme,
    given,
    expected: verdict.expected,
    canonical: verdict.canonical,
    diagnosis: verdict.isValid ? null : viewDiagnosis(await search()),
    ...(verdict.ambiguous.length > 0 ? {ambiguous: verdict.ambiguous} : {}),
    ...(undocumented.length > 0 ? {undocumented} : {}),
  }
}

async function verifyHeader(flags: VerifyFlags, world: SigningWorld): Promise<VerifyResult> {
  const {profile} = world
  const isLegacy = flags.scheme === 'legacy'
  const recipe = isLegacy ? profile.dialect.legacySignature : profile.dialect.webhookSignature.recipe
  const capture = await oneCapture(flags)
  const {given, timestamp} = readSignatureHeaders(capture, flags, profile.dialect.webhookSignature)
  requireRecipeSignature(given, recipe)
  const asked = partsOf(recipe.input)
  const asks = (part: string) => asked.some((name) => name.startsWith(part))
  if (asks('path') && capture.path === '') throw pathMissing()
  if (asks('method') && capture.method === '') throw partMissing('method', '--method GET')
  if (asks('timestamp') && timestamp === '') throw partMissing('timestamp', '--timestamp 1761234567')
  const keys = await loadRecipeKeys(world.secrets, recipe, world.tell)
  const request = {
    timestamp,
    method: capture.method.toUpperCase(),
    path: signedPath(capture.path),
    body: capture.body,
  }
  const parts = recipePartsOf(request, profile.merchantId, keys.apiKey)
  const expected = signByRecipe(recipe, parts, keys)
  const isValid = sameSignature(given, expected)
  const query = capture.path === request.path ? {} : {pathWithQuery: capture.path}
  return {
    valid: isValid,
    scheme: flags.scheme,
    given,
    expected,
    canonical: showRecipeInput(recipe, parts, keys),
    diagnosis: isValid ? null : viewDiagnosis(diagnoseRecipe({recipe, parts, keys, given, ...query})),
  }
}

/** The request to check: a captured file, or the flags. */
async function oneCapture(flags: VerifyFlags): Promise<Capture> {
  const [file, ...others] = flags.capture ?? []
  if (file === undefined) return captureFromFlags(flags)
  if (others.length === 0) return readCaptureFile(file)
  throw new Failure(
    'usage',
    'Several captures were given, but hisab checks one at a time.',
    'Give one --capture, or add --discover to use all of them.',
  )
}

/** Signature and timestamp of a header scheme, from flags or headers; empty if absent. */
export function readSignatureHeaders(
  {headers}: Capture,
  flags: Pick<VerifyFlags, 'scheme' | 'signature' | 'timestamp'>,
  webhook: {readonly header: string; readonly timestampHeader: string},
): {readonly given: string; readonly timestamp: string} {
  const isLegacy = flags.scheme === 'legacy'
  const header = isLegacy ? 'X-Signature' : webhook.header
  const timestampHeader = isLegacy ? 'X-Timestamp' : webhook.timestampHeader
  const given = flags.signature ?? headers.get(header.toLowerCase())
  if (given === undefined) {
    throw new Failure(
      'usage',
      'There is no signature to check.',
      `Give --signature, or --header '${escapeInvisible(header, 80)}: …'.`,
    )
  }
  return {given, timestamp: flags.timestamp ?? headers.get(timestampHeader.toLowerCase()) ?? ''}
}

function viewDiagnosis({cause, explanation, canonical, fix, causes}: Diagnosis): VerifyDiagnosis {
  return {cause, explanation, canonical, fix, ...(cause === 'several' ? {causes} : {})}
}

function warnOfAmbiguity(
  ambiguous: readonly string[],
  fields: SignableFields,
  flags: VerifyFlags,
  tell: (note: string) => void,
): void {
  if (ambiguous.length > 0) {
    const names = ambiguous.map((name) => `"${escapeInvisible(name, 60)}"`).join(', ')
    tell(
      `warning: the value of ${names} reads as further fields of the signed string; other fields would give the same signature, so it proves less than it seems.`,
    )
  }
  if (flags.signature !== undefined && (fields.signature ?? flags.signature) !== flags.signature) {
    tell('note: the body carries another signature; the one of --signature is judged.')
  }
}

function partMissing(part: string, example: string): Failure {
  return new Failure('usage', `The scheme signs the ${part}, but none was given.`, `Give ${example}.`)
}

function nestedRefused(names: readonly string[]): Failure {
  const [first = ''] = names
  return new Failure(
    'input_invalid',
    `The field "${escapeInvisible(first, 80)}" is an object or an array. The rule covers only flat fields (document §5.1), so hisab cannot check this signature. No known way of writing nested values makes it.`,
    'Give the flat body that was signed.',
  )
}
