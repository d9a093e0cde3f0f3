import type {SQLOutputValue} from 'node:sqlite'

import type {Ignore} from '../core/reconcile/ignore.ts'
import {attempt, type Database, write} from '../files/sqlite.ts'
import type {NewIgnore} from './memory-rows.ts'

export function addIgnore(db: Database, ignore: NewIgnore): number {
  const {findingId, atRisk, reason, by, atMs, expiresAtMs} = ignore
  return write(db, (sql) => {
    const {lastInsertRowid} = sql
      .prepare(
        `INSERT INTO ignores (finding_id, at_risk_paisa, reason, ignored_by, ignored_at_ms, expires_at_ms, said, opened_ms)
         SELECT id, ?, ?, ?, ?, ?, said, opened_ms FROM findings WHERE id = ?`,
      )
      .run(atRisk, reason, by, atMs, expiresAtMs, findingId)
    return Number(lastInsertRowid)
  })
}

export function removeIgnore(db: Database, id: number, by: string, atMs: number): boolean {
  return write(db, (sql) => {
    const update =
      'UPDATE ignores SET removed_by = ?, removed_at_ms = ? WHERE id = ? AND removed_at_ms IS NULL'
    return sql.prepare(update).run(by, atMs, id).changes === 1
  })
}

export function listIgnores(db: Database): Ignore[] {
  return attempt(db, (sql) =>
    sql
      .prepare(
        `SELECT ignores.id, kind, order_no AS orderNo, verdict, CAST(ignores.at_risk_paisa AS TEXT) AS atRisk,
           ignores.said AS snapshot, ignores.opened_ms AS openedMs,
           reason, ignored_by AS "by", ignored_at_ms AS atMs, expires_at_ms AS expiresAtMs
         FROM ignores JOIN findings ON findings.id = finding_id WHERE removed_at_ms IS NULL ORDER BY ignores.id`,
      )
      .all(),
  ).map(ignoreOf)
}

function ignoreOf(row: Record<string, SQLOutputValue>): Ignore {
  return {...row, atRisk: row.atRisk === null ? null : BigInt(String(row.atRisk))} as unknown as Ignore
}
