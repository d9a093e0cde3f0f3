import type {ServiceClient} from '../../api/client.ts'
import {type DeliveryFilter, passes} from '../../core/delivery-filter.ts'
import type {Delivery} from '../../core/order.ts'
import {describeOdd, readFullList, type StreamedList, streamDeliveries} from './full-list-read.ts'
import type {ListFilter} from './list-reader.ts'

export interface ListEnd {
  readonly records: readonly Delivery[]
  readonly pagination: {
    readonly page: number
    readonly limit: number
    readonly total: number
    readonly total_pages: number
  }
  /** Whether `records` are all of them, and not one page or a list that changed during the reading (P9). */
  readonly complete: boolean
  readonly because: string | null
  /** A record that was asked for is, or may be, missing from `records`. */
  readonly isCut: boolean
}

export interface ListPorts {
  readonly width: number
  readonly onPage: (read: number, total: number) => void
}

type Lister = Pick<ServiceClient, 'listDeliveries'>

/** One page as the service returns it. */
export async function listPage(
  client: Lister,
  filter: ListFilter & {readonly page?: number; readonly limit?: number},
  local: DeliveryFilter,
): Promise<ListEnd> {
  const {records, odd, page, limit, total, totalPages} = await client.listDeliveries(filter)
  const whyOdd = describeOdd(odd)
  const complete = totalPages <= 1 && records.length === total
  return {
    records: records.filter((record) => passes(record, local)),
    pagination: {page, limit, total, total_pages: totalPages},
    complete,
    isCut: whyOdd !== null,
    because: complete ? null : (whyOdd ?? `this is page ${page} of ${totalPages}; --all reads every page`),
  }
}

/** All pages as one; `pagination` counts what was read. */
export async function listAll(
  client: Lister,
  filter: ListFilter,
  local: DeliveryFilter,
  ports: ListPorts,
): Promise<ListEnd> {
  const {records, complete, because} = await readFullList(client, {filter, ...ports})
  return {
    records: records.filter((record) => passes(record, local)),
    pagination: {page: 1, limit: records.length, total: records.length, total_pages: 1},
    complete,
    because,
    isCut: !complete,
  }
}

/** All pages, passed on during the reading: memory does not grow with the list. */
export async function listInFlight(
  client: Lister,
  filter: ListFilter,
  local: DeliveryFilter,
  ports: ListPorts,
  use: (records: readonly Delivery[]) => Promise<void>,
): Promise<StreamedList> {
  return await streamDeliveries(client, {filter, ...ports}, (records) =>
    use(records.filter((record) => passes(record, local))),
  )
}
