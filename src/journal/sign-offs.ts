import type {SignOff} from '../core/reconcile/sign-off.ts'
import {attempt, type Database, write} from '../files/sqlite.ts'

export interface SignOffs {
  signOff(runId: string, signOff: SignOff): Promise<void>
  /** Oldest first. */
  signOffsOf(runId: string): Promise<SignOff[]>
}

export function signOffs(db: Database): SignOffs {
  return {
    async signOff(runId, {by, note, isAlone, atMs}) {
      const insert =
        'INSERT OR IGNORE INTO sign_offs (run_id, by, note, is_alone, at_ms) VALUES (?, ?, ?, ?, ?)'
      write(db, (sql) => sql.prepare(insert).run(runId, by, note, Number(isAlone), atMs))
    },
    async signOffsOf(runId) {
      const text = 'SELECT by, note, is_alone, at_ms FROM sign_offs WHERE run_id = ? ORDER BY id'
      return attempt(db, (sql) => sql.prepare(text).all(runId)).map((row) => ({
        ...{by: String(row.by), note: String(row.note)},
        ...{isAlone: row.is_alone === 1, atMs: Number(row.at_ms)},
      }))
    },
  }
}
