import type {Dialect} from './dialect.ts'
import {isJsonObject, JsonNumber, JsonSyntaxError, type JsonValue, parseJson} from './json.ts'
import {type Paisa, parsePaisa} from './money.ts'

/** A payload as it was sent: the service gives it as JSON, or as the text of the JSON or form. */
export function readPayload(payload: JsonValue | undefined): JsonValue | undefined {
  if (typeof payload !== 'string') return payload
  try {
    return parseJson(payload)
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    return form.test(payload) ? Object.fromEntries(new URLSearchParams(payload)) : payload
  }
}

const form = /^[\w.%[\]-]+=[^&\s]*(?:&[\w.%[\]-]+=[^&\s]*)+$/

/**
 * The amount of a webhook's payload (service §6), from its source text under the profile's name. Null if there is no
 * readable one.
 */
export function amountOfPayload(payload: JsonValue | undefined, {response}: Dialect): Paisa | null {
  const fields = readPayload(payload)
  if (!isJsonObject(fields)) return null
  const amount = fields[response.amount]
  if (amount instanceof JsonNumber) return parsePaisa(amount.source)
  return typeof amount === 'string' ? parsePaisa(amount) : null
}

/** The player of a deposit's webhook (service §6); undefined if the payload has none. */
export function playerOfPayload(payload: JsonValue | undefined): string | undefined {
  const fields = readPayload(payload)
  const player = isJsonObject(fields) ? fields.playerRef : undefined
  return typeof player === 'string' && player.trim() !== '' ? player : undefined
}
