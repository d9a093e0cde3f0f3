import type {Dialect} from './dialect.ts'
import {isJsonObject, JsonNumber, JsonSyntaxError, type JsonValue, parseJson} from './json.ts'
import {type Paisa, parsePaisa} from './money.ts'

/** A payload as it was sent: the service may give it as JSON, or as the text that was JSON or a form when it was sent. */
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
 * The amount of a webhook's payload (service §6), read from its source text under the profile's name for it. Null where
 * there is none that can be read.
 */
export function amountOfPayload(payload: JsonValue | undefined, {response}: Dialect): Paisa | null {
  const fields = readPayload(payload)
  if (!isJsonObject(fields)) return null
  const amount = fields[response.amount]
  if (amount instanceof JsonNumber) return parsePaisa(amount.source)
  return typeof amount === 'string' ? parsePaisa(amount) : null
}
