/** A JSON document as JSON.parse has it, with what JSON.parse does not tell. */
export interface PlainJson {
  readonly value: unknown
  /** The text of each number by the path to it: `data.amount`. */
  readonly numbers: ReadonlyMap<string, string>
  /** Whether a name is there twice in one object: JSON.parse keeps the last. */
  readonly hasDuplicates: boolean
}

/** Reads by JSON.parse alone, and shares nothing with the reader that is tried. Null where that refuses. */
export function plainJson(text: string): PlainJson | null {
  const numbers = new Map<string, string>()
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  // Each number in the order of the text; by then it is known to be JSON.
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g) ?? []
  const members = tokens.filter((token) => token === ':').length
  const hasDuplicates = members !== countMembers(value)
  if (!hasDuplicates) collectNumbers(value, [...tokens], [], numbers)
  return {value, numbers, hasDuplicates}
}

/** What stands at a path of names; undefined where nothing does. */
export function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (inner, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
      value,
    )
}

function countMembers(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, inner) => sum + countMembers(inner), 0)
  if (!isObject(value)) return 0
  return Object.values(value).reduce<number>((sum, inner) => sum + 1 + countMembers(inner), 0)
}

/** Walks the tokens beside the value; names that are numbers would come in another order, and are left alone. */
function collectNumbers(
  value: unknown,
  tokens: string[],
  path: readonly string[],
  numbers: Map<string, string>,
): void {
  const token = tokens.shift()
  if (token === '{') {
    while (tokens[0] !== '}') {
      const name = String(JSON.parse(tokens.shift() ?? '""'))
      tokens.shift()
      collectNumbers(at(value, name) ?? null, tokens, [...path, name], numbers)
      if (tokens[0] === ',') tokens.shift()
    }
    tokens.shift()
  } else if (token === '[') {
    while (tokens[0] !== ']') {
      collectNumbers(null, tokens, [...path, '[]'], numbers)
      if (tokens[0] === ',') tokens.shift()
    }
    tokens.shift()
  } else if (token !== undefined && /^[-0-9]/.test(token)) numbers.set(path.join('.'), token)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
