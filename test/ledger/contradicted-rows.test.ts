import {expect, test} from 'vitest'
import {read} from './scratch-ledger.ts'

/** What is said of 20 booked rows, of which the third has another text than the others. */
async function saidOf(header: string, text: string, ofOthers = '', status = 'paid'): Promise<string[]> {
  const rows = Array.from({length: 20}, (_, nth) => `A${nth},${status},${nth === 2 ? text : ofOthers}\n`)
  const {files} = await read(`order_no,status,${header}\n${rows.join('')}`)
  return [...(files[0]?.contradictions ?? [])]
}

test.each([
  ['Remarks', 'not credited - player complained', ''],
  ['Remarks', 'pending', ''],
  ['Remarks', 'যোগ হয়নি', ''],
  ['Event', 'Rejected', 'deposit'],
  ['Credited At', '', '2026-11-20 10:00'],
  ['Credited Amount', '0.00', '500.00'],
])('%s %s in a booked row is said', async (header, text, ofOthers) => {
  expect(await saidOf(header, text, ofOthers)).toEqual([
    expect.stringMatching(new RegExp(`^line 4 of .* counts as booked and says otherwise \\("${header}" `)),
  ])
})

test.each([
  ['Remarks', 'credited by hand', ''],
  ['Remarks', 'SMS not received, credited', ''],
  ['Remarks', 'not a VIP', ''],
  ['Remarks', 'refunded', ''],
  ['Callback', 'pending', 'pending'],
  ['Credited At', '2026-11-20', ''],
  ['Name', 'Nadia', 'রহিম'],
])('%s %s in a booked row is none', async (header, text, ofOthers) => {
  expect(await saidOf(header, text, ofOthers)).toEqual([])
})

test('an open row may say so', async () => {
  expect(await saidOf('Remarks', 'not credited', '', 'pending')).toEqual([])
})

test('a column of credits that one row leaves blank is a status that is not read', async () => {
  const {unreadStatuses} = await read('order_no,Debit,Credit\nA1,,500\nA2,500,\n')
  expect(unreadStatuses).toEqual([expect.stringContaining('--column status="Credit"')])
})
