import {parseInstant} from '../core/time.ts'

/** The first and the last instant a `created_at` cell can mean: a date alone is its whole day. */
export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

const dateAlone = /^(\d{4}-\d\d-\d\d)(Z|[+-]\d\d:?\d\d)?$/i
const dayMs = 86_400_000
const minuteMs = 60_000
const shiftsMax = 100_000

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
 * `parseInstant`, remembering the zone's shift of each minute: asking for it is by far the dearest part of a
 * row, and a day has 1,440 minutes however many orders it has.
 */
function zonedReader(timeZone: string): (text: string) => number | null {
  const shiftMsOfMinute = new Map<number, number>()
  return (text) => {
    const wallMs = parseInstant(`${text.trim()}Z`)
    if (wallMs === null) return parseInstant(text, timeZone)
    const minute = Math.floor(wallMs / minuteMs)
    const known = shiftMsOfMinute.get(minute)
    if (known !== undefined) return wallMs - known
    const instantMs = parseInstant(text, timeZone)
    if (instantMs === null) return null
    if (shiftMsOfMinute.size >= shiftsMax) shiftMsOfMinute.clear()
    shiftMsOfMinute.set(minute, wallMs - instantMs)
    return instantMs
  }
}
