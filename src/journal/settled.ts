import type {SQLOutputValue} from 'node:sqlite'

import type {OrderKind} from '../core/order.ts'
import {attempt, type Database, write} from '../files/sqlite.ts'
import type {SettledOrder, Settling, UnsettledOrder} from './memory-rows.ts'

/*
 * Answers are written down one after the other while a run asks (`settling`), and put in the order of their numbers
 * once for all (`settled`): numbers come in any order, and searching the place of each would write a page for every
 * one of them.
 */

export function findSettled(db: Database, kind: OrderKind, orderNos: readonly string[]): SettledOrder[] {
  sortSettled(db)
  const found: SettledOrder[] = []
  attempt(db, (sql) => {
    const select = sql.prepare(
      `SELECT kind, order_no AS orderNo, status, CAST(ledger_paisa AS TEXT) AS ledgerAmount,
         CAST(service_paisa AS TEXT) AS serviceAmount, raw_status AS rawStatus,
         platform_order_no AS platformOrderNo, run_id AS runId
       FROM settled WHERE kind = ? AND order_no IN (SELECT value FROM json_each(?))`,
    )
    for (const row of select.iterate(kind, JSON.stringify(orderNos))) found.push(settledOf(row))
  })
  return found
}

/** The newest word on an order stands: `unsettled` ones are to be asked for again, whatever an earlier run settled. */
export function recordSettled(
  db: Database,
  runId: string,
  nowMs: number,
  orders: readonly Settling[],
  unsettled: readonly UnsettledOrder[],
): void {
  write(db, (sql) => {
    const insert = sql.prepare('INSERT INTO settling VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
    for (const {ledgerAmount, order} of orders) {
      const {kind, orderNo, status, amount, rawStatus, platformOrderNo} = order
      insert.run(kind, orderNo, status, ledgerAmount, amount, rawStatus, platformOrderNo, runId, nowMs)
    }
    const forget = sql.prepare('INSERT INTO settling (kind, order_no) VALUES (?, ?)')
    for (const {kind, orderNo} of unsettled) forget.run(kind, orderNo)
  })
}

/** Puts what runs wrote down in its place, each order once: at the end of a run, or by the next one to look. */
export function sortSettled(db: Database): void {
  if (attempt(db, (sql) => sql.prepare('SELECT 1 FROM settling LIMIT 1').get()) === undefined) return
  write(db, (sql) => {
    const forgets = sql.prepare('SELECT 1 FROM settling WHERE status IS NULL LIMIT 1').get() !== undefined
    sql.exec(`
      INSERT OR REPLACE INTO settled
        SELECT kind, order_no, status, ledger_paisa, service_paisa, raw_status, platform_order_no, run_id, settled_at_ms
        FROM (SELECT *, max(id) FROM settling GROUP BY kind, order_no) WHERE status IS NOT NULL;
    `)
    if (forgets) {
      sql.exec(`
        DELETE FROM settled WHERE (kind, order_no) IN (
          SELECT kind, order_no FROM (SELECT kind, order_no, status, max(id) FROM settling GROUP BY kind, order_no)
          WHERE status IS NULL
        );
      `)
    }
    sql.exec('DELETE FROM settling')
  })
}

function settledOf(row: Record<string, SQLOutputValue>): SettledOrder {
  const amount = (value: SQLOutputValue | undefined) => (value == null ? null : BigInt(String(value)))
  const [ledgerAmount, serviceAmount] = [amount(row.ledgerAmount), amount(row.serviceAmount)]
  return {...row, ledgerAmount, serviceAmount} as unknown as SettledOrder
}
