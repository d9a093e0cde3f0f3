import {expect, test} from 'vitest'

import {mayBeOneOrderNo} from '../../src/core/order-no-readings.ts'

test.each([
  ['a date without its year', '3-11', '3-Nov'],
  ['an American date', '11/3', '3-Nov'],
  ['a whole date', '3/11', '03/11/2026'],
  ['a month of a year', '2026-11', 'Nov-26'],
  ['a month of a year, shown whole', '2026-11', '01/11/2026'],
  ['a date of three parts', '1-2-26', '01/02/2026'],
  ['a date with a time', '2026-11-03', '03/11/2026 00:00'],
  ['a plus', '+1001', '1001'],
  ['trailing zeros of a decimal', '12.10', '12.1'],
  ['a power of ten', '0012E3', '12000'],
  ['a negative power of ten', '12E-1', '1.2'],
  ['a formula', '="0001009"', '1009'],
  ['an accountant’s minus', '-5', '(5)'],
  ['a time', '1:30', '01:30:00'],
  ['a time with its half of the day', '13:30', '1:30 PM'],
  ['a fraction', '1/2', '0.5'],
  ['a fraction without end', '1/3', '0.333333333'],
  ['a mark', 'CAFÉ-1', 'CAFE-1'],
  ['a variation selector', 'D-1', 'D\ufe0f-1'],
  ['a grapheme joiner', 'D-1', 'D\u034f-1'],
  ['a Hangul filler', 'D-1', 'D-\u31641'],
  ['a Braille blank', 'D-1', 'D-1\u2800'],
  ['a Cyrillic letter', 'P-1', 'Р-1'],
  ['a Greek letter', 'X-1', 'Χ-1'],
  ['an underscore', 'P_1', 'P-1'],
  ['a slash', 'P/1', 'P 1'],
  ['no separator', 'P1234', 'P-1234'],
  ['lost zeros', '0001001', '1001'],
  ['a plus and rounded digits', '+2026112012345678', '2.02611E+15'],
])('%s: %s may be %s', (_what, one, other) => {
  expect(mayBeOneOrderNo(one, other)).toBe(true)
  expect(mayBeOneOrderNo(other, one)).toBe(true)
})

test.each([
  ['A-1', 'B-1'],
  ['3-11', '3-12'],
  ['3-11', '3-Dec'],
  ['3-11', '311'],
  ['Nov-26', 'Nov-27'],
  ['2026-11-03', '2026-11-04'],
  ['2026-11', 'Nov-25'],
  ['1:30', '01:31:00'],
  ['1/2', '0.25'],
  ['5', '-5'],
  ['12.10', '12.01'],
  ['1001', '1002'],
  ['১০০১', '1002'],
  ['P-01', 'P-1'],
  ['-', ''],
  ['1/2', '2/4'],
  ['3-11', '11-3'],
  ['2026-11-01-001', '2026-11-01-002'],
  ['2026-11-001', '2026-11-010'],
  ['20261101-001', '20261101-002'],
])('%s is not %s', (one, other) => {
  expect(mayBeOneOrderNo(one, other)).toBe(false)
  expect(mayBeOneOrderNo(other, one)).toBe(false)
})
