import type {ResendState} from '../core/reconcile/finding.ts'

/** Resends of a run by their end (contract §4.4). `sent` counts all that left this machine. */
export interface ResendCounts {
  readonly planned: number
  readonly sent: number
  readonly delivered: number
  readonly stillFailing: number
  readonly unknown: number
  readonly refused: number
  readonly skipped: number
}

export function countResends(planned: number, states: readonly ResendState[]): ResendCounts {
  const count = (...among: ResendState[]) => states.filter((state) => among.includes(state)).length
  return {
    planned,
    sent: count('sent', 'delivered', 'still_failing', 'unknown', 'refused'),
    delivered: count('delivered'),
    stillFailing: count('still_failing'),
    unknown: count('unknown'),
    refused: count('refused'),
    skipped: count('skipped'),
  }
}
