import {Failure} from '../../failure.ts'
import {type RecipeKeys, type RecipeParts, type SignatureRecipe, signByRecipe} from '../recipe.ts'
import {knownInputs} from './inputs.ts'

/**
 * Only inputs with the path, because the signature covers it (service §5.2). The last two are the first one with the
 * most frequent separators.
 */
const likelyInputs: readonly string[] = [
  ...knownInputs.filter((input) => input.includes('{path}')),
  '{timestamp}\n{method}\n{path}\n{body}',
  '{timestamp}.{method}.{path}.{body}',
]

/** How much less likely a variant is than the plain one, in places of the list of known inputs. */
const variants: readonly (readonly [places: number, recipe: Partial<SignatureRecipe>])[] = [
  [0, {}],
  [6, {encoding: 'base64'}],
  [7, {keyEncoding: 'hex'}],
  [8, {keyEncoding: 'base64'}],
  [9, {key: 'api_key'}],
  [10, {hash: 'sha512'}],
  [12, {encoding: 'HEX'}],
]

/**
 * Recipes worth trying on a live service, most likely first: `first` (the profile's), then inputs known in practice,
 * plain ones before variants. Of recipes with the same signature of `parts` only one: the same bytes again would show
 * nothing.
 */
export function likelyRecipes(
  first: SignatureRecipe,
  parts: RecipeParts,
  keys: RecipeKeys,
  countMax: number,
): SignatureRecipe[] {
  const plain: Omit<SignatureRecipe, 'input'> = {
    hash: 'sha256',
    encoding: 'hex',
    key: 'api_secret',
    keyEncoding: 'utf8',
  }
  const ranked = likelyInputs.flatMap((input, place) =>
    variants.map(([places, variant]) => ({rank: place + places, recipe: {...plain, ...variant, input}})),
  )
  ranked.sort((a, b) => a.rank - b.rank)
  const found = new Map<string, SignatureRecipe>()
  for (const recipe of [first, ...ranked.map((candidate) => candidate.recipe)]) {
    if (found.size >= countMax) break
    const signature = isKeyOf(recipe, keys) ? signatureOf(recipe, parts, keys) : null
    if (signature !== null && !found.has(signature)) found.set(signature, recipe)
  }
  return [...found.values()]
}

/** Whether the key can be written this way: a passphrase is no hexadecimal, and hexadecimal is hardly base64. */
function isKeyOf({key, keyEncoding}: SignatureRecipe, {apiSecret, apiKey}: RecipeKeys): boolean {
  const text = key === 'api_key' ? apiKey : apiSecret
  if (keyEncoding === 'utf8') return true
  const isHex = /^(?:[0-9a-f]{2}){8,}$/i.test(text)
  if (keyEncoding === 'hex') return isHex
  return !isHex && text.length % 4 === 0 && /^[A-Za-z0-9+/_-]{16,}={0,2}$/.test(text)
}

function signatureOf(recipe: SignatureRecipe, parts: RecipeParts, keys: RecipeKeys): string | null {
  try {
    return signByRecipe(recipe, parts, keys)
  } catch (error) {
    if (error instanceof Failure) return null
    throw error
  }
}
