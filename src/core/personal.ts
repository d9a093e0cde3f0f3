import {isJsonObject, JsonNumber, type JsonValue} from './json.ts'
import {readPayload} from './payload.ts'
import {maskName, maskPhone} from './text.ts'

const phone = /(?<![0-9])(?:\+?88)?01[3-9][0-9]{8}(?![0-9])/g

/** Fields that hold a person's name. */
const personNames = /^(?:user|player|account|holder|recipient|customer)?_?name$/i

/** Identifiers are shown as they are, also where somebody numbers orders like phones. */
const identifiers = /^(?:id|.*order_?(?:no|id)|merchant_?id|signature)$/i

/** Every phone number in a text as `017****5678` (P20). */
export function maskPhones(text: string): string {
  return text.replace(phone, maskPhone)
}

/** JSON with phones and names masked. Text that is JSON itself is masked as such, and stays text. */
export function maskPersonal(value: JsonValue, name = ''): JsonValue {
  if (identifiers.test(name)) return value
  if (typeof value === 'string') return maskText(value, name)
  if (value instanceof JsonNumber) {
    const masked = maskPhones(value.source)
    return masked === value.source ? value : masked
  }
  if (Array.isArray(value)) return value.map((item: JsonValue) => maskPersonal(item, name))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => [field, maskPersonal(inner, field)]),
  )
}

function maskText(text: string, name: string): string {
  if (personNames.test(name)) return maskName(text)
  const inner = /^\s*[[{]/.test(text) ? readPayload(text) : text
  return typeof inner === 'string' || inner === undefined
    ? maskPhones(text)
    : JSON.stringify(maskPersonal(inner))
}
