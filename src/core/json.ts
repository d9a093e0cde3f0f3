/**
 * A strict JSON reader. `JSON.parse` keeps the last of two equal names and turns `10.00` into `10`, which is wrong
 * for signed bytes and for money (P8, A12).
 */

export class JsonNumber {
  readonly source: string

  constructor(source: string) {
    this.source = source
  }

  toJSON(): unknown {
    return (JSON as unknown as {rawJSON(text: string): unknown}).rawJSON(this.source)
  }
}

export type JsonValue = null | boolean | string | JsonNumber | readonly JsonValue[] | JsonObject

/** Without a prototype, so that no name from outside can reach one. */
export interface JsonObject {
  readonly [name: string]: JsonValue
}

export class JsonSyntaxError extends Error {
  readonly line: number
  readonly column: number

  constructor(problem: string, text: string, offset: number) {
    const before = text.slice(0, offset)
    const line = before.split('\n').length
    const column = offset - (before.lastIndexOf('\n') + 1) + 1
    super(`${problem} at line ${line}, column ${column}`)
    this.name = 'JsonSyntaxError'
    this.line = line
    this.column = column
  }
}

const depthMax = 32
const nodesMax = 1_000_000
const forbiddenNames = new Set(['__proto__', 'constructor', 'prototype'])
const numberAt = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const plainStringAt = /"[^"\\\u0000-\u001f]*"/y
const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
  )
}

const utf8 = new TextDecoder('utf-8', {fatal: true, ignoreBOM: true})

/** Reads UTF-8 bytes. Throws `JsonSyntaxError` on bad UTF-8, a byte order mark, or anything `parseJson` refuses. */
export function parseJsonBytes(bytes: Uint8Array): JsonValue {
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw new JsonSyntaxError('not valid UTF-8', '', 0)
  }
  return parseJson(text)
}

/**
 * Reads one JSON document. Refuses, with line and column: duplicate names, `__proto__` and similar names, lone
 * surrogates, nesting deeper than 32, more than a million values, and whatever RFC 8259 refuses.
 */
export function parseJson(text: string): JsonValue {
  return new Reader(text).document()
}

class Reader {
  private at = 0
  private nodes = 0
  private readonly text: string

  constructor(text: string) {
    this.text = text
  }

  document(): JsonValue {
    if (this.text.startsWith('\ufeff')) this.fail('a byte order mark before the JSON document')
    const value = this.value(0)
    this.skipBlanks()
    if (this.at < this.text.length) this.fail('more after the end of the JSON document')
    return value
  }

  private value(depth: number): JsonValue {
    if (depth > depthMax) this.fail(`nested deeper than ${depthMax}`)
    this.nodes += 1
    if (this.nodes > nodesMax) this.fail(`more than ${nodesMax} values`)
    this.skipBlanks()
    switch (this.text[this.at]) {
      case '{':
        return this.object(depth)
      case '[':
        return this.array(depth)
      case '"':
        return this.string()
      case 't':
        return this.word('true', true)
      case 'f':
        return this.word('false', false)
      case 'n':
        return this.word('null', null)
      default:
        return this.number()
    }
  }

  private object(depth: number): JsonObject {
    const result: Record<string, JsonValue> = Object.create(null)
    this.at += 1
    this.skipBlanks()
    if (this.take('}')) return result
    do {
      this.skipBlanks()
      const nameAt = this.at
      if (this.text[this.at] !== '"') this.fail('expected a name in double quotes')
      const name = this.string()
      if (forbiddenNames.has(name)) this.fail(`the name "${name}" is not accepted`, nameAt)
      if (name in result) this.fail(`the name "${name}" is there twice in one object`, nameAt)
      this.skipBlanks()
      if (!this.take(':')) this.fail('expected ":"')
      result[name] = this.value(depth + 1)
      this.skipBlanks()
    } while (this.take(','))
    if (!this.take('}')) this.fail('expected "," or "}"')
    return result
  }

  private array(depth: number): readonly JsonValue[] {
    const result: JsonValue[] = []
    this.at += 1
    this.skipBlanks()
    if (this.take(']')) return result
    do {
      result.push(this.value(depth + 1))
      this.skipBlanks()
    } while (this.take(','))
    if (!this.take(']')) this.fail('expected "," or "]"')
    return result
  }

  private string(): string {
    const start = this.at
    const plain = this.match(plainStringAt)
    const value = plain === undefined ? this.escapedString() : plain.slice(1, -1)
    if (!value.isWellFormed()) this.fail('half of a surrogate pair in a string', start)
    return value
  }

  private escapedString(): string {
    const {text} = this
    const start = this.at
    let value = ''
    this.at += 1
    for (;;) {
      const char = text[this.at]
      if (char === undefined) this.fail('a string that does not end', start)
      this.at += 1
      if (char === '"') return value
      if (char < ' ') this.fail('a control character inside a string', this.at - 1)
      value += char === '\\' ? this.escape() : char
    }
  }

  private escape(): string {
    const char = this.text[this.at] ?? ''
    this.at += 1
    const simple = escapes[char]
    if (simple !== undefined) return simple
    const hex = this.text.slice(this.at, this.at + 4)
    if (char !== 'u' || !/^[0-9a-fA-F]{4}$/.test(hex)) this.fail('an escape JSON does not know', this.at - 2)
    this.at += 4
    return String.fromCharCode(Number.parseInt(hex, 16))
  }

  private number(): JsonNumber {
    if (this.at >= this.text.length) this.fail('the JSON document ends too early')
    const source = this.match(numberAt)
    if (source === undefined) this.fail('expected a JSON value')
    return new JsonNumber(source)
  }

  private word<T>(word: string, value: T): T {
    if (!this.text.startsWith(word, this.at)) this.fail('expected a JSON value')
    this.at += word.length
    return value
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0]
    if (found !== undefined) this.at += found.length
    return found
  }

  private take(char: string): boolean {
    if (this.text[this.at] !== char) return false
    this.at += 1
    return true
  }

  private skipBlanks(): void {
    for (;;) {
      const char = this.text.charCodeAt(this.at)
      if (char !== 0x20 && char !== 0x0a && char !== 0x0d && char !== 0x09) return
      this.at += 1
    }
  }

  private fail(problem: string, offset = this.at): never {
    throw new JsonSyntaxError(problem, this.text, offset)
  }
}
