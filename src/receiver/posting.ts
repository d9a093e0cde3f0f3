import {isJsonObject, parseJson} from '../core/json.ts'
import {signByRecipe} from '../core/signing/recipe.ts'
import {signFields} from '../core/signing/request.ts'
import {recipePartsOf} from '../core/signing/signed-request.ts'
import type {Posting} from './handover.ts'
import type {Rules} from './rules.ts'

/**
 * A stored content as the service posts it: signed anew, because no signature is kept (P20). A header's signature
 * covers `path` and the time.
 */
export function signedPosting(
  content: string,
  {merchantId, dialect, keys}: Rules,
  path: string,
  nowMs: number,
): Posting {
  const {scheme, header, timestampHeader, recipe} = dialect.webhookSignature
  const type = {'content-type': 'application/json'}
  if (scheme === 'md5-sorted') {
    const fields = parseJson(content)
    if (!isJsonObject(fields)) throw new TypeError('a stored content is an object')
    const signature = signFields(fields, keys.apiSecret, dialect.requestSignature)
    return {headers: type, body: Buffer.from(JSON.stringify({...fields, signature}))}
  }
  const body = Buffer.from(content)
  const timestamp = String(Math.floor(nowMs / 1_000))
  const parts = recipePartsOf({timestamp, method: 'POST', path, body}, merchantId, keys.apiKey)
  const signature = signByRecipe(recipe, parts, keys)
  return {
    headers: {...type, [timestampHeader]: timestamp, [header]: signature},
    body,
  }
}
