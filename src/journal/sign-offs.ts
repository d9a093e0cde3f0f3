import type {SignOff} from '../core/reconcile/sign-off.ts'
import {sql} from './query.ts'
import type {Store} from './store.ts'

export interface SignOffs {
  signOff(runId: string, signOff: SignOff): Promise<void>
  /** Oldest first. */
  signOffsOf(runId: string): Promise<SignOff[]>
}

export function signOffs({engine, mine, into, first, all, run}: Store): SignOffs {
  return {
    async signOff(runId, {by, note, isAlone, atMs}) {
      await run(
        sql`INSERT INTO ${into('sign_offs', 'run_id, by, note, is_alone, at_ms')}
          VALUES (${first}${runId}, ${by}, ${note}, ${Number(isAlone)}, ${atMs}) ON CONFLICT DO NOTHING`,
      )
    },
    async signOffsOf(runId) {
      const rows = await all(
        sql`SELECT by, note, is_alone, at_ms FROM ${engine.table('sign_offs')} AS r
          WHERE ${mine('r')} AND run_id = ${runId} ORDER BY id`,
      )
      return rows.map((row) => ({
        ...{by: String(row.by), note: String(row.note)},
        ...{isAlone: row.is_alone === 1, atMs: Number(row.at_ms)},
      }))
    },
  }
}
