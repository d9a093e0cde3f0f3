import {expect, test} from 'vitest'

import {foldOrderNo, foldsOf, mayBeSameOrderNo} from '../../src/core/order-no-fold.ts'

test.each([
  ['lost zeros', '0001001', '1001'],
  ['rounded to 15 digits', '2026112012345678', '2026112012345670'],
  ['rounded up to 15 digits', '2026112012345678', '2026112012345680'],
  ['rounded up over a power of ten', '9999999999999996', '10000000000000000'],
  ['kept as a 64-bit float', '9007199254740993', '9007199254740992'],
  ['scientific', '1234567890123456', '1.23457E+15'],
  ['scientific, cut off', '1234567890123456', '1.23456E+15'],
  ['scientific with a comma', '1234567890123456', '1,23457E+15'],
  ['scientific of a short number', '120000', '1.2E+05'],
  ['scientific with lost zeros', '001234567890123456', '1.23457e15'],
  ['Bengali digits', 'D-1001', 'D-১০০১'],
  ['Devanagari digits', '1001', '१००१'],
  ['full-width', 'D-1001', 'Ｄ－１００１'],
  ['mathematical digits', '1090', '𝟏𝟎𝟗𝟎'],
  ['a blank', 'D-1001', 'D- 1001 '],
  ['a no-break space', 'D-1001', 'D\u00a0-1001'],
  ['a zero-width space', 'D-1001', 'D-\u200b1001'],
  ['other case', 'd-1001', 'D-1001'],
  ['decomposed', 'CAFÉ-1', 'CAFE\u0301-1'],
  ['a leading apostrophe', '0001001', "'0001001"],
  ['a curly apostrophe', '0001001', '’1001'],
  ['another dash', 'D-1001', 'D–1001'],
  ['a decimal point', '1001', '1001.0'],
  ['thousands', '1001001', '1,001,001'],
])('%s: %s may be %s', (_what, one, other) => {
  expect(mayBeSameOrderNo(one, other)).toBe(true)
  expect(mayBeSameOrderNo(other, one)).toBe(true)
})

test.each([
  ['D-1001', 'D-1002'],
  ['1001', '10010'],
  ['D-1001', 'P-1001'],
  ['2026112012345678', '2026112012355678'],
  ['1234567890123456', '1.23457E+14'],
  ['0', '00001'],
  ['1E5X', '100000'],
])('%s is not %s', (one, other) => {
  expect(mayBeSameOrderNo(one, other)).toBe(false)
})

test('the fold of a fold is itself, and a number is among its own folds', () => {
  for (const number of ['0001001', 'D-১০০১', '1.50E+15', 'É', '', '0', '٣', "'0-0"]) {
    expect(foldOrderNo(foldOrderNo(number))).toBe(foldOrderNo(number))
    expect(foldsOf(number)).toContain(foldOrderNo(number))
  }
})
