/** A statement and its values, by position. No statement has a name: a pooler gives each transaction another connection. */
export interface Query {
  readonly text: string
  readonly values: readonly unknown[]
}

const isText = Symbol('text')

/** A part of a statement's own text. */
export interface Part {
  readonly [isText]: string
}

export function part(text: string): Part {
  return {[isText]: text}
}

/** A statement. Values in braces are bound, unless they are a `part`. */
export function sql(texts: TemplateStringsArray, ...given: readonly unknown[]): Query {
  const values: unknown[] = []
  let text = texts[0] ?? ''
  for (const [at, value] of given.entries()) {
    if (isPart(value)) text += value[isText]
    else {
      values.push(typeof value === 'bigint' ? String(value) : value)
      text += `$${values.length}`
    }
    text += texts[at + 1] ?? ''
  }
  return {text, values}
}

function isPart(value: unknown): value is Part {
  return typeof value === 'object' && value !== null && isText in value
}

const pageRows = 5_000

/** Rows as the arrays of one statement: a million are written down some at a time. */
export function* pages<T>(items: Iterable<T>): Generator<T[]> {
  let page: T[] = []
  for (const item of items) {
    page.push(item)
    if (page.length < pageRows) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}
