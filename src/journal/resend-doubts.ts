import {attempt, type Database, write} from '../files/sqlite.ts'
import {resendColumns, resendOf} from './resends.ts'
import type {ResendRow} from './rows.ts'

/** Resends whose record has not shown how they ended. */
export interface ResendDoubts {
  /** Resends with unknown outcome, of any age, oldest first (P6). */
  resendsInDoubt(): Promise<ResendRow[]>
  /** Those in doubt and those that were answered, with a no or a 2xx. */
  resendsWithoutEnd(): Promise<ResendRow[]>
  /**
   * Takes down the end of a resend that its record showed later, whoever read it. False where there is nothing to take
   * down, and where the run that sent it is at work. `isAlone`: no other process is at work for the merchant.
   */
  endResend(
    id: number,
    state: 'delivered' | 'still_failing',
    code: number | null,
    isAlone: boolean,
  ): Promise<boolean>
}

/** `own`: the runs of this process, which watch their resends themselves. */
export function resendDoubts(db: Database, own: ReadonlySet<string>): ResendDoubts {
  return {
    resendsInDoubt: async () => resendsInDoubt(db),
    resendsWithoutEnd: async () => resendsWithoutEnd(db),
    endResend: async (id, state, code, isAlone) => endResend(db, id, state, code, {isAlone, own}),
  }
}

/** No later resend of the same event took its place; one that was refused takes nothing back. */
const isLatest = `NOT EXISTS (SELECT 1 FROM resends AS later
  WHERE later.order_id = resends.order_id AND later.event = resends.event AND later.id > resends.id
    AND later.never_left = 0 AND later.state <> 'refused')`

/** A resend with unknown outcome (P6). */
export const resendInDoubt = `state IN ('intent', 'unknown') AND ${isLatest}`

/** A resend whose record has not shown how it ended, in doubt or not. */
const withoutEnd = `state IN ('intent', 'accepted', 'unknown', 'refused') AND never_left = 0 AND ${isLatest}`

function resendsInDoubt(db: Database): ResendRow[] {
  return attempt(db, (sql) =>
    sql
      .prepare(`SELECT ${resendColumns} FROM resends WHERE ${resendInDoubt} ORDER BY intent_at_ms, id`)
      .all(),
  ).map(resendOf)
}

function resendsWithoutEnd(db: Database): ResendRow[] {
  return attempt(db, (sql) =>
    sql.prepare(`SELECT ${resendColumns} FROM resends WHERE ${withoutEnd}`).all(),
  ).map(resendOf)
}

/** A run that is found running while no other process is at work was killed. */
function endResend(
  db: Database,
  id: number,
  state: 'delivered' | 'still_failing',
  responseCode: number | null,
  {isAlone, own}: {readonly isAlone: boolean; readonly own: ReadonlySet<string>},
): boolean {
  return write(db, (sql) => {
    const row = sql
      .prepare(
        `SELECT run_id AS runId, runs.status FROM resends JOIN runs ON runs.id = run_id
         WHERE resends.id = ? AND ${withoutEnd}`,
      )
      .get(id)
    if (row === undefined || own.has(String(row.runId)) || (row.status === 'running' && !isAlone))
      return false
    sql
      .prepare('UPDATE resends SET state = ?, response_code = ?, detail = NULL WHERE id = ?')
      .run(state, responseCode, id)
    return true
  })
}
