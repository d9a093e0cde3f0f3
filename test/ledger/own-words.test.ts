import {expect, test} from 'vitest'
import {type OwnRow, OwnWords} from '../../src/ledger/own-words.ts'

type State = NonNullable<OwnRow['state']>

/** Which rows of orders about to be resent are held, by 30 booked rows, these others, and what a column has in each. */
function heldOf(
  header: string,
  unbooked: readonly [state: State, text: string][],
  ofBooked: (nth: number) => string,
): number[] {
  const own = new OwnWords()
  const rows: [State, string][] = Array.from({length: 30}, (_, nth) => ['booked', ofBooked(nth)])
  for (const [line, [state, text]] of [...rows, ...unbooked].entries()) {
    const row = {orderNo: `D-${line}`, line: line - 30, state}
    own.countRow(row)
    own.add(row, header, 0, text, header === 'Remarks')
  }
  const held: number[] = []
  own.settle(({line}) => held.push(line))
  return held
}

const blank: [State, string][] = Array.from({length: 4}, () => ['other', ''])

test.each<[what: string, header: string, texts: [State, string][], ofBooked: (nth: number) => string]>([
  ['a time of booking, and open ones have none', 'Credited At', [['open', '20:25'], ...blank], () => '10:00'],
  ['a time of booking, and no other row is open', 'Credited At', [['open', '20:25']], () => '10:00'],
  [
    'an amount, and open ones have zero',
    'Credited Amount',
    [
      ['open', '670.00'],
      ['other', '0.00'],
    ],
    () => '500.00',
  ],
  ['a code that booked rows have, open ones not', 'TrxID', [['open', '9AB'], ...blank], (nth) => `7QX${nth}`],
  [
    'a yes',
    'Wallet Updated',
    [
      ['open', 'Y'],
      ['other', 'N'],
      ['open', 'N'],
    ],
    () => 'Y',
  ],
  ['any value where no other row has one', 'জমা', [['open', '670'], ...blank], () => ''],
  ['any remark where most rows have none', 'Remarks', [['open', 'see ticket 441']], () => ''],
])('%s: held', (_, header, texts, ofBooked) => {
  expect(heldOf(header, texts, ofBooked)).toEqual([0])
})

test.each<[what: string, header: string, texts: [State, string][], ofBooked: (nth: number) => string]>([
  [
    'a column filled everywhere',
    'Name',
    [
      ['open', 'Karim'],
      ['other', 'Salma'],
    ],
    (nth) => `N${nth}`,
  ],
  [
    'a time that open ones have as well',
    'Settled On',
    [
      ['open', '22/11'],
      ['other', '22/11'],
    ],
    () => '22/11',
  ],
  [
    'a time that a few booked rows have',
    'Credited At',
    [['open', ''], ...blank],
    (nth) => (nth < 9 ? '10:00' : ''),
  ],
  ['a remark of some booked rows', 'Remarks', [['open', 'app']], (nth) => (nth % 5 ? '' : 'app')],
  [
    'a remark of an open row as well',
    'Remarks',
    [
      ['open', 'sms late'],
      ['other', 'sms late'],
    ],
    () => '',
  ],
  ['what is asked for', 'Remarks', [['open', 'please check']], () => ''],
  ['what a program says', 'Remarks', [['open', 'webhook: HTTP 503']], () => ''],
  [
    'what open rows alone have',
    'Queue',
    [
      ['open', 'night'],
      ['open', 'day'],
      ['other', 'day'],
    ],
    () => '',
  ],
  [
    'names of some rows',
    'Email',
    [['open', 'x@mail']],
    (nth) => (nth % 3 ? '' : `${'abcdefghij'[nth / 3]}@mail`),
  ],
])('%s: not held', (_, header, texts, ofBooked) => {
  expect(heldOf(header, texts, ofBooked)).toEqual([])
})
