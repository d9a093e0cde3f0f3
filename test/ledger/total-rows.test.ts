import {describe, expect, test} from 'vitest'
import {formatPaisa} from '../../src/core/money.ts'
import {read} from './scratch-ledger.ts'

const header = 'order_no,status,amount,created_at\n'
const rows = 'A1,paid,100.00,2026-11-20\nA2,open,200.00,2026-11-20\nA3,paid,50.00,2026-11-21\n'

/** What stands below three orders of BDT 350, of which 150 are completed: what becomes of its rows. */
const footers: [
  what: string,
  footer: string,
  totals: [line: number, agrees: boolean | null][],
  orders: string[],
  unreadable: number[],
][] = [
  ['the sum of all', 'Total,,350.00,\n', [[5, true]], [], []],
  ['of those completed', 'Total,,150.00,\n', [[5, true]], [], []],
  ['with commas, a currency and a colon', 'GRAND TOTAL:,,"BDT 350.00",\n', [[5, true]], [], []],
  ['sub-total', 'Sub-Total,,350,\n', [[5, true]], [], []],
  ['sum', 'sum,,350,\n', [[5, true]], [], []],
  ['মোট', 'মোট,,৩৫০,\n', [[5, true]], [], []],
  ['সর্বমোট with a colon', 'সর্বমোট:,,350,\n', [[5, true]], [], []],
  [
    'two of them at the end',
    'Subtotal,,350,\nGrand Total,,350,\n',
    [
      [5, true],
      [6, true],
    ],
    [],
    [],
  ],
  ['cut short behind the amount', 'Total,,350\n', [[5, true]], [], []],
  ['the number blank', ',,350.00,\n', [[5, true]], [], []],
  ['another sum at the end', 'Total,,400.00,\n', [[5, false]], [], []],
  [
    'two other sums at the end',
    'Subtotal,,1.00,\nTotal,,400.00,\n',
    [
      [5, false],
      [6, false],
    ],
    [],
    [],
  ],
  ['no amount', 'Total,,,\n', [[5, null]], [], []],
  [
    'a total in the middle',
    'Subtotal,,350.00,\nA4,paid,25.00,2026-11-21\nSubtotal,,25.00,\nTotal,,375.00,\n',
    [
      [5, true],
      [7, true],
      [8, true],
    ],
    ['A4'],
    [],
  ],
  ['another sum in the middle is no total', 'Total,,400.00,\nA4,paid,25.00,2026-11-21\n', [], ['A4'], [5]],
  ['the number blank, and an order below', ',,350.00,\nA4,paid,25.00,2026-11-21\n', [], ['A4'], [5]],
  [
    'the number blank, a word below',
    ',,350.00,\nTotal,,350.00,\n',
    [
      [5, true],
      [6, true],
    ],
    [],
    [],
  ],
  ['the number blank, and another sum', ',,400.00,\n', [], [], [5]],
  ['an order', 'Total-1,paid,350.00,\n', [], ['Total-1'], []],
  ['an order named so, with a status', 'Total,paid,350.00,\n', [], ['Total'], []],
  ['a word that holds one', 'Totally,paid,350.00,\n', [], ['Totally'], []],
  ['a status of its own', ',paid,350.00,\n', [], [], [5]],
]

describe('a row of totals is no order, and its amount is compared with the rows', () => {
  test.each(footers)('%s', async (_what, footer, totals, orders, unreadable) => {
    const ledger = await read(header + rows + footer)
    expect(ledger.files[0]?.totals.map(({line, agrees}) => [line, agrees])).toEqual(totals)
    expect(ledger.entries.map(({orderNo}) => orderNo)).toEqual(['A1', 'A2', 'A3', ...orders])
    expect(ledger.unreadable.map(({line}) => line)).toEqual(unreadable)
    expect(ledger.files[0]?.rows).toBe(3 + orders.length + unreadable.length)
    expect(ledger.wrongTotals).toHaveLength(totals.filter(([, agrees]) => agrees === false).length)
    // Its blank time is nobody's.
    if (totals.length > 0) expect(ledger.notes.join()).not.toContain('created_at')
    expect(ledger.notes.filter((note) => note.includes('total row'))).toHaveLength(totals.length)
  })

  test('both figures are named, and the line', async () => {
    const {notes, wrongTotals} = await read(`${header}${rows}Total,,1234567.00,\n`)
    const says = expect.stringMatching(
      /^line 5 of .*ledger\.csv \("Total"\).* it says BDT 12,34,567\.00, and the rows above it add up to BDT 350\.00/,
    )
    expect([wrongTotals, notes]).toEqual([[says], [says]])
  })

  test.each([
    ['a ledger of credits', 'order_no,amount\nA1,100\nA2,200\nTotal,300\n', 1, 0],
    ['without an amount column', 'order_no,created_at\nA1,2026-11-20\nTotal,\n', 1, 0],
    [
      'one of each kind',
      'order_no,kind,amount\nA1,deposit,100\nB1,payout,70\nTotal,deposit,100\nTotal,payout,70\n',
      2,
      0,
    ],
    ['rows that cannot be read count', 'order_no,amount\nA1,100\n####,200\nTotal,300\n', 1, 1],
    ['one row and one of its amount whose number is lost', 'order_no,amount\nA1,100\n,100\n', 0, 1],
    ['no order number, no amount', 'order_no,amount\nA1,0\nA2,0\n,0\n', 0, 1],
  ])('%s', async (_what, text, totals, unreadable) => {
    const ledger = await read(text)
    expect(ledger.files[0]?.totals).toHaveLength(totals)
    expect(ledger.files[0]?.totals.every(({agrees}) => agrees !== false)).toBe(true)
    expect(ledger.unreadable).toHaveLength(unreadable)
  })

  test('a file with nothing but a total has no row', async () => {
    await expect(read('order_no,amount\nTotal,0\n')).rejects.toThrow('there is a header and no row')
  })

  test('each file has sums of its own', async () => {
    const {files} = await read('order_no,amount\nA1,100\nTotal,100\n')
    expect(files[0]?.totals.map(({sum}) => formatPaisa(sum))).toEqual(['100.00'])
  })
})
