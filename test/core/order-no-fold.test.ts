import {expect, test} from 'vitest'
import {namesAnOrder} from '../../src/core/order.ts'
import {
  bareOrderNo,
  corruptionOfNumbers,
  foldOrderNo,
  foldsOf,
  foldWord,
  isOneOf,
  mayBeSameOrderNo,
  namedIn,
  partsOf,
} from '../../src/core/order-no-fold.ts'

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
  ['a code with an E, as a number', '261107E3', '261107000'],
  ['a code with an E, shortened', '261107E3', '2.61E+08'],
  ['a code with an E and zeros', '0012E2', '1200'],
  ['all digits of a float', '20261120123456789', '2.0261120123456788e+16'],
])('%s: %s may be %s', (_what, one, other) => {
  expect(mayBeSameOrderNo(one, other)).toBe(true)
  expect(mayBeSameOrderNo(other, one)).toBe(true)
})

test.each([
  ['full-width', 'paid', 'ＰＡＩＤ'],
  ['Turkish capitals', 'paid in full', 'PAİD İN FULL'],
  ['the Turkish small letter', 'paid', 'paıd'],
  ['Bangla digits', 'step 2', 'Step ২'],
  ['a no-break space', 'not booked', ' Not  Booked '],
  ['an invisible character', 'জমা', 'জ‍মা'],
  ['the other spelling of a Bangla letter', 'হয়নি', 'হয়নি'],
])('a word is the same in %s', (_what, one, other) => {
  expect(foldWord(other)).toBe(foldWord(one))
  expect(isOneOf(['open', one], other)).toBe(true)
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

test('the folds of a number that a spreadsheet shortens and rounds', () => {
  expect([...foldsOf('120')]).toEqual(
    ['120', '1e2', '12e1'].flatMap((fold) => (fold === '12e1' ? ['12e2'] : [fold])),
  )
  expect([...foldsOf('120', 'unshortened')]).toEqual(['120'])
  expect([...foldsOf('1234567890123456', 'unshortened')]).toEqual([
    ...['1234567890123456', '1234567890123450', '1234567890123460'],
  ])
  expect([...foldsOf('12345678901234567', 'unshortened')]).toContain('12345678901234568')
  expect([...foldsOf('x120')]).toEqual(['x120'])
  expect([...foldsOf('1.2E+3')]).toEqual(['12e3'])
})

test.each([
  ['D-5', ['d', '5'], 'd5'],
  ['D05', ['d5'], 'd5'],
  ['#D 005', ['d', '5'], 'd5'],
  ['Ｄ－৫', ['d', '5'], 'd5'],
  ['র‍্যাম-1', ['র', '্যাম', '1'], 'র্যাম1'],
  ['--', [], ''],
])('the parts of "%s" are %j', (text, parts, bare) => {
  expect([partsOf(text), bareOrderNo(text)]).toEqual([parts, bare])
})

test('a cell may name each run of its words, of the first 24 of them', () => {
  expect([...namedIn('H-1/H-2')]).toEqual(['h', 'h1', 'h1h', 'h1h2', '1', '1h', '1h2', 'h2', '2'])
  expect(partsOf('a '.repeat(30))).toHaveLength(24)
  expect(partsOf('a b c', 2)).toEqual(['a', 'b'])
})

test.each<[numbers: readonly string[], says: string | null]>([
  [[], null],
  [['D-1', '1234567890123456'], null],
  [
    ['1.23E+15', 'D-1', '1.24e15'],
    '2 of the numbers read as if a spreadsheet had shortened them, as 1.23E+15',
  ],
  [['1.23E-15'], null],
  [['123456789012345000'], 'all numbers of more than 15 digits end in zeros, as 123456789012345000'],
  [['12345678901234500'], null],
  [['123456789012345000x'], null],
  [
    ['1234567890123450', '1234567890123450', '1234567890123450'],
    'all numbers of more than 15 digits end in zeros',
  ],
  [['123456789012345000', '123456789012345001'], null],
  [['123456789012345000', 'x123456789012345001'], 'all numbers of more than 15 digits end in zeros'],
])('of the numbers %j', (numbers, says) => {
  const said = corruptionOfNumbers(numbers)
  if (says === null) expect(said).toBeNull()
  else expect(said).toContain(says)
})

test.each([
  ['PF-1', true],
  ['10', true],
  ['0', false],
  ['000', false],
  ['--', false],
  ['aa', false],
  ['null', false],
  ['N/A', false],
  ['Unknown', false],
  ['pending-1', true],
])('the platform’s number "%s" may name one order: %s', (text, may) => {
  expect(namesAnOrder(text)).toBe(may)
})
