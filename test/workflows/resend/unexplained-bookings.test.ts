import {expect, test} from 'vitest'

import type {UnexplainedRow} from '../../../src/staging/unexplained-rows.ts'
import {
  type BookingPlaces,
  type LostOrder,
  type ResendCandidate,
  type UnexplainedBooking,
  UnexplainedBookings,
} from '../../../src/workflows/resend/unexplained-bookings.ts'

/** A row that is booked under a number of its own; `change` says what else is known of it, or what cannot be read. */
const row = (line: number, amount: string | null, change: Partial<UnexplainedRow> = {}): UnexplainedRow => ({
  ...{kind: 'deposit', orderNo: `CASH-${line}`, line, file: 1, isBooked: true, anyOrder: {amount}},
  ...change,
})
const order = (amount: bigint | null, change: Partial<ResendCandidate> = {}): ResendCandidate => ({
  ...{orderNo: 'D-1', platformOrderNo: 'p-1', kinds: ['deposit'], isAnswered: true},
  ...{amount, file: 0, sinceMs: null},
  ...change,
})

const elsewhere: BookingPlaces = {
  isSeveral: true,
  isElsewhere: (found, {file}) => 'file' in found && found.file !== file,
  statusOf: async () => null,
  digest: (player) => `digest of ${player}`,
}

async function findIn(
  rows: readonly UnexplainedBooking[],
  of: ResendCandidate,
  places: Partial<BookingPlaces> = {},
  orders: readonly (bigint | LostOrder)[] = [50_000n],
) {
  const lost = orders.map((one) => ({
    kind: 'deposit' as const,
    ...(typeof one === 'bigint' ? {amount: one} : one),
  }))
  return await new UnexplainedBookings([rows], lost, {...elsewhere, ...places}).find(of)
}

test.each<[taka: string, isAlike: boolean]>([
  ['475.00', true],
  ['474.99', false],
  ['525.00', true],
  ['525.01', false],
])('a booking of another file is near 500.00: %s', async (amount, isAlike) => {
  const far = ['100.00', '900.00', '300.00', '700.00', '600.00', '400.00'].map((one, n) => row(n + 10, one))
  for (let at = 0; at <= far.length; at += 1) {
    const rows = [...far.slice(0, at), row(2, amount), ...far.slice(at)]
    expect((await findIn(rows, order(50_000n)))?.row.line).toBe(isAlike ? 2 : undefined)
  }
})

const [ofNoKind, unread] = [{kind: null}, {isBooked: false}]
const unknown = 'with an amount that cannot be read'

test.each<[what: string, row: UnexplainedRow, of: bigint | null, found: string | null]>([
  ['its amount', row(2, '500.00'), 50_000n, 'with its amount'],
  [
    'its amount, without a number',
    row(2, '500.00', {...ofNoKind, ...unread, orderNo: ''}),
    50_000n,
    'with its amount',
  ],
  ['its amount, of an unreadable kind', row(2, '500.00', ofNoKind), 50_000n, 'with its amount'],
  ['its amount, of an unreadable status', row(2, '500.00', unread), 50_000n, 'with its amount'],
  ['an unreadable amount', row(2, null), 50_000n, unknown],
  ['an unreadable amount with its digits', row(2, '~7 ~5'), 50_000n, unknown],
  ['an unreadable amount with other digits', row(2, '~7 ~51'), 50_000n, null],
  ['its amount in its own file, no answer', row(2, '500.00', {file: 0}), 50_000n, null],
  ['near it in its own file', row(2, '490.00', {file: 0}), 50_000n, null],
  ['near it as a payout', row(2, '490.00', {kind: 'payout'}), 50_000n, null],
  ['near it', row(2, '490.00'), 50_000n, 'with 490.00, as after a fee or rounded'],
  [
    'near it, without a number',
    row(2, '490.00', {...unread, orderNo: ''}),
    50_000n,
    'with 490.00, as after a fee or rounded',
  ],
  ['near it, of an unreadable kind', row(2, '490.00', ofNoKind), 50_000n, null],
  ['10.00 below a small order', row(2, '40.00'), 5_000n, 'with 40.00, as after a fee or rounded'],
  ['10.01 below a small order', row(2, '39.99'), 5_000n, null],
  ['any, the order without an amount', row(2, '490.00'), null, 'with its amount'],
  ['near it, the very amount of another order', row(2, '50.00'), 5_500n, null],
])('a booking of another file: %s', async (_, booked, of, found) => {
  expect((await findIn([booked], order(of), {}, [50_000n, 5_000n]))?.how ?? null).toBe(found)
})

const hourMs = 60 * 60_000

test.each<
  [
    what: string,
    row: Partial<UnexplainedRow>,
    amount: string | null,
    orderedAtMs: number | null,
    isAlike: boolean,
  ]
>([
  ['of its amount', {}, '500.00', 0, true],
  ['of a part of it', {}, '0.01', 0, true],
  ['of a part of it, without a number', {...unread, orderNo: ''}, '0.01', 0, false],
  ['after a fee, without a number', {...unread, orderNo: ''}, '475.00', 0, true],
  ['with a bonus of a fifth', {}, '600.00', 0, true],
  ['with a bonus of a fifth, of an unreadable status', unread, '600.00', 0, true],
  ['of more, as for several orders', {}, '5000.00', 0, true],
  ['of its amount and an unreadable kind', ofNoKind, '500.00', 0, true],
  ['of another amount and an unreadable kind', ofNoKind, '490.00', 0, false],
  ['of an unknown amount', {}, null, 0, true],
  ['of an amount with its digits', {}, '~5', 0, true],
  ['of an amount with other digits', {}, '~6', 0, false],
  ['of another player', {players: 'u-2'}, '500.00', 0, false],
  ['of one of two players', {players: 'karim\nu-1'}, '500.00', 0, true],
  [
    'of no player, with a cell of its row',
    {players: undefined, shares: [{orderNo: 'D-1', header: 'UID'}]},
    '400.00',
    0,
    true,
  ],
  [
    'of no player, with a cell of another row',
    {players: undefined, shares: [{orderNo: 'D-2', header: 'UID'}]},
    '400.00',
    0,
    false,
  ],
  ['of a payout', {kind: 'payout'}, '500.00', 0, false],
  ['made after it', {createdMs: 9 * hourMs}, '500.00', 5 * hourMs, true],
  ['made an hour before it, by another clock', {createdMs: 4 * hourMs}, '500.00', 5 * hourMs, true],
  ['made more than an hour before it', {createdMs: 4 * hourMs - 1}, '500.00', 5 * hourMs, false],
  ['made on its day, at any time', {createdMs: 0, latestMs: 24 * hourMs}, '500.00', 5 * hourMs, true],
  ['made before it, when nobody knows', {createdMs: 0}, '500.00', null, true],
])('a booking of the same player, in one file too: %s', async (_, change, amount, sinceMs, isAlike) => {
  const rows = [row(2, amount, {file: 0, players: 'U-1', ...change})]
  const found = await findIn(rows, order(50_000n, {playerRef: 'u-1', sinceMs}), {isSeveral: false})
  expect(found?.row.line).toBe(isAlike ? 2 : undefined)
})

test.each<[what: string, row: Partial<UnexplainedRow>, status: string | null, isAlike: boolean]>([
  ['a status that cannot be read, of a paid order', unread, 'completed', false],
  ['a status that cannot be read, of an open order', unread, 'open', false],
  ['a status that cannot be read, of no order', unread, null, true],
  ['a kind that cannot be read, of a paid order', ofNoKind, 'completed', false],
  ['a kind that cannot be read, of an open order', ofNoKind, 'open', true],
  ['no number', {...unread, orderNo: ''}, 'completed', true],
  ['a number that is none', {...unread, orderNo: '1.2E+12'}, 'completed', true],
  ['all of it readable, which was queried', {}, 'completed', true],
])('a booking that its own order explains: %s', async (_, change, status, isAlike) => {
  const found = await findIn([row(2, '500.00', change)], order(50_000n), {statusOf: async () => status})
  expect(found !== null).toBe(isAlike)
})

test.each<
  [what: string, row: Partial<UnexplainedRow>, amount: string, player: string | undefined, isAlike: boolean]
>([
  ['of its amount', {}, '500.00', undefined, true],
  ['without a player', {}, '500.00', 'u-1', true],
  ['of its player', {players: 'U1'}, '500.00', 'u-1', true],
  ['of another player', {players: 'u-2'}, '500.00', 'u-1', false],
  ['of a name, where players are numbers', {players: 'Rahim'}, '500.00', 'u-1', true],
  ['of another name', {players: 'Rahim'}, '500.00', 'Karim', false],
  ['of a player, the order of none', {players: 'u-2'}, '500.00', undefined, true],
  ['after a fee', {}, '490.00', undefined, false],
  ['of another kind', {kind: 'payout'}, '500.00', undefined, false],
  ['of no kind', ofNoKind, '500.00', undefined, false],
  ['long before it', {createdMs: 0}, '500.00', undefined, false],
  ['without an answer', {isOfAnyKind: false}, '500.00', undefined, false],
  ['without a number', {...unread, orderNo: ''}, '500.00', undefined, true],
  ['with a number that cannot be read', unread, '500.00', undefined, false],
  ['with the number of another row', {isOfAnyKind: false, isDoubled: true}, '500.00', undefined, true],
  ['with the number of another row, after a fee', {isDoubled: true}, '490.00', undefined, false],
])(
  'a booking that the service does not know in its own file, %s',
  async (_, change, amount, playerRef, isAlike) => {
    const rows = [row(2, amount, {file: 0, isOfAnyKind: true, createdMs: 9 * hourMs, ...change})]
    const of = order(50_000n, {playerRef, sinceMs: 5 * hourMs, inLedger: 'own row'})
    const found = await findIn(rows, of, {isSeveral: false})
    expect(found !== null).toBe(isAlike)
  },
)

/** D-1 of 500.00 and three more are lost; the first three are of one player. */
const lost: readonly LostOrder[] = [
  {orderNo: 'D-1', amount: 50_000n, playerRef: 'u-1'},
  {orderNo: 'D-2', amount: 70_000n, playerRef: 'u-1'},
  {orderNo: 'D-3', amount: 90_000n, playerRef: 'U1'},
  {orderNo: 'D-4', amount: 123_400n, playerRef: 'u-2'},
]

test.each<[what: string, amount: string, file: number, orders: readonly LostOrder[], isAlike: boolean]>([
  ['two of its player', '1200.00', 1, lost, true],
  ['two of its player, after a fee', '1180.00', 1, lost, true],
  ['all of its player', '2100.00', 1, lost, true],
  ['all of its player, in its own file', '2100.00', 0, lost, false],
  ['others of its player', '1600.00', 1, lost, false],
  ['it and one of another player', '1734.00', 1, lost, false],
  ['all that were lost', '3334.00', 1, lost, true],
  ['all that were lost, in its own file', '3334.00', 0, lost, true],
  ['all that were lost, of unknown players', '3334.00', 0, lost.map(({playerRef: _, ...one}) => one), true],
  [
    'two of its player of many',
    '1200.00',
    1,
    Array.from({length: 9}, (_, n) => ({...lost[n % 2], orderNo: `D-${n + 1}`})),
    true,
  ],
])('one booking for several orders: %s', async (_, amount, file, orders, isAlike) => {
  const found = await findIn([row(2, amount, {file})], order(50_000n), {isSeveral: file > 0}, orders)
  const how = `with ${amount}, as for this order and others together`
  expect(found?.how ?? null).toBe(isAlike ? how : null)
})

test.each<
  [what: string, amount: string, players: string | undefined, isElsewhere: boolean, how: string | null]
>([
  ['its amount', '500.00', undefined, true, 'with its amount'],
  ['near it', '475.00', undefined, true, 'with 475.00, as after a fee or rounded'],
  ['two of its player', '1200.00', undefined, true, 'with 1200.00, as for this order and others together'],
  ['a part of it for its player', '100.00', 'digest of u1', true, 'with 100.00 for its player'],
  ['a part of it for another player', '100.00', 'digest of u2', true, null],
  ['near it, of a ledger that does not count', '475.00', 'digest of u1', false, null],
])('a booking in the ledger of another run: %s', async (_, amount, players, counts, how) => {
  const {file: _file, ...seen} = row(2, amount, {players})
  const booked = {...seen, isBeginning: false, runId: 'run-1', ledgerToMs: 0, isTimeKnown: true}
  const places = {isSeveral: false, isElsewhere: () => counts}
  const found = await findIn([booked], order(50_000n, {playerRef: 'U-1'}), places, lost)
  expect(found?.how ?? null).toBe(how)
})

test.each<[what: string, row: Partial<UnexplainedRow>, amount: string | null, isAlike: boolean]>([
  ['two digits exchanged', {orderNo: 'DEP01051'}, '500.00', true],
  ['a digit left out', {orderNo: 'DEP0115'}, '500.00', true],
  ['the last digit left out', {orderNo: 'DEP0101'}, '500.00', true],
  ['a digit added', {orderNo: 'DEP011015'}, '500.00', true],
  ['a letter for a digit', {orderNo: 'dep0101s'}, '500.00', true],
  ['a wrong digit, as the order after it', {orderNo: 'DEP01016'}, '500.00', false],
  ['another number', {orderNo: 'CASH-1'}, '500.00', false],
  ['two digits exchanged and an unreadable amount', {orderNo: 'DEP01051'}, null, true],
  ['two digits exchanged, after a fee', {orderNo: 'DEP01051'}, '490.00', false],
  ['a digit left out, with a bonus', {orderNo: 'DEP0115'}, '550.00', true],
  ['a letter for a digit, with a bonus', {orderNo: 'DEP0101S'}, '750.00', true],
  ['a wrong digit and another amount', {orderNo: 'DEP01016'}, '490.00', false],
  [
    'two digits exchanged, made long before it',
    {orderNo: 'DEP01051', createdMs: -2 * hourMs},
    '500.00',
    false,
  ],
  ['two digits exchanged, of a payout', {orderNo: 'DEP01051', kind: 'payout'}, '500.00', false],
])('a mistyped number in its own file: %s', async (_, change, amount, isAlike) => {
  const of = order(50_000n, {orderNo: 'DEP01015', sinceMs: 0})
  const found = await findIn([row(2, amount, {file: 0, createdMs: hourMs, ...change})], of, {
    isSeveral: false,
  })
  const how = amount === null ? unknown : amount === '500.00' ? 'with its amount' : `with ${amount}`
  expect(found?.how ?? null).toBe(isAlike ? `${how} and nearly its number` : null)
})
