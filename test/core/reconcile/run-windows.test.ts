import {expect, test} from 'vitest'

import {
  coveredFrom,
  meetingOf,
  type RunWindow,
  sinceLast,
  unreadBefore,
} from '../../../src/core/reconcile/run-windows.ts'
import type {MaybeWindow} from '../../../src/core/reconcile/window.ts'

const hour = 3_600_000
/** Windows of earlier runs in hours, both ends included, as `a 0-10`; `a 0-10 from 5` had rows from 5 on, `a 0-10 doubted` may lack later rows. */
function windowsOf(text: string): RunWindow[] {
  return [...text.matchAll(/(\w) (\d+)-(\d+)(?: from (\d+))?( doubted)?/g)].map(
    ([, runId = '', from, to, own, doubted]) => ({
      ...{runId, fromMs: Number(from) * hour, toMs: Number(to) * hour - 1},
      ...(own === undefined ? {} : {ledgerFromMs: Number(own) * hour}),
      ...(doubted === undefined ? {} : {doubtedFromMs: Number(to) * hour - 1}),
    }),
  )
}
const none: MaybeWindow = {ok: false, because: 'no row has a time'}
const own = (text: string): MaybeWindow => {
  const [window] = windowsOf(`x ${text}`)
  return window ? {ok: true, fromMs: window.fromMs, toMs: window.toMs} : none
}
const hours = (ms: number | null) => (ms === null ? null : ms / hour)
const textOf = (
  windows: readonly {readonly runId?: string; readonly fromMs: number; readonly toMs: number}[],
) =>
  windows
    .map(({runId, fromMs, toMs}) => `${runId ? `${runId} ` : ''}${hours(fromMs)}-${hours(toMs + 1)}`)
    .join(', ')

test.each([
  ['20-30', '', null, ''],
  ['20-30', 'a 0-20', 'a', ''],
  ['20-30', 'a 0-15', 'a', 'a 15-20'],
  ['20-30', 'a 0-5, b 10-20', 'b', 'a 5-10'],
  ['20-30', 'b 10-20, a 0-5', 'b', 'a 5-10'],
  ['20-30', 'a 0-5, b 10-15', 'b', 'a 5-10, b 15-20'],
  ['20-30', 'a 0-12, b 5-8, c 14-20', 'c', 'a 12-14'],
  ['20-30', 'a 0-10, b 40-50', 'b', 'a 10-20'],
  ['20-30', 'a 0-20, b 5-20', 'a', ''],
  ['20-30', 'a 5-0', null, 'a 0-20'],
  ['', 'a 0-5', 'a', ''],
])(
  'a window %s after those of %s: the last reached farthest is %s, uncovered are "%s"',
  (window, before, last, gaps) => {
    const meeting = meetingOf('payout', own(window), windowsOf(before))
    expect([meeting.kind, meeting.last?.runId ?? null, textOf(meeting.gaps)]).toEqual(['payout', last, gaps])
  },
)

test.each([
  ['20-30', [], '20-30'],
  ['20-30', ['a 0-20'], '20-30'],
  ['20-30', ['a 0-15'], '15-30'],
  ['20-30', ['a 0-15', 'a 0-12, b 13-20'], '12-30'],
  ['20-30', ['a 0-5, b 10-20'], '5-30'],
  ['20-30', ['a 0-40'], '20-30'],
])('a window %s since the last of %j is %s', (window, before, since) => {
  const found = sinceLast(own(window), before.map(windowsOf))
  expect(found.ok && textOf([found])).toBe(since)
})

test('without rows of a time it begins where the last ended, and ends now', () => {
  expect(sinceLast(none, [windowsOf('a 0-5')])).toEqual({
    ok: true,
    fromMs: 5 * hour,
    toMs: Number.MAX_SAFE_INTEGER,
  })
  expect(sinceLast(none, [])).toBe(none)
})

test.each([
  ['50-60', '', 50],
  ['50-60', 'a 40-50', 50],
  ['50-60', 'a 40-49', 49],
  ['50-60', 'a 39-42', 42],
  ['50-60', 'a 30-40', 50],
  ['50-60', 'a 20-41', 41],
  ['50-60', 'a 35-55', 50],
  ['50-60', 'a 50-55', 50],
  ['50-60', 'a 40-48, b 44-46', 48],
  ['50-60', 'a 60-40, b 40-49', 49],
  ['100-200', 'a 0-76', 100],
  ['100-200', 'a 0-77', 77],
  ['50-60', 'a 30-49 from 51', 50],
  ['50-60', 'a 40-49 doubted', 50],
  ['50-60', 'a 40-48 doubted, b 40-49', 49],
])('a ledger of %s after those of %s proves what is booked from %i on', (window, before, from) => {
  expect(hours(coveredFrom(own(window), windowsOf(before)))).toBe(from)
})

test('a ledger without times proves nothing', () => {
  expect(coveredFrom(none, windowsOf('a 0-5'))).toBe(Number.POSITIVE_INFINITY)
  expect(unreadBefore(none, windowsOf('a 0-5'), [])).toEqual([])
})

test.each([
  ['100-110', '', '', ''],
  ['100-110', '', 'a 0-5', '76-100'],
  ['100-110', 'a 0-90', 'b 0-5', ''],
  ['100-110', 'a 0-76', '', 'a 76-100'],
  ['100-110', 'a 0-77', '', ''],
  ['100-110', 'a 0-20, b 30-90', '', ''],
  ['100-110', 'a 0-20, b 30-90 from 44', '', 'a 20-44'],
  ['100-110', 'a 0-99 doubted', '', 'a 99-100'],
  ['100-110', 'a 0-99 doubted, b 0-100', '', ''],
])(
  'before a ledger of %s, after those of %s and of the other kind %s, these times are unread: "%s"',
  (window, before, others, unread) => {
    expect(textOf(unreadBefore(own(window), windowsOf(before), windowsOf(others)))).toBe(unread)
  },
)
