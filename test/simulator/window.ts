import type {Dice} from './dice.ts'
import type {WrittenLedger} from './ledger-file.ts'
import type {World} from './world.ts'

const minuteMs = 60_000
const dayMs = 1_440 * minuteMs

/** `--since` and `--until` as a person gave them; null where not. */
export interface Bounds {
  readonly sinceMs: number | null
  readonly untilMs: number | null
}

/** How a person may bound a night, and how often. `the day` is a whole one, `hours` begin and end with a record. */
const shapes = {
  'neither --since nor --until': 56,
  'the day': 10,
  hours: 16,
  '--since alone': 7,
  '--until alone': 7,
  'bounds the wrong way round': 4,
} as const
export const windowShapes = Object.keys(shapes) as readonly (keyof typeof shapes)[]

/** What a person says of the time the ledger covers. Bounds are often the very moment of some record. */
export function boundsFrom(dice: Dice, world: World): Bounds & {readonly shape: keyof typeof shapes} {
  const {nowMs, records, pageSize} = world
  // Only of a long list is a part read, and only where the window is short.
  const isShort = records.length > 4 * pageSize && dice.chance(0.6)
  const shape = isShort ? dice.pick(['hours', '--since alone'] as const) : dice.weighted(shapes)
  const newestFirst = records.toSorted((a, b) => b.createdMs - a.createdMs)
  const moment = () => {
    const some = isShort ? newestFirst.slice(0, dice.pick([2, 4, 40])) : records
    const record = dice.chance(0.7) ? dice.pick(some) : undefined
    // As a record's time is told: to the millisecond.
    return Math.floor(record?.createdMs ?? nowMs - dice.int(-minuteMs, isShort ? dayMs / 12 : dayMs))
  }
  const [one, other] = [moment(), moment()]
  const [sinceMs, untilMs] = [Math.min(one, other), Math.max(one, other)]
  switch (shape) {
    case 'neither --since nor --until':
      return {shape, sinceMs: null, untilMs: null}
    case 'the day':
      return {shape, sinceMs: nowMs - dice.int(1, 3) * dayMs, untilMs: nowMs + dice.int(0, 1) * dayMs}
    case 'hours':
      return {shape, sinceMs, untilMs}
    case '--since alone':
      return {shape, sinceMs: one, untilMs: null}
    case '--until alone':
      return {shape, sinceMs: null, untilMs: one}
    case 'bounds the wrong way round':
      return {shape, sinceMs: untilMs + dice.int(0, minuteMs), untilMs: sinceMs}
  }
}

/** A span of time, its end not in it; an end that nobody gave is infinite. */
export interface Span {
  readonly fromMs: number
  readonly beforeMs: number
}

/**
 * In which time an order that no row names is missing, by the contract (§4) and docs/verdicts.md ("The window"): the
 * person's bounds, `--until` not in it, `--since` alone up to now, `--until` alone from the ledger's first row; without
 * either the ledger's first to last `created_at`, the last second whole. Null: no such time is known, and the verdict is not given.
 */
export function expectWindow({hasTimes, rows}: WrittenLedger, {sinceMs, untilMs}: Bounds): Span | null {
  // A row has its time to the second.
  const times = hasTimes ? rows.map(({createdMs}) => Math.floor(createdMs / 1_000) * 1_000) : []
  if (sinceMs === null && untilMs === null && times.length === 0) return null
  const fromMs = sinceMs ?? (times.length > 0 ? Math.min(...times) : Number.NEGATIVE_INFINITY)
  const lastMs = sinceMs === null && times.length > 0 ? Math.max(...times) : Number.POSITIVE_INFINITY
  const beforeMs = untilMs ?? lastMs + 1_000
  return fromMs < beforeMs ? {fromMs, beforeMs} : null
}

export function isInside(ms: number, {fromMs, beforeMs}: Span): boolean {
  return ms >= fromMs && ms < beforeMs
}
