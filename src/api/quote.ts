import type {JsonObject, JsonValue} from '../core/json.ts'
import {maskPhonesAnywhere} from '../core/personal.ts'
import type {Credentials} from '../core/profile.ts'
import {escapeInvisible} from '../core/text.ts'

const digestLike = /[0-9a-f]{32,}|[A-Za-z0-9+/_-]{40,}={0,2}/gi

/**
 * Text from the service for an error message: no secret and no signature even if the service echoes its input (P20),
 * phones masked, nothing invisible (P24), one short line.
 */
export function quote(text: string, {apiSecret, apiKey}: Credentials, lengthMax = 200): string {
  let safe = text
  for (const secret of [apiSecret, apiKey]) if (secret !== '') safe = safe.replaceAll(secret, '***')
  return escapeInvisible(maskPhonesAnywhere(safe.replace(digestLike, '***')), lengthMax)
}

/** What an answer to a request without a body must not repeat: its signature can only be recognised by its form. */
export function echoesOfHeaders({apiSecret, apiKey}: Credentials): (string | RegExp)[] {
  return [apiSecret, apiKey, digestLike]
}

/**
 * An answer's data for showing (P20). A service may return its input, so an undocumented field is left out if it
 * repeats one of `echoes`.
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
 * The first line of the merchant server's answer to a webhook, as safe as `quote`; for a page its first words, which
 * are the title. Null if there is none.
 */
export function quoteFirstLine(body: JsonValue | undefined, credentials: Credentials): string | null {
  if (body === undefined || body === null) return null
  const text = typeof body === 'string' ? body.slice(0, 10_000) : JSON.stringify(body)
  const words = /^\s*</.test(text) ? text.replaceAll(/<[^>]*>/g, ' ') : text
  const line = words.split(/[\r\n]+/).find((candidate) => candidate.trim() !== '')
  return line === undefined ? null : quote(line.trim(), credentials, 120)
}
