import {headerOf} from '../../api/answer.ts'
import {answerShape} from '../../api/answer-shape.ts'
import type {Probed, ServiceProbe} from '../../api/probe.ts'
import type {DeliveryPage} from '../../api/wire.ts'
import {Failure} from '../../core/failure.ts'
import type {Credentials, Profile} from '../../core/profile.ts'
import {likelyRecipes} from '../../core/signing/discover/likely.ts'
import type {SignatureRecipe} from '../../core/signing/recipe.ts'

/** The most wrong signatures that are ever sent. */
export const schemeTriesMax = 20

/** One recipe that was tried, and how the service answered. */
export interface SchemeTry {
  readonly recipe: SignatureRecipe
  readonly seen: string
  readonly isAccepted: boolean
}

export interface SchemeSearch {
  readonly tries: readonly SchemeTry[]
  readonly found: SignatureRecipe | null
  /** Whether the recipe found is the profile's own. */
  readonly isCurrent: boolean
  /** A wrong signature was accepted too, so the service does not check and nothing was learned. */
  readonly isUnchecked: boolean
  /** Why it stopped early, as the resulting failure; null if it found one or tried all. */
  readonly stopped: Failure | null
}

export interface SchemePorts {
  readonly probe: ServiceProbe
  readonly sleep: (ms: number) => Promise<void>
  readonly signal: AbortSignal
  readonly onTry: (done: number, total: number) => void
}

/**
 * Tries the likeliest recipes on the list of delivery records (GET, one record), one after another with `spacingMs`
 * between them. Only a valid list is success. Wrong signatures may lead to a lock-out, so the first sign of one ends
 * it: 403, 429, a page instead of JSON, words about attempts or blocking, or a refusal unlike the first. An accepted
 * recipe must be accepted again, before and after two deliberately wrong signatures are refused: a single answer may
 * come from a cache, or from one machine of several.
 */
export async function findLegacyScheme(
  profile: Profile,
  credentials: Credentials,
  {triesMax, spacingMs}: {readonly triesMax: number; readonly spacingMs: number},
  {probe, sleep, signal, onTry}: SchemePorts,
): Promise<SchemeSearch> {
  const {legacySignature: current, legacyPath: path} = profile.dialect
  const {merchantId} = profile
  const parts = {
    timestamp: '1700000000',
    method: 'GET',
    path,
    body: '',
    merchantId,
    apiKey: credentials.apiKey,
  }
  const recipes = likelyRecipes(current, parts, credentials, Math.min(triesMax, schemeTriesMax))
  const tries: SchemeTry[] = []
  let firstShape: string | null = null
  for (const recipe of recipes) {
    if (tries.length > 0) await sleep(spacingMs)
    if (signal.aborted) return {...nothingFound, tries, stopped: interruption(signal)}
    const probed = await probe.listOne(recipe)
    const isAccepted = probed.outcome.kind === 'done'
    tries.push({recipe, seen: probed.seen, isAccepted})
    onTry(tries.length, recipes.length)
    if (isAccepted) {
      for (const ask of [tryAgain, tryWrong, tryWrong, tryAgain]) {
        await sleep(spacingMs)
        if (signal.aborted) return {...nothingFound, tries, stopped: interruption(signal)}
        const control = await ask(recipe, probe)
        if (control !== 'as expected') return {...nothingFound, tries, ...control}
      }
      return {...nothingFound, tries, found: recipe, isCurrent: recipe === current}
    }
    const shape: string | null = probed.answer && answerShape(probed.answer, [])
    firstShape ??= shape
    const stopped = reasonToStop(probed, shape === firstShape)
    if (stopped) return {...nothingFound, tries, stopped}
  }
  return {...nothingFound, tries}
}

const nothingFound = {found: null, isCurrent: false, isUnchecked: false, stopped: null} as const

type Control = 'as expected' | Pick<SchemeSearch, 'isUnchecked' | 'stopped'>

async function tryAgain(recipe: SignatureRecipe, probe: ServiceProbe): Promise<Control> {
  const {outcome, seen} = await probe.listOne(recipe)
  if (outcome.kind === 'done') return 'as expected'
  return unclear(`A recipe was accepted, and was not when it was sent again (${seen}).`)
}

/** The control: the same request with a deliberately wrong signature. */
async function tryWrong(recipe: SignatureRecipe, probe: ServiceProbe): Promise<Control> {
  const {outcome, answer, seen} = await probe.listOne({...recipe, input: `wrong on purpose ${recipe.input}`})
  if (outcome.kind === 'done') return {isUnchecked: true, stopped: null}
  if (answer !== null && answer.status < 500 && answer.status !== 408 && answer.status !== 429)
    return 'as expected'
  return unclear(`A recipe was accepted, but it is unknown whether a wrong signature is refused (${seen}).`)
}

function unclear(message: string): Control {
  return {
    isUnchecked: false,
    stopped: new Failure('incomplete', message, 'Wait some minutes, then run it again.'),
  }
}

const lockOutWords =
  /lock|block|ban(?:ned|s)?\b|suspend|disabled|captcha|too many|attempt|throttl|rate.?limit/i

function reasonToStop({outcome, answer, seen}: Probed<DeliveryPage>, isAsBefore: boolean): Failure | null {
  if (outcome.kind === 'done') return null
  if (answer === null) {
    return new Failure(
      outcome.code,
      `The search stopped: ${outcome.what}.`,
      'Correct that, then run it again.',
    )
  }
  const text = Buffer.from(answer.body.subarray(0, 65_536)).toString('utf8')
  const {status} = answer
  if (outcome.code === 'legacy_unavailable') {
    return new Failure(
      'legacy_unavailable',
      `The search stopped: there is no legacy API (${seen}).`,
      'Check legacy_url. The legacy API is deprecated and may be missing in this deployment.',
    )
  }
  const sign =
    (status === 429 && 'too many requests') ||
    (status === 403 && 'forbidden, which may be a lock-out') ||
    (headerOf(answer.headers, 'retry-after') !== '' && 'it asks to be left alone for a while') ||
    (!/json/i.test(headerOf(answer.headers, 'content-type')) && 'it answers with a page instead of JSON') ||
    (lockOutWords.test(text) && 'its answer speaks of attempts, limits or blocking') ||
    (!isAsBefore && 'it refuses in another way than before') ||
    (status >= 500 && 'it is in trouble')
  if (!sign) return null
  return new Failure(
    'incomplete',
    `The search stopped because the service may be locking you out or failing: ${sign} (${seen}).`,
    'Find out why before you run it again. Or find the recipe offline from one captured good request: hisab verify --discover --capture FILE.',
  )
}

function interruption({reason}: AbortSignal): Failure {
  if (reason instanceof Failure) return reason
  return new Failure('interrupted', 'Interrupted before the end.', 'Nothing was changed.')
}
