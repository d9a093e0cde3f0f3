import type {DatabaseSync} from 'node:sqlite'

import type {DeliveryStatus} from '../../core/order.ts'
import type {AttemptReason} from '../attempt-reasons.ts'
import {deliveryColumns, type StoredDelivery} from './deliveries.ts'
import {containing, drawnPattern} from './order-lists.ts'
import {type Cursor, openPages, type Page, pageOf, topCursor} from './pages.ts'

export type ListedDelivery = StoredDelivery & {readonly seq: number}

/** Records whose last attempt failed in this way. */
export interface FailureCause {
  readonly responseCode: number | null
  readonly reason: AttemptReason | null
  readonly total: number
}

export type ConsoleDeliveries = ReturnType<typeof openConsoleDeliveries>

export function openConsoleDeliveries(db: DatabaseSync) {
  const select = `SELECT seq, ${deliveryColumns} FROM deliveries`
  const lines = openPages(db, select)
  const statements = {
    search: db.prepare(
      `${select} WHERE ${['merchant_order_id', 'id', 'order_id'].map((column) => `${column} LIKE ? ESCAPE '\\'`).join(' OR ')} ORDER BY seq DESC LIMIT ?`,
    ),
    ofOrder: db.prepare(`${select} WHERE order_id = ? ORDER BY seq DESC LIMIT ?`),
    failed: db.prepare(
      "SELECT coalesce(sum(records), 0) AS total FROM delivery_counts WHERE merchant_id = ? AND status = 'failed'",
    ),
    causes: db.prepare(
      `SELECT response_code AS responseCode, (SELECT reason FROM delivery_attempts
         WHERE delivery_seq = deliveries.seq AND role = 'webhook' ORDER BY seq DESC LIMIT 1) AS reason
       FROM deliveries WHERE merchant_id = ? AND status = 'failed' ORDER BY seq DESC LIMIT ?`,
    ),
  }
  return {
    /** The indexes are per merchant: read a page of each and merge them. */
    list(
      merchantIds: readonly string[],
      status: DeliveryStatus | null,
      cursor: Cursor,
      limit: number,
    ): Page<ListedDelivery> {
      const found = merchantIds.flatMap((id) =>
        lines({merchant_id: id, status}, cursor, limit),
      ) as unknown as ListedDelivery[]
      found.sort((a, b) => ('afterSeq' in cursor ? a.seq - b.seq : b.seq - a.seq))
      return pageOf(found, limit, cursor)
    },

    /**
     * Any part of an order number, or six letters of a platform number or a record's id. A full scan, newest first.
     */
    search(text: string, limit: number): Page<ListedDelivery> {
      const drawn = drawnPattern(text)
      const found = statements.search.all(
        containing(text),
        drawn,
        drawn,
        limit + 1,
      ) as unknown as ListedDelivery[]
      return pageOf(found, limit, topCursor)
    },

    countFailed: (merchantIds: readonly string[]) =>
      merchantIds.reduce((sum, id) => sum + Number(statements.failed.get(id)?.total), 0),

    /** The causes among each merchant's newest failed records, most frequent first. */
    failureCauses(merchantIds: readonly string[], newest: number): FailureCause[] {
      const failures = merchantIds.flatMap((id) => statements.causes.all(id, newest)) as unknown as Omit<
        FailureCause,
        'total'
      >[]
      const alike = Map.groupBy(failures, ({responseCode, reason}) => `${responseCode} ${reason}`)
      return [...alike.values()]
        .flatMap((some) => (some[0] ? [{...some[0], total: some.length}] : []))
        .sort((a, b) => b.total - a.total)
    },

    ofOrder: (platformOrderNo: string, limit: number) =>
      statements.ofOrder.all(platformOrderNo, limit) as unknown as ListedDelivery[],
  }
}
