import {decodeDigest} from '../given.ts'
import {
  partsOf,
  type RecipeKeys,
  type RecipeParts,
  recipeHashes,
  type SignatureRecipe,
  signByRecipe,
} from '../recipe.ts'
import {showRecipeInput} from '../signed-request.ts'
import {causeTexts, type MistakeCause} from './cause.ts'
import {secretWears} from './key-mistakes.ts'
import type {Diagnosis} from './search.ts'

export interface RecipeDiagnosisInput {
  readonly recipe: SignatureRecipe
  readonly parts: RecipeParts
  readonly keys: RecipeKeys
  readonly given: string
  readonly pathWithQuery?: string
}

interface Variant {
  readonly cause: MistakeCause
  readonly detail: string
  readonly recipe: SignatureRecipe
  readonly parts: RecipeParts
  readonly keys: RecipeKeys
}

/**
 * Why a header signature is wrong: the few mistakes that are possible with a known recipe. `verify --discover`
 * searches for another recipe.
 */
export function diagnoseRecipe(input: RecipeDiagnosisInput): Diagnosis {
  const {given} = input
  const wanted = decodeDigest(given)
  let tried = 0
  for (const {cause, detail, recipe, parts, keys} of variants(input)) {
    tried += 1
    const made = decodeDigest(signByRecipe(recipe, parts, keys))
    if (!wanted || !made?.equals(wanted)) continue
    const explanation = `${causeTexts[cause].summary} Here: ${detail}.`
    const {fix} =
      cause === 'digest_upper_case' ? {fix: `Write the digest in ${recipe.encoding}.`} : causeTexts[cause]
    return {cause, explanation, fix, canonical: showRecipeInput(recipe, parts, keys), causes: [cause], tried}
  }
  return {
    cause: 'none_found',
    explanation: `${causeTexts.none_found.summary} Tried: ${tried} changes of the profile's recipe.`,
    fix: 'If the captured request is known to be good, search for its recipe with --discover; else check the secret and the raw body.',
    canonical: null,
    causes: [],
    tried,
  }
}

function* variants({recipe, parts, keys, pathWithQuery}: RecipeDiagnosisInput): Generator<Variant> {
  const right = {recipe, parts, keys}
  yield {
    ...right,
    cause: 'digest_upper_case',
    detail: `it is the right digest, but not in ${recipe.encoding}`,
  }
  for (const [detail, wear] of secretWears) {
    const worn = {apiSecret: wear(keys.apiSecret), apiKey: wear(keys.apiKey)}
    if ((recipe.key === 'api_key' ? worn.apiKey : worn.apiSecret).trim() !== '')
      yield {...right, cause: 'secret_whitespace', detail, keys: worn}
  }
  for (const hash of recipeHashes) {
    yield {
      ...right,
      cause: 'other_hash',
      detail: `HMAC-${hash} instead of HMAC-${recipe.hash}`,
      recipe: {...recipe, hash},
    }
  }
  for (const part of partsOf(recipe.input)) {
    const input = recipe.input.replace(`{${part}}`, '')
    if (partsOf(input).length > 0) {
      yield {
        ...right,
        cause: 'missing_parameter',
        detail: `{${part}} was left out`,
        recipe: {...recipe, input},
      }
    }
  }
  if (pathWithQuery !== undefined) {
    const path = {...parts, path: pathWithQuery}
    yield {
      ...right,
      cause: 'extra_parameter',
      detail: 'the query was signed; the path ends before it',
      parts: path,
    }
  }
  const {body} = parts
  if (body === undefined || body.length === 0) return
  const text = Buffer.from(body).toString('latin1')
  for (const [detail, changed] of [
    ['the body was signed without the newline at its end', text.replace(/\r?\n$/, '')],
    ['the body was signed with a newline at its end', `${text}\n`],
  ] as const) {
    yield {...right, cause: 'values_trimmed', detail, parts: {...parts, body: Buffer.from(changed, 'latin1')}}
  }
}
