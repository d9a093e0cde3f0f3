import type {JsonObject, JsonValue} from '../core/json.ts'
import {maskPhonesAnywhere} from '../core/personal.ts'
import type {Credentials} from '../core/profile.ts'
import {escapeInvisible} from '../core/text.ts'

const digestLike = /[0-9a-f]{32,}|[A-Za-z0-9+/_-]{40,}={0,2}/gi

/**
 * Text of the service's, fit for an error message: no secret and no signature even where the service echoes
 * what it was sent (P20), phones masked, nothing invisible (P24), one short line.
 */
export function quote(text: string, {apiSecret, apiKey}: Credentials, lengthMax = 200): string {
  let safe = text
  for (const secret of [apiSecret, apiKey]) if (secret !== '') safe = safe.replaceAll(secret, '***')
  return escapeInvisible(maskPhonesAnywhere(safe.replace(digestLike, '***')), lengthMax)
}

/** What the answer to a request without a body must not repeat: its signature is known by its look alone. */
export function echoesOfHeaders({apiSecret, apiKey}: Credentials): (string | RegExp)[] {
  return [apiSecret, apiKey, digestLike]
}

/**
 * An answer's data as it may be shown (P20). A service may send back what it was sent, so a field that is not
 * documented is left out where it repeats one of `echoes`.
 */
export function withoutEchoes(
  data: JsonObject,
  documented: readonly string[],
  echoes: readonly (string | RegExp)[],
): JsonObject {
  const isEcho = (name: string, value: JsonValue) => {
    const text = JSON.stringify({[name]: value})
    return echoes.some((echo) =>
      typeof echo === 'string'
        ? echo !== '' && text.includes(JSON.stringify(echo).slice(1, -1))
        : text.search(echo) >= 0,
    )
  }
  return Object.fromEntries(
    Object.entries(data).filter(([name, value]) => documented.includes(name) || !isEcho(name, value)),
  )
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
