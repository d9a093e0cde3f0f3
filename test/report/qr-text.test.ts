import {encode} from 'uqr'
import {expect, test} from 'vitest'

import {qrText} from '../../src/report/qr-text.ts'

const address = 'https://pay.example/p/BJOUhF5pFyJx'

/** The modules of a drawn code, true for dark, read back from its half blocks. */
function readModules(text: string): boolean[][] {
  const isDark = (char: string) =>
    ({'█': [false, false], '▀': [false, true], '▄': [true, false], ' ': [true, true]})[char] ?? []
  return text.split('\n').flatMap((line) => {
    const pairs = [...line].map(isDark)
    return [pairs.map(([upper = false]) => upper), pairs.map(([, lower = false]) => lower)]
  })
}

test('every module of the code is drawn, with four light ones around it', () => {
  const {data, size} = encode(address, {ecc: 'M', border: 4})
  const drawn = readModules(qrText(address) ?? '').slice(0, size)
  expect(drawn).toEqual(data)
  const light = Array(size).fill(false)
  expect(drawn.slice(0, 4)).toEqual([light, light, light, light])
})

test('an address no code can hold is none', () => {
  expect(qrText(`https://pay.example/${'x'.repeat(3_000)}`)).toBeNull()
})
