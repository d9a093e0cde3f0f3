import {parseInstant} from '../core/time.ts'

/** The first and the last instant a `created_at` cell can mean: a date alone is its whole day. */
export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

const dateAlone = /^(\d{4}-\d\d-\d\d)(Z|[+-]\d\d:?\d\d)?$/i
const toTheMinute = /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d)(?::([0-5]\d))?$/
const dayMs = 86_400_000
const minutesMax = 100_000

/** A reader of `created_at` cells; what has no offset is in `timeZone`. Null for what is not ISO 8601. */
export function createdAtReader(timeZone: string): (text: string) => Span | null {
  const read = zonedReader(timeZone)
  return (text) => {
    const fromMs = read(text)
    if (fromMs === null) return null
    const day = dateAlone.exec(text.trim())
    if (!day) return {fromMs, toMs: fromMs}
    const [, date = '', offset = ''] = day
    const next = new Date(Date.parse(date) + dayMs).toISOString().slice(0, 10)
    return {fromMs, toMs: (read(`${next}${offset}`) ?? fromMs + dayMs) - 1}
  }
}

/**
 * `parseInstant`, remembering each minute it was asked for: finding the shift of a zone is by far the dearest
 * part of a row, and a day has 1,440 minutes however many orders it has.
 */
function zonedReader(timeZone: string): (text: string) => number | null {
  const msOfMinute = new Map<string, number | null>()
  return (text) => {
    const [, minute, second = '0'] = toTheMinute.exec(text.trim()) ?? []
    if (minute === undefined) return parseInstant(text, timeZone)
    let minuteStartMs = msOfMinute.get(minute)
    if (minuteStartMs === undefined) {
      minuteStartMs = parseInstant(minute, timeZone)
      if (msOfMinute.size >= minutesMax) msOfMinute.clear()
      msOfMinute.set(minute, minuteStartMs)
    }
    return minuteStartMs === null ? null : minuteStartMs + Number(second) * 1000
  }
}
