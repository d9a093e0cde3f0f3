import {expect, test} from 'vitest'

import type {BookedRow} from '../../src/core/reconcile/entry.ts'
import {BookedAlike} from '../../src/workflows/reconcile/booked-alike.ts'

const booked = (line: number, amount: bigint, change: Partial<BookedRow> = {}): BookedRow => ({
  ...{kind: 'deposit', orderNo: `CASH-${line}`, line, file: 1, amount, status: 'completed'},
  ...change,
})
const order = (amount: bigint | null) => ({kind: 'deposit', amount}) as const
const alike = (rows: readonly BookedRow[], orders: readonly bigint[] = [50_000n]) =>
  new BookedAlike(rows, orders.map(order), false)

test.each<[taka: string, amount: bigint, isAlike: boolean]>([
  ['475.00, a fee of a twentieth', 47_500n, true],
  ['474.99', 47_499n, false],
  ['525.00', 52_500n, true],
  ['525.01', 52_501n, false],
])('a booking of another file is near 500.00: %s', (_, amount, isAlike) => {
  const far = [10_000n, 90_000n, 30_000n, 70_000n, 60_000n, 40_000n].map((one, n) => booked(n + 10, one))
  for (let at = 0; at <= far.length; at += 1) {
    const rows = [...far.slice(0, at), booked(2, amount), ...far.slice(at)]
    expect(alike(rows).find(order(50_000n), 0)?.row.line).toBe(isAlike ? 2 : undefined)
  }
})

test.each<[what: string, row: BookedRow, of: bigint | null, found: string | null]>([
  ['its amount', booked(2, 50_000n), 50_000n, 'with its amount'],
  ['its amount in its own file', booked(2, 50_000n, {file: 0}), 50_000n, null],
  ['near it in its own file', booked(2, 49_000n, {file: 0}), 50_000n, null],
  ['near it as a payout', booked(2, 49_000n, {kind: 'payout'}), 50_000n, null],
  ['near it', booked(2, 49_000n), 50_000n, 'with 490.00, as after a fee or rounded'],
  ['10.00 below a small order', booked(2, 4_000n), 5_000n, 'with 40.00, as after a fee or rounded'],
  ['10.01 below a small order', booked(2, 3_999n), 5_000n, null],
  ['any, the order without an amount', booked(2, 49_000n), null, null],
  ['near it, the very amount of another order', booked(2, 5_000n), 5_500n, null],
])('a booking of another file: %s', (_, row, of, found) => {
  expect(alike([row], [50_000n, 5_000n]).find(order(of), 0)?.how ?? null).toBe(found)
})

const hourMs = 60 * 60_000

test.each<[what: string, row: Partial<BookedRow>, orderedAtMs: number | null, isAlike: boolean]>([
  ['of its amount', {}, 0, true],
  ['of a part of it', {amount: 1n}, 0, true],
  ['with a bonus of a fifth', {amount: 60_000n}, 0, true],
  ['of more', {amount: 60_001n}, 0, false],
  ['of another player', {playerRef: 'u-2'}, 0, false],
  ['of a payout', {kind: 'payout'}, 0, false],
  ['made after it', {createdMs: 9 * hourMs}, 5 * hourMs, true],
  ['made an hour before it, by another clock', {createdMs: 4 * hourMs}, 5 * hourMs, true],
  ['made more than an hour before it', {createdMs: 4 * hourMs - 1}, 5 * hourMs, false],
  ['made before it, when nobody knows', {createdMs: 0}, null, true],
])('a booking of the same player, in one file too: %s', (_, change, orderedAtMs, isAlike) => {
  const rows = [booked(2, 50_000n, {file: 0, playerRef: 'U-1', ...change})]
  const found = new BookedAlike(rows, [order(50_000n)], true).ofPlayer(order(50_000n), 'u-1', orderedAtMs)
  expect(found?.row.line).toBe(isAlike ? 2 : undefined)
})
