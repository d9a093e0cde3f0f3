import type {Delivery} from '../order.ts'
import {parseInstant} from '../time.ts'

export const listDirections = ['newest_first', 'oldest_first'] as const
export type ListDirection = (typeof listDirections)[number]

/**
 * What is proven about the list of delivery records (A10 is never assumed): all `records` were read, sorted this way
 * by `created_at`, and `newestId` was at its new end.
 */
export interface ListMark {
  readonly direction: ListDirection
  readonly records: number
  readonly newestId: string
  readonly runId: string
}

/** Checks during a reading whether the records are sorted by `created_at`. */
export class ListObserver {
  count = 0
  private first: Seen | null = null
  private last: Seen | null = null
  private isFalling = true
  private isRising = true

  see({id, createdAt}: {readonly id: string; readonly createdAt: string | null}): void {
    // A record with an unreadable time still has a position.
    const seen = {id, ms: parseInstant(createdAt ?? '') ?? this.last?.ms ?? Number.NaN}
    if (this.last) {
      // An unreadable time has no order.
      this.isFalling &&= seen.ms <= this.last.ms
      this.isRising &&= seen.ms >= this.last.ms
    }
    this.first ??= seen
    this.last = seen
    this.count += 1
  }

  /** What is proven so far; null if the list is not sorted or too short to tell. */
  mark(runId: string): ListMark | null {
    const {first, last, count: records} = this
    if (!first || !last || first.ms === last.ms) return null
    if (this.isFalling) return {direction: 'newest_first', records, newestId: first.id, runId}
    return this.isRising ? {direction: 'oldest_first', records, newestId: last.id, runId} : null
  }
}

/** Position key of a record, parsed once: parsing the times of a million records is slow. */
interface Seen {
  readonly id: string
  readonly ms: number
}

/** Whether no record is newer than the one before it. */
export function isFromNewest(records: readonly Delivery[]): boolean {
  const times = records.map(createdMs)
  return times.every((ms, index) => index === 0 || ms <= (times[index - 1] ?? ms))
}

export function createdMs({createdAt}: Delivery): number {
  return parseInstant(createdAt) ?? Number.NaN
}
