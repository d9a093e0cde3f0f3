const iso =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?\s*(Z|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?$/i

/**
 * Milliseconds since the epoch of an ISO 8601 date or time, or null. A time without an offset is read in `timeZone`
 * (an IANA name); without that it is null.
 */
export function parseInstant(text: string, timeZone?: string): number | null {
  const match = iso.exec(text.trim())
  if (!match) return null
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '0', offset] = match
  const ms = Math.floor(Number(`0.${fraction}`) * 1000)
  const [y, mo, d, h, mi, s] = [Number(year), Number(month), Number(day), +hour, +minute, +second]
  const wall = Date.UTC(y, mo - 1, d, h, mi, s, ms)
  const date = new Date(wall)
  const isDay = date.getUTCFullYear() === y && date.getUTCMonth() === mo - 1 && date.getUTCDate() === d
  if (!isDay || date.getUTCHours() !== h || date.getUTCMinutes() !== mi || date.getUTCSeconds() !== s)
    return null
  if (offset) return wall - offsetMs(offset)
  if (timeZone === undefined) return null
  // Twice, because the offset may change between the guess and the result.
  const guess = wall - zoneOffsetMs(wall, timeZone)
  return wall - zoneOffsetMs(guess, timeZone)
}

/**
 * The instants when a clock in `timeZone` shows `wallMs` (local time as if it were UTC): usually one, two if a change
 * of clocks repeats the hour. A time that a change skips lies between its earlier and later reading.
 */
export function instantsOf(
  wallMs: number,
  timeZone: string,
): {readonly fromMs: number; readonly toMs: number} {
  const before = zoneOffsetMs(wallMs - 86_400_000, timeZone)
  const after = zoneOffsetMs(wallMs + 86_400_000, timeZone)
  const both = [wallMs - before, wallMs - after]
  const shown = both.filter((ms) => ms + zoneOffsetMs(ms, timeZone) === wallMs)
  const instants = shown.length > 0 ? shown : both
  return {fromMs: Math.min(...instants), toMs: Math.max(...instants)}
}

const spanUnitsMs: Readonly<Record<string, number>> = {d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000}

/** Milliseconds of a span, largest unit first: `60s`, `5m`, `7h21m`, `1d12h`. Null for anything else. */
export function parseSpan(text: string): number | null {
  const parts = /^(?=\d)(\d{1,6}d)?(\d{1,6}h)?(\d{1,6}m)?(\d{1,6}s)?$/.exec(text.trim())
  if (!parts) return null
  return parts
    .slice(1)
    .filter((part) => part !== undefined)
    .reduce((sum, part) => sum + Number(part.slice(0, -1)) * (spanUnitsMs[part.slice(-1)] ?? 0), 0)
}

/** An instant as ISO 8601 with the offset of `timeZone`: `2026-11-20T02:14:05+06:00`. */
export function formatInstant(ms: number, timeZone = 'UTC'): string {
  const shift = zoneOffsetMs(ms, timeZone)
  const wall = new Date(ms + shift).toISOString().replace(/\.\d+Z$/, '')
  const minutes = Math.abs(shift) / 60_000
  const pad = (n: number) => String(Math.floor(n)).padStart(2, '0')
  return `${wall}${shift < 0 ? '-' : '+'}${pad(minutes / 60)}:${pad(minutes % 60)}`
}

/** The same for people and logs: `2026-11-20 02:14:05`. */
export function formatSecond(ms: number, timeZone = 'UTC'): string {
  return formatInstant(ms, timeZone)
    .replace(/^\+0*/, '')
    .replace(/[+-]\d\d:\d\d$/, '')
    .replace('T', ' ')
}

/** `2026-11-20 02:14`. */
export function formatMinute(ms: number, timeZone = 'UTC'): string {
  return formatSecond(ms, timeZone).slice(0, -':05'.length)
}

/** The beginning of the calendar day of `ms` in `timeZone`. */
export function startOfDay(ms: number, timeZone: string): number {
  return parseInstant(formatInstant(ms, timeZone).slice(0, 10), timeZone) ?? ms
}

/** The beginning of the next day. Half a day more than a day, because a change of clocks makes some days longer. */
export function startOfNextDay(dayMs: number, timeZone: string): number {
  return startOfDay(dayMs + 36 * 3_600_000, timeZone)
}

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', {timeZone: name})
    return true
  } catch {
    return false
  }
}

const zoneFormats = new Map<string, Intl.DateTimeFormat>()
/** Offsets by the minute: a report shows many times of few minutes, and to ask for an offset is slow. */
const knownOffsets = new Map<string, number>()
const knownOffsetsMax = 10_000

function zoneOffsetMs(ms: number, timeZone: string): number {
  // Before 1973 a zone could change its offset within a minute.
  if (ms < 94_694_400_000) return askZoneOffsetMs(ms, timeZone)
  const key = `${timeZone} ${Math.floor(ms / 60_000)}`
  const known = knownOffsets.get(key)
  if (known !== undefined) return known
  const offset = askZoneOffsetMs(ms, timeZone)
  if (knownOffsets.size === knownOffsetsMax) knownOffsets.clear()
  knownOffsets.set(key, offset)
  return offset
}

function askZoneOffsetMs(ms: number, timeZone: string): number {
  let format = zoneFormats.get(timeZone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    zoneFormats.set(timeZone, format)
  }
  const part = Object.fromEntries(format.formatToParts(ms).map(({type, value}) => [type, Number(value)]))
  const {year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0} = part
  const wall = Date.UTC(year, month - 1, day, hour, minute, second)
  return wall - Math.floor(ms / 1000) * 1000
}

function offsetMs(offset: string): number {
  if (offset.toUpperCase() === 'Z') return 0
  const sign = offset.startsWith('-') ? -1 : 1
  const digits = offset.slice(1).replace(':', '')
  return sign * (Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2))) * 60_000
}

/** A duration for people: `45 s`, `3 min 20 s`, `2 h 5 min`. Started seconds count. */
export function spanText(seconds: number): string {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`
}
