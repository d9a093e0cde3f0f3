import fc from 'fast-check'
import {describe, expect, test} from 'vitest'

import {
  formatInstant,
  instantsOf,
  isTimeZone,
  parseInstant,
  parseSpan,
  spanText,
  startOfDay,
  startOfNextDay,
} from '../../src/core/time.ts'
import {check} from '../fuzz/cases.ts'

const dhaka = 'Asia/Dhaka'
const utc = (text: string) => Date.parse(text)

describe('instants read', () => {
  test.each([
    ['2026-11-20T02:14:05Z', undefined, '2026-11-20T02:14:05Z'],
    ['2026-11-20T02:14:05.678Z', undefined, '2026-11-20T02:14:05.678Z'],
    ['2026-11-20T02:14:05.6789999Z', undefined, '2026-11-20T02:14:05.678Z'],
    ['2026-11-20t02:14z', undefined, '2026-11-20T02:14:00Z'],
    ['2026-11-20 02:14:05 +06:00', undefined, '2026-11-19T20:14:05Z'],
    ['2026-11-20T02:14:05+0600', undefined, '2026-11-19T20:14:05Z'],
    ['2026-11-20T02:14:05-00:30', undefined, '2026-11-20T02:44:05Z'],
    ['2026-11-20 02:14:05', dhaka, '2026-11-19T20:14:05Z'],
    ['2026-11-20', dhaka, '2026-11-19T18:00:00Z'],
    [' 2026-11-20T00:00:00Z ', undefined, '2026-11-20T00:00:00Z'],
    ['2024-02-29', 'UTC', '2024-02-29T00:00:00Z'],
    ['2026-07-01 12:00', 'America/New_York', '2026-07-01T16:00:00Z'],
    ['2026-01-01 12:00', 'America/New_York', '2026-01-01T17:00:00Z'],
    ['2026-11-01 00:30', 'America/New_York', '2026-11-01T04:30:00Z'],
    ['2026-11-01 03:00', 'America/New_York', '2026-11-01T08:00:00Z'],
    ['2009-12-31 22:30', dhaka, '2009-12-31T15:30:00Z'],
  ])('%s in %s is %s', (text, zone, instant) => {
    expect(parseInstant(text, zone)).toBe(utc(instant))
  })

  test.each([
    '',
    '20/11/2026',
    '2026-13-01',
    '2026-00-10',
    '2025-02-29',
    '2026-11-31',
    '2026-11-20T24:00:00Z',
    '2026-11-20T23:60:00Z',
    '2026-11-20T23:59:60Z',
    '2026-11-20T02:14:05+99:00',
    '2026-11-20T02:14:05+06:75',
    '2026-1-2',
    '1761234567',
    '2026-11-20T02:14:05Zulu',
    '0000-00-00 00:00:00',
  ])('%j is no instant', (text) => {
    expect(parseInstant(text, 'UTC')).toBeNull()
  })

  test('a time without an offset is not read where no zone is known', () => {
    expect(parseInstant('2026-11-20 02:14:05')).toBeNull()
    expect(parseInstant('2026-11-20')).toBeNull()
  })
})

describe('instants written', () => {
  test.each([
    ['2026-11-19T20:14:05Z', dhaka, '2026-11-20T02:14:05+06:00'],
    ['2026-11-19T20:14:05Z', 'UTC', '2026-11-19T20:14:05+00:00'],
    ['2026-07-01T16:00:00Z', 'America/New_York', '2026-07-01T12:00:00-04:00'],
    ['2026-07-01T16:00:00Z', 'Asia/Kolkata', '2026-07-01T21:30:00+05:30'],
    ['2026-07-01T16:00:00Z', 'America/St_Johns', '2026-07-01T13:30:00-02:30'],
  ])('%s in %s is %s', (instant, zone, text) => {
    expect(formatInstant(utc(instant), zone)).toBe(text)
  })

  test('what is written is read as the same second, in any zone', () => {
    const zones = fc.constantFrom(
      'UTC',
      dhaka,
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
      'Pacific/Apia',
    )
    const seconds = fc.integer({min: 946_684_800, max: 4_102_444_800})
    check(
      fc.property(seconds, zones, (second, zone) => {
        expect(parseInstant(formatInstant(second * 1000, zone))).toBe(second * 1000)
      }),
    )
  })
})

test.each([
  ['Asia/Dhaka', true],
  ['UTC', true],
  ['Dhaka', false],
  ['', false],
])('%j as a time zone: %s', (name, isOne) => {
  expect(isTimeZone(name)).toBe(isOne)
})

test.each([
  [44.2, '45 s'],
  [59.5, '1 min 0 s'],
  [3_599, '59 min 59 s'],
  [3_600, '1 h 0 min'],
  [7_500, '2 h 5 min'],
])('%d s last %s', (seconds, text) => {
  expect(spanText(seconds)).toBe(text)
})

test.each([
  ['60s', 60_000],
  [' 5m ', 300_000],
  ['7h21m', 26_460_000],
  ['1d12h', 129_600_000],
  ['1d2h3m4s', 93_784_000],
  ['0s', 0],
  ['999999s', 999_999_000],
  ['1000000s', null],
  ['1h1d', null],
  ['1h1h', null],
  ['h', null],
  ['5', null],
  ['-5m', null],
  ['5 m', null],
  ['', null],
])('the length "%s" is %s ms', (text, ms) => {
  expect(parseSpan(text)).toBe(ms)
})

const newYork = 'America/New_York'
const wall = (text: string) => Date.parse(`${text}Z`)
test.each([
  ['2026-07-01T12:00:00', newYork, '2026-07-01T16:00:00', '2026-07-01T16:00:00'],
  ['2026-11-01T01:30:00', newYork, '2026-11-01T05:30:00', '2026-11-01T06:30:00'],
  ['2026-03-08T02:30:00', newYork, '2026-03-08T06:30:00', '2026-03-08T07:30:00'],
  ['2026-07-01T12:00:00', dhaka, '2026-07-01T06:00:00', '2026-07-01T06:00:00'],
])('a clock shows %s in %s from %s to %s', (shown, zone, from, to) => {
  expect(instantsOf(wall(shown), zone)).toEqual({fromMs: wall(from), toMs: wall(to)})
})

test.each([
  ['2026-11-01T12:00:00Z', newYork, '2026-11-01T04:00:00Z', '2026-11-02T05:00:00Z'],
  ['2026-03-08T12:00:00Z', newYork, '2026-03-08T05:00:00Z', '2026-03-09T04:00:00Z'],
  ['2026-11-20T20:00:00Z', dhaka, '2026-11-20T18:00:00Z', '2026-11-21T18:00:00Z'],
  ['2026-11-20T17:59:59Z', dhaka, '2026-11-19T18:00:00Z', '2026-11-20T18:00:00Z'],
])('the day of %s in %s is from %s to %s', (instant, zone, from, to) => {
  const day = startOfDay(utc(instant), zone)
  expect([day, startOfNextDay(day, zone)]).toEqual([utc(from), utc(to)])
})
