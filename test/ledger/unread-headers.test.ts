import {expect, test} from 'vitest'
import {defaultLedgerMapping, type LedgerMapping} from '../../src/core/profile.ts'
import type {LedgerOptions} from '../../src/ledger/read-ledger.ts'
import {failureOf, read} from './scratch-ledger.ts'

test.each<[header: string, flag: string]>([
  ['State', '--column status="State"'],
  ['PAYMENTSTATUS', '--column status="PAYMENTSTATUS"'],
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

test('two headers that mean the player equally are not read, and named with the flag that reads one', async () => {
  const {files, notes} = await read('order_no,User ID,Customer ID\nA1,u-1,c-1\n')
  expect(files[0]?.columns).toEqual({order_no: 'order_no'})
  expect(notes.join()).toContain(
    '"User ID", "Customer ID" look like the player and are not read: --column player_ref="User ID"',
  )
})

test.each<[line: string, row: string, columns: object]>([
  [
    'Order No.,State,Amount (BDT),Player ID,Order Date',
    'A1,paid,500,u-1,20/11/2026',
    {
      order_no: 'Order No.',
      status: 'State',
      amount: 'Amount (BDT)',
      player_ref: 'Player ID',
      created_at: 'Order Date',
    },
  ],
  [
    'অর্ডার নম্বর,অবস্থা,টাকা (৳),তারিখ',
    'A1,paid,৫০০,2026-11-20',
    {order_no: 'অর্ডার নম্বর', status: 'অবস্থা', amount: 'টাকা (৳)', created_at: 'তারিখ'},
  ],
  ['Order #,orderStatus,AMT.', 'A1,paid,500', {order_no: 'Order #', status: 'orderStatus', amount: 'AMT.'}],
  ['order_no,Taka,Date and Time', 'A1,500,2026-11-20', {amount: 'Taka', created_at: 'Date and Time'}],
  ['order_no,Order No.', 'A1,B1', {}],
  // An ID says more of the player than a name beside it.
  ['order_no,Player Name,Player ID', 'A1,Rahim,u-1', {player_ref: 'Player ID'}],
  ['order_no,Member ID,Member Name', 'A1,u-1,Rahim', {player_ref: 'Member ID'}],
  ['order_no,User ID,Player Name', 'A1,u-1,Rahim', {player_ref: 'User ID'}],
  ['order_no,Player,Player Name', 'A1,u-1,Rahim', {player_ref: 'Player'}],
  ['order_no,Player Name', 'A1,Rahim', {player_ref: 'Player Name'}],
  ['order_no,Username,Player Name', 'A1,rahim7,Rahim', {player_ref: 'Username'}],
  ['order_no,User Name,Member ID', 'A1,rahim7,u-1', {player_ref: 'Member ID'}],
  ['order_no,UID,Customer', 'A1,u-1,Rahim', {player_ref: 'UID'}],
  // Whoever booked the row.
  ['order_no,User', 'A1,karim', {}],
])('%s is read as people mean it, and each guess is said', async (line, row, columns) => {
  const {files, notes} = await read(`${line}\n${row}\n`)
  expect(files[0]?.columns).toEqual({
    ...(line.startsWith('order_no') ? {order_no: 'order_no'} : {}),
    ...columns,
  })
  expect(files[0]?.guesses).toEqual(Object.keys(columns))
  for (const [column, header] of Object.entries(columns))
    expect(notes.join()).toContain(`"${header}" as ${column}`)
})

test.each<[what: string, word: (nth: number) => string, isFound: boolean]>([
  ['states of both kinds', (nth) => (nth > 9 ? 'Pending' : 'completed'), true],
  [
    'with a blank cell',
    (nth) => ['completed', 'failed', ...Array<string>(18).fill('Paid'), ''][nth] ?? '',
    true,
  ],
  ['nothing but booked', () => 'completed', false],
  ['notes of a few', (nth) => (nth === 3 ? 'pending' : ''), false],
  ['yes and no', (nth) => (nth > 9 ? 'no' : 'yes'), false],
  ['another word', (nth) => ['pending', 'express'][nth] ?? 'completed', false],
])('a column of %s, whatever it is called, is a status that is not read: %s', async (_, word, isFound) => {
  const rows = Array.from({length: 21}, (_, nth) => `A${nth},${word(nth)}\n`)
  const {unreadStatuses} = await read(`order_no,Fulfilment\n${rows.join('')}`)
  expect(unreadStatuses).toEqual(isFound ? [expect.stringContaining('--column status="Fulfilment"')] : [])
})

test.each([
  ['a state that is none of orders', 'order_no,State\nA1,Dhaka\n', '--column status="State"'],
  ['a value that is no amount', 'order_no,Amount\u00a0(BDT)\nA1,see note\n', '--column amount='],
  ['one of two dates', 'order_no,Date,Created\nA1,2026-11-20,2026-11-19\n', '--column created_at="Date"'],
])('%s is asked for, not guessed', async (_what, file, flag) => {
  const {notes, files} = await read(file)
  expect(files[0]?.guesses).toEqual([])
  expect(notes.join()).toContain(flag)
})

test('two headers that may be the order number are a question', async () => {
  const failure = await failureOf(read('Order ID,Order Ref\nA1,B1\n'))
  expect(failure.message).toContain('"Order ID" and "Order Ref" may each be order_no')
  expect(failure.hint).toContain('--column order_no="Order ID"')
})

test.each<[header: string, cells: readonly string[], isStatus: boolean]>([
  ['Credited', ['Yes', 'No'], true],
  ['Is Paid', ['1', '0'], true],
  ['Stage', ['done', 'new', ''], true],
  ['Confirmed', ['Yes', 'yes '], false],
  ['Paid', ['2026-11-20 09:00', '2026-11-20 10:00'], false],
  ['Remarks', ['paid by hand', ''], false],
  ['Remarks', ['pending', 'pending'], true],
  ['Remarks', ['pending', 'late'], false],
  ['VIP', ['no', 'no'], false],
  ['Booked At', ['', ''], true],
  ['Booked At', ['2026-11-20 09:00', ''], true],
  ['Booked At', ['2026-11-20 09:00', '2026-11-20 10:00'], false],
  ['Credited Amount', ['0.00', '500.00'], true],
  ['Credited Amount (BDT)', ['499.00', '500.00'], false],
  ['Approved By', ['Rahim', 'Karim'], false],
])('%s with %j tells rows apart as a status does: %s', async (header, cells, isStatus) => {
  const rows = cells.map((cell, at) => `A${at},${cell}\n`).join('')
  const {unreadStatuses} = await read(`order_no,${header}\n${rows}`)
  const says = [expect.stringContaining(`--column status="${header}"`)]
  expect(unreadStatuses).toEqual(isStatus ? says : [])
})

test('a column that is read is not looked for, and one that is mapped is read', async () => {
  const file = 'order_no,status,amount,created_at,Fee Amount\nA1,paid,1,2026-11-18,1\n'
  expect((await read(file)).notes).toEqual([])
})

test('a ledger without a status column is said to hold completed orders', async () => {
  expect((await read('order_no,amount\nA1,1\n')).notes.join()).toContain('every row counts as completed')
  expect((await read('order_no,status\nA1,paid\n')).notes.join()).not.toContain('counts as completed')
})

const importOf = (columns: LedgerMapping['columns']) => ({
  mapping: {...defaultLedgerMapping, columns, import: {columns, sheet: null}},
})

test.each<[header: string, row: string, options?: Partial<LedgerOptions>]>([
  ['status,State', 'pending,paid'],
  ['status,Credited', 'pending,Yes'],
  ['status,Order Status', 'completed,Unpaid'],
  // A column that appears beside that of the import.
  ['State,Status', 'paid,pending', importOf({order_no: 'order_no', status: 'State'})],
])('of %s with "%s" nobody knows which counts: refused', async (header, row, options) => {
  const [own = '', other = ''] = header.split(',')
  const file = `order_no,${header}\nA1,paid,paid\nA2,${row}\n`
  const failure = await failureOf(read(file, options))
  expect(failure.message).toMatch(`line 3: "${own}" says "`)
  expect(failure.hint).toContain(`--column status="${own}"`)

  const agreed = await read(file.split('\n', 2).join('\n'), options)
  expect(agreed.notes.join()).toContain(`"${other}" looks like a status and is not read, while "${own}" is`)
  const stated = {...defaultLedgerMapping, columns: {status: own}}
  expect((await read(file, {mapping: stated})).entries).toHaveLength(2)
})

test.each(['Flag', 'KYC Status'])('%s that says nothing of bookings contradicts nobody', async (header) => {
  expect((await read(`order_no,status,${header}\nA1,paid,verified\nA2,open,0\n`)).entries).toHaveLength(2)
})

test.each(['KYC Status', 'playerStatus', 'Customer Account Status'])(
  '%s is of the player: it contradicts no order and is no status that is not read',
  async (header) => {
    const rows = Array.from({length: 20}, (_, nth) => `,${nth % 5 ? 'verified' : 'pending'}\n`)
    const credits = await read(`order_no,${header}\n${rows.map((row, nth) => `A${nth}${row}`).join('')}`)
    expect(credits.unreadStatuses).toEqual([])
    const orders = await read(
      `order_no,status,${header}\n${rows.map((row, nth) => `A${nth},completed${row}`).join('')}`,
    )
    expect(orders.files[0]?.contradictions).toBeUndefined()
  },
)

test('an ignored column is no status that is not read', async () => {
  const mapping = {...defaultLedgerMapping, ignoredColumns: ['Stage']}
  const {unreadStatuses, notes} = await read('order_no,Stage\nA1,pending\nA2,paid\n', {mapping})
  expect([unreadStatuses, notes.join().includes('Stage')]).toEqual([[], false])
})
