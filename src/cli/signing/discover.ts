import {Failure} from '../../core/failure.ts'
import {type Capture, signedPath} from '../../core/signing/capture.ts'
import {discover, type ObservedRequest} from '../../core/signing/discover/search.ts'
import {writeRecipeToml} from '../../core/signing/discover/toml.ts'
import type {RecipeParts, SignatureRecipe} from '../../core/signing/recipe.ts'
import type {DiscoverResult} from '../../report/signing-text.ts'
import {Progress} from '../progress.ts'
import {captureFromFlags, findApiKey, loadSecret, readCaptureFile} from './input.ts'
import type {SigningWorld} from './sign.ts'
import {readSignatureHeaders, type VerifyFlags} from './verify.ts'

/** Most recipes in a result; the likeliest is first. */
const matchesMax = 100

/** Searches for the recipe of a header signature in captured good requests, with progress on stderr. */
export async function discoverRecipe(
  flags: VerifyFlags,
  world: SigningWorld,
  elapsedMs: () => number,
): Promise<DiscoverResult> {
  const {profile, secrets, tell} = world
  const place = {
    profile: profile.name,
    table: flags.scheme === 'webhook' ? 'webhook_signature' : 'legacy_signature',
    ...profile.dialect.webhookSignature,
  } as const
  const captures = await readCaptures(flags)
  const apiSecret = await loadSecret(secrets, tell)
  const apiKey = (await findApiKey(secrets)) ?? captures[0].headers.get('x-api-key') ?? null
  const requests = captures.map((capture) => signedRequest(capture, flags, world, apiKey))
  const [first, ...others] = requests
  if (!first) throw new Error('a list of captures cannot be empty')
  const recipes: SignatureRecipe[] = []
  const search = discover([first, ...others], {apiSecret, apiKey})
  const progress = new Progress()
  for (;;) {
    const step = search.next()
    if (step.done) {
      progress.end()
      if (recipes.length > 0) warnOfMilliseconds(requests, tell)
      const matches = recipes.slice(0, matchesMax).map((recipe) => ({
        input: recipe.input,
        hash: recipe.hash,
        encoding: recipe.encoding,
        key: recipe.key,
        key_encoding: recipe.keyEncoding,
        toml: writeRecipeToml(recipe, place),
      }))
      return {matches, tried: step.value, elapsedMs: Math.round(elapsedMs())}
    }
    const {recipe, tried} = step.value
    if (recipe) recipes.push(recipe)
    progress.tell(`${tried.toLocaleString('en')} recipes tried, ${recipes.length} found`)
  }
}

/** The service's document uses seconds (service §5.2). */
function warnOfMilliseconds(requests: readonly ObservedRequest[], tell: (note: string) => void): void {
  const inMs = requests.find(({parts: {timestamp}}) => /^\d{13}$/.test(String(timestamp ?? '')))
  if (inMs === undefined) return
  tell(
    `warning: The captured timestamp ${String(inMs.parts.timestamp)} is in milliseconds. hisab sends seconds, as the document says, so this service may refuse its calls. Ask whether it takes seconds too.`,
  )
}

async function readCaptures(flags: VerifyFlags): Promise<[Capture, ...Capture[]]> {
  const [file, ...others] = flags.capture ?? []
  if (file === undefined) return [await captureFromFlags(flags)]
  if (others.length > 0 && flags.signature !== undefined) {
    throw new Failure(
      'usage',
      '--signature was given with several captures.',
      'Leave it out. Each capture has its own signature in its headers.',
    )
  }
  if (new Set(flags.capture).size <= others.length) {
    throw new Failure(
      'usage',
      'The same capture was given twice.',
      'Give another request, with another path and a body.',
    )
  }
  const rest: Capture[] = []
  const first = await readCaptureFile(file)
  for (const other of others) rest.push(await readCaptureFile(other))
  return [first, ...rest]
}

function signedRequest(
  capture: Capture,
  flags: VerifyFlags,
  {profile}: SigningWorld,
  apiKey: string | null,
): ObservedRequest {
  const {given, timestamp} = readSignatureHeaders(capture, flags, profile.dialect.webhookSignature)
  const merchantId = capture.headers.get('x-merchant-id') ?? profile.merchantId
  const {method, path, body} = capture
  // An unknown part is left out of the search, not taken as empty.
  const parts: RecipeParts = {
    body,
    ...(method === '' ? {} : {method: method.toUpperCase()}),
    ...(path === '' ? {} : {path: signedPath(path)}),
    ...(timestamp === '' ? {} : {timestamp}),
    ...(merchantId === '' ? {} : {merchantId}),
    ...(apiKey === null || apiKey === '' ? {} : {apiKey}),
  }
  return {parts, signature: given, host: capture.headers.get('host') ?? null}
}
