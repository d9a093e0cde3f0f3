import type {Profile} from '../profile.ts'
import {writeSignedBody} from './fields.ts'
import {
  partsOf,
  type RecipeKeys,
  type RecipeParts,
  recipeInput,
  type SignatureRecipe,
  signByRecipe,
} from './recipe.ts'
import {
  canonicalize,
  type Dropped,
  type RequestSignatureRule,
  type SignableFields,
  showCanonical,
  signCanonical,
} from './request.ts'
import {maskSecret} from './secret.ts'

export const signingSchemes = ['request', 'legacy', 'webhook'] as const
export type SigningScheme = (typeof signingSchemes)[number]

export interface SignedRequest {
  readonly scheme: SigningScheme
  readonly signature: string
  /** The signed string, with `***` for the key and anything equal to it. */
  readonly canonical: string
  /** Names of fields, or of parts of a header signature, in the signed order. */
  readonly included: readonly string[]
  readonly dropped: readonly {readonly name: string; readonly reason: Dropped['reason'] | 'query'}[]
  readonly body: string
  /** The API key as `***`. */
  readonly headers: Readonly<Record<string, string>>
}

/** Signs a deposit or payout request, or a webhook of the same scheme (service §5.1). */
export function signBody(
  scheme: SigningScheme,
  fields: SignableFields,
  secret: string,
  rule: RequestSignatureRule,
): SignedRequest {
  const {text, included, dropped} = canonicalize(fields, rule)
  const signature = signCanonical(text, secret)
  return {
    scheme,
    signature,
    canonical: maskSecret(showCanonical(text), secret),
    included,
    dropped,
    body: writeSignedBody(fields, signature),
    headers: {'Content-Type': 'application/json'},
  }
}

/** A request or webhook that is signed by a header over its raw bytes (service §5.2, A6, A8). */
export interface HeaderSigned {
  readonly timestamp: string
  readonly method: string
  /** Without its query. */
  readonly path: string
  readonly body: Uint8Array
}

export function recipePartsOf(request: HeaderSigned, merchantId: string, apiKey: string): RecipeParts {
  const {timestamp, method, path, body} = request
  return {timestamp, method, path, body, merchantId, apiKey}
}

/** The text that a recipe signs, with the API key as `***`. */
export function showRecipeInput(recipe: SignatureRecipe, parts: RecipeParts, keys: RecipeKeys): string {
  const shown = recipeInput(recipe.input, {...parts, apiKey: '***'}).toString()
  return maskSecret(maskSecret(shown, keys.apiSecret), keys.apiKey)
}

/** Signs a call of the legacy API: four headers (service §5.2). */
export function signLegacy(
  request: HeaderSigned,
  hasQuery: boolean,
  {merchantId, dialect}: Pick<Profile, 'merchantId' | 'dialect'>,
  keys: RecipeKeys,
): SignedRequest {
  const recipe = dialect.legacySignature
  const parts = recipePartsOf(request, merchantId, keys.apiKey)
  const signature = signByRecipe(recipe, parts, keys)
  return {
    scheme: 'legacy',
    signature,
    canonical: showRecipeInput(recipe, parts, keys),
    included: partsOf(recipe.input),
    dropped: hasQuery ? [{name: 'query', reason: 'query'}] : [],
    body: Buffer.from(request.body).toString(),
    headers: {
      'X-Merchant-Id': merchantId,
      'X-API-Key': '***',
      'X-Timestamp': request.timestamp,
      'X-Signature': signature,
      ...(request.body.length > 0 ? {'Content-Type': 'application/json'} : {}),
    },
  }
}

/** Signs a webhook by a header over its raw bytes, if the profile says so (A8). */
export function signWebhook(
  request: HeaderSigned,
  {merchantId, dialect}: Pick<Profile, 'merchantId' | 'dialect'>,
  keys: RecipeKeys,
): SignedRequest {
  const {recipe, header, timestampHeader} = dialect.webhookSignature
  const parts = recipePartsOf(request, merchantId, keys.apiKey)
  const signature = signByRecipe(recipe, parts, keys)
  const isTimed = partsOf(recipe.input).some((part) => part.startsWith('timestamp'))
  return {
    scheme: 'webhook',
    signature,
    canonical: showRecipeInput(recipe, parts, keys),
    included: partsOf(recipe.input),
    dropped: [],
    body: Buffer.from(request.body).toString(),
    headers: {
      'Content-Type': 'application/json',
      ...(isTimed ? {[timestampHeader]: request.timestamp} : {}),
      [header]: signature,
    },
  }
}

export function needsApiKey(recipe: SignatureRecipe): boolean {
  return recipe.key === 'api_key' || partsOf(recipe.input).includes('apiKey')
}
