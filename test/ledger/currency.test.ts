import {expect, test} from 'vitest'
import {parsePaisa} from '../../src/core/money.ts'
import {read} from './scratch-ledger.ts'

test.each(['BDT', 'bdt', 'Tk', 'Tk.', 'TK/-', '৳', 'Taka', 'টাকা', 'BDT (৳)', 'Bangladeshi Taka', '050'])(
  'a row in %s is one in BDT',
  async (currency) => {
    const {entries, unreadable} = await read(`order_no,amount,currency\nA1,500.00,${currency}\n`)
    expect([entries.map(({amount}) => amount), unreadable]).toEqual([[parsePaisa('500.00')], []])
  },
)

test.each(['USD', '$', 'INR', 'USDT', 'BDT/USD'])(
  'a row in %s is compared with nothing',
  async (currency) => {
    const {entries, unreadable} = await read(
      `order_no,status,amount,currency\nA1,paid,5.00,${currency}\nA2,paid,500.00,BDT\n`,
    )
    expect(entries.map(({orderNo}) => orderNo)).toEqual(['A2'])
    expect(unreadable).toMatchObject([
      {
        ...{line: 2, orderNo: 'A1', cause: 'currency_other', anyOrder: {amount: '5.00'}},
        detail: `currency "${currency}" is not BDT, the only currency of the service.`,
      },
    ])
  },
)

test('a blank currency among others is none; where no order has an amount yet, it says nothing', async () => {
  const {entries, unreadable} = await read(
    'order_no,status,amount,Currency\nA1,paid,500.00,BDT\nA2,paid,500.00,\nA3,pending,,\nA4,paid,7,NULL\n',
  )
  expect(entries.map(({orderNo}) => orderNo)).toEqual(['A1', 'A3'])
  expect(unreadable.map(({orderNo, detail}) => [orderNo, detail])).toEqual([
    ['A2', 'currency is blank, while other rows have one, so its amount may not be BDT.'],
    ['A4', 'currency is blank, while other rows have one, so its amount may not be BDT.'],
  ])
})

test('a column without any currency says nothing', async () => {
  const {entries} = await read('order_no,amount,currency\nA1,500.00,\nA2,600.00,NULL\n')
  expect(entries.map(({orderNo}) => orderNo)).toEqual(['A1', 'A2'])
})

test('rows in another currency without an amount are named as well', async () => {
  const {entries, unreadable} = await read(
    'order_no,status,amount,currency\nA1,pending,,USD\nA2,paid,5,BDT\n',
  )
  expect(entries.map(({orderNo}) => orderNo)).toEqual(['A2'])
  expect(unreadable).toMatchObject([
    {orderNo: 'A1', detail: expect.stringContaining('currency "USD" is not BDT')},
  ])
})

test.each(['Currency Code', 'CCY', 'Order Currency', 'মুদ্রা'])('%s is read as the currency', async (header) => {
  const {files, unreadable} = await read(`order_no,amount,${header}\nA1,5.00,USD\n`)
  expect(files[0]?.guesses).toEqual(['currency'])
  expect(unreadable).toHaveLength(1)
})

test('one of two currencies is asked for', async () => {
  const {notes} = await read('order_no,amount,Deposit Currency,Settlement Currency\nA1,5.00,BDT,USD\n')
  expect(notes.join()).toContain('--column currency=')
})

test('a total may have a currency', async () => {
  const {files, entries} = await read('order_no,amount,currency\nA1,500,BDT\nA2,300,BDT\nTotal,800,BDT\n')
  expect(entries).toHaveLength(2)
  expect(files[0]?.totals).toMatchObject([{label: 'Total', agrees: true}])
})

test.each(['500 Taka', 'Taka 500', 'Tk. 500', '৳500', '500 BDT'])('%s is BDT 500', async (amount) => {
  const {entries} = await read(`order_no,amount\nA1,${amount}\n`)
  expect(entries[0]?.amount).toBe(parsePaisa('500.00'))
})
