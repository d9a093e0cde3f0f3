import type {ServiceClient} from '../api/client.ts'
import type {Delivery} from '../core/order.ts'
import {parseInstant} from '../core/time.ts'
import {type SweepFilter, sweepDeliveries} from './sweep.ts'

/** What the service cannot filter by: applied here, to what was read. */
export interface LocalFilter {
  /** Bounds of `created_at`, half-open; milliseconds since the epoch. */
  readonly sinceMs: number | null
  readonly untilMs: number | null
  readonly event: string | null
  readonly merchantOrderId: string | null
}

export interface Listing {
  readonly records: readonly Delivery[]
  readonly pagination: {
    readonly page: number
    readonly limit: number
    readonly total: number
    readonly total_pages: number
  }
  /** Whether `records` are all there are, and not one page or a list that moved while it was read (P9). */
  readonly complete: boolean
  readonly because: string | null
}

type Lister = Pick<ServiceClient, 'listDeliveries'>

/** One page as the service gives it. */
export async function listPage(
  client: Lister,
  filter: SweepFilter & {readonly page?: number; readonly limit?: number},
  local: LocalFilter,
): Promise<Listing> {
  const {records, page, limit, total, totalPages} = await client.listDeliveries(filter)
  const complete = page === 1 && totalPages <= 1 && records.length === total
  return {
    records: records.filter((record) => passes(record, local)),
    pagination: {page, limit, total, total_pages: totalPages},
    complete,
    because: complete ? null : `this is page ${page} of ${totalPages}; --all reads every page`,
  }
}

/** Every page, as one: `pagination` then counts what was read. */
export async function listAll(
  client: Lister,
  filter: SweepFilter,
  local: LocalFilter,
  ports: {readonly width: number; readonly onPage: (read: number, total: number) => void},
): Promise<Listing> {
  const {records, complete, because} = await sweepDeliveries(client, {filter, ...ports})
  return {
    records: records.filter((record) => passes(record, local)),
    pagination: {page: 1, limit: records.length, total: records.length, total_pages: 1},
    complete,
    because,
  }
}

/** Whether anything is asked that the service was not. */
export function isNarrowing({sinceMs, untilMs, event, merchantOrderId}: LocalFilter): boolean {
  return [sinceMs, untilMs, event, merchantOrderId].some((bound) => bound !== null)
}

export function passes(record: Delivery, {sinceMs, untilMs, event, merchantOrderId}: LocalFilter): boolean {
  if (event !== null && record.event !== event) return false
  if (merchantOrderId !== null && record.merchantOrderId !== merchantOrderId) return false
  const createdMs = parseInstant(record.createdAt) ?? 0
  return (sinceMs === null || createdMs >= sinceMs) && (untilMs === null || createdMs < untilMs)
}
