import {describe, expect, test} from 'vitest'

import {
  corruptionOf,
  describeNumbers,
  explainCorruption,
  hintForNumber,
  isDateLike,
} from '../../../src/core/reconcile/corruption.ts'

const column = (...numbers: string[]) => describeNumbers(numbers.map((orderNo) => ({orderNo})))
const wide = column('1234567890', '2234567890', '323456789')

describe('a number the service does not know', () => {
  test.each<
    [
      what: string,
      number: string,
      missing: string[],
      corruption: string | null,
      repair: string | null,
      certain: boolean,
    ]
  >([
    ['shorter than the others', '323456789', [], 'leading_zeros_lost', '0323456789', false],
    ['which the service knows with zeros', '32345', ['00032345'], 'leading_zeros_lost', '00032345', true],
    [
      'which two of the service become without their zeros',
      '32345',
      ['00032345', '0032345'],
      'leading_zeros_lost',
      null,
      false,
    ],
    ['as long as the others', '4234567890', [], null, null, false],
    [
      'rounded, and one number begins like it',
      '123456789012345000',
      ['123456789012345678'],
      'digits_rounded',
      '123456789012345678',
      true,
    ],
    [
      'rounded, and two begin like it',
      '123456789012345000',
      ['123456789012345678', '123456789012345999'],
      'digits_rounded',
      null,
      false,
    ],
    ['of 15 digits and no more', '123456789012000', [], null, null, false],
    ['in Bengali digits', 'D-১০০৮', ['D-1008'], 'bengali_digits', 'D-1008', true],
    ['in Bengali digits, and nothing is known of it', 'D-১০০৮', [], 'bengali_digits', 'D-1008', false],
    ['in other letters', 'd-1008', ['D-1008'], 'other_spelling', 'D-1008', true],
    ['shortened', '1.23E+15', ['1230000000000456'], 'shortened', '1230000000000456', true],
    ['like a date', 'Mar-05', [], 'read_as_date', null, false],
    ['of letters', 'ABC', [], null, null, false],
    ['of 16 digits, the last one a zero', '1234567890123450', [], 'digits_rounded', null, false],
    ['with a non-breaking space', 'D\u00a01', ['D-1'], 'non_breaking_space', 'D-1', true],
  ])('%s: %s', (_what, number, missing, what, repair, isCertain) => {
    const corruption = hintForNumber(number, () => wide, missing)
    expect(corruption && [corruption.what, corruption.repair, corruption.isCertain]).toEqual(
      what && [what, repair, isCertain],
    )
    if (corruption) expect(explainCorruption(corruption)).toMatch(/^[A-Z].*[.?]$/)
  })

  test('a column that keeps its zeros has lost none', () => {
    expect(hintForNumber('323456789', () => column('1234567890', '0234567890'), [])).toBeNull()
  })
})

test.each([
  ['5-Mar', true],
  ['Jan-05', true],
  ['2026-01-05', true],
  ['05/01/2026', true],
  ['5 January 2026', true],
  ['2026-01-05 00:00:00', true],
  ['D-5-1', false],
  ['500.00', false],
  ['Market-5', false],
])('%s reads like a date: %s', (text, isIt) => {
  expect(isDateLike(text)).toBe(isIt)
})

test.each([
  ['order_no', '1.23E+15', 'shortened'],
  ['order_no', 'D\u00a01', 'non_breaking_space'],
  ['order_no', '5-Mar', undefined],
  ['amount', '5-Mar', 'read_as_date'],
  ['amount', '1\u202f500.00', 'non_breaking_space'],
  ['amount', 'abc', undefined],
] as const)('%s %s', (name, text, what) => {
  expect(corruptionOf(name, text)?.what).toBe(what)
})

test.each<[...Parameters<typeof explainCorruption>, string]>([
  [
    {what: 'leading_zeros_lost', repair: '007', isCertain: true},
    'A spreadsheet removed its leading zeros. The service has 007, which is in no row: write 007.',
  ],
  [
    {what: 'leading_zeros_lost', repair: null, isCertain: false},
    'A spreadsheet removed its leading zeros. The service has several orders it could be.',
  ],
  [
    {what: 'leading_zeros_lost', repair: '007', isCertain: false},
    'If a spreadsheet removed a leading zero, write 007. hisab did not query that number.',
  ],
  [{what: 'digits_rounded', repair: null, isCertain: false}, 'If so, export the column as text.'],
  [{what: 'bengali_digits', repair: '12', isCertain: false}, 'If that is the order, write 12.'],
  [
    {what: 'other_spelling', repair: null, isCertain: false},
    'The service writes it differently and has several such numbers.',
  ],
  [{what: 'read_as_date', repair: null, isCertain: false}, 'changed to a date: export the column as text.'],
  [{what: 'non_breaking_space', repair: '12', isCertain: false}, 'Write 12.'],
  [{what: 'cut_off', repair: null, isCertain: false}, 'The file may be cut off.'],
])('what a spreadsheet did is told (%#)', (corruption, says) => {
  expect(explainCorruption(corruption)).toContain(says)
})
