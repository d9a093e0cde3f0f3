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

/** Watches a list pass, from its beginning to its end, for the order its records stand in by `created_at`. */
export class ListObserver {
  count = 0
  private first: Delivery | null = null
  private last: Delivery | null = null
  private isFalling = true
  private isRising = true

  see(record: Delivery): void {
    if (this.last) {
      // A time that cannot be read is in no order.
      this.isFalling &&= createdMs(record) <= createdMs(this.last)
      this.isRising &&= createdMs(record) >= createdMs(this.last)
    }
    this.first ??= record
    this.last = record
    this.count += 1
  }

  /** What is proven of the list by now, or null: it is in no order, or has too few records to tell. */
  mark(runId: string): ListMark | null {
    const {first, last, count: records} = this
    if (!first || !last || createdMs(first) === createdMs(last)) return null
    if (this.isFalling) return {direction: 'newest_first', records, newestId: first.id, runId}
    return this.isRising ? {direction: 'oldest_first', records, newestId: last.id, runId} : null
  }
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
