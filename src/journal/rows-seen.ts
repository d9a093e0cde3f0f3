import type {SQLOutputValue} from 'node:sqlite'

import {orderKinds} from '../core/order.ts'
import {attempt, type Database, write} from '../files/sqlite.ts'
import {sortFinalOrders} from './final-orders.ts'
import type {LedgerEnd, RememberedRow, SeenRow} from './memory-rows.ts'

/** Repeating it changes nothing; of one row seen by several runs the last one stands that said completed. */
export function recordRowsSeen(
  db: Database,
  runId: string,
  ledger: LedgerEnd,
  rows: Iterable<SeenRow>,
): void {
  const see = attempt(db, (sql) =>
    sql.prepare(
      `INSERT OR REPLACE INTO rows_seen SELECT :kind, :no, :any, :beginning, :line, :run, :to, :known, :booked
       WHERE :booked OR NOT EXISTS (SELECT 1 FROM rows_seen
         WHERE kind = :kind AND order_no = :no AND any_order = :any AND is_booked AND run_id <> :run)`,
    ),
  )
  const left = rows[Symbol.iterator]()
  const writeSome = () => {
    for (let written = 0; written < rowsAtOnce; written++) {
      const next = left.next()
      if (next.done) return false
      const {kind, orderNo, line, anyOrder, isBeginning, isBooked} = next.value
      const kindAt = kind === null ? -1 : orderKinds.indexOf(kind)
      const any = anyOrder ? (anyOrder.amount ?? anyAmount) : noOther
      see.run({
        ...{kind: kindAt, no: orderNo, any, line, run: runId, to: ledger.toMs},
        ...{beginning: Number(isBeginning), known: Number(ledger.isKnown), booked: Number(isBooked)},
      })
    }
    return true
  }
  while (write(db, writeSome));
}

const anyAmount = 'any'
const noOther = ''
/** A stopped run may leave a million of them, which one write would hold in memory. */
const rowsAtOnce = 50_000
const pageRows = 500

/** A page at a time, so that no statement stays open; a row whose own order a later run matched is explained. */
export function* rowsSeen(db: Database, exceptRunId: string): Generator<RememberedRow> {
  sortFinalOrders(db)
  const text = `SELECT kind, order_no AS orderNo, any_order AS anyOrder, is_beginning AS isBeginning, line, run_id AS runId,
      ledger_to_ms AS ledgerToMs, is_time_known AS isTimeKnown, is_booked AS isBooked
    FROM rows_seen WHERE (kind, order_no, any_order) > (?, ?, ?) AND run_id <> ? AND NOT EXISTS (
      SELECT 1 FROM settled JOIN settlements ON settlements.id = settlement
      WHERE rows_seen.kind IN (settled.kind, -1) AND settled.order_no = rows_seen.order_no AND status = 'completed'
        AND is_taken_back = 0)
    ORDER BY kind, order_no, any_order LIMIT ${pageRows}`
  for (let after: readonly SQLOutputValue[] = [-2, '', '']; ; ) {
    const [kindAt = null, orderNo = null, any = null] = after
    const page = attempt(db, (sql) => sql.prepare(text).all(kindAt, orderNo, any, exceptRunId))
    for (const row of page) yield rowOf(row)
    const last = page.at(-1)
    if (last === undefined || page.length < pageRows) return
    after = [last.kind ?? null, last.orderNo ?? null, last.anyOrder ?? null]
  }
}

function rowOf({
  kind,
  anyOrder,
  isBeginning,
  isTimeKnown,
  isBooked,
  ...row
}: Record<string, SQLOutputValue>): RememberedRow {
  const amount = anyOrder === anyAmount ? null : anyOrder
  return {
    ...row,
    kind: orderKinds[Number(kind)] ?? null,
    isBeginning: isBeginning === 1,
    isTimeKnown: isTimeKnown === 1,
    isBooked: isBooked === 1,
    ...(anyOrder !== noOther && {anyOrder: {amount}}),
  } as unknown as RememberedRow
}
