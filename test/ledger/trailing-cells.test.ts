import {expect, test} from 'vitest'
import {failureOf, read} from './scratch-ledger.ts'

test.each([
  ['behind each row', 'order_no,amount\n', 'A1,500,\nA2,600,\n'],
  ['two behind each row', 'order_no,amount\n', 'A1,500,,\nA2,600,,\n'],
  ['behind the header', 'order_no,amount,\n', 'A1,500\nA2,600\n'],
])('a blank cell %s alone is no fault of the rows', async (_, header, rows) => {
  const {entries, unreadable} = await read(`${header}${rows}`)
  expect(entries.map(({orderNo, amount}) => [orderNo, amount])).toEqual([
    ['A1', 50_000n],
    ['A2', 60_000n],
  ])
  expect(unreadable).toEqual([])
  expect((await failureOf(read(`${header}${rows}${header}`))).message).toContain('header line is repeated')
})

test.each([
  ['an amount that a comma split', 'order_no,amount,remarks\nA1,1,500.00,\nA2,2,300,\n', 2],
  ['something behind one row', 'order_no,amount\nA1,500,\nA2,600,x\n', 2],
  ['rows of two lengths', 'order_no,amount\nA1,500,\nA2,600\n', 1],
  ['a row that ends before a header', 'order_no,amount,status,\nA1,500\nA2,600\n', 2],
])('%s is', async (_, text, count) => {
  const {unreadable} = await read(text)
  expect(unreadable.map(({cause}) => cause)).toEqual(Array<string>(count).fill('column_count'))
})

test.each([
  ['order_no,status,,,\nA1,completed,,,\nA2,completed,,Order No,Amount\nA3,completed,,A9,500\n', true],
  ['order_no,status,,,\nA1,completed,,,\nA2,completed,,Shop,Amount\nA3,completed,,Dhaka,500\n', false],
  ['order_no,status,,,\nA1,completed,,,order\nA2,completed,,A1 amount,order 2\n', false],
])('a second table that begins beside the rows is refused: %j', async (text, isRefused) => {
  const reading = read(text)
  if (!isRefused) return expect((await reading).entries.length).toBeGreaterThan(1)
  const {message} = await failureOf(reading)
  expect(message).toContain('line 3: another table begins beside the rows: "Order No", "Amount"')
})
