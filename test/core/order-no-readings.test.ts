import {expect, test} from 'vitest'

import {
  isNumberWithMark,
  markKeyOf,
  markKeysOf,
  mayBeOneAs,
  mayBeOneOrderNo,
} from '../../src/core/order-no-readings.ts'

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
  ['a date without a separator', 'MAR1', '1-Mar'],
  ['a time of an hour alone', '5 pm', '17:00:00'],
  ['a time of an hour alone, as a part of a day', '5pm', '0.708333333'],
  ['a year of one digit', '1-2-3', '1/2/2003'],
  ['a year of one digit, with a month’s name', '1/2/3', '01-Feb-03'],
  ['a year of one digit, month first', '3-4-9', '04/03/2009'],
  ['a year of one digit, between full stops', '1.2.3', '01.02.2003'],
  ['the serial of a year of one digit', '2-3-4', '38020'],
  ['the serial of a date with its time', '2026-11-22 10:00', '46348.41667'],
  ['a minus behind', '77-', '-77'],
  ['a longer name of a month', 'SEPT2', '2-Sep'],
  ['a month of a year without a separator', 'DEC2026', 'Dec-26'],
  ['a date without a separator, shown whole', 'OCT5', '05/10/2026'],
  ['a date without a separator, day first', '1MAR2026', '2026-03-01'],
  ['the serial of a date', '3-11', '46329'],
  ['the serial of a date whose name was joined', 'NOV3', '46329'],
  ['the serial of a whole date', '2026-11-03', '46329'],
  ['the serial of a month', '2026-11', '46327'],
  ['a time as a part of a day', '1:30', '0.0625'],
  ['a time as a part of a day, rounded', '1:20', '0.055555556'],
  ['a whole and a fraction', '1 1/2', '1.5'],
  ['a percentage', '77%', '0.77'],
  ['a currency sign', '$77', '77'],
  ['a currency sign of taka, behind', '77 \u09f3', '77.00'],
  ['commas between digits', '1,234', '1234'],
  ['commas and decimals', '1001', '1,001.00'],
  ['commas and decimals of lakhs', '1234567', '12,34,567.00'],
  ['a currency sign and commas', '1001', '$1,001.00'],
  ['a sign of taka and commas', '1001', '\u09f3 1,001.00'],
  ['a word of taka and commas', '1001', 'Tk 1,001.00'],
  ['a word of taka behind', '1001', '1,001/-'],
  ['an amount of the continent', '1001', '1.001,00'],
  ['no separator between long digits', 'WD-20261128-001', 'WD20261128001'],
  ['one separator less', 'WD-20261128-001', 'WD-20261128001'],
  ['no separator between the digits of an invoice', 'INV-26-101', 'INV26101'],
  ['no separator behind a year', '2026-0001', '20260001'],
  ['a date of digits alone', '20261128', '2026-11-28'],
  ['a date of digits alone, with a month’s name', '20261128', '28-Nov-26'],
  ['a date of digits alone, American', '20261128', '11/28/2026'],
  ['the serial of a date of digits alone', '20261128', '46354'],
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
  ['zeros before a number', 'INV001', 'INV1'],
  ['zeros before a number behind a separator', 'P-01', 'P-1'],
  ['no separator', 'P1234', 'P-1234'],
  ['lost zeros', '0001001', '1001'],
  ['the first serial of this half of the century', '36526', '1-1-2000'],
  ['the last one', '55153', '31-12-2050'],
  ['the first hour of the day', '12:30 AM', '0:30'],
  ['the first hour of the afternoon', '12:30 pm', '12:30'],
  ['digits of another script', '১২-১১', '12-11'],
  ['more commas between digits', '1,234,567', '1234567'],
  ['a blank behind', 'P-1001', 'P-1001\u00a0'],
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
  ['77-', '77'],
  ['5 pm', '5:00'],
  ['1-2-3', '1/2/2013'],
  ['12.10', '12.01'],
  ['1001', '1002'],
  ['1001', '1,002.00'],
  ['1001', '1,001.50'],
  ['1001', 'x1,001.00'],
  ['1001-2', '10012'],
  ['WD-1-11', 'WD-11-1'],
  ['INV-26-101', 'INV-261-01'],
  ['WD-20261128-001', 'WD20261128002'],
  ['WD-20261128-001', 'XD20261128001'],
  ['20261128', '2026-11-29'],
  ['১০০১', '1002'],
  ['-', ''],
  ['1/2', '2/4'],
  ['3-11', '11-3'],
  ['2026-11-01-001', '2026-11-01-002'],
  ['2026-11-001', '2026-11-010'],
  ['20261101-001', '20261101-002'],
  ['MAR1', 'MAR2'],
  ['MAR1', 'MARKET1'],
  ['46329', '46330'],
  ['3-11', '46330'],
  ['2026-11', '46328'],
  ['1:30', '0.0626'],
  ['77%', '0.78'],
  ['$77', '78'],
  ['0-11', 'Nov'],
  ['13-32', '1332'],
  ['1-2-123', '1/2/23'],
  ['x1,234', '1234'],
  ['1,234x', '1234'],
  ['1234,567', '1234567'],
  ['x 1/2', '0.5'],
  ['1/2x', '0.5'],
  ['1/0', '0'],
  ['$7$', '77'],
  ['7$x', '7'],
  ['12e', '12'],
  ['x12', '12'],
  ['1.2.3.4', '1.2.34'],
  ['-', '--'],
  ['3-45', '45-3'],
  ['36525', '31-12-1999'],
  ['55154', '1-1-2051'],
])('%s is not %s', (one, other) => {
  expect(mayBeOneOrderNo(one, other)).toBe(false)
  expect(mayBeOneOrderNo(other, one)).toBe(false)
})

test('a mark may be behind letters at the end', () => {
  expect([mayBeOneAs('101-P')('101-PX'), mayBeOneAs('101-P')('101-XP')]).toEqual([true, false])
})

test.each([
  ...['#P-101', 'P-101 (retry)', 'P-101R', 'P-101-2', 'P-101_1', 'RETRY-P-101', 'P-101 copy', 'P-101 - Copy'],
  ...['P-101.1', 'Payout P-101', 'xP-101', 'P101', 'p-0101/2', 'P-101', '101'],
])('%s may be P-101 with a mark', (marked) => {
  expect([mayBeOneAs('P-101')(marked), mayBeOneAs(marked)('P-101')]).toEqual([true, true])
})

test.each([
  ...['P-12R', 'P-12 (retry)', 'P-12-2', 'p12 paid again', 'P-012R'].map(
    (marked) => ['P-12', marked] as const,
  ),
  ...(['7R', '7 again', '7-2'] as const).map((marked) => ['7', marked] as const),
  ...(['A7 paid again', 'A7R'] as const).map((marked) => ['A7', marked] as const),
])('a short number %s may be %s with a mark', (number, marked) => {
  expect([mayBeOneAs(number)(marked), mayBeOneAs(marked)(number)]).toEqual([true, true])
  expect([isNumberWithMark(marked, number), isNumberWithMark(number, marked)]).toEqual([true, false])
})

test.each([
  [
    'W-501',
    ['W-501-2', 'w501-2', 'W_0501 2', 'RW501', 'R2W-501', '2-W-501', 'NEW W-501', 'w501', '501-2', '501R'],
  ],
  ['E1', ['NEW E1', 'E1-W2']],
  ['WD-1001', ['1001-2', '1001 again']],
  ['1001', ['1001-2']],
  ['W-2026-1-5', ['2026-1-5R']],
])('%s may be written %j, for any account', (orderNo, texts) => {
  const isFound = (text: string) => markKeysOf(text).has(markKeyOf(orderNo))
  expect(texts.filter((text) => !isNumberWithMark(text, orderNo) || !isFound(text))).toEqual([])
})

test.each([
  ['W-501', ['501', '502-2', '2-501', '5011', 'B-501', 'B-501-2', '502']],
  ['W-501-2', ['W-501', '501']],
  ['1001', ['1002', 'A-1001', '2-1001']],
  ['W-1001', ['1001', '1002']],
  ['E1', ['1-2', '1R']],
])('%s is none of %j to another account', (orderNo, texts) => {
  expect(texts.filter((text) => isNumberWithMark(text, orderNo))).toEqual([])
})

test('a number without its letters, or with others in front of digits alone, is one for one name', () => {
  const isOne = (text: string, orderNo: string) =>
    isNumberWithMark(text, orderNo, true) && markKeysOf(text).has(markKeyOf(orderNo))
  expect([isOne('501', 'W-501'), isOne('R501', '501'), isOne('2-501', '501')]).toEqual([true, true, true])
  expect([isOne('B-501', 'A-501'), isOne('502', 'W-501'), isOne('1', 'E1')]).toEqual([false, false, false])
})

test.each([
  ['P-101', 'P-102'],
  ['P-101', 'P-1010'],
  ['P-101', 'P-1101'],
  ['P-1', 'P-10'],
  ['P-1', 'P-121'],
  ['7', 'P-7'],
  ['7', '77'],
  ['1-1', '1-2'],
  ['12', '3-12'],
  ['RAHIM', 'RAHIM2'],
  ['W-2026-11-20-1', 'W-2026-11-20-2'],
  ['AB-101', 'CB-101'],
])('%s and %s are two numbers, without a mark', (one, other) => {
  expect([mayBeOneAs(one)(other), mayBeOneAs(other)(one)]).toEqual([false, false])
})
