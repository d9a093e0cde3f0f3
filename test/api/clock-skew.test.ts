import {expect, test} from 'vitest'

import {ClockSkew} from '../../src/api/clock-skew.ts'

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 21, 3, 0, seconds)).toUTCString()
const ms = (seconds: number) => Date.UTC(2026, 10, 21, 3, 0, seconds)

test('an answer that dragged on for half a minute does not take the place of a quick one', () => {
  const skew = new ClockSkew()
  skew.measureDate(at(0), '', ms(0), ms(0) + 20)
  skew.measureDate(at(1), '', ms(1), ms(31))
  expect(skew.ms).toBe(490)
})

test('a quick answer takes the place of one that dragged on', () => {
  const skew = new ClockSkew()
  skew.measureDate(at(0), '', ms(0), ms(30))
  skew.measureDate(at(31), '', ms(31), ms(31) + 20)
  expect(skew.ms).toBe(490)
})

test('a timestamp is more precise than a date, and of the next timestamps the quick ones count', () => {
  const skew = new ClockSkew()
  skew.measureDate(at(0), '', ms(0), ms(0))
  skew.measureTimestamp('2026-11-21T03:00:09Z', ms(0), ms(4))
  expect(skew.ms).toBe(7_000)
  skew.measureTimestamp('2026-11-21T03:00:10Z', ms(5), ms(5))
  skew.measureTimestamp('2026-11-21T03:00:31Z', ms(6), ms(46))
  expect(skew.ms).toBe(5_000)
})

test.each([
  [-36 * 60, 0, -36 * 60],
  [0, -36 * 60, -36 * 60],
  [36 * 60, -60, 36 * 60],
  [0, 1, 1],
])(
  'Date off by %d s and meta.timestamp by %d s: the skew is %d s, the larger (P19)',
  (date, timestamp, larger) => {
    const at = ms(0)
    const skew = new ClockSkew()
    skew.measureTimestamp(new Date(at + timestamp * 1_000).toISOString(), at, at)
    skew.measureDate(new Date(at + date * 1_000).toUTCString(), '', at, at)
    expect(Math.round((skew.ms ?? 0) / 1_000 - 0.25)).toBe(larger)
  },
)
