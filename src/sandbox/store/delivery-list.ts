import type {DatabaseSync} from 'node:sqlite'

import type {DeliveryStatus} from '../../core/order.ts'
import {deliveryColumns, type StoredDelivery} from './deliveries.ts'
import {prepareOnce} from './pages.ts'

export interface StoredDeliveryFilter {
  readonly merchantId: string
  readonly status?: DeliveryStatus | undefined
  readonly orderId?: string | undefined
}

export type DeliveryList = ReturnType<typeof openDeliveryList>

/**
 * The pages of the webhook log, newest record first. Pages are numbered (service §4.5), and page 40,000 must be found
 * without walking the 39,999 before it: `delivery_counts` has the number of records of each 4096 rows, and only one
 * such stretch is walked.
 */
export function openDeliveryList(db: DatabaseSync) {
  const statements = prepareByFilter(db)
  const all = db.prepare(`SELECT ${deliveryColumns} FROM deliveries WHERE merchant_id = ? ORDER BY seq`)
  return {
    /** All records, oldest first: for a test's few. */
    readAll: (merchantId: string) => all.all(merchantId) as unknown as StoredDelivery[],

    /** `skipped` records before the page are left out, for the fault `moving-pages`. */
    readPage(filter: StoredDeliveryFilter, page: number, limit: number, skipped = 0) {
      const {chunks, list, values} = statements(filter)
      const offset = (page - 1) * limit + skipped
      if (filter.orderId !== undefined) {
        const all = list.all(...values, topSeq) as unknown as StoredDelivery[]
        return {records: all.slice(offset, offset + limit), total: all.length}
      }
      let total = 0
      let start: {readonly belowSeq: number; readonly rest: number} | null = null
      for (const {chunk, records} of chunks.all(...values) as unknown as Chunk[]) {
        if (start === null && total + records > offset) {
          start = {belowSeq: (chunk + 1) * rowsPerChunk, rest: offset - total}
        }
        total += records
      }
      if (start === null) return {records: [], total}
      const found = list.all(...values, start.belowSeq, limit, start.rest)
      return {records: found as unknown as StoredDelivery[], total}
    },
  }
}

interface Chunk {
  readonly chunk: number
  readonly records: number
}

/** As in the triggers of schema.ts. */
const rowsPerChunk = 4096
const topSeq = Number.MAX_SAFE_INTEGER

function prepareByFilter(db: DatabaseSync) {
  const prepared = prepareOnce(db)
  return ({merchantId, status, orderId}: StoredDeliveryFilter) => {
    // The plus stops SQLite from walking the whole list, already in order, to find the records of one order.
    const plus = orderId === undefined ? '' : '+'
    const ofStatus = status === undefined ? '' : ` AND ${plus}status = ?`
    const ofOrder = orderId === undefined ? '' : ' AND order_id = ?'
    const values = [merchantId, status, orderId].filter((value) => value !== undefined)
    return {
      values,
      list: prepared(
        `SELECT ${deliveryColumns} FROM deliveries WHERE ${plus}merchant_id = ?${ofStatus}${ofOrder} AND ${plus}seq < ?
         ORDER BY seq DESC${orderId === undefined ? ' LIMIT ? OFFSET ?' : ''}`,
      ),
      chunks: prepared(
        `SELECT chunk, sum(records) AS records FROM delivery_counts WHERE merchant_id = ?${ofStatus}
         GROUP BY chunk ORDER BY chunk DESC`,
      ),
    }
  }
}
