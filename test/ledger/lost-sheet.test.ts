import {expect, test} from 'vitest'

import {LostSheet} from '../../src/ledger/lost-sheet.ts'
import {NameIndex} from '../../src/ledger/name-index.ts'
import {Payers} from '../../src/ledger/payer-lines.ts'

/** Five orders are lost, D-38101 to D-38105, of 500, 700, 700, 1,000 and 2,000 taka. */
const amounts = [50_000n, 70_000n, 70_000n, 100_000n, 200_000n]
const orders = amounts.map((amount, nth) => ({
  ...{orderNo: `D-${38_101 + nth}`, platformOrderNo: `p-${nth}`, amount, playerRef: `pl-${nth}`},
}))
const all = orders.map(({orderNo}) => orderNo)
const [first = '', second = '', third = '', fourth = ''] = all

test.each<[what: string, name: string, rows: readonly (readonly string[])[], held: readonly string[]]>([
  ['last digits', 'Sheet2', [['101'], ['104']], [first, fourth]],
  ['last digits below a header', 'Sheet2', [['hate'], ['8101'], ['8102']], [first, second]],
  [
    'times and amounts',
    'Sheet2',
    [
      ['Time', 'Tk'],
      ['19:40', '500'],
      ['19:52', '1,000'],
    ],
    [first, fourth],
  ],
  ['amounts and their sum', 'Sheet2', [['500'], ['1000'], ['1500']], [first, fourth]],
  [
    'an amount of two orders',
    'Sheet2',
    [
      ['Karim', '700'],
      ['Rahim', '500'],
    ],
    [first, second, third],
  ],
  ['a range in one cell', 'Sheet2', [['8101-8103', 'hate']], [first, second, third]],
  [
    'a range in two cells',
    'Sheet2',
    [
      ['From', 'To', 'By'],
      [first, third, 'Sumon'],
    ],
    [first, second, third],
  ],
  [
    'other amounts',
    'Sheet2',
    [
      ['Karim', '700'],
      ['Rahim', '450'],
    ],
    [],
  ],
  ['one amount', 'Sheet2', [['Karim', '700']], []],
  [
    'bonuses by its name',
    'Bonus',
    [
      ['Karim', '500'],
      ['Rahim', '700'],
    ],
    [],
  ],
  [
    'withdrawals by its header',
    'Sheet2',
    [
      ['Player', 'Withdraw'],
      ['Karim', '500'],
      ['Rahim', '700'],
    ],
    [],
  ],
  ['more rows than are lost', 'Sheet2', Array.from({length: 7}, () => ['Karim', '500']), []],
])('a sheet with %s', (_what, name, rows, held) => {
  const payers = new Payers()
  const index = new NameIndex(payers.taking(orders))
  const found = new Set<string>()
  const sheet = new LostSheet(name, index, payers, (orderNo) => found.add(orderNo))
  for (const [nth, cells] of rows.entries()) sheet.take(cells, nth + 1)
  sheet.finish()
  expect([...found].toSorted()).toEqual(held)
})
