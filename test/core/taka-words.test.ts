import {expect, test} from 'vitest'

import {takaInWords} from '../../src/core/taka-words.ts'

test.each<[paisa: bigint, words: string]>([
  [0n, 'zero taka'],
  [1n, 'one paisa'],
  [100n, 'one taka'],
  [1_900n, 'nineteen taka'],
  [2_000n, 'twenty taka'],
  [9_999n, 'ninety-nine taka and ninety-nine paisa'],
  [10_000n, 'one hundred taka'],
  [50_050n, 'five hundred taka and fifty paisa'],
  [100_000n, 'one thousand taka'],
  [9_999_900n, 'ninety-nine thousand nine hundred ninety-nine taka'],
  [10_000_000n, 'one lakh taka'],
  [12_045_000n, 'one lakh twenty thousand four hundred fifty taka'],
  [1_000_000_000n, 'one crore taka'],
  [
    12_345_678_905n,
    'twelve crore thirty-four lakh fifty-six thousand seven hundred eighty-nine taka and five paisa',
  ],
  [100_000_000_000_000n, 'one lakh crore taka'],
])('%d paisa is %s', (paisa, words) => {
  expect(takaInWords(paisa)).toBe(words)
})
