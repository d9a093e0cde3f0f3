import type {Dialect} from '../core/dialect.ts'
import {partsOf, type RecipeKeys, signByRecipe} from '../core/signing/recipe.ts'
import {refuseBlank} from '../core/signing/request.ts'
import {recipePartsOf} from '../core/signing/signed-request.ts'

export interface Rules {
  readonly merchantId: string
  readonly dialect: Dialect
  readonly keys: RecipeKeys
}

/**
 * Fails before the first webhook if none sent to `path` could be checked: a blank key (`credentials_missing`), or a
 * recipe with an impossible part (`config_invalid`).
 */
export function requireUsable({merchantId, dialect, keys}: Rules, path: string): void {
  const {scheme, recipe} = dialect.webhookSignature
  if (scheme === 'md5-sorted') {
    refuseBlank(keys.apiSecret)
    return
  }
  const request = {timestamp: '1761234567', method: 'POST', path, body: new Uint8Array()}
  signByRecipe(recipe, recipePartsOf(request, merchantId, keys.apiKey), keys)
}

/** Whether the header signature covers a time, which must then be present. */
export function isTimed({dialect}: Rules): boolean {
  return partsOf(dialect.webhookSignature.recipe.input).some((part) => part.startsWith('timestamp'))
}
