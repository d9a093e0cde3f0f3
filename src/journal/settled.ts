import type {SQLOutputValue} from 'node:sqlite'

import type {OrderKind} from '../core/order.ts'
import {attempt, type Database, write} from '../files/sqlite.ts'
import type {SettledOrder, Settling, UnsettledOrder} from './memory-rows.ts'

export function findSettled(db: Database, kind: OrderKind, orderNos: readonly string[]): SettledOrder[] {
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
    const insert = sql.prepare('INSERT OR REPLACE INTO settled VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
    for (const {ledgerAmount, order} of orders) {
      const {kind, orderNo, status, amount, rawStatus, platformOrderNo} = order
      insert.run(kind, orderNo, status, ledgerAmount, amount, rawStatus, platformOrderNo, runId, nowMs)
    }
    const forget = sql.prepare('DELETE FROM settled WHERE kind = ? AND order_no = ?')
    for (const {kind, orderNo} of unsettled) forget.run(kind, orderNo)
  })
}

function settledOf(row: Record<string, SQLOutputValue>): SettledOrder {
  const amount = (value: SQLOutputValue | undefined) => (value == null ? null : BigInt(String(value)))
  const [ledgerAmount, serviceAmount] = [amount(row.ledgerAmount), amount(row.serviceAmount)]
  return {...row, ledgerAmount, serviceAmount} as unknown as SettledOrder
}
