import {expect, test} from 'vitest'

import {chooseWindow, isWithin, type MaybeWindow, monthWindow} from '../../../src/core/reconcile/window.ts'

const ledger: MaybeWindow = {ok: true, fromMs: 1_000, toMs: 2_000}
const none: MaybeWindow = {ok: false, because: 'no row has a created_at'}
const now = Number.MAX_SAFE_INTEGER

test.each<
  [what: string, ledger: MaybeWindow, since: number | null, until: number | null, expected: MaybeWindow]
>([
  ['the ledger says', ledger, null, null, ledger],
  ['nobody says', none, null, null, none],
  ['--since and --until, the end half-open', ledger, 500, 1_500, {ok: true, fromMs: 500, toMs: 1_499}],
  ['--since alone lasts until now', ledger, 1_500, null, {ok: true, fromMs: 1_500, toMs: now}],
  ['--until alone begins with the ledger', ledger, null, 1_500, {ok: true, fromMs: 1_000, toMs: 1_499}],
  ['--since alone, a ledger without times', none, 1_500, null, {ok: true, fromMs: 1_500, toMs: now}],
  ['--until alone, a ledger without times', none, null, 1_500, {ok: true, fromMs: 0, toMs: 1_499}],
])('%s', (_what, found, since, until, expected) => {
  expect(chooseWindow(found, since, until)).toEqual(expected)
})

test.each([
  [2_000, 1_000],
  [1_000, 1_000],
])('a window from %d to %d holds nothing, and says so instead of passing for checked', (since, until) => {
  expect(chooseWindow(ledger, since, until)).toMatchObject({ok: false})
})

test('an --until before the ledger begins is not blamed on a --since that nobody gave', () => {
  const because = 'the first created_at of the ledger is not before --until'
  expect(chooseWindow(ledger, null, 1_000)).toEqual({ok: false, because})
})

test('both ends belong to it', () => {
  expect([999, 1_000, 2_000, 2_001].map((ms) => isWithin(ms, {fromMs: 1_000, toMs: 2_000}))).toEqual([
    false,
    true,
    true,
    false,
  ])
})

test.each([
  ['2026-11', '2026-11-01T00:00:00+06:00', '2026-12-01T00:00:00+06:00'],
  ['2026-12', '2026-12-01T00:00:00+06:00', '2027-01-01T00:00:00+06:00'],
])('the month %s', (month, from, end) => {
  expect(monthWindow(month, 'Asia/Dhaka')).toEqual({fromMs: Date.parse(from), toMs: Date.parse(end) - 1})
})

test.each(['2026-13', '2026-00', '2026', '26-11', ''])('%j is no month', (text) => {
  expect(monthWindow(text, 'Asia/Dhaka')).toBeNull()
})
