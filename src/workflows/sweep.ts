import type {DeliveryPage, ServiceClient} from '../api/client.ts'
import {Failure, isStop} from '../core/failure.ts'
import {type Delivery, type DeliveryStatus, legacyPageLimitMax} from '../core/order.ts'
import {forEachBounded} from './bounded.ts'

/** At most this often is the list read again because something moved while it was read (P9). */
const sweepsMax = 4

/** More pages than this are not a list but a fault: a hundred million records (P17). */
const pagesMax = 1_000_000

export interface SweepFilter {
  readonly status?: DeliveryStatus
  readonly orderId?: string
}

export interface SweepOptions {
  readonly filter: SweepFilter
  /** Calls under way at once; the client may hold them back. */
  readonly width: number
  readonly onPage?: (read: number, total: number) => void
  /** The first page, where somebody has read it already. */
  readonly firstPage?: DeliveryPage
}

/** A list read to its end, or what could be read of it. Only `complete` proves an absence (P9). */
export interface Sweep {
  readonly records: readonly Delivery[]
  readonly complete: boolean
  /** Why it is not complete; null when it is. */
  readonly because: string | null
}

type Lister = Pick<ServiceClient, 'listDeliveries'>

/**
 * Reads every page of the delivery records. The order of the list is unknown (A10), so a record that arrives
 * while we read can push another one over a page's edge unseen: unless ids are unique, their number is the
 * stated total, and that total stood still, the whole list is read again.
 *
 * Throws only where nothing could be read at all.
 */
export async function sweepDeliveries(client: Lister, options: SweepOptions): Promise<Sweep> {
  let last: Sweep | null = null
  let firstPage = options.firstPage
  for (let sweep = 0; sweep < sweepsMax; sweep++) {
    try {
      last = await sweepOnce(client, options, firstPage)
    } catch (error) {
      if (last === null || !(error instanceof Failure) || isStop(error)) throw error
      return {...last, because: `${last.because}, and reading it again failed: ${error.clause}`}
    }
    if (last.complete) return last
    firstPage = undefined
  }
  return last as Sweep
}

/** The first page of a sweep: it tells how many pages there are before deciding to read them. */
export function readFirstPage(client: Lister, filter: SweepFilter): Promise<DeliveryPage> {
  return client.listDeliveries({...filter, page: 1, limit: legacyPageLimitMax})
}

async function sweepOnce(client: Lister, options: SweepOptions, known?: DeliveryPage): Promise<Sweep> {
  const {filter, width, onPage} = options
  const first = known ?? (await readFirstPage(client, filter))
  const pages: DeliveryPage[] = [first]
  const partial = (because: string): Sweep => ({records: unique(pages).records, complete: false, because})
  if (first.totalPages > pagesMax || first.totalPages > Math.max(1, first.total)) {
    return partial(`the list claims ${first.totalPages} pages of ${first.total} records`)
  }

  let read = 1
  onPage?.(read, Math.max(1, first.totalPages))
  const rest = Array.from({length: Math.max(0, first.totalPages - 1)}, (_, index) => index + 2)
  try {
    await forEachBounded(rest, width, async (page) => {
      pages[page - 1] = await client.listDeliveries({...filter, page, limit: legacyPageLimitMax})
      onPage?.(++read, first.totalPages)
    })
  } catch (error) {
    if (!(error instanceof Failure) || isStop(error)) throw error
    return partial(`${first.totalPages - read} of ${first.totalPages} pages were not read: ${error.clause}`)
  }

  const {records, repeated} = unique(pages)
  if (pages.some(({total}) => total !== first.total))
    return partial('the number of records changed while they were read')
  if (repeated > 0) return partial('records moved between pages while they were read')
  if (records.length !== first.total) {
    return partial(`the service states ${first.total} records and gave ${records.length}`)
  }
  return {records, complete: true, because: null}
}

function unique(pages: readonly (DeliveryPage | undefined)[]): {records: Delivery[]; repeated: number} {
  const byId = new Map<string, Delivery>()
  let repeated = 0
  for (const page of pages) {
    for (const record of page?.records ?? []) {
      if (byId.has(record.id)) repeated += 1
      byId.set(record.id, record)
    }
  }
  return {records: [...byId.values()], repeated}
}
