import {describe, expect, test} from 'vitest'
import {isNotesHeader} from '../../src/ledger/booking-words.ts'
import {type OwnRow, OwnRows, type RowState} from '../../src/ledger/own-rows.ts'

type Row = readonly [state: RowState, text: string, status?: OwnRow['status']]

/** Stands for the time of the row. */
const createdAt = 'created_at'

/** 30 booked rows, with what a column has in each, and these others below them. */
function ownRows(header: string, others: readonly Row[], ofBooked: (nth: number) => string): OwnRows {
  const at = header === 'created_at' ? 2 : 1
  const own = new OwnRows(['order_no', 'created_at', header], {
    ...{left: new Set([0]), read: new Set([1, at]), createdAt: at, isNotes: isNotesHeader},
    amountAt: header === 'Amount' ? 2 : -1,
  })
  const rows: Row[] = Array.from({length: 30}, (_, nth) => ['booked', ofBooked(nth)])
  for (const [nth, [state, text, status = 'open']] of [...rows, ...others].entries()) {
    const [orderNo, line] = [`D-${nth}`, nth - 29]
    const time = `2026-11-22 10:${nth}`
    own.take({orderNo, line, state, status}, [orderNo, time, text === createdAt ? time : text], [])
  }
  return own
}

/** Which of the rows below are held, the first is 1. */
function heldOf(header: string, others: readonly Row[], ofBooked: (nth: number) => string): number[] {
  const held: number[] = []
  ownRows(header, others, ofBooked).held(({line}) => held.push(line))
  return held
}

const blanks = (texts: readonly string[]): Row[] => texts.map((text) => ['unpaid', text])
const noUnpaid: readonly string[] = []
const three = ['', '', '']
type Case = readonly [
  what: string,
  header: string,
  lost: string,
  ofUnpaid: readonly string[],
  ofBooked: (nth: number) => string,
]

describe('the row of an order whose webhook is about to be resent', () => {
  test.each<Case>([
    ['a time, and unpaid rows have none', 'Credited At', '20:25', three, () => '10:00'],
    ['a time, and no row is unpaid', 'Completed At', '20:25', noUnpaid, () => '10:00'],
    ['an amount, and unpaid rows have zero', 'Wallet Amount', '670.00', ['0.00', '0.00'], () => '500.00'],
    ['a code, and unpaid rows have none', 'TrxID', '9AB1', three, (nth) => `7QX${nth}`],
    ['a code, and no row is unpaid', 'TrxID', '9AB1', noUnpaid, (nth) => `7QX${nth}`],
    ['a code, and few unpaid rows have one', 'TrxID', '9AB1', ['8AB2', ...three], (nth) => `7QX${nth}`],
    ['a yes, and unpaid rows have a no', 'Wallet Updated', 'Y', ['N', 'N'], () => 'Y'],
    ['a yes, and no row is unpaid', 'Wallet Updated', 'Y', noUnpaid, () => 'Y'],
    [
      'a word that all booked rows have, and no row is unpaid',
      'Wallet Sync',
      'synced',
      noUnpaid,
      () => 'synced',
    ],
    ['a user, as every booked row has and no unpaid one', 'User', 'karim', [''], () => 'karim'],
    [
      'a channel of hands, as few booked rows have',
      'Channel',
      'Manual',
      three,
      (nth) => (nth < 4 ? 'Manual' : 'bKash'),
    ],
    [
      'a day under a header of booking, and unpaid rows have none',
      'Credited On',
      createdAt,
      three,
      () => createdAt,
    ],
    ['the same, and no row is unpaid', 'Credited On', createdAt, noUnpaid, () => createdAt],
    ['an operator that it alone has', 'Operator', 'karim', three, () => ''],
    ['an operator that few booked rows have', 'Operator', 'karim', three, (nth) => (nth < 2 ? 'karim' : '')],
    [
      'an operator that most booked rows have',
      'Operator',
      'karim',
      [...three, ...three],
      (nth) => (nth % 5 ? 'karim' : ''),
    ],
    [
      'a person where a program is usual',
      'Operator',
      'karim',
      noUnpaid,
      (nth) => (nth < 2 ? 'karim' : 'system'),
    ],
    [
      'a person where unpaid rows have the program',
      'Operator',
      'karim',
      ['system'],
      (nth) => (nth < 2 ? 'karim' : 'system'),
    ],
    ['an operator that some booked rows have', 'Operator', 'karim', three, (nth) => (nth < 7 ? 'karim' : '')],
    ['a no to what is awaited', 'Awaiting credit', 'No', three, () => ''],
    ['a word of booking beside a name', 'Player Name', 'Rahim paid', three, (nth) => `N${nth}`],
    ['what a wallet is, and no row is unpaid', 'Wallet', 'updated', noUnpaid, () => 'updated'],
    ['a no to a question for what is open', 'Still open?', 'no', three, () => ''],
    ['a no where unpaid rows have a yes', 'Flag', 'no', ['yes', 'yes'], () => ''],
    ['words in the cell of its time', 'created_at', 'booked by hand 22/11', three, () => ''],
    ...['*', ' √', '.', '(*)', '!', '’'].map(
      (mark): Case => [
        `a mark ${mark} behind its player`,
        'Player',
        `pl-7${mark}`,
        three,
        (nth) => `pl-${nth}`,
      ],
    ),
    ['a mark before its player', 'Player', '✓pl-7', noUnpaid, (nth) => `pl-${nth}`],
    ['a mark behind its time', 'created_at', '2026-11-23 10:15*', three, () => '2026-11-22 10:15'],
    ['a name in the cell of its time', 'created_at', 'karim 2026-11-23 10:15', three, () => ''],
    [
      'a number, and unpaid rows have their own',
      'Ref',
      'WT88123',
      ['D-31', 'D-32', 'D-33'],
      (nth) => `WT${nth}`,
    ],
    [
      'a number, and unpaid rows have a GUID of zeros',
      'GUID',
      '7f3b21c0-1111-4222-8333-444455556666',
      ['00000000-0000-0000-0000-000000000000'],
      () => '7f3b21c0-1111-4222-8333-444455556666',
    ],
    ['a tag that no player has', 'Tags', 'karim', three, (nth) => (nth % 5 ? '' : 'watch')],
    ['a word of booking among tags', 'Tags', 'manual credit', three, (nth) => (nth % 5 ? '' : 'watch')],
    ['a no that booked rows have', 'Outstanding', '0', noUnpaid, () => '0'],
    ['the same under a header that asks for nothing', 'Bonus', '0', noUnpaid, () => '0'],
    ['a bonus, and no row is unpaid', 'Bonus', '50', noUnpaid, (nth) => (nth % 3 ? '0' : '50')],
    ['a value where no other row has one', 'জমা', '670', three, () => ''],
    ['any remark, and no row is unpaid', 'Remarks', 'ticket 441', noUnpaid, () => ''],
    ['any remark that unpaid rows lack', 'Remarks', 'player got it', ['sms late', ''], () => 'VIP'],
    ['a remark that all booked rows have', 'Remarks', 'done', three, () => 'done'],
    [
      'words of booking, and one unpaid row has them',
      'Remarks',
      'credited by karim',
      ['credited by karim', '', ''],
      () => '',
    ],
    ...['credited by karim', 'credited', 'karim', 'done'].flatMap((text) =>
      ['Remarks', 'Handled By'].map(
        (header): Case => [
          `${text} under ${header}, and one unpaid row and few booked ones have it`,
          ...([header, text, ['no sms', 'no sms', text, 'no sms', 'no sms', 'no sms']] as const),
          (nth) => (nth < 3 ? text : ''),
        ],
      ),
    ),
    [
      'words of booking, and booked rows have several words',
      'Remarks',
      'credited by karim',
      ['credited by karim', 'auto', 'auto', 'auto'],
      (nth) => (nth % 3 ? 'auto' : 'credited by karim'),
    ],
    ...['x', 'ok', 'karim', '22/11 karim'].map(
      (text): Case => [`${text}, and few unpaid rows have it`, 'Remarks', text, [text, ...three], () => ''],
    ),
    [
      'a day under a header of booking, and an unpaid row has its own',
      'Credited On',
      createdAt,
      [createdAt, ...three],
      () => createdAt,
    ],
    [
      'a time under a header of booking, and a third of the unpaid rows have one',
      'Credited At',
      '20:25',
      ['20:26', '', ''],
      () => '',
    ],
    [
      'a name in a column that has one word in nearly all rows',
      'Team',
      'karim',
      ['karim', 'auto', 'auto', 'auto'],
      (nth) => (nth < 3 ? 'karim' : 'auto'),
    ],
    [
      'an operator of hardly any booked row, and few unpaid ones have one',
      'Operator',
      'karim',
      ['sumi', ...three],
      (nth) => (nth < 2 ? 'karim' : ''),
    ],
    ...[4, 8, 10, 14, 20, 26].map(
      (rows): Case => [
        `an operator, as ${rows} of 30 booked rows have one`,
        'Operator',
        'karim',
        three,
        (nth) => (nth < rows ? 'karim' : ''),
      ],
    ),
    ...['Unsettled', 'Baki', 'Queue', 'Complaint'].map(
      (header): Case => [`a no under ${header}, and no other row has one`, header, 'No', three, () => ''],
    ),
    [
      'a time, and unpaid rows have a zero date',
      'Settled At',
      '2026-11-22 11:00:00',
      ['0000-00-00 00:00:00'],
      () => '',
    ],
    [
      'the time it was made, and hardly any row has one',
      'Updated At',
      createdAt,
      noUnpaid,
      (nth) => (nth < 3 ? createdAt : ''),
    ],
    [
      'what most booked rows have, and no unpaid one',
      'Delivery',
      'done',
      ['queued', 'sms late', 'queued'],
      (nth) => ['done', 'done', 'done', 'queued', 'sms late'][nth % 5] ?? '',
    ],
    [
      'one of several people who handle orders',
      'Handled By',
      'karim',
      ['sumi', 'zara', 'sumi'],
      (nth) => ['karim', 'sumi', 'zara'][nth % 3] ?? '',
    ],
    [
      'one of several states',
      'Wallet State',
      'added',
      ['new', 'sent', 'new'],
      (nth) => ['added', 'new', 'sent'][nth % 3] ?? '',
    ],
    [
      'a level that few booked rows have',
      'VIP Level',
      'karim',
      ['Bronze', 'Silver', 'Bronze'],
      (nth) => (nth < 2 ? 'karim' : ['Bronze', 'Silver'][nth % 2]) ?? '',
    ],
    [
      'a word where unpaid rows have but one',
      'Entry',
      'desk',
      ['machine', 'machine', 'machine'],
      (nth) => (nth % 3 ? 'machine' : 'desk'),
    ],
    ['a promo code that it alone has', 'Promo', 'karim', three, (nth) => (nth % 5 ? '' : 'EID2026')],
    ['a bonus, as some booked rows have', 'Bonus', '10%', three, (nth) => (nth % 5 ? '' : '10%')],
    ['a thumb', 'Remarks', '👍', three, () => ''],
    ['a ditto mark', 'Remarks', '"', three, () => ''],
    ['a name, and no header', '', 'Karim', three, () => ''],
    ['a word of booking among names', 'Name', 'booked by hand', noUnpaid, (nth) => `N${nth}`],
    ['a word of money that went back among channels', 'Channel', 'refunded', three, () => 'bKash'],
  ])('%s: held', (_, header, lost, ofUnpaid, ofBooked) => {
    expect(heldOf(header, [['resend', lost], ...blanks(ofUnpaid)], ofBooked)).toEqual([1])
  })

  test.each<Case>([
    ...[
      'bonus 10%',
      'VIP',
      'no bonus',
      'new player',
      'promo EID10',
      'via agent Rubel',
      'agent: Sumon',
      'KYC pending',
      'phone off',
      '2nd deposit',
      'wa te msg dise',
    ].map((text): Case => [`a usual remark, ${text}`, 'Remarks', text, noUnpaid, () => '']),
    [
      'an agent, half filled on all kinds of rows',
      'Agent',
      'Sumon',
      ['Sumon', 'Rubel', '', 'Karim', '', 'Rubel'],
      (nth) => ['Rubel', '', 'Sumon', 'Karim', '', 'Sumon'][nth % 6] ?? '',
    ],
    ['no bonus, as many booked rows have', 'Bonus', '0.00', noUnpaid, (nth) => (nth % 3 ? '0.00' : '50.00')],
    ['a name', 'Name', 'Karim', noUnpaid, (nth) => `N${nth}`],
    [
      'a GUID with letters alone in a group, as unpaid rows have others',
      'Gateway Ref',
      'b8eb437f-4dfe-465f-bbfc-096e38f4a486',
      ['7f3b21c0-1111-4222-8333-444455556666', '1f0c2f4e-9a52-4f0e-9a52-3b6a8a1f2c01'],
      (nth) => `${String(nth).padStart(8, 'a')}-9a52-4f0e-9a52-3b6a8a1f2c01`,
    ],
    ['a channel', 'Payment Method', 'manual', noUnpaid, (nth) => (nth % 3 ? 'bKash' : 'manual')],
    ['a time that most unpaid rows have as well', 'Updated', '11:02', ['11:01', '12:00', ''], () => '10:00'],
    ['the words of an unpaid row', 'Remarks', 'sms late', ['', 'sms late'], () => ''],
    ['a no, and booked rows have a yes', 'Wallet Updated', 'N', noUnpaid, () => 'Y'],
    ['a zero, and booked rows have an amount', 'Credited Amount', '0.00', noUnpaid, () => '500.00'],
    [
      'one of several words, and each is on some rows',
      'Remarks',
      'manual review',
      ['manual review', 'auto', 'auto', 'SMS match', 'SMS match', 'SMS match'],
      (nth) => ['manual review', 'SMS match', 'auto'][nth % 3] ?? '',
    ],
    [
      'a remark that some rows of each state have',
      'Remarks',
      'VIP player',
      [...Array(3).fill('VIP player'), ...Array(12).fill('')],
      (nth) => (nth % 5 ? '' : 'VIP player'),
    ],
    [
      'words that deny the booking, as one unpaid row has them',
      'Remarks',
      'not credited yet',
      ['not credited yet', ...three],
      () => '',
    ],
    ['a no, as unpaid rows say it in another way', 'Awaiting credit', 'No', ['0', 'N'], () => ''],
    ['what unpaid rows have too', 'Region', 'Dhaka', ['Dhaka'], () => 'Dhaka'],
    [
      'brackets that others have',
      'Player',
      'pl-7 (VIP)',
      noUnpaid,
      (nth) => (nth % 5 ? `pl-${nth}` : `pl-${nth} (new)`),
    ],
    ['a time with a month by name', 'created_at', '23 November 2026 10:15', noUnpaid, () => ''],
    ['no time', 'created_at', 'NULL', noUnpaid, () => ''],
    ['a time that cannot be read', 'created_at', 'Monday noon', noUnpaid, () => 'Sunday at noon'],
    ['a zero date', 'Settled At', '0000-00-00 00:00:00', noUnpaid, () => '2026-11-22 11:00'],
    ['nothing, as PostgreSQL writes it', 'Credited By', String.raw`\N`, noUnpaid, () => 'Karim'],
    ['a branch, and some booked rows have none', 'Branch', 'Dhaka', [''], (nth) => (nth % 2 ? 'Dhaka' : '')],
    ['a dash', 'Remarks', '-', noUnpaid, () => ''],
    ['the time it was made', 'Updated At', createdAt, noUnpaid, (nth) => `11:${nth + 10}`],
    [
      'the time it was made, as unpaid rows have it',
      'Posted',
      createdAt,
      [createdAt],
      (nth) => `11:${nth + 10}`,
    ],
    ['a rare channel', 'Channel', 'Rocket', noUnpaid, () => 'bKash'],
    [
      'a channel where banks stand, too',
      'Bank/Wallet',
      'Nagad',
      ['bKash', 'bKash', 'bKash'],
      (nth) => (nth % 2 ? 'bKash' : 'Nagad'),
    ],
    ['a login of its own', 'Username', 'salmaakter', ['rinakhan', 'juiislam'], (nth) => `name${nth}`],
    ['a yes that few players have', 'First Deposit', 'Y', ['N', 'N', 'N'], (nth) => (nth % 9 ? 'N' : 'Y')],
    ['a tag that some players have', 'Tags', 'watch', three, (nth) => (nth % 5 ? '' : 'watch')],
    ['a risk, and no row is unpaid', 'Risk', 'high', noUnpaid, (nth) => (nth % 4 ? 'low' : 'high')],
    [
      'one of three teams, and eight unpaid rows are of the others',
      'Team',
      'C',
      ['A', 'B', 'A', 'A', 'B', 'B', 'A', 'B'],
      (nth) => ['A', 'B', 'C'][nth % 3] ?? '',
    ],
    ['a wallet', 'Wallet', 'bKash', noUnpaid, () => 'bKash'],
    [
      'a level, and unpaid rows have two others',
      'VIP Level',
      'Gold',
      ['Bronze', 'Silver', 'Bronze'],
      (nth) => ['Bronze', 'Silver', 'Gold'][nth % 3] ?? '',
    ],
    [
      'a score, and two unpaid rows have the same',
      'Risk Score',
      '96',
      ['12', '12', '40', '71', '88'],
      (nth) => `${nth * 3}`,
    ],
    ['a promo code of some', 'Promo', 'EID2026', three, (nth) => (nth % 5 ? '' : 'EID2026')],
  ])('%s: not held', (_, header, lost, ofUnpaid, ofBooked) => {
    expect(heldOf(header, [['resend', lost], ...blanks(ofUnpaid)], ofBooked)).toEqual([])
  })

  test('unpaid rows with another status show nothing of it', () => {
    const closed: Row[] = [['unpaid', '10:00', 'failed']]
    expect(heldOf('Completed At', [['resend', '11:00'], ...closed], () => '10:00')).toEqual([1])
    expect(heldOf('Completed At', [['resend', '11:00', 'failed'], ...closed], () => '10:00')).toEqual([])
  })

  test('three unpaid rows of a list say nothing if all of its lost orders have the same', () => {
    const unpaidOnes = blanks([...Array(3).fill('sms late'), ...Array(12).fill('')])
    const lost = (texts: readonly string[]) => texts.map((text): Row => ['resend', text])
    const all = lost(['sms late', 'sms late', 'sms late'])
    expect(heldOf('Remarks', [...all, ...unpaidOnes], () => '')).toEqual([1, 2, 3])
    expect(heldOf('Remarks', [...lost(['sms late', ...three]), ...unpaidOnes], () => '')).toEqual([])
  })

  test.each([
    ['Credited', 30, true],
    ['Credited', 4, true],
    ['Credit transactions', 0, false],
    ['credited by hand', 0, true],
    ['Pending', 30, false],
    ['22/11/2026', 30, false],
  ])('a heading %s below %i booked rows and above it: held %s', (text, above, isHeld) => {
    const places = {left: new Set([0]), read: new Set([1]), createdAt: 1, amountAt: -1}
    const own = new OwnRows(['order_no', 'created_at'], {...places, isNotes: isNotesHeader})
    const takeRow = (state: RowState, nth: number) => {
      const row = {orderNo: `D-${nth}`, line: nth + 3, state, status: 'open'} as const
      own.take(row, [`D-${nth}`, ''], [], nth < above ? null : {line: 2, text})
    }
    for (let nth = 0; nth < 30; nth += 1) takeRow('booked', nth)
    takeRow('resend', 30)
    const held: unknown[] = []
    own.held(({line}, how) => held.push([line, how]))
    expect(held).toEqual(isHeld ? [[2, 'heading']] : [])
  })

  test('what another lost order has shows nothing: both may be booked by hand', () => {
    const lost: Row[] = [
      ['resend', 'Y'],
      ['resend', 'Y'],
    ]
    expect(heldOf('Wallet Updated', [...lost, ['unpaid', '']], () => 'Y')).toEqual([1, 2])
  })
})

describe('a booked row whose webhook was not delivered', () => {
  const saidOf = (header: string, text: string, ofBooked: (nth: number) => string) =>
    [...ownRows(header, [['undelivered', text]], ofBooked).contradictions()].map(({line}) => line)

  test.each<[header: string, text: string, ofBooked: (nth: number) => string]>([
    ['Type', 'Refund', (nth) => (nth % 5 ? 'Deposit' : 'Refund')],
    ['Dr/Cr', 'DR', () => 'CR'],
    ['Success', 'N', () => 'Y'],
    ['Code', '500', () => '200'],
    ['Void', 'Y', () => ''],
    ['Remarks', 'credit failed', () => ''],
    ['Remarks', 'wallet not updated', () => ''],
    ['Remarks', 'to be credited', () => ''],
    ['Remarks', 'joma hoyni', () => ''],
    ['Remarks', 'reversed by mistake', () => ''],
    ['Remarks', 'wrong player', () => ''],
    ['Remarks', 'ref 4711', () => ''],
    ['Remarks', 'ভুল', () => ''],
    ['Description', 'Withdrawal slip', () => 'Deposit'],
    ['Type', 'promo', () => ''],
    ['Wallet Amount', '-500.00', (nth) => `${nth + 100}.00`],
    ['Wallet Txn ID', '', (nth) => `W${nth}`],
    ['Wallet Amount', '0.00', (nth) => `${nth + 100}.00`],
    ['Booked By', '', () => 'Karim'],
    ['Amount', '', (nth) => `${nth + 100}.00`],
  ])('%s %s says otherwise', (header, text, ofBooked) => {
    expect(saidOf(header, text, ofBooked)).toEqual([1])
  })

  test.each<[header: string, text: string, ofBooked: (nth: number) => string]>([
    ['Remarks', 'booked by hand, Karim', () => ''],
    ['Remarks', 'manual credit', () => ''],
    ['Agent', 'Rahim', (nth) => `agent ${'abcdefghijklmnopqrstuvwxyzABCD'[nth]}`],
    ['Wallet Txn ID', 'W99', (nth) => `W${nth}`],
    ['Name', 'Nasrin', () => 'Karim'],
    ['Amount', '0.00', (nth) => `${nth + 100}.00`],
    ['Remarks', 'VIP', (nth) => (nth % 5 ? '' : 'VIP')],
    ['Remarks', 'promo EID', () => ''],
    ['Remarks', 'auto', () => ''],
    ['Note', 'first deposit', (nth) => (nth === 1 ? 'VIP' : '')],
    ['মন্তব্য', 'ঈদ অফার', () => ''],
    ['Balance', '648', (nth) => `${nth + 1000}`],
    ['Balance', '0.00', (nth) => `${nth + 1000}.00`],
    ['Wallet Amount', '1,648.00', (nth) => `${nth + 100}.00`],
  ])('%s %s does not', (header, text, ofBooked) => {
    expect(saidOf(header, text, ofBooked)).toEqual([])
  })
})
