import {isClockOff} from '../core/clocks.ts'
import {attempt, type Database, write} from '../files/sqlite.ts'

/** A step of `schema.ts`: how far the service's clock was ahead of this machine's, where that was too far. */
export const clockTable =
  'CREATE TABLE clock (one INTEGER PRIMARY KEY CHECK (one = 1), skew_ms INTEGER NOT NULL) STRICT'

/** What differs by less was measured the same. */
const precisionMs = 1_000

/** Keeps what an answer showed of the clock for the next command, which asks nothing before it decides. */
export function recordSkew(db: Database, skewMs: number): void {
  const kept = newSkew(lastSkew(db), skewMs)
  if (kept === undefined) return
  write(db, (sql) => {
    sql.exec('DELETE FROM clock')
    if (kept !== null) sql.prepare('INSERT INTO clock VALUES (1, ?)').run(kept)
  })
}

/** What is kept of a measured skew; undefined where it is kept already. */
export function newSkew(knownMs: number | null, measuredMs: number): number | null | undefined {
  const kept = isClockOff(measuredMs) ? Math.round(measuredMs) : null
  return Math.abs((knownMs ?? 0) - (kept ?? 0)) < precisionMs ? undefined : kept
}

/** Null where the last answer showed a clock that is right, or none was measured. */
export function lastSkew(db: Database): number | null {
  const row = attempt(db, (sql) => sql.prepare('SELECT skew_ms AS skewMs FROM clock').get())
  return row === undefined ? null : Number(row.skewMs)
}
