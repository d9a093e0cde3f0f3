/** If the clocks differ by more, nothing is resent because of a time (P19). */
export const skewMaxMs = 2 * 60_000

/** The time here, and how far the service's clock was ahead at the last measurement, or null. */
export interface MeasuredTime {
  readonly nowMs: number
  readonly skewMs: number | null
}

/** Whether the clocks differ so much that no time may decide anything (P19). */
export function isClockOff(skewMs: number | null): skewMs is number {
  return skewMs !== null && Math.abs(skewMs) > skewMaxMs
}

/** Why a time of the service decides nothing, as a clause, or null. */
export function whyNoTimeDecides(skewMs: number | null): string | null {
  if (skewMs === null) return "the service's clock could not be read"
  if (!isClockOff(skewMs)) return null
  const side = skewMs > 0 ? 'ahead of' : 'behind'
  return `the service's clock is ${Math.round(Math.abs(skewMs) / 60_000)} min ${side} this machine's`
}

/** The earlier time of the two clocks, where they differ: what must be over is over by both. */
export function earliestNow({nowMs, skewMs}: MeasuredTime): number {
  return nowMs + Math.min(0, isClockOff(skewMs) ? skewMs : 0)
}

/** The later time of the two clocks, where they differ. */
export function latestNow({nowMs, skewMs}: MeasuredTime): number {
  return nowMs + Math.max(0, isClockOff(skewMs) ? skewMs : 0)
}
