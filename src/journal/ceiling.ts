import type {Paisa} from '../core/money.ts'
import {sql} from './query.ts'
import type {Names, Steps} from './store.ts'

/** A step of `schema.ts`: the daily ceilings that settings stated, the last one counting. */
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
export function* statingCeiling(
  {engine, mine, into, first}: Names,
  stated: Paisa | null,
  nowMs: number,
): Steps<{readonly ceiling: Paisa | null; readonly isNew: boolean}> {
  const [row] = yield sql`SELECT CAST(paisa AS TEXT) AS paisa FROM ${engine.table('daily_ceilings')} AS r
    WHERE ${mine('r')} ORDER BY id DESC LIMIT 1`
  const last = row === undefined ? null : BigInt(String(row.paisa))
  if (stated === null || stated === last) return {ceiling: last, isNew: false}
  yield sql`INSERT INTO ${into('daily_ceilings', 'paisa, stated_at_ms')} VALUES (${first}${stated}, ${nowMs})`
  return {ceiling: stated, isNew: true}
}
