import {Failure, type FailureCode} from '../core/failure.ts'
import {JsonNumber} from '../core/json.ts'

/**
 * JSON of what a run read and decided, so that it can be read back unchanged: amounts, maps and numbers of answers as
 * an object with one tagged field. Undefined values are left out.
 */
export function encode(value: unknown, indent = 0): string {
  return JSON.stringify(value, tagged, indent)
}

export function decode(text: string): unknown {
  return JSON.parse(text, untagged)
}

function tagged(this: unknown, name: string, value: unknown): unknown {
  // `JSON.stringify` calls a number's `toJSON` before this function.
  const own = (this as Record<string, unknown>)[name]
  if (own instanceof JsonNumber) return {$number: own.source}
  if (typeof value === 'bigint') return {$paisa: `${value}`}
  if (value instanceof Map) return {$map: [...value]}
  if (value instanceof Failure) {
    const {code, message, hint, serviceCode} = value
    return {$failure: {code, message, hint, serviceCode}}
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).some(isTag))
    return {$object: Object.entries(value)}
  return value
}

const isTag = (name: string) => name.startsWith('$')

function untagged(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  if ('$paisa' in value) return BigInt(String(value.$paisa))
  if ('$number' in value) return new JsonNumber(String(value.$number))
  if ('$object' in value) return Object.fromEntries(value.$object as [string, unknown][])
  if ('$map' in value) return new Map(value.$map as [unknown, unknown][])
  if ('$failure' in value) {
    const {code, message, hint, serviceCode} = value.$failure as Record<string, string>
    return new Failure(code as FailureCode, message ?? '', hint ?? '', serviceCode)
  }
  return value
}
