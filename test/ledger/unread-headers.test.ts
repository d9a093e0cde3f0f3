import {expect, test} from 'vitest'
import {read} from './scratch-ledger.ts'

test.each<[header: string, flag: string]>([
  ['State', '--column status="State"'],
  ['Order Status', '--column status="Order Status"'],
  ['orderStatus', '--column status="orderStatus"'],
  ['PAYMENTSTATUS', '--column status="PAYMENTSTATUS"'],
  ['অবস্থা', '--column status="অবস্থা"'],
  ['Amount (BDT)', '--column amount="Amount (BDT)"'],
  ['Paid Amount', '--column amount="Paid Amount"'],
  ['টাকা', '--column amount="টাকা"'],
  ['Created', '--column created_at="Created"'],
  ['Transaction Date', '--column created_at="Transaction Date"'],
  ['তারিখ', '--column created_at="তারিখ"'],
  ['সময়', '--column created_at="সময়"'],
])('%s is named with the flag that reads it', async (header, flag) => {
  const {notes} = await read(`order_no,${header},Branch\nA1,x,Dhaka\n`)
  expect(notes.join('\n')).toContain(flag)
  expect(notes.join('\n')).not.toContain('Branch')
})

test.each<[header: string, cells: readonly string[], isStatus: boolean]>([
  ['Credited', ['Yes', 'No'], true],
  ['Is Paid', ['1', '0'], true],
  ['Stage', ['done', 'new', ''], true],
  ['Confirmed', ['Yes', 'yes '], false],
  ['Paid', ['2026-11-20 09:00', '2026-11-20 10:00'], false],
  ['Remarks', ['paid by hand', ''], false],
  ['Approved By', ['Rahim', 'Karim'], false],
])('%s with %j tells rows apart as a status does: %s', async (header, cells, isStatus) => {
  const rows = cells.map((cell, at) => `A${at},${cell}\n`).join('')
  const {unreadStatuses} = await read(`order_no,${header}\n${rows}`)
  const says = [expect.stringContaining(`--column status="${header}"`)]
  expect(unreadStatuses).toEqual(isStatus ? says : [])
})

test('a column that is read is not looked for, and one that is mapped is read', async () => {
  const file = 'order_no,status,amount,created_at,Fee Amount,Order Status\nA1,paid,1,2026-11-18,1,x\n'
  expect((await read(file)).notes).toEqual([])
})

test('a ledger without a status column is said to hold completed orders', async () => {
  expect((await read('order_no,amount\nA1,1\n')).notes.join()).toContain('every row counts as completed')
  expect((await read('order_no,status\nA1,paid\n')).notes.join()).not.toContain('counts as completed')
})
