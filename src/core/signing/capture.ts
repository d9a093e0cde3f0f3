import {Failure} from '../failure.ts'
import {isJsonObject, JsonNumber, type JsonObject, type JsonValue, parseJson} from '../json.ts'
import {escapeInvisible, trimEndOf} from '../text.ts'

/** A request as it was captured. Header names are in lower case. */
export interface Capture {
  readonly method: string
  readonly path: string
  readonly headers: ReadonlyMap<string, string>
  /** The raw bytes, never re-serialised. */
  readonly body: Uint8Array
}

/**
 * Reads a captured request: raw HTTP (request line, headers, empty line, body) or JSON
 * `{"method","path" or "url","headers":{…},"body":"…"}`. `source` names it in errors. Throws `input_invalid`.
 *
 * Without a `Content-Length` one newline at the end of a raw body is taken for the editor's, not the sender's.
 */
export function readCapture(bytes: Uint8Array, source: string): Capture {
  const text = Buffer.from(bytes).toString('latin1')
  return /^\s*\{/.test(text) ? readJsonCapture(bytes, source) : readRawCapture(text, source)
}

/** Reads one `Name: value`. Throws `usage`. */
export function readHeader(line: string): readonly [name: string, value: string] {
  const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*/.exec(line)
  if (match) return [(match[1] ?? '').toLowerCase(), trimEndOf(line.slice(match[0].length), ' \t\r')]
  throw new Failure(
    'usage',
    `"${escapeInvisible(line, 80)}" is not a header.`,
    "Write it as it was sent: 'X-Signature: 5f0c…'.",
  )
}

/** Headers by lower-case name. Throws `usage` for a header with two values. */
export function readHeaders(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>()
  for (const line of lines) {
    const [name, value] = readHeader(line)
    if ((headers.get(name) ?? value) !== value) {
      throw new Failure(
        'usage',
        `The header "${escapeInvisible(name, 80)}" is given twice with different values.`,
        'Give the one that was sent.',
      )
    }
    headers.set(name, value)
  }
  return headers
}

/** The path that is signed, from a path or an address, without the query (service §5.2). */
export function signedPath(pathOrUrl: string): string {
  const path = pathOrUrl.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '')
  return path === '' ? '/' : path
}

function readRawCapture(text: string, source: string): Capture {
  const gap = /\r?\n\r?\n/.exec(text)
  const head = text.slice(0, gap?.index)
  const [requestLine = '', ...headerLines] = head.split(/\r?\n/)
  const [, method, path] = /^([A-Za-z]+) (\S+)(?: HTTP\/[\d.]+)?$/.exec(requestLine.trim()) ?? []
  if (method === undefined || path === undefined) {
    throw unreadable(
      source,
      `its first line is not "POST /path HTTP/1.1" but "${escapeInvisible(requestLine, 80)}"`,
    )
  }
  const headers = readHeaders(headerLines.filter((line) => line !== ''))
  const rest = gap ? text.slice(gap.index + gap[0].length) : ''
  const length = headers.get('content-length')
  const body = length === undefined ? rest.replace(/\r?\n$/, '') : rest.slice(0, Number(length))
  if (length !== undefined && body.length !== Number(length)) {
    throw unreadable(
      source,
      `its body has ${body.length} bytes and Content-Length says ${escapeInvisible(length, 20)}`,
    )
  }
  return {method, path: fromLatin1(path), headers: mapValues(headers), body: Buffer.from(body, 'latin1')}
}

function readJsonCapture(bytes: Uint8Array, source: string): Capture {
  let value: JsonValue
  try {
    value = parseJson(Buffer.from(bytes).toString('utf8'))
  } catch (error) {
    throw unreadable(source, error instanceof Error ? escapeInvisible(error.message, 200) : 'it is not JSON')
  }
  if (!isJsonObject(value)) throw unreadable(source, 'it is not a JSON object')
  const path = textOf(value, 'path') ?? textOf(value, 'url')
  if (path === undefined) throw unreadable(source, 'it has no "path" and no "url"')
  const {headers = {}, body} = value
  if (!isJsonObject(headers)) throw unreadable(source, '"headers" is not an object of names and values')
  if (body !== undefined && body !== null && typeof body !== 'string') {
    throw unreadable(source, '"body" is not a string: the exact text that was sent is needed')
  }
  const lines = Object.keys(headers).map((name) => `${name}: ${textOf(headers, name) ?? ''}`)
  return {
    method: textOf(value, 'method') ?? 'POST',
    path,
    headers: readHeaders(lines),
    body: Buffer.from(body ?? ''),
  }
}

function textOf(object: JsonObject, name: string): string | undefined {
  const value = object[name]
  if (value instanceof JsonNumber) return value.source
  return typeof value === 'string' ? value : undefined
}

function fromLatin1(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8')
}

function mapValues(headers: ReadonlyMap<string, string>): Map<string, string> {
  return new Map([...headers].map(([name, value]) => [name, fromLatin1(value)]))
}

function unreadable(source: string, why: string): Failure {
  return new Failure(
    'input_invalid',
    `${escapeInvisible(source, 200)} is not a captured request: ${why}.`,
    'Give raw HTTP (request line, headers, empty line, body) or JSON with method, path, headers and body.',
  )
}
