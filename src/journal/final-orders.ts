import type {SQLInputValue, SQLOutputValue} from 'node:sqlite'

import {type OrderKind, orderKinds, type ServiceOrder} from '../core/order.ts'
import {RowBuffer} from '../files/row-buffer.ts'
import {attempt, columnsFor, type Database, write} from '../files/sqlite.ts'
import type {FinalAnswer, FinalOrder, NonFinalOrder} from './memory-rows.ts'

/*
 * During a run, final orders are appended to `settling`. Afterwards they are sorted into `settled` in one go, because
 * inserting unsorted numbers one by one would write a page for each.
 */

export function findFinalOrders(db: Database, kind: OrderKind, orderNos: readonly string[]): FinalOrder[] {
  return find(db, 'settled.kind = ? AND order_no IN (SELECT value FROM json_each(?))', [
    orderKinds.indexOf(kind),
    JSON.stringify(orderNos),
  ])
}

/** By the platform's numbers, of either kind. Every row is read: an index would cost each run more than this. */
export function findFinalOrdersOf(db: Database, platformOrderNos: readonly string[]): FinalOrder[] {
  const where = 'platform_order_no IN (SELECT value FROM json_each(?))'
  return find(db, where, [JSON.stringify(platformOrderNos)])
}

const columns = columnsFor<FinalOrder>({
  ...{
    kind: 'settlements.kind',
    orderNo: 'order_no',
    status: 'status',
    rawStatus: 'raw_status',
    runId: 'run_id',
  },
  ...{ledgerAmount: 'CAST(ledger_paisa AS TEXT)', serviceAmount: 'CAST(service_paisa AS TEXT)'},
  ...{platformOrderNo: 'platform_order_no', askedAtMs: 'settled_at_ms'},
  ...{isSeenOnly: 'is_seen_only', isTakenBack: 'is_taken_back'},
})

/** The columns that `settling` and `settled` share. */
export const finalColumns = (settlement = 'settlement') =>
  `kind, order_no, ${settlement}, ledger_paisa, service_paisa, platform_order_no`

function find(db: Database, where: string, values: readonly SQLInputValue[]): FinalOrder[] {
  sortFinalOrders(db)
  const found: FinalOrder[] = []
  attempt(db, (sql) => {
    const select = sql.prepare(
      `SELECT ${columns} FROM settled JOIN settlements ON settlements.id = settlement WHERE ${where}`,
    )
    for (const row of select.iterate(...values)) {
      found.push(finalOrderOf(row))
    }
  })
  return found
}

/**
 * The newest entry of an order counts: `nonFinal` orders will be queried again, even if an earlier run found them final.
 * But an older ledger does not undo that a row had booked what the service still has. Seen-only entries count if there
 * is no other.
 */
export function recordFinalOrders(
  db: Database,
  runId: string,
  nowMs: number,
  orders: readonly FinalAnswer[],
  nonFinal: readonly NonFinalOrder[],
  isSeenOnly: boolean,
): void {
  write(db, () => {
    const answerIdOf = answerIds(db, runId, nowMs, isSeenOnly)
    const rows = new RowBuffer(db, 'settling', 7)
    for (const {ledgerAmount, order} of orders) {
      const {kind, orderNo, amount, platformOrderNo} = order
      const at = [null, orderKinds.indexOf(kind), orderNo, answerIdOf(order)]
      rows.add([...at, ledgerAmount, amount, platformOrderNo])
    }
    for (const {kind, orderNo, paid} of nonFinal) {
      const key = [paid?.amount ?? null, paid?.platformOrderNo ?? null]
      rows.add([null, orderKinds.indexOf(kind), orderNo, null, null, ...key])
    }
    rows.flush()
  })
}

/** The row that final orders with the same kind and status word share; inserted if it is missing. */
function answerIds(
  {statements}: Database,
  runId: string,
  nowMs: number,
  isSeenOnly: boolean,
): (order: ServiceOrder) => number {
  const known = new Map<string, number>()
  const insert = statements.of('INSERT INTO settlements VALUES (NULL, ?, ?, ?, ?, ?, ?)')
  return ({kind, status, rawStatus}) => {
    const name = `${kind} ${rawStatus}`
    const row = [kind, status, rawStatus, runId, nowMs, Number(isSeenOnly)]
    const id = known.get(name) ?? Number(insert.run(...row).lastInsertRowid)
    known.set(name, id)
    return id
  }
}

/**
 * Sorts appended orders into `settled`, each order once: at the end of a run, or before the next read. They are sorted
 * outside the journal and copied in ranges, because one write of millions of orders would need too much memory and disk.
 * If the process dies, the appended rows are still there and are sorted again.
 */
export function sortFinalOrders(db: Database): void {
  const last = lastUnsorted(db)
  if (last === null) return
  const sorting = {
    ...db,
    path: `the temporary folder (TMPDIR), where final orders of ${db.path} are sorted`,
  }
  attempt(sorting, (sql) => sql.exec(sortByOrder))
  try {
    const take = attempt(db, (sql) => sql.prepare(takeRange))
    const takeBack = attempt(db, (sql) => sql.prepare(takeBackRange))
    const sorted = attempt(db, (sql) => sql.prepare('SELECT count(*) AS rows FROM temp.sorted').get())
    for (let from = 1; from <= Number(sorted?.rows); from += rangeRows) {
      write(db, () => {
        take.run(from, from + rangeRows - 1)
        takeBack.run(from, from + rangeRows - 1)
      })
    }
  } finally {
    attempt(db, (sql) => sql.exec('DROP TABLE temp.sorted'))
  }
  write(db, (sql) => {
    // Without a condition, because one would visit every row. What came in the meantime waits for the next sort.
    if (lastUnsorted(db) === last) sql.exec('DELETE FROM settling')
  })
}

const rangeRows = 50_000

const sortByOrder = `
  CREATE TEMP TABLE sorted AS
    SELECT ${finalColumns()}, max(id) AS id
    FROM settling GROUP BY kind, order_no, settlement IS NULL ORDER BY kind, order_no, settlement IS NULL
`

const takeRange = `
  INSERT OR REPLACE INTO settled (${finalColumns()}) SELECT ${finalColumns()}
    FROM temp.sorted WHERE rowid BETWEEN ? AND ? AND settlement IS NOT NULL
      AND NOT (settlement IN (SELECT id FROM settlements WHERE is_seen_only = 1)
        AND EXISTS (SELECT 1 FROM settled AS known
          WHERE known.kind = sorted.kind AND known.order_no = sorted.order_no AND is_taken_back = 0))
`

/** A final entry of an order counts before the other, whichever is newer. */
const takeBackRange = `
  UPDATE settled SET is_taken_back = 1 WHERE (kind, order_no) IN (
    SELECT kind, order_no FROM temp.sorted WHERE rowid BETWEEN ? AND ? AND settlement IS NULL
      AND NOT EXISTS (SELECT 1 FROM temp.sorted AS newer WHERE newer.rowid = sorted.rowid - 1
        AND newer.kind = sorted.kind AND newer.order_no = sorted.order_no AND newer.id > sorted.id)
      AND NOT EXISTS (SELECT 1 FROM settled AS known JOIN settlements ON settlements.id = known.settlement
        WHERE known.kind = sorted.kind AND known.order_no = sorted.order_no AND status = 'completed'
          AND known.platform_order_no = sorted.platform_order_no AND known.service_paisa IS sorted.service_paisa)
  )
`

/** Null where nothing is written down. */
function lastUnsorted(db: Database): number | null {
  const last = attempt(db, (sql) => sql.prepare('SELECT max(id) AS id FROM settling').get())
  return last?.id == null ? null : Number(last.id)
}

function finalOrderOf(row: Record<string, SQLOutputValue>): FinalOrder {
  const amount = (value: SQLOutputValue | undefined) => (value == null ? null : BigInt(String(value)))
  const [ledgerAmount, serviceAmount] = [amount(row.ledgerAmount), amount(row.serviceAmount)]
  return {
    ...row,
    ledgerAmount,
    serviceAmount,
    isSeenOnly: row.isSeenOnly === 1,
    isTakenBack: row.isTakenBack === 1,
  } as unknown as FinalOrder
}
