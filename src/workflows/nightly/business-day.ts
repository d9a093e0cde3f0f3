import {Failure} from '../../core/failure.ts'
import {escapeInvisible} from '../../core/text.ts'
import {formatInstant, formatMinute, parseInstant, startOfDay, startOfNextDay} from '../../core/time.ts'

/** The business day of a nightly job: a calendar day in the ledger's time zone. */
export interface BusinessDay {
  /** `2026-11-21`. */
  readonly date: string
  readonly fromMs: number
  /** Its end, exclusive. */
  readonly toMs: number
  readonly timeZone: string
  /** Which day it is and why, in a sentence. */
  readonly why: string
}

/** The last day that ended, or the given one. Throws `usage` for a day that is not over, whose ledger is incomplete. */
export function businessDay(asked: string | undefined, nowMs: number, timeZone: string): BusinessDay {
  const todayMs = startOfDay(nowMs, timeZone)
  const fromMs = asked === undefined ? startOfDay(todayMs - 1, timeZone) : dateMs(asked, timeZone)
  const toMs = startOfNextDay(fromMs, timeZone)
  const date = formatInstant(fromMs, timeZone).slice(0, 10)
  const clock = `${formatMinute(nowMs, timeZone)} in ${timeZone}`
  if (toMs > nowMs) {
    throw new Failure(
      'usage',
      `${date} is not over: it is ${clock}. Nothing was sent.`,
      'Leave --day out for the day that ended last, or name an earlier one.',
    )
  }
  const why =
    asked === undefined ? `the day that ended last. It is ${clock}` : `the day of --day. It is ${clock}`
  return {date, fromMs, toMs, timeZone, why}
}

function dateMs(text: string, timeZone: string): number {
  const ms = /^\d{4}-\d\d-\d\d$/.test(text) ? parseInstant(text, timeZone) : null
  if (ms !== null) return ms
  throw new Failure('usage', `--day ${escapeInvisible(text, 40)} is not a date.`, 'Write it like 2026-11-21.')
}

/**
 * The end of a nightly job's tries, at a time on the day after the business day. A job that starts later tries once.
 * Throws `usage`.
 */
export function windowEnd(text: string, {toMs, timeZone}: BusinessDay): number {
  const ms = /^\d\d:\d\d$/.test(text)
    ? parseInstant(`${formatInstant(toMs, timeZone).slice(0, 10)}T${text}`, timeZone)
    : null
  if (ms !== null) return ms
  throw new Failure(
    'usage',
    `--until ${escapeInvisible(text, 40)} is not a time of the day.`,
    'Write it like 05:00.',
  )
}

/** The path of a day's ledger: `{date}` is 2026-11-21, `{yyyy}`, `{mm}` and `{dd}` are its parts. Throws `usage`. */
export function pathOfDay(pattern: string, {date}: Pick<BusinessDay, 'date'>): string {
  const [yyyy = '', mm = '', dd = ''] = date.split('-')
  const parts: Readonly<Record<string, string>> = {date, yyyy, mm, dd}
  return pattern.replaceAll(/\{(\w*)\}/g, (_, name: string) => {
    const part = parts[name]
    if (part !== undefined) return part
    throw new Failure(
      'usage',
      `--ledger ${escapeInvisible(pattern, 120)}: {${escapeInvisible(name, 20)}} is no part of a date.`,
      'Write {date} for 2026-11-21, or {yyyy}, {mm} and {dd}. A * matches any text in the file name.',
    )
  })
}
