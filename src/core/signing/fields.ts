import {Failure} from '../failure.ts'
import {
  isJsonObject,
  JsonNumber,
  JsonSyntaxError,
  type JsonValue,
  parseJson,
  parseJsonBytes,
} from '../json.ts'
import {escapeInvisible} from '../text.ts'
import type {SignableFields} from './request.ts'

export interface NamedValue {
  readonly name: string
  readonly value: JsonValue
}

/** Names that could reach an object's prototype are refused, as in the JSON reader. */
const forbiddenNames = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Reads `NAME=VALUE` as a string and `NAME:=JSON` as JSON, a number by its source text (A12).
 * The first `=` decides; what follows it is never trimmed. Throws `usage`.
 */
export function readArgument(argument: string): NamedValue {
  const at = argument.indexOf('=')
  const isJson = at > 0 && argument[at - 1] === ':'
  const name = argument.slice(0, isJson ? at - 1 : at)
  const place = `The argument "${escapeInvisible(argument, 80)}"`
  if (at < 0 || name === '') {
    throw new Failure(
      'usage',
      `${place} is not NAME=VALUE or NAME:=JSON.`,
      'Write for example orderNo=D-1001 or isTest:=true.',
    )
  }
  if (forbiddenNames.has(name)) {
    throw new Failure(
      'usage',
      `${place} has a name that is not accepted.`,
      'Use a field of the service document.',
    )
  }
  const text = argument.slice(at + 1)
  if (!isJson) return {name, value: text}
  try {
    return {name, value: parseJson(text)}
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    throw new Failure(
      'usage',
      `${place} is not JSON after ":=": ${escapeInvisible(error.message, 200)} of the value.`,
      `A string is written with "=" alone: ${escapeInvisible(name, 60)}=VALUE.`,
    )
  }
}

/** Reads a body of one JSON object. `source` names it in the error. */
export function readBody(bytes: Uint8Array, source: string): SignableFields {
  let value: JsonValue
  try {
    value = parseJsonBytes(bytes)
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    throw new Failure(
      'input_invalid',
      `${escapeInvisible(source, 200)} is not a JSON document: ${escapeInvisible(error.message, 200)}.`,
      'Give the body exactly as it was sent or received: one JSON object in UTF-8.',
    )
  }
  if (isJsonObject(value)) return value
  throw new Failure(
    'input_invalid',
    `${escapeInvisible(source, 200)} is JSON, but not an object.`,
    'The signature covers the fields of one JSON object: {"orderNo":"D-1001", …}.',
  )
}

/** Body and arguments as one set of fields. A repeated name is refused, because neither value is certain. */
export function joinFields(body: SignableFields, given: readonly NamedValue[]): SignableFields {
  const fields: Record<string, JsonValue | undefined> = Object.assign(Object.create(null), body)
  for (const {name, value} of given) {
    if (name in fields) {
      const where = name in body ? 'in the body and as an argument' : 'as two arguments'
      throw new Failure(
        'usage',
        `The field "${escapeInvisible(name, 80)}" is given twice, ${where}.`,
        'Give each field once. It is not known which of two would be signed.',
      )
    }
    fields[name] = value
  }
  return fields
}

/** Names with objects or arrays as values, which the signature cannot cover (service §5.1). */
export function nestedNames(fields: SignableFields): string[] {
  return Object.entries(fields)
    .filter(([, value]) => typeof value === 'object' && value !== null && !(value instanceof JsonNumber))
    .map(([name]) => name)
}

/** The body to send: compact JSON, numbers as in their source, the signature in its place or last. */
export function writeSignedBody(fields: SignableFields, signature: string): string {
  return JSON.stringify({...fields, signature})
}
