import type {WindowMeeting} from '../core/reconcile/run-windows.ts'
import {formatInstant} from '../core/time.ts'

/** What lies between the windows of the last run and of this one, a sentence for each kind. */
export function windowNotes(meetings: readonly WindowMeeting[], timeZone: string): string[] {
  const time = (ms: number) => formatInstant(ms, timeZone)
  return meetings.flatMap(({kind, last, between}) =>
    last === null || between === null
      ? []
      : `No run looked for missing ${kind}s from ${time(between.fromMs)} to ${time(between.toMs)}, between run ${last.runId} and this one. Give --since-last-run to look there too.`,
  )
}
