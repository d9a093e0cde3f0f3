import {instantsOf} from '../core/time.ts'
import {dayMs, type WrittenTime} from './written-time.ts'

/** The first and the last instant a cell can mean: a time covers its last written place, a date its day. */
export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

const daysMax = 100_000

/**
 * Where written times stand in `timeZone`. An hour that a change of clocks repeats is from its first instant to its
 * last. The shift of each day is remembered: finding it is by far the dearest part of a row.
 */
export function spanFinder(timeZone: string): (time: WrittenTime) => Span {
  const shiftOfDay = new Map<number, number | null>()
  const shiftOn = (wallMs: number): number | null => {
    const day = Math.floor(wallMs / dayMs)
    let shift = shiftOfDay.get(day)
    if (shift === undefined) {
      const [first, last] = [instantsOf(day * dayMs, timeZone), instantsOf(day * dayMs + dayMs - 1, timeZone)]
      const shiftMs = day * dayMs - first.fromMs
      const isSteady = first.fromMs === first.toMs && last.fromMs === last.toMs
      shift = isSteady && last.fromMs === day * dayMs + dayMs - 1 - shiftMs ? shiftMs : null
      if (shiftOfDay.size >= daysMax) shiftOfDay.clear()
      shiftOfDay.set(day, shift)
    }
    return shift
  }
  return ({wallMs, lengthMs, offsetMs}) => {
    const lastMs = wallMs + lengthMs - 1
    const shift = offsetMs ?? shiftOn(wallMs)
    // No time that is written reaches from one day into the next.
    if (shift !== null) return {fromMs: wallMs - shift, toMs: lastMs - shift}
    return {fromMs: instantsOf(wallMs, timeZone).fromMs, toMs: instantsOf(lastMs, timeZone).toMs}
  }
}
