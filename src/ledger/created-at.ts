import {instantsOf} from '../core/time.ts'
import {dayMs, type WrittenTime} from './written-time.ts'

/** The first and the last instant that a cell can mean: a time covers its last written unit, a date its day. */
export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

const daysMax = 100_000

/**
 * The instants of written times in `timeZone`. If a change of clocks repeats an hour, the span goes from its first
 * instant to its last. The offset of each day is cached, because finding it takes most of a row's time.
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
    // No written time reaches from one day into the next.
    if (shift !== null) return {fromMs: wallMs - shift, toMs: lastMs - shift}
    return {fromMs: instantsOf(wallMs, timeZone).fromMs, toMs: instantsOf(lastMs, timeZone).toMs}
  }
}
