import {expect, test} from 'vitest'

import {MarkedNumbers} from '../../src/ledger/marked-numbers.ts'

const uuid = '1f0c2f4e-9a52-4f0e-9a52-3b6a8a1f2c01'
const series = {
  counted: ['D-1', 'D-2', 'D-30', 'P-1', 'P-2'],
  ids: [uuid, '2f0c2f4e-9a52-4f0e-9a52-3b6a8a1f2c02', '3f0c2f4e-9a52-4f0e-9a52-3b6a8a1f2c03'],
  spaced: ['ORD 2026 001', 'ORD 2026 002', 'ORD 2026 003'],
  lettered: ['D-1A', 'D-2B', 'D-3A', 'D-4A', 'D-5'],
  one: [],
}

test.each<[keyof typeof series, orderNo: string, without: readonly string[]]>([
  ['counted', 'D-42 (credited)', ['D-42']],
  ['counted', 'D-42*', ['D-42']],
  ['counted', '✓ D-42', ['D-42']],
  ['counted', 'd-42 ok', ['d-42', 'D-42']],
  ['counted', 'D-42-paid', ['D-42']],
  ['counted', 'D-42R', ['D-42']],
  ['counted', 'd42*', ['d42', 'D-42']],
  ['counted', 'D42 karim', ['D42', 'D-42']],
  ['counted', 'D-৪২ হাতে', ['D-৪২']],
  ['counted', 'D-42', []],
  ['counted', 'D-42-2', []],
  ['counted', 'X-42', []],
  ['ids', `${uuid} karim`, [uuid]],
  ['ids', uuid, []],
  ['spaced', 'ORD 2026 004', []],
  ['lettered', 'D-6A', []],
  ['one', 'D-42 (credited)', ['D-42']],
  ['one', 'D-42 (two)', []],
])('in a ledger of %s numbers, %s', (which, orderNo, without) => {
  expect(new MarkedNumbers([...series[which], orderNo]).withoutMark(orderNo)).toEqual(without)
})
