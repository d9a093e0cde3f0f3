import {walletNumber} from '../../order.ts'
import {type Mistake, rewriteEach, rewriteTexts} from './mistake.ts'

interface NumberSpelling {
  readonly detail: string
  readonly spell: (text: string) => string | null
}

const decimal = /^(-?)(\d{1,30})(?:\.(\d{1,10}))?$/

interface Decimal {
  readonly sign: string
  readonly whole: string
  readonly fraction: string
}

/** Digits only, exact at any length. */
function readDecimal(text: string): Decimal | null {
  const match = decimal.exec(text)
  if (match) {
    const [, sign = '', whole = '', fraction = ''] = match
    return {sign, whole: whole.replace(/^0+(?=\d)/, ''), fraction: fraction.replace(/0+$/, '')}
  }
  if (!/^-?\d+(?:\.\d+)?[eE][+-]?\d{1,2}$/.test(text)) return null
  const plain = Number(text).toString()
  return plain.includes('e') ? null : readDecimal(plain)
}

const spellDecimal = (spell: (number: Decimal) => string | null) => (text: string) => {
  const number = readDecimal(text)
  return number === null ? null : spell(number)
}

const withFraction = ({sign, whole}: Decimal, fraction: string) =>
  `${sign}${whole}${fraction === '' ? '' : `.${fraction}`}`

/** Scientific notation, which Java and C# use from ten million on. */
function scientific({sign, whole, fraction}: Decimal, exponentMark: string): string | null {
  if (whole.length < 2) return null
  const digits = `${whole.slice(1)}${fraction}`.replace(/0+$/, '') || '0'
  return `${sign}${whole[0]}.${digits}${exponentMark}${whole.length - 1}`
}

function grouped(whole: string, pattern: RegExp): string {
  return whole.replace(pattern, ',')
}

const thousands = /(?<=\d)(?=(?:\d{3})+$)/g
const lakhs = /(?<=\d)(?=(?:\d\d)*\d{3}$)/g

const numberSpellings: readonly NumberSpelling[] = [
  {detail: 'without trailing zeros', spell: spellDecimal((n) => withFraction(n, n.fraction))},
  {detail: 'with two decimals', spell: spellDecimal((n) => withFraction(n, n.fraction.padEnd(2, '0')))},
  {detail: 'with one decimal', spell: spellDecimal((n) => withFraction(n, n.fraction || '0'))},
  {detail: 'without its decimals', spell: spellDecimal((n) => withFraction(n, ''))},
  {
    detail: 'in paisa',
    spell: spellDecimal((n) =>
      n.fraction.length > 2 ? null : `${n.sign}${n.whole === '0' ? '' : n.whole}${n.fraction.padEnd(2, '0')}`,
    ),
  },
  {
    detail: 'with thousands commas and two decimals',
    spell: spellDecimal((n) =>
      withFraction({...n, whole: grouped(n.whole, thousands)}, n.fraction.padEnd(2, '0')),
    ),
  },
  {
    detail: 'with thousands commas',
    spell: spellDecimal((n) => withFraction({...n, whole: grouped(n.whole, thousands)}, n.fraction)),
  },
  {
    detail: 'with lakh commas and two decimals',
    spell: spellDecimal((n) =>
      withFraction({...n, whole: grouped(n.whole, lakhs)}, n.fraction.padEnd(2, '0')),
    ),
  },
  {detail: 'as 1.0E7', spell: spellDecimal((n) => scientific(n, 'E'))},
  {detail: 'as 1.0E+7', spell: spellDecimal((n) => scientific(n, 'E+'))},
  {detail: 'as 1.0e+7', spell: spellDecimal((n) => scientific(n, 'e+'))},
  {
    detail: 'rounded by a floating-point number',
    spell: (text) => (/^-?\d[\d.]{15,}$/.test(text) ? String(Number(text)) : null),
  },
  {
    detail: 'without leading zeros, as a spreadsheet does',
    spell: (text) => text.replace(/^0+(?=\d+$)/, ''),
  },
  {detail: 'with +880', spell: (text) => (walletNumber.test(text) ? `+88${text}` : null)},
  {detail: 'with 880', spell: (text) => (walletNumber.test(text) ? `88${text}` : null)},
  {
    detail: 'without +880',
    spell: (text) => text.replace(/^\+?88(?=01\d{9}$)/, ''),
  },
]

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

const json = (text: string) => JSON.stringify(text).slice(1, -1)
const slashes = (text: string) => text.replaceAll('/', '\\/')
const ascii = (text: string) =>
  text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** JSON strings as libraries write them, without quotes unless noted. */
const jsonEscapes: readonly (readonly [detail: string, write: (text: string) => string | null])[] = [
  ['with \\/ for /', slashes],
  ['with \\u escapes for letters', ascii],
  ['with \\/ for / and \\u escapes for letters, as PHP writes it', (text) => ascii(slashes(json(text)))],
  ['with \\u escapes for letters, as Python writes it', (text) => ascii(json(text))],
  ['with \\" and \\\\', json],
  ['with its quotes', (text) => JSON.stringify(text)],
  ['without the escapes that stand in it', unescapeJson],
]

const valuesJsonEscaped: Mistake = {
  cause: 'values_json_escaped',
  *attempts(draft) {
    for (const [detail, write] of jsonEscapes) yield* rewriteEach(draft, write, detail)
  },
}

export const valuesMistakes: readonly Mistake[] = [
  booleanRewritten,
  numberRewritten,
  valuesTrimmed,
  valuesUrlEncoded,
  valuesJsonEscaped,
]

function unescapeJson(text: string): string | null {
  if (!text.includes('\\')) return null
  try {
    return String(JSON.parse(`"${text}"`))
  } catch {
    return null
  }
}

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
