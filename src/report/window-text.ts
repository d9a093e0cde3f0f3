import type {WindowMeeting} from '../core/reconcile/run-windows.ts'
import {formatInstant} from '../core/time.ts'
import {counted} from './figures.ts'

/** The times before this window that no run covered, a sentence for each kind. */
export function windowNotes(meetings: readonly WindowMeeting[], timeZone: string): string[] {
  const time = (ms: number) => formatInstant(ms, timeZone)
  return meetings.flatMap(({kind, gaps}) => {
    const [first] = gaps
    const newest = gaps.at(-1)
    if (!first || !newest) return []
    const {length: others} = gaps.slice(1)
    const before =
      others === 0
        ? ''
        : `, and in ${counted(others, 'other period', 'other periods')} since ${time(first.fromMs)}`
    return `No run searched for missing ${kind}s from ${time(newest.fromMs)} to ${time(newest.toMs)}, between run ${newest.runId} and this one${before}. Add --since-last-run to search there.`
  })
}
