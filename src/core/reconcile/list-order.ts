import type {Delivery} from '../order.ts'
import {parseInstant} from '../time.ts'

export const listDirections = ['newest_first', 'oldest_first'] as const
export type ListDirection = (typeof listDirections)[number]

/**
 * What is proven of the list of delivery records (A10 is never assumed): at one time all `records` of it were read and
 * stood in this order by `created_at`, and `newestId` stood at its new end.
 */
export interface ListMark {
  readonly direction: ListDirection
  readonly records: number
  readonly newestId: string
  readonly runId: string
}

/** The order these records stand in by `created_at`, or null: none, or too few to tell. */
export function observeDirection(records: readonly Delivery[]): ListDirection | null {
  const first = records[0]
  const last = records.at(-1)
  if (!first || !last || createdMs(first) === createdMs(last)) return null
  const direction = createdMs(first) > createdMs(last) ? 'newest_first' : 'oldest_first'
  return isFromNewest(direction === 'newest_first' ? records : records.toReversed()) ? direction : null
}

/** Whether no record is newer than the one before it. */
export function isFromNewest(records: readonly Delivery[]): boolean {
  return records.every((record, index) => {
    const before = records[index - 1]
    return !before || createdMs(record) <= createdMs(before)
  })
}

export function createdMs({createdAt}: Delivery): number {
  return parseInstant(createdAt) ?? Number.NaN
}
