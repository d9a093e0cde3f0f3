/** A statement and its values, by position. No statement has a name: a pooler gives each transaction another connection. */
export interface Query {
  readonly text: string
  readonly values: readonly unknown[]
}

/** A million rows are written down some at a time, each part as the values of one statement. */
export const rowsAtOnce = 5_000

const isText = Symbol('text')

/** A part of a statement's own text. */
export interface Part {
  readonly [isText]: string
}

export function part(text: string): Part {
  return {[isText]: text}
}

/** A statement. Values in braces are bound, unless they are a `part` or a statement. */
export function sql(texts: TemplateStringsArray, ...given: readonly unknown[]): Query {
  const values: unknown[] = []
  let text = texts[0] ?? ''
  for (const [at, value] of given.entries()) {
    if (isPart(value)) text += value[isText]
    else if (isQuery(value)) {
      const before = values.length
      text += value.text.replace(/\$(\d+)/g, (_, at) => `$${Number(at) + before}`)
      values.push(...value.values)
    } else {
      values.push(typeof value === 'bigint' ? String(value) : value)
      text += `$${values.length}`
    }
    text += texts[at + 1] ?? ''
  }
  return {text, values}
}

/** Values of a list, each bound. */
export function listed(values: readonly unknown[]): Query {
  return joined(values.map((value) => sql`${value}`))
}

/** What an UPDATE sets, by column. */
export function assigned(values: Readonly<Record<string, unknown>>): Query {
  return joined(Object.entries(values).map(([column, value]) => sql`${part(column)} = ${value}`))
}

function joined(queries: readonly Query[]): Query {
  return queries.reduce((before, one, at) => (at === 0 ? one : sql`${before}, ${one}`), sql``)
}

function isPart(value: unknown): value is Part {
  return typeof value === 'object' && value !== null && isText in value
}

function isQuery(value: unknown): value is Query {
  return typeof value === 'object' && value !== null && 'text' in value && 'values' in value
}
