import {CLIError} from '@oclif/core/errors'
import * as Flags from '@oclif/core/flags'

import {Failure} from '../core/failure.ts'
import {escapeInvisible} from '../core/text.ts'
import {parseInstant, parseSpan} from '../core/time.ts'

/** A point in time as typed. Its meaning depends on a clock and a time zone. */
export interface WrittenInstant {
  readonly text: string
  /** Milliseconds since the epoch. Without an offset it is in `timeZone` (an IANA name). */
  resolve(timeZone: string, nowMs: number): number
}

/** An ISO 8601 date or time (`2026-11-20`, `2026-11-20T14:30`), or a span that long ago (`24h`, `7d`, `30m`). */
export const instantFlag = Flags.custom<WrittenInstant>({
  helpValue: 'TIME',
  parse: async (text) => readInstant(text),
})

/** `--since` is included, `--until` is not. */
export const windowFlags = {
  since: instantFlag({summary: 'From this time on: `2026-11-20`, `2026-11-20T14:30`, or `24h` ago.'}),
  until: instantFlag({summary: 'Up to, and without, this time; read like --since.'}),
}

/** The values of `windowFlags` in milliseconds, or null. Throws `Failure('usage')` for an empty window. */
export function resolveWindow(
  {since, until}: {readonly since?: WrittenInstant | undefined; readonly until?: WrittenInstant | undefined},
  timeZone: string,
): {readonly sinceMs: number | null; readonly untilMs: number | null} {
  const nowMs = Date.now()
  const sinceMs = since?.resolve(timeZone, nowMs) ?? null
  const untilMs = until?.resolve(timeZone, nowMs) ?? null
  if (since && until && (sinceMs ?? 0) >= (untilMs ?? 0)) {
    throw new Failure(
      'usage',
      `--since ${escapeInvisible(since.text, 40)} is not before --until ${escapeInvisible(until.text, 40)}.`,
      '--since is included, --until is not. One day is --since 2026-11-20 --until 2026-11-21.',
    )
  }
  return {sinceMs, untilMs}
}

/** Two times with a slash between them, the earlier first. */
export const outageFlag = Flags.custom<{readonly from: WrittenInstant; readonly to: WrittenInstant}>({
  helpValue: 'FROM/TO',
  parse: async (text) => {
    const [from = '', to, ...rest] = text.split('/')
    if (to !== undefined && rest.length === 0) return {from: readInstant(from), to: readInstant(to)}
    throw new CLIError(`"${escapeInvisible(text, 80)}" is not two times with a slash between them.`)
  },
})

/** A length of time in milliseconds: `60s`, `5m`, `7h21m`, `0s`. */
export const durationFlag = Flags.custom<number>({
  helpValue: 'TIME',
  parse: async (text) => {
    const ms = parseSpan(text)
    if (ms !== null) return ms
    throw new CLIError(`"${escapeInvisible(text, 40)}" is not a length of time. Write 30s, 5m or 1h.`)
  },
})

function readInstant(text: string): WrittenInstant {
  const agoMs = parseSpan(text)
  if (agoMs !== null) return {text, resolve: (_timeZone, nowMs) => nowMs - agoMs}
  if (parseInstant(text, 'UTC') === null) {
    throw new CLIError(
      `"${escapeInvisible(text, 40)}" is not a time. Write 2026-11-20, 2026-11-20T14:30, 2026-11-20T14:30+06:00, or 24h for that long ago.`,
    )
  }
  return {text, resolve: (timeZone) => parseInstant(text, timeZone) ?? Number.NaN}
}
