import type {SQLInputValue, SQLOutputValue} from 'node:sqlite'

import {type OrderKind, orderKinds, type ServiceOrder} from '../core/order.ts'
import {RowBuffer} from '../files/row-buffer.ts'
import {attempt, columnsFor, type Database, type Statements, write} from '../files/sqlite.ts'
import type {FinalAnswer, FinalOrder, NonFinalOrder} from './memory-rows.ts'

/*
 * Answers are written down one after the other while a run asks (`settling`), and put in the order of their numbers
 * once for all (`settled`): numbers come in any order, and searching the place of each would write a page for every
 * one of them.
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

/** What `settling` and `settled` both keep of an order. */
export const settledColumns = (settlement = 'settlement') =>
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
 * The newest word on an order stands: `nonFinal` ones are to be asked for again, whatever an earlier run settled; but that
 * a row had booked what the service still has, an older ledger does not take back. That it was booked is never forgotten.
 * What was only seen stands where there is no other.
 */
export function recordFinalOrders(
  db: Database,
  statements: Statements,
  runId: string,
  nowMs: number,
  orders: readonly FinalAnswer[],
  nonFinal: readonly NonFinalOrder[],
  isSeenOnly: boolean,
): void {
  write(db, () => {
    const answerIdOf = answerIds(statements, runId, nowMs, isSeenOnly)
    const rows = new RowBuffer(db, statements, 'settling', 7)
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

/** The row of what orders of a kind have in common that settled with the same word; made where there is none yet. */
function answerIds(
  statements: Statements,
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
 * Puts what runs wrote down in its place, each order once: at the end of a run, or by the next one to look. Sorted
 * outside the journal and taken over a range at a time, because one write of millions of orders would fill memory and
 * disk with itself. A process that dies in between leaves everything written down, to be put in place again.
 */
export function sortFinalOrders(db: Database): void {
  const last = lastUnsorted(db)
  if (last === null) return
  const sorting = {
    ...db,
    path: `the temporary folder (TMPDIR), where settled orders of ${db.path} are sorted`,
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
    SELECT ${settledColumns()}, max(id) AS id
    FROM settling GROUP BY kind, order_no, settlement IS NULL ORDER BY kind, order_no, settlement IS NULL
`

const takeRange = `
  INSERT OR REPLACE INTO settled (${settledColumns()}) SELECT ${settledColumns()}
    FROM temp.sorted WHERE rowid BETWEEN ? AND ? AND settlement IS NOT NULL
      AND NOT (settlement IN (SELECT id FROM settlements WHERE is_seen_only = 1)
        AND EXISTS (SELECT 1 FROM settled AS known
          WHERE known.kind = sorted.kind AND known.order_no = sorted.order_no AND is_taken_back = 0))
`

/** Of one order the settled word stands before the other, written down later or not. */
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
