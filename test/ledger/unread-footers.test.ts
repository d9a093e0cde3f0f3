import {expect, test} from 'vitest'

import type {LedgerFile} from '../../src/ledger/ledger.ts'
import {saidByPerson, UnreadFooters} from '../../src/ledger/unread-footers.ts'

const file = {columns: {order_no: 'order', amount: 'amount'}, totals: []} as unknown as LedgerFile

/** Which lines below two rows are unread. */
function unreadOf(...lines: readonly string[][]): string[] {
  const footers = new UnreadFooters()
  footers.takeHeader(['order', 'amount', 'player'], file)
  footers.takeRow()
  footers.takeRow()
  for (const [nth, cells] of lines.entries()) footers.take(cells, nth + 4)
  return [...footers.all(() => false)].flatMap(({text, is}) => (is === 'unread' ? text : []))
}

type Given = [what: string, cells: string[]]

test.each<Given>([
  ['names', ['Rafi, Mim, Karim bhai']],
  ['names in cells', ['Rafi', '', 'Mim']],
  ['names as done', ['rafi, karim - done']],
  ['what was done in a time', ['Down 7:30pm-9pm: players served']],
  ['an amount alone', ['12500']],
  ['last digits', ['101', '', '104']],
  ['a name and a total', ['Rubel er total', '', '8,400']],
  ...[
    'Pending paid',
    'Pending orders: paid',
    'Wallets credited',
    'coins given',
    'top up done',
    'All credited',
  ].map((text): Given => ['words of a booking that say not of which', [text]]),
  ...[
    'Support handled 7 players',
    'Thanks: Rafi, Mim',
    '3 players received',
    'Acme Ltd: all pending paid',
    'rafi@acme.example, mim@acme.example',
  ].map((text): Given => ['an office word beside others', [text]]),
  ['many counts, which no rule may try in every way', [`${'paid 1, '.repeat(60)}all`]],
  ['many commas', [`${'paid 1,,,,'.repeat(30)} all`]],
  ['the same with a date', ['Settled 30/11/2026']],
  ['the same in Bangla', ['পেন্ডিং সব পেইড']],
  ['Bangla', ['রফিক আর করিমেরটা মিটিয়ে দিয়েছি']],
])('below the rows, nobody knows what is said: %s', (_what, cells) => {
  expect(unreadOf(cells)).toEqual([cells.filter(Boolean).join(', ')])
})

test.each<Given>([
  ...[
    ...[
      'For any query: support@example.com',
      'Success rate: 82.14%',
      'In words: Taka four lakh only',
      'Thank you',
    ],
    ...[
      'Acme Games Ltd., House 12, Road 5, Gulshan, Dhaka 1212',
      'BackOffice v3.2.1',
      '-- No more records --',
    ],
    ...[
      'Showing 1 to 90 of 90 entries',
      'মোট অর্ডার: ৯০টি',
      'Disclaimer: this report is for internal use only',
    ],
    ...['EOF', 'Seal & Signature', 'Authorised Signatory', 'Accounts Department', 'Ref: ACC/DEP/2026/11-29'],
    ...['Note: Pending orders are not included in total', 'Peak hour: 21:00-22:00', 'Unique players: 57'],
    ...['VAT not applicable', 'Exchange rate: 1 USD = 122.50 BDT', 'Commission 1.5%: 6,300.00'],
    ...['Net settlement: 4,13,700.00', 'Credited 40, failed 3', 'Total credited 45,000', 'Total paid: 3'],
  ].map((text): Given => ['what programs and clerks write', [text]]),
  ['a signature', ['Prepared by: Karim Uddin']],
  ['signatures', ['Prepared by: ____ Checked by: ____']],
  ['a program', ['Generated on 2026-11-28 23:59 by admin']],
  ['a database', ['(120 rows affected)']],
  ['rows in a time', ['120 rows in set (0.02 sec)']],
  ['an end', ['*** END OF REPORT ***']],
  ['a page', ['Page 1 of 3']],
  ['a disclaimer', ['This is a system generated report and needs no signature.']],
  ['an address', ['Address: House 12, Road 5, Dhanmondi, Dhaka']],
  ['balances', ['Opening balance', '', '12,000.00']],
  ['a sum of a wallet', ['bKash total', '12,000.00']],
  ['a time zone', ['All times are in Asia/Dhaka (UTC+6)']],
  ['a month', ['November 2026']],
  ['lines', ['-----------']],
  ['the number of rows', ['2']],
  ['nothing', ['', '']],
  ['Bangla', ['সর্বমোট টাকা', '12,000']],
  ['a row of an order that the service does not know', ['D-9001', '500.00', 'pl-9']],
  ['a row without a number', ['', '500.00', 'pl-9']],
])('below the rows, nothing of bookings is said: %s', (_what, cells) => {
  expect(unreadOf(cells)).toEqual([])
})

test('a text above a row is a heading', () => {
  const footers = new UnreadFooters()
  footers.takeHeader(['order', 'amount'], file)
  footers.take(['Counter of Rafi'], 2)
  footers.takeRow()
  expect([...footers.all(() => false)]).toEqual([])
})

test.each<[said: string, text: string, isSaid: boolean]>([
  ['Shift closed by Rafi, 28/11', 'shift closed  by Rafi, 29/11', true],
  ['Booked by hand today: 0 orders', 'Booked by hand today: 7 orders', false],
  ['Players handled by support: 0', 'Players handled by support: 7', false],
  ['Manual credits 0.00', 'Manual credits 4,500.00', false],
  ['Ticket 47112 closed by Rafi', 'Ticket 47404 closed by Rafi', false],
  ['Night shift total 45,000.00, 22:00-06:00', 'Night shift total 38,500.00, 22:05-06:00', true],
  ['Rafi, Mim', 'Rafi, Mim, Karim', false],
  ['101', '104', false],
  ['…', 'Rafi, Mim', false],
  ['… (52 characters)', 'Rafi, Mim', false],
  ['Rafi… done', 'Rafi, Mim, Karim', false],
  ['Rafi\\u{200b} and Mim', 'Rafi\u200b and Mim', true],
  [
    'Shift closed by Rafi and Mim, all well a… (52 characters)',
    'Shift closed by Rafi and Mim, all well at ten',
    true,
  ],
  [
    'Shift closed by Mim, all well a… (52 characters)',
    'Shift closed by Rafi and Mim, all well at ten',
    false,
  ],
])('a person said of %s that it tells of no booking: %s is the same %s', (said, text, isSaid) => {
  expect(saidByPerson([said])(text)).toBe(isSaid)
})
