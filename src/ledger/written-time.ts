import {withAsciiDigits} from '../core/reconcile/corruption.ts'

/** A date or time of a cell: wall-clock time, and the length of its last written unit. */
export interface WrittenTime {
  /** The wall clock as if it were UTC. */
  readonly wallMs: number
  readonly lengthMs: number
  /** Null if none is written: the time is in the ledger's time zone. */
  readonly offsetMs: number | null
}

/** What a cell can mean. For digits with slashes only the whole column shows whether day or month comes first. */
export type TimeReading =
  | {readonly is: 'iso'; readonly time: WrittenTime; readonly day: number}
  | {readonly is: 'named'; readonly time: WrittenTime}
  | {readonly is: 'numeric'; readonly dayFirst: WrittenTime | null; readonly monthFirst: WrittenTime | null}

export const dayMs = 86_400_000
const hourMs = 3_600_000
const minuteMs = 60_000

const isoPattern =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/
const compact =
  /^(\d{4})(\d\d)(\d\d)(?:[t ]?(\d\d)(\d\d)(?:(\d\d)(?:[.,](\d{1,9}))?)?(z|[+-]\d\d(?::?\d\d)?)?)?$/

/** Seconds or milliseconds since 1970, for the years 2001 to 2033. */
const unixTime = /^(1\d{9})(?:(\d{3})|\.(\d{1,9}))?$/

const zone = '(z|(?:utc|gmt)?[+-]\\d\\d(?::?\\d\\d)?|(?:utc|gmt)(?:[+-]\\d)?)'
const clock = '(\\d{1,2})(?:[:.](\\d\\d)(?:[:.](\\d\\d)(?:[.,](\\d{1,9}))?)?)?'
/** After the date: ISO 8601 has a T between them, people write a blank, a comma or "at". */
const clockLast = new RegExp(`^(.+?)(?:t|,? at |,? )${clock} ?(am|pm)? ?${zone}?$`)
const clockFirst = new RegExp(`^${clock} ?(am|pm)?,? (.+)$`)

const clockAlone = new RegExp(`^${clock} ?(am|pm)? ?${zone}?$`)

const yearFirst = /^(\d{4})([-/.])(\d{1,2})\2(\d{1,2})$/
const numeric = /^(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d\d)$/
const named = /^(\d{1,2})(?:st|nd|rd|th)?[-/., ]*(?:of )?([\p{L}\p{M}]+)[-/., ]*(\d{4}|\d\d)$/u
const monthNamedFirst = /^([\p{L}\p{M}]+)[-/. ]*(\d{1,2})(?:st|nd|rd|th)?[-/., ]+(\d{4})$/u
const yearThenName = /^(\d{4})[- ]([\p{L}\p{M}]+)[- ](\d{1,2})$/u
const weekday =
  /^(?:(?:sun|mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?)(?:day)?|[\u0980-\u09ff]+বার)[., ]+/

/** English names may be cut to three letters or more; Bangla has all usual spellings. */
const monthNames: readonly (readonly string[])[] = [
  ['january', 'জানুয়ারি', 'জানুয়ারী'],
  ['february', 'ফেব্রুয়ারি', 'ফেব্রুয়ারী'],
  ['march', 'মার্চ'],
  ['april', 'এপ্রিল'],
  ['may', 'মে'],
  ['june', 'জুন'],
  ['july', 'জুলাই'],
  ['august', 'আগস্ট', 'আগষ্ট', 'অগাস্ট'],
  ['september', 'সেপ্টেম্বর'],
  ['october', 'অক্টোবর'],
  ['november', 'নভেম্বর'],
  ['december', 'ডিসেম্বর'],
].map((names) => names.map((name) => name.normalize('NFKC')))

type Clock = readonly (string | undefined)[]

/** Reads a time in any of the forms of docs/verdicts.md#the-window; null for anything else. */
export function readWritten(cell: string): TimeReading | null {
  const usual = readUsual(cell)
  if (usual) return usual
  const full = isoPattern.exec(cell)
  if (full) return iso(full)
  const text = tidy(cell)
  const counted = unixTime.exec(text)
  if (counted) return unix(counted)
  const packed = compact.exec(text)
  if (packed) return iso(packed)
  const last = clockLast.exec(text)
  if (last) {
    const [, date = '', hour, minute, second, fraction, half, offset] = last
    // A single number is an hour only with AM or PM, or after the T of ISO 8601.
    if (minute !== undefined || half !== undefined || text.startsWith(`${date}t`)) {
      return readDate(date, wallClock([hour, minute, second, fraction], half), offsetOf(offset))
    }
  }
  const first = clockFirst.exec(text)
  if (first) {
    const [, hour, minute, second, fraction, half, date = ''] = first
    if (minute !== undefined || half !== undefined) {
      const read = readDate(date, wallClock([hour, minute, second, fraction], half), null)
      if (read) return read
    }
  }
  return readDate(text, {atMs: 0, lengthMs: dayMs}, null)
}

/** Whether a cell is a date without a time of the day. */
export function isDateAlone(cell: string): boolean {
  const read = readWritten(cell)
  const time = read?.is === 'numeric' ? (read.dayFirst ?? read.monthFirst) : read?.time
  return time?.lengthMs === dayMs
}

/** Whether a cell is a time of the day without a date: `00:14`, `9 PM`. */
export function isClockAlone(cell: string): boolean {
  const [, hour, minute, second, fraction, half] = clockAlone.exec(tidy(cell)) ?? []
  return (minute ?? half) !== undefined && wallClock([hour, minute, second, fraction], half) !== null
}

/** Reads 2026-11-20 10:15:30 and 2026-11-20T10:15, which most programs write, without the cost of a pattern. */
function readUsual(cell: string): TimeReading | null {
  const {length} = cell
  if ((length !== 19 && length !== 16) || cell[4] !== '-' || cell[7] !== '-' || cell[13] !== ':') return null
  if ((cell[10] !== ' ' && cell[10] !== 'T') || (length === 19 && cell[16] !== ':')) return null
  const [year, month, day] = [
    twoDigits(cell, 0) * 100 + twoDigits(cell, 2),
    twoDigits(cell, 5),
    twoDigits(cell, 8),
  ]
  const [h, mi, s] = [twoDigits(cell, 11), twoDigits(cell, 14), length === 19 ? twoDigits(cell, 17) : 0]
  // Other characters give NaN, for which every comparison is false.
  if (!(year >= 1970 && month >= 1 && month <= 12 && day >= 1 && day <= 28 && h <= 23 && mi <= 59 && s <= 59))
    return null
  const wallMs = Date.UTC(year, month - 1, day, h, mi, s)
  return {is: 'iso', time: {wallMs, lengthMs: length === 19 ? 1000 : minuteMs, offsetMs: null}, day}
}

function twoDigits(text: string, at: number): number {
  const [tens, ones] = [text.charCodeAt(at) - 48, text.charCodeAt(at + 1) - 48]
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}

function iso([, year = '', month = '', day = '', ...rest]: RegExpExecArray): TimeReading | null {
  const offset = rest[4]
  const clockRead = rest[0] === undefined ? {atMs: 0, lengthMs: dayMs} : wallClock(rest, undefined)
  const time = timeOf(Number(year), Number(month), Number(day), clockRead, offsetOf(offset))
  return time && {is: 'iso', time, day: Number(day)}
}

function unix([, seconds = '', thousandths, fraction]: RegExpExecArray): TimeReading {
  const wallMs = Number(seconds + (thousandths ?? fraction ?? '').slice(0, 3).padEnd(3, '0'))
  const lengthMs = thousandths === undefined && fraction === undefined ? 1000 : 1
  return {is: 'named', time: {wallMs, lengthMs, offsetMs: 0}}
}

interface WallClock {
  readonly atMs: number
  readonly lengthMs: number
}

function wallClock([hour = '', minute, second, fraction]: Clock, half: string | undefined): WallClock | null {
  const [h, mi, s] = [Number(hour), Number(minute ?? 0), Number(second ?? 0)]
  if (half !== undefined && (h < 1 || h > 12)) return null
  // ISO 8601 allows 24:00 as the end of a day, and a leap second.
  if (mi > 59 || s > 60 || h > 24 || (h === 24 && mi + s > 0)) return null
  const hours = half === undefined ? h : (h % 12) + (half === 'pm' ? 12 : 0)
  const atMs = hours * hourMs + mi * minuteMs + Math.min(s, 59) * 1000
  if (fraction !== undefined) {
    const places = Math.min(fraction.length, 3)
    return {atMs: atMs + Number(fraction.slice(0, 3).padEnd(3, '0')), lengthMs: 10 ** (3 - places)}
  }
  return {atMs, lengthMs: second !== undefined ? 1000 : minute !== undefined ? minuteMs : hourMs}
}

function readDate(text: string, at: WallClock | null, offsetMs: number | null): TimeReading | null {
  if (at === null) return null
  const date = text.replace(weekday, '')
  const on = (year: string, month: number | null, day: string): WrittenTime | null =>
    month === null ? null : timeOf(yearOf(year), month, Number(day), at, offsetMs)
  const byYear = yearFirst.exec(date)
  if (byYear) {
    const [, year = '', , month, day = ''] = byYear
    const time = on(year, Number(month), day)
    return time && {is: 'iso', time, day: Number(day)}
  }
  const byNumber = numeric.exec(date)
  if (byNumber) {
    const [, first = '', , second = '', year = ''] = byNumber
    // 26-11-18 may begin with the year.
    if (year.length === 2) return null
    const [dayFirst, monthFirst] = [on(year, Number(second), first), on(year, Number(first), second)]
    return dayFirst || monthFirst ? {is: 'numeric', dayFirst, monthFirst} : null
  }
  const [day = '', name = '', year = ''] = named.exec(date)?.slice(1) ?? nameBetween(date)
  const time = on(year, monthOf(name), day)
  return time && {is: 'named', time}
}

function nameBetween(date: string): readonly string[] {
  const first = monthNamedFirst.exec(date)
  if (first) return [first[2] ?? '', first[1] ?? '', first[3] ?? '']
  const year = yearThenName.exec(date)
  return year ? [year[3] ?? '', year[2] ?? '', year[1] ?? ''] : []
}

function monthOf(word: string): number | null {
  const isIt = (name: string) => (/^[a-z]{3,}$/.test(word) ? name.startsWith(word) : name === word)
  const at = monthNames.findIndex((names) => names.some(isIt))
  return at === -1 ? null : at + 1
}

function yearOf(text: string): number {
  return Number(text.length === 2 ? `20${text}` : text)
}

function timeOf(
  year: number,
  month: number,
  day: number,
  at: WallClock | null,
  offsetMs: number | null,
): WrittenTime | null {
  if (at === null || Number.isNaN(offsetMs) || year < 1970 || month < 1 || month > 12 || day < 1) return null
  if (day > 28 && day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return null
  return {wallMs: Date.UTC(year, month - 1, day) + at.atMs, lengthMs: at.lengthMs, offsetMs}
}

/** NaN for an impossible offset. */
function offsetOf(text: string | undefined): number | null {
  if (text === undefined) return null
  const [, sign, hours, minutes = '0'] = /([+-])(\d\d?)(?::?(\d\d))?$/.exec(text) ?? []
  if (hours === undefined) return 0
  if (Number(hours) > 23 || Number(minutes) > 59) return Number.NaN
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * minuteMs
}

/** Normalises digits, blanks and letters, and removes what programs add after a time for people. */
function tidy(cell: string): string {
  return withAsciiDigits(cell.normalize('NFKC'))
    .replace(/\p{Cf}/gu, '')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/ ?[[(][^\])]*[\])]$/, '')
    .replace(/(\d ?)(?:a\.m\.?|এএম|পূর্বাহ্[ণন])/, '$1am')
    .replace(/(\d ?)(?:p\.m\.?|পিএম|অপরাহ্[ণন])/, '$1pm')
}
