import {isJsonObject, JsonSyntaxError, type JsonValue, parseJsonBytes} from '../core/json.ts'
import {escapeInvisible} from '../core/text.ts'
import type {Answer, AnswerHeaders} from './transport.ts'

/** An answer that must not be believed (P8). `problem` completes "the answer …" and is safe to show. */
export class InvalidResponse extends Error {
  /** The bytes are no JSON document: retrying may help. */
  readonly isUnreadable: boolean

  constructor(problem: string, isUnreadable = false) {
    super(problem)
    this.isUnreadable = isUnreadable
  }
}

const jsonType = /^application\/(?:[a-z0-9.-]+\+)?json[ \t]*(?:;|$)/i

/**
 * The JSON of an answer: complete, within the size limit, not encoded, declared as JSON, and strict. Throws
 * `InvalidResponse`. Status and shape are checked later.
 */
export function readJson({flaw, headers, body}: Answer): JsonValue {
  if (flaw === 'too_large') throw new InvalidResponse('is larger than hisab reads')
  if (flaw === 'timeout') throw new InvalidResponse('did not end in time', true)
  if (flaw === 'cut') throw new InvalidResponse('was cut off', true)
  const encoding = headerOf(headers, 'content-encoding')
  if (encoding !== '' && encoding !== 'identity') {
    throw new InvalidResponse(`came encoded (${escapeInvisible(encoding, 40)}), which was not asked for`)
  }
  const type = headerOf(headers, 'content-type')
  if (!jsonType.test(type)) throw new InvalidResponse(`is not declared as JSON (${showType(type)})`, true)
  try {
    return parseJsonBytes(body)
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error
    // The reader quotes names from outside.
    throw new InvalidResponse(`is not strict JSON: ${escapeInvisible(error.message, 120)}`, true)
  }
}

export function headerOf(headers: AnswerHeaders, name: string): string {
  const value = headers[name]
  return typeof value === 'string' ? value : (value?.join(', ') ?? '')
}

/** An answer without its content: `HTTP 200, text/html, 5120 bytes`. */
export function describeAnswer({status, headers, body, flaw}: Answer): string {
  const size = flaw === null ? `${body.length} bytes` : `${body.length} bytes read`
  return `HTTP ${status}, ${showType(headerOf(headers, 'content-type'))}, ${size}`
}

/** The origin of a redirect, for a message. It is never followed. */
export function redirectTarget({headers}: Answer, origin: string): string {
  const target = URL.parse(headerOf(headers, 'location'), origin)
  return target ? escapeInvisible(target.origin === 'null' ? target.protocol : target.origin, 100) : 'nowhere'
}

/** `meta.timestamp` of a legacy answer, if there is one. */
export function timestampOf(json: JsonValue): string | undefined {
  const meta = isJsonObject(json) ? json.meta : undefined
  const timestamp = isJsonObject(meta) ? meta.timestamp : undefined
  return typeof timestamp === 'string' ? timestamp : undefined
}

function showType(type: string): string {
  return type === '' ? 'no content type' : escapeInvisible(type, 60)
}
