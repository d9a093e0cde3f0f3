import {isJsonObject, JsonNumber, type JsonValue, parseJson} from '../../json.ts'
import {byCodeUnit} from './draft.ts'
import {type Mistake, rewriteTexts} from './mistake.ts'

type Write = (value: JsonValue) => string

const nestedSpellings: readonly (readonly [detail: string, write: Write])[] = [
  ['as compact JSON', (value) => JSON.stringify(value)],
  ['as JSON with blanks, as Python writes it', (value) => spaced(value)],
  [
    'as compact JSON with \\/ for /, as PHP writes it',
    (value) => JSON.stringify(value).replaceAll('/', '\\/'),
  ],
  ['as JSON with sorted names', (value) => JSON.stringify(sorted(value))],
  ['as indented JSON', (value) => JSON.stringify(value, null, 2)],
  ['joined with commas', joined(',')],
  ['joined with a comma and a blank', joined(', ')],
  ['joined without anything', joined('')],
  ['joined with |', joined('|')],
  ['as [object Object]', () => '[object Object]'],
  ['as Array, as PHP does', () => 'Array'],
  ['as an empty string', () => ''],
]

/** The values of an array in one text, as JavaScript's String() and PHP's implode write them; an object as a form. */
function joined(between: string): Write {
  const text = (value: JsonValue) =>
    typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value)
  return (value) =>
    Array.isArray(value)
      ? value.map(text).join(between)
      : Object.values(isJsonObject(value) ? value : {})
          .map((child) => text(child ?? null))
          .join(between)
}

/** How an array becomes several fields: PHP and Rails, indices, the bare name. */
const spreads: readonly (readonly [detail: string, nameOf: (name: string, at: number) => string])[] = [
  ['spread as name[]=', (name) => `${name}[]`],
  ['spread as name[0]=', (name, at) => `${name}[${at}]`],
  ['spread as name=, once for each', (name) => name],
]

/** Objects and arrays, and JSON inside a string: no rule says how to write them. */
export const nestedAsJson: Mistake = {
  cause: 'nested_as_json',
  *attempts(draft) {
    const names = draft.nested.map(({name}) => name).join(', ')
    if (draft.nested.length > 0) {
      yield {draft: {...draft, nested: []}, detail: `${names} left out`}
      for (const [detail, write] of nestedSpellings) {
        const fields = [
          ...draft.fields,
          ...draft.nested.map((field) => ({...field, text: write(field.source)})),
        ]
        yield {draft: {...draft, fields, nested: []}, detail: `${names} ${detail}`}
      }
      for (const [detail, nameOf] of spreads) {
        const spread = draft.nested.flatMap(({name, source}) =>
          (Array.isArray(source) ? source : []).map((value, at) => {
            const text = typeof value === 'string' ? value : JSON.stringify(value)
            return {name: nameOf(name, at), text, source: value}
          }),
        )
        yield {
          draft: {...draft, fields: [...draft.fields, ...spread], nested: []},
          detail: `${names} ${detail}`,
        }
      }
      return
    }
    for (const [detail, write] of nestedSpellings) {
      const rewritten = rewriteTexts(draft, (text) => {
        const value = /^\s*[[{]/.test(text) ? readJson(text) : undefined
        return value === undefined ? null : write(value)
      })
      if (rewritten) yield {draft: rewritten, detail: `JSON inside a string written anew, ${detail}`}
    }
  },
}

function readJson(text: string): JsonValue | undefined {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

function spaced(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([name, child]) => `${JSON.stringify(name)}: ${spaced(child)}`)
    .join(', ')}}`
}

function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted)
  if (value instanceof JsonNumber || !isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => byCodeUnit(a, b))
      .map(([name, child]) => [name, sorted(child)]),
  )
}
