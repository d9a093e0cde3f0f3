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
  return [...footers.unread(() => false)].map(({text}) => text)
}

test.each([
  ['names', ['Rafi, Mim, Karim bhai']],
  ['names in cells', ['Rafi', '', 'Mim']],
  ['names as done', ['rafi, karim - done']],
  ['what was done in a time', ['Down 7:30pm-9pm: players served']],
  ['an amount alone', ['12500']],
  ['last digits', ['101', '', '104']],
  ['a name and a total', ['Rubel er total', '', '8,400']],
  ['Bangla', ['রফিক আর করিমেরটা মিটিয়ে দিয়েছি']],
])('below the rows, nobody knows what is said: %s', (_what, cells) => {
  expect(unreadOf(cells)).toEqual([cells.filter(Boolean).join(', ')])
})

test.each([
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
  expect([...footers.unread(() => false)]).toEqual([])
})

test.each<[said: string, text: string, isSaid: boolean]>([
  ['Shift closed by Rafi, 28/11', 'shift closed  by Rafi, 29/11', true],
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
