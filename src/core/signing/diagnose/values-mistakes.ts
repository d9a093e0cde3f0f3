import {type Mistake, rewriteEach, rewriteTexts} from './mistake.ts'
import {numberSpellings} from './number-spellings.ts'

/** Mistakes in turning a value into text (A12). */

const booleanPairs: readonly (readonly [yes: string, no: string])[] = [
  ['True', 'False'],
  ['TRUE', 'FALSE'],
  ['1', '0'],
  ['1', ''],
  ['yes', 'no'],
  ['Y', 'N'],
  ['on', 'off'],
  ['true', ''],
]

const booleanRewritten: Mistake = {
  cause: 'boolean_rewritten',
  *attempts(draft) {
    for (const [yes, no] of booleanPairs) {
      const rewrite = (text: string) => (text === 'true' ? yes : text === 'false' ? no : null)
      yield* rewriteEach(draft, rewrite, `true as "${yes}", false as "${no}"`)
    }
    const back = (text: string) => (text === '1' ? 'true' : text === '0' ? 'false' : null)
    yield* rewriteEach(draft, back, '1 as "true", 0 as "false"')
    const lower = (text: string) => (/^(true|false)$/i.test(text) ? text.toLowerCase() : null)
    yield* rewriteEach(draft, lower, 'in lower case')
  },
}

const numberRewritten: Mistake = {
  cause: 'number_rewritten',
  *attempts(draft) {
    for (const {detail, spell} of numberSpellings) yield* rewriteEach(draft, spell, detail)
  },
}

const trims: readonly (readonly [detail: string, trim: (text: string) => string])[] = [
  ['blanks trimmed on both sides', (text) => text.trim()],
  ['blanks trimmed at the end', (text) => text.trimEnd()],
  ['blanks trimmed at the beginning', (text) => text.trimStart()],
  ['runs of blanks made one', (text) => text.trim().replace(/\s+/g, ' ')],
]

const valuesTrimmed: Mistake = {
  cause: 'values_trimmed',
  *attempts(draft) {
    for (const [detail, trim] of trims) yield* rewriteEach(draft, trim, detail)
    for (const {name} of draft.fields) {
      for (const [blank, what] of [
        [' ', 'a blank'],
        ['\n', 'a newline'],
        ['\r\n', 'CR and LF'],
      ]) {
        const padded = rewriteTexts(draft, (text, field) => (field.name === name ? text + blank : null))
        if (padded) yield {draft: padded, detail: `${name} was signed with ${what} at its end`}
      }
      const led = rewriteTexts(draft, (text, field) => (field.name === name ? ` ${text}` : null))
      if (led) yield {draft: led, detail: `${name} was signed with a blank before it`}
    }
  },
}

const rfc3986 = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
const formEncoded = (text: string) => new URLSearchParams([['', text]]).toString().slice(1)

const encodings: readonly (readonly [detail: string, encode: (text: string) => string | null])[] = [
  ['encoded as encodeURIComponent does', encodeURIComponent],
  ['encoded by RFC 3986', rfc3986],
  ['encoded as a form, a blank as +', formEncoded],
  ['encoded with lower-case escapes', (text) => lowerEscapes(rfc3986(text))],
  ['encoded as a form, with lower-case escapes', (text) => lowerEscapes(formEncoded(text))],
  ['encoded as encodeURI does', encodeURI],
  ['encoded twice', (text) => rfc3986(rfc3986(text))],
  ['blanks as %20', (text) => text.replaceAll(' ', '%20')],
  ['blanks as +', (text) => text.replaceAll(' ', '+')],
  ['+ as a blank', (text) => text.replaceAll('+', ' ')],
  ['decoded', decode],
  ['decoded as a form', (text) => decode(text.replaceAll('+', ' '))],
]

const valuesUrlEncoded: Mistake = {
  cause: 'values_url_encoded',
  *attempts(draft) {
    for (const [detail, encode] of encodings) {
      yield* rewriteEach(draft, encode, detail)
      yield {
        draft: {...draft, rewrite: (text) => encode(draft.rewrite(text)) ?? text},
        detail: `the whole string ${detail}`,
      }
    }
  },
}

export const valuesMistakes: readonly Mistake[] = [
  booleanRewritten,
  numberRewritten,
  valuesTrimmed,
  valuesUrlEncoded,
]

function lowerEscapes(text: string): string {
  return text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
