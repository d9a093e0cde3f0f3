import type {DatabaseSync} from 'node:sqlite'

import type {Paisa} from '../core/money.ts'

/** A step of `schema.ts`: the daily ceilings that settings stated when payouts were claimed, the last one counting. */
export const statedCeilings = `
  CREATE TABLE daily_ceilings (
    id INTEGER PRIMARY KEY,
    paisa INTEGER NOT NULL,
    stated_at_ms INTEGER NOT NULL
  ) STRICT;
`

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
