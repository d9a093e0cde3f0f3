import fc from 'fast-check'

import {part} from './ledger-files.ts'

const values = [
  ...['null', 'true', 'false', '""', '[]', '{}', '"0"', '"x"', '[0]', '{"code":0}'],
  ...[
    '0',
    '-0',
    '0.0',
    '0e0',
    '00',
    '+0',
    '1',
    '1e3',
    '5E2',
    '500',
    '500.0',
    '500.00',
    '500.001',
    '0x1F4',
    '.5',
    '5.',
    'NaN',
  ],
  ...['9007199254740993.01', '123456789012345678901234567890', '"500"', '"5,000"', '"০"', '-500.00', '1e400'],
]
const pieces = [
  ...[
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    '\\u0000',
    '\\ud800',
    '\ufeff',
    '\u00a0',
    '\n',
    '//x\n',
    '/**/',
    ' ',
    '\u0000',
  ],
  ...[
    '"code":0,',
    '"code":7,',
    '"success":false,',
    '"success":true,',
    '"error":"INSUFFICIENT_BALANCE",',
    '"__proto__":{},',
  ],
  ...[
    '"code":"ORDER_NOT_FOUND",',
    '"orderNo":"D-2",',
    '"amount":1,',
    '"data":{},',
    '"message":"ORDER_NOT_FOUND",',
  ],
]

/** What happens to a JSON text. `other`: an echo of somebody or something else. */
const blow = fc.record({
  what: fc.constantFrom(
    'nothing',
    'cut off',
    'cut out',
    'insert',
    'in a place for a member',
    'value',
    'amount',
    'code',
    'name again',
    'other',
  ),
  places: fc.tuple(part, part),
  value: fc.constantFrom(...values),
  piece: fc.constantFrom(...pieces),
})

export const jsonCorruptions = fc.array(blow, {maxLength: 2})

type Blows = typeof jsonCorruptions extends fc.Arbitrary<infer D> ? D : never

/** The text after the blows; `others` are echoes to put in the place of those that were sent. */
export function corruptJson(
  text: string,
  blows: Blows,
  others: readonly (readonly [is: string, becomes: string])[],
): string {
  return blows.reduce((json, {what, places, value, piece}) => {
    const [a, b] = places.map((place) => Math.floor(place * json.length)).sort((x, y) => x - y) as [
      number,
      number,
    ]
    switch (what) {
      case 'cut off':
        return json.slice(0, b)
      case 'cut out':
        return json.slice(0, a) + json.slice(b)
      case 'insert':
        return json.slice(0, a) + piece + json.slice(a)
      case 'in a place for a member':
        return atOneOf(json, /\{(?=")/g, places[0], (open) => `${open}${piece}`)
      case 'value':
        return atOneOf(json, /(?<=:)(?:"(?:[^"\\]|\\.)*"|[^,{}[\]"]+)/g, places[0], () => value)
      case 'amount':
      case 'code':
        return json.replace(new RegExp(`(?<="${what}":)(?:"[^"]*"|[^,}]+)`), () => value)
      case 'name again':
        return atOneOf(
          json,
          /"(?:[^"\\]|\\.)*":(?:"(?:[^"\\]|\\.)*"|[^,{}[\]"]+)/g,
          places[0],
          (pair) => `${pair},${pair}`,
        )
      case 'other': {
        const [is = '', becomes = ''] = others[Math.floor(places[0] * others.length)] ?? []
        return json.replace(is, becomes)
      }
      default:
        return json
    }
  }, text)
}

/** Changes one of the places that fit. */
function atOneOf(text: string, pattern: RegExp, place: number, change: (found: string) => string): string {
  const found = [...text.matchAll(pattern)]
  const chosen = found[Math.floor(place * found.length)]
  if (!chosen) return text
  return text.slice(0, chosen.index) + change(chosen[0]) + text.slice(chosen.index + chosen[0].length)
}
