import {expect, test} from 'vitest'
import {isClockOff, skewMaxMs} from '../../src/core/clocks.ts'
import {readPayoutAmount} from '../../src/core/payout-amount.ts'
import {
  besideDoubtOf,
  type DuplicatePayout,
  describeDuplicate,
  isOpenDuplicate,
  refuseOverCeiling,
  refuseOverMax,
  repeatedPayout,
} from '../../src/core/payout-limits.ts'

test.each<[text: string, read: bigint | string]>([
  ['500', 50_000n],
  ['1250.50', 125_050n],
  ['0.01', 1n],
  ['0', 'is not more than zero'],
  ['0.00', 'is not more than zero'],
  ['৫০০', 'is written in Bengali digits; write 0 to 9'],
  ['1,250', 'has separators between its digits; leave them out'],
  ["1'250", 'has separators between its digits; leave them out'],
  ['1 250', 'has separators between its digits; leave them out'],
  ...['Tk 500', 'Tk. 1,250', '500 BDT', '৳500', '500 টাকা'].map((text): [string, string] => [
    text,
    'names the currency; leave that out',
  ]),
  [' 500', 'begins or ends with a blank; leave it out'],
  ['500\u00a0', 'begins or ends with a blank; leave it out'],
  ["'500", 'begins with an apostrophe; leave it out'],
  ['500,', 'is not an amount'],
  ['-5', 'is negative'],
  ['5-', 'is not an amount'],
  ['+5', 'has a plus sign; leave it out'],
  ['5+', 'is not an amount'],
  ['1.005', 'has more than two decimals'],
  ['x1.005', 'is not an amount'],
  ['1.005x', 'is not an amount'],
  ['1e3', 'is written with an exponent; write it out'],
  ['1E3', 'is written with an exponent; write it out'],
  ['007', 'begins with a zero; leave it out'],
  ['x07', 'is not an amount'],
  ['1.', 'is not an amount'],
  ['', 'is not an amount'],
])('a payout of "%s" is %s', (text, read) => {
  const amount = readPayoutAmount(text)
  expect(amount.ok ? amount.paisa : amount.reason).toBe(
    typeof read === 'bigint' ? read : `The amount "${text}" ${read}. For example 500 or 1250.50.`,
  )
})

test.each([
  [null, false],
  [0, false],
  [skewMaxMs, false],
  [-skewMaxMs, false],
  [skewMaxMs + 1, true],
  [-skewMaxMs - 1, true],
])('a clock that is %s ms off decides nothing: %s', (skewMs, isOff) => {
  expect(isClockOff(skewMs)).toBe(isOff)
})

test.each<[amount: bigint, paid: bigint, limit: bigint | null, isOverMax: boolean, isOverCeiling: boolean]>([
  [500n, 0n, null, false, false],
  [500n, 0n, 500n, false, false],
  [501n, 0n, 500n, true, true],
  [499n, 1n, 500n, false, false],
  [500n, 1n, 500n, false, true],
])('%i paisa after %i of today, with a limit of %s', (amount, paid, limit, isOverMax, isOverCeiling) => {
  const over = expect.objectContaining({code: 'payout_over_limit'})
  const checks = [
    () => refuseOverMax('P-1', amount, limit),
    () => refuseOverCeiling(amount, paid, limit),
  ] as const
  for (const [at, isOver] of [isOverMax, isOverCeiling].entries()) {
    if (isOver) expect(checks[at]).toThrow(over)
    else expect(checks[at]).not.toThrow()
  }
})

const earlier: DuplicatePayout = {
  orderNo: 'P-7',
  claimedAtMs: Date.UTC(2026, 10, 20, 14, 5),
  state: 'accepted',
}
const at = '2026-11-20 14:05 UTC'

test.each<[what: string, change: Partial<DuplicatePayout>, words: string, isOpen: boolean]>([
  [
    'accepted',
    {},
    `the same amount to the same account again: already sent as P-7 at ${at} (accepted)`,
    false,
  ],
  [
    'accepted, and no query has shown it',
    {confirmation: 'unanswered'},
    `the same amount to the same account again: already sent as P-7 at ${at} (accepted, unconfirmed)`,
    false,
  ],
  [
    'accepted, and a query contradicts it',
    {confirmation: 'contradicted'},
    `the same amount to the same account again: perhaps already sent as P-7 at ${at} (in doubt)`,
    true,
  ],
  [
    'in doubt',
    {state: 'unknown'},
    `the same amount to the same account again: perhaps already sent as P-7 at ${at} (in doubt)`,
    true,
  ],
  [
    'refused',
    {state: 'refused'},
    `the same amount to the same account again: perhaps already sent as P-7 at ${at} (in doubt)`,
    true,
  ],
  [
    'of the same amount',
    {amount: 500n},
    `the same amount to the same account again: already sent as P-7 at ${at} (accepted)`,
    false,
  ],
  [
    'of another amount',
    {amount: 700n},
    `the same account again: already sent as P-7 with BDT 7.00 at ${at} (accepted)`,
    false,
  ],
  [
    'of a number that may be this one',
    {orderNo: 'p-1'},
    `the same amount to the same account again: already sent as p-1 at ${at} (accepted); the two may be one number that a spreadsheet has changed`,
    false,
  ],
  [
    'in the place of a failed one to the account',
    {inPlaceOf: 'P-5', failedAs: {amount: 600n, by: 'account'}},
    `the failed payout P-5 again (BDT 6.00 to the same account): already sent as P-7 at ${at} (accepted)`,
    false,
  ],
  [
    'in the place of one whose account may be it',
    {inPlaceOf: 'P-5', failedAs: {amount: 500n, by: 'digits'}, isOfSum: true},
    `the failed payout P-5 again (BDT 5.00 to an account with the same visible digits): already sent, in parts or with others, as P-7 at ${at} (accepted)`,
    false,
  ],
  [
    'in the place of one whose number this is with a mark',
    {inPlaceOf: 'P1', failedAs: {amount: 500n, by: 'name'}},
    `the failed payout P1 again: already sent as P-7 at ${at} (accepted)`,
    false,
  ],
  [
    'of a namesake',
    {inPlaceOf: 'P-7', isToAccount: false, isNamesake: true},
    `P-7 again, to another account (of the same name and amount): already sent as P-7 at ${at} (accepted)`,
    false,
  ],
])('an earlier payout, %s', (_, change, words, isOpen) => {
  expect(describeDuplicate('P-1', 500n, {...earlier, ...change})).toBe(words)
  expect(isOpenDuplicate({...earlier, ...change})).toBe(isOpen)
  const isSure = change.inPlaceOf === undefined || change.inPlaceOf === 'P1'
  const failure = repeatedPayout('P-1', 500n, {...earlier, ...change})
  const both = isOpen ? 'Both may be paid' : 'The service would pay both'
  expect(failure.message).toBe(`P-1 ${isSure ? 'pays' : 'may pay'} ${words}. ${both}. It was not sent.`)
  expect(failure.hint).toMatch(
    !isOpen
      ? /^If both are intended/
      : change.confirmation === 'contradicted'
        ? /^End the doubt first: record what became of it: `hisab payout resolve P-7 --reason TEXT --paid/
        : /^End the doubt first: `hisab payout query P-7`/,
  )
})

test('it is told by the time of the desk', () => {
  expect(describeDuplicate('P-1', 500n, earlier, 'Asia/Dhaka')).toContain('at 2026-11-20 20:05 (accepted)')
})

test.each([
  [[], ''],
  [['P-7'], ''],
  [['P-8', 'P-7'], ' Also in doubt: P-8.'],
  [['1', '2', '3', '4', '5'], ' Also in doubt: 1, 2, 3, 4, 5.'],
  [['1', '2', '3', '4', '5', '6', '7'], ' Also in doubt: 1, 2, 3, 4, 5 and 2 more.'],
])('beside it %j are in doubt', (others, words) => {
  expect(repeatedPayout('P-1', 500n, earlier, 'UTC', others).message).toMatch(
    new RegExp(`It was not sent\\.${words}$`),
  )
})

test('each number in doubt to an account that one of several payouts pays, once', () => {
  const open = {...earlier, state: 'unknown'} as const
  const payouts = [{duplicates: [open, earlier]}, {duplicates: [open, {...open, orderNo: 'P-8'}]}]
  expect(besideDoubtOf(payouts)).toEqual(['P-7', 'P-8'])
})
