import {expect, test} from 'vitest'

import {ClockSkew, describeSkew} from '../../src/api/clock-skew.ts'

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

test('the same Date once more is not measured again, and of two equal skews the timestamp’s counts', () => {
  const skew = new ClockSkew()
  skew.measureDate(at(0), '', ms(10) + 500, ms(10) + 500)
  skew.measureDate(at(0), '', ms(12) + 500, ms(12) + 500)
  expect(skew.ms).toBe(-10_000)
  skew.measureTimestamp(new Date(ms(20)).toISOString(), ms(10), ms(10))
  expect(skew.ms).toBe(10_000)
})

test.each([
  [null, ''],
  [0, ''],
  [30_000, ''],
  [-30_000, ''],
  [30_500, " The service's clock is 31 s ahead of this machine's."],
  [-90_000, " The service's clock is 90 s behind this machine's."],
])('%s ms off: what is said beside a rejected signature', (ms, sentence) => {
  expect(describeSkew(ms)).toBe(sentence)
})

test.each<[what: string, age: string, isMeasured: boolean]>([
  ['says no age', '', true],
  ['was never kept', '0', true],
  ['was kept for 4 s by a cache', '4', false],
])('a Date of an answer that %s', (_, age, isMeasured) => {
  const skew = new ClockSkew()
  skew.measureDate(at(9), age, ms(0), ms(0))
  expect(skew.ms).toBe(isMeasured ? 9_500 : null)
})

test('an answer of a second is a quick one, and a Date two seconds from the timestamp tells the same time', () => {
  const skew = new ClockSkew()
  skew.measureTimestamp(new Date(ms(1)).toISOString(), ms(0), ms(0))
  skew.measureTimestamp(new Date(ms(2) + 500).toISOString(), ms(0), ms(1))
  expect(skew.ms).toBe(2_000)
  skew.measureDate(at(4), '', ms(0), ms(1))
  expect(skew.ms).toBe(2_000)
  skew.measureDate(at(5), '', ms(0), ms(1))
  expect(skew.ms).toBe(5_000)
})
