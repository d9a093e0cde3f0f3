import {isJsonObject, JsonNumber, type JsonValue} from './json.ts'
import {readPayload} from './payload.ts'
import {maskName, maskPhone} from './text.ts'

const number = '[0০][1১][3-9৩-৯][0-9০-৯]{8}'
const phone = new RegExp(`(?<![0-9০-৯])(?:\\+?(?:88|৮৮))?${number}(?![0-9০-৯])`, 'g')
const phoneAnywhere = new RegExp(number, 'g')

const personNames = /^(?:user|player|account|holder|recipient|customer)?_?name$/i

/** Identifiers are shown unchanged, even if orders are numbered like phones. */
const identifiers = /^(?:id|.*order_?(?:no|id)|merchant_?id|signature)$/i

/** Masks every phone number in a text as `017****5678`, also in Bengali digits; longer numbers are none (P20). */
export function maskPhones(text: string): string {
  return text.replace(phone, maskPhone)
}

/** Also masks inside longer numbers: for text whose exact content is not needed. */
export function maskPhonesAnywhere(text: string): string {
  return text.replace(phoneAnywhere, maskPhone)
}

/** Also masks a phone number with too few or too many digits: for a text that should be one. */
export function maskPhoneLike(text: string): string {
  return text.replace(/\+?[0-9০-৯](?:[\s-]?[0-9০-৯]){8,}/g, maskPhone)
}

/** JSON with phones and names masked; text that contains JSON is masked the same way. */
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
