import {isClockOff} from '../core/payout-limits.ts'
import {attempt, type Database, write} from '../files/sqlite.ts'

/** A step of `schema.ts`: how far the service's clock was ahead of this machine's, where that was too far. */
export const clockTable =
  'CREATE TABLE clock (one INTEGER PRIMARY KEY CHECK (one = 1), skew_ms INTEGER NOT NULL) STRICT'

/** What differs by less was measured the same. */
const precisionMs = 1_000

/** Keeps what an answer showed of the clock for the next command, which asks nothing before it decides. */
export function recordSkew(db: Database, skewMs: number): void {
  const last = lastSkew(db)
  const isSame = last === null ? !isClockOff(skewMs) : Math.abs(last - skewMs) < precisionMs
  if (isSame) return
  write(db, (sql) => {
    sql.exec('DELETE FROM clock')
    if (isClockOff(skewMs)) sql.prepare('INSERT INTO clock VALUES (1, ?)').run(Math.round(skewMs))
  })
}

/** Null where the last answer showed a clock that is right, or none was measured. */
export function lastSkew(db: Database): number | null {
  const row = attempt(db, (sql) => sql.prepare('SELECT skew_ms AS skewMs FROM clock').get())
  return row === undefined ? null : Number(row.skewMs)
}
