import {expect, test} from 'vitest'

import {withoutCopies} from '../../src/ledger/copied-files.ts'
import {writeLedger} from './scratch-ledger.ts'

const rows = 'order_no,amount\nA1,500\n'

test.each<[name: string, content: string, isCopy: boolean]>([
  ['day (1).csv', rows, true],
  ['Copy of day.csv', rows, true],
  ['day - Copy.csv', rows, true],
  // Its name may say something of an order.
  ['day A1 by hand.csv', rows, false],
  ['day (2).csv', 'order_no,amount\nA1,501\n', false],
])('%s beside day.csv', (name, content, isCopy) => {
  const paths = [writeLedger(rows, 'day.csv'), writeLedger(content, name)]
  const [first = '', second = ''] = paths
  expect(withoutCopies(paths)).toEqual(
    isCopy ? {paths: [first], copies: [{path: second, of: first}]} : {paths, copies: []},
  )
})

test('the same path twice, and two files of a header alone, stay', () => {
  const twice = [writeLedger(rows, 'day.csv'), writeLedger(rows, 'day.csv')]
  const empty = [writeLedger('order_no\n', 'e.csv'), writeLedger('order_no\n', 'e (1).csv')]
  for (const paths of [twice, empty, [...empty, 'no such file (1)']])
    expect(withoutCopies(paths)).toEqual({paths, copies: []})
})
