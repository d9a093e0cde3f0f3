import type {DatabaseSync} from 'node:sqlite'

import {formatPaisa} from '../../core/money.ts'
import {completedEvent, type OrderKind} from '../../core/order.ts'
import {showDelivery} from '../delivery-record.ts'
import {deliveryColumns, type StoredDelivery} from './deliveries.ts'
import type {ExportKind} from './export-kinds.ts'

export type ExportRow = Readonly<Record<string, string | number | null>>

/** Rows are read one by one, so a million need little memory. */
export interface Export {
  readonly columns: readonly string[]
  readonly rows: Iterable<ExportRow>
}

export function openExport(db: DatabaseSync, kind: ExportKind, merchantId: string): Export {
  return kind === 'ledger' ? ledgerOf(db, merchantId) : recordsOf(db, merchantId)
}

/**
 * The books of a merchant who booked every webhook that its server took, and nothing else. An order whose
 * `order.completed` never arrived is still open. The columns are those `reconcile` reads.
 */
function ledgerOf(db: DatabaseSync, merchantId: string): Export {
  const taken = db.prepare("SELECT event FROM deliveries WHERE order_id = ? AND status = 'success'")
  const orders = (kind: OrderKind, playerRef: string) =>
    db
      .prepare(
        `SELECT '${kind}' AS kind, order_no AS orderNo, platform_order_no AS id, CAST(paisa AS TEXT) AS paisa,
           ${playerRef} AS playerRef, created_at AS createdAtMs
         FROM ${kind}s WHERE +merchant_id = ? ORDER BY seq`,
      )
      .iterate(merchantId) as unknown as Iterator<OrderRow>
  function* rows(): Generator<ExportRow> {
    for (const order of mergeByTime(orders('deposit', 'player_ref'), orders('payout', "''"))) {
      const event = taken.get(order.id)?.event
      const status = event === undefined ? 'pending' : event === completedEvent ? 'completed' : 'failed'
      // A merchant learns what a player paid from the webhook only; it knows a payout's amount from the start.
      const isKnown = order.paisa !== null && (order.kind === 'payout' || status === 'completed')
      yield {
        order_no: order.orderNo,
        kind: order.kind,
        status,
        amount: isKnown && order.paisa !== null ? formatPaisa(BigInt(order.paisa)) : '',
        player_ref: order.playerRef,
        created_at: new Date(order.createdAtMs).toISOString(),
      }
    }
  }
  return {columns: ['order_no', 'kind', 'status', 'amount', 'player_ref', 'created_at'], rows: rows()}
}

interface OrderRow {
  readonly kind: OrderKind
  readonly orderNo: string
  readonly id: string
  readonly paisa: string | null
  readonly playerRef: string
  readonly createdAtMs: number
}

/** Merges two lists by time without reading either to its end first. */
function* mergeByTime(a: Iterator<OrderRow>, b: Iterator<OrderRow>): Generator<OrderRow> {
  let [first, second] = [a.next(), b.next()]
  while (!first.done || !second.done) {
    if (second.done || (!first.done && first.value.createdAtMs <= second.value.createdAtMs)) {
      yield first.value
      first = a.next()
    } else {
      yield second.value
      second = b.next()
    }
  }
}

/** Every delivery record as the service lists it (service §2.3), oldest first. */
function recordsOf(db: DatabaseSync, merchantId: string): Export {
  const records = db.prepare(
    `SELECT ${deliveryColumns} FROM deliveries WHERE merchant_id = ? ORDER BY deliveries.seq`,
  )
  function* rows(): Generator<ExportRow> {
    for (const row of records.iterate(merchantId)) yield showDelivery(row as unknown as StoredDelivery)
  }
  return {columns: recordColumns, rows: rows()}
}

const recordColumns = [
  'id',
  'order_id',
  'merchant_order_id',
  'url',
  'event',
  'status',
  'response_code',
  'attempts',
  'max_attempts',
  'next_retry_at',
  'sent_at',
  'created_at',
] as const satisfies readonly (keyof ReturnType<typeof showDelivery>)[]
