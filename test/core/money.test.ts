import fc from 'fast-check'
import {describe, expect, test} from 'vitest'

import {formatPaisa, formatTaka, parsePaisa, sumPaisa} from '../../src/core/money.ts'
import {check} from '../fuzz/cases.ts'

describe('taka as written on the wire', () => {
  test.each([
    ['0', 0n],
    ['0.00', 0n],
    ['0.1', 10n],
    ['0.01', 1n],
    ['500', 50_000n],
    ['500.5', 50_050n],
    ['500.50', 50_050n],
    ['999999999999999.99', 99_999_999_999_999_999n],
  ])('%s is %d paisa', (text, paisa) => {
    expect(parsePaisa(text)).toBe(paisa)
  })

  test.each([
    '',
    ' 5',
    '5 ',
    '+5',
    '-5',
    '05',
    '.5',
    '5.',
    '5.000',
    '5,000',
    '1e3',
    '0x10',
    '৫০০',
    '５',
    'NaN',
    '5\n',
    '1'.repeat(16),
  ])('%j is no amount', (text) => {
    expect(parsePaisa(text)).toBeNull()
  })

  test('every amount up to ten thousand taka comes back from its text', () => {
    for (let paisa = 1n; paisa <= 1_000_000n; paisa++) {
      if (parsePaisa(formatPaisa(paisa)) !== paisa) expect.fail(`${paisa} paisa came back as another amount`)
    }
  })

  test('and so do large ones', () => {
    check(
      fc.property(fc.bigInt(0n, 99_999_999_999_999_999n), (paisa) => {
        expect(parsePaisa(formatPaisa(paisa))).toBe(paisa)
      }),
    )
  })
})

test.each([
  [0n, '0.00', '0.00'],
  [-1n, '-0.01', '-0.01'],
  [99_999n, '999.99', '999.99'],
  [100_000n, '1000.00', '1,000.00'],
  [12_045_000n, '120450.00', '1,20,450.00'],
  [-1_234_567_890n, '-12345678.90', '-1,23,45,678.90'],
])('%d paisa is %s, and for a reader %s', (paisa, plain, grouped) => {
  expect(formatPaisa(paisa)).toBe(plain)
  expect(formatTaka(paisa)).toBe(grouped)
})

test('sums are exact where doubles are not', () => {
  expect(sumPaisa([])).toBe(0n)
  expect(sumPaisa(Array.from({length: 10}, () => 10n))).toBe(100n)
  expect(sumPaisa([9_007_199_254_740_993n, 1n])).toBe(9_007_199_254_740_994n)
})
