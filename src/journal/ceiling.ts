import type {DatabaseSync} from 'node:sqlite'

import type {Paisa} from '../core/money.ts'
import {type Database, write} from '../files/sqlite.ts'

/** A step of `schema.ts`: the daily ceilings that settings stated, the last one counting. */
export const statedCeilings = `
  CREATE TABLE daily_ceilings (
    id INTEGER PRIMARY KEY,
    paisa INTEGER NOT NULL,
    stated_at_ms INTEGER NOT NULL
  ) STRICT;
`

/** States a ceiling, whatever comes of the payout it is stated for; returned is the one that holds. */
export function stateCeiling(db: Database, stated: Paisa | null, nowMs: number): Paisa | null {
  return write(db, (sql) => ceilingOf(sql, stated, nowMs))
}

/**
 * The ceiling is the merchant's, whichever of its names states it: settings without one are held to the last that was
 * stated. A stated one replaces it.
 */
export function ceilingOf(sql: DatabaseSync, stated: Paisa | null, nowMs: number): Paisa | null {
  const row = sql
    .prepare('SELECT CAST(paisa AS TEXT) AS paisa FROM daily_ceilings ORDER BY id DESC LIMIT 1')
    .get()
  const last = row === undefined ? null : BigInt(String(row.paisa))
  if (stated === null || stated === last) return last
  sql.prepare('INSERT INTO daily_ceilings (paisa, stated_at_ms) VALUES (?, ?)').run(stated, nowMs)
  return stated
}
