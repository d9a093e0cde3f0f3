import type {JsonValue} from '../core/json.ts'
import type {Credentials} from '../core/profile.ts'
import {maskPhone, visible} from '../core/text.ts'

const digestLike = /[0-9a-f]{32,}|[A-Za-z0-9+/_-]{40,}={0,2}/gi
const phoneLike = /01[3-9][0-9]{8}/g

/**
 * Text of the service's, fit for an error message: no secret and no signature even where the service echoes
 * what it was sent (P20), phones masked, nothing invisible (P24), one short line.
 */
export function quote(text: string, {apiSecret, apiKey}: Credentials, lengthMax = 200): string {
  let safe = text
  for (const secret of [apiSecret, apiKey]) if (secret !== '') safe = safe.replaceAll(secret, '***')
  return visible(safe.replace(digestLike, '***').replace(phoneLike, maskPhone), lengthMax)
}

/**
 * The first line of what the merchant's server answered to a webhook, as safe as `quote`; of a page its first
 * words, which are the title. Null where there is none.
 */
export function quoteFirstLine(body: JsonValue | undefined, credentials: Credentials): string | null {
  if (body === undefined || body === null) return null
  const text = typeof body === 'string' ? body.slice(0, 10_000) : JSON.stringify(body)
  const words = /^\s*</.test(text) ? text.replaceAll(/<[^>]*>/g, ' ') : text
  const line = words.split(/[\r\n]+/).find((candidate) => candidate.trim() !== '')
  return line === undefined ? null : quote(line.trim(), credentials, 120)
}
