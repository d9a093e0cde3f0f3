import {DatabaseSync, type StatementSync} from 'node:sqlite'

import {taka} from './world.ts'

export interface IntentRow {
  readonly runId: string
  readonly state: string
  readonly overrides: string
}

/** A second pair of eyes on the journal's file: it sees what is committed, and nothing else. */
export class JournalReader {
  private readonly sql: DatabaseSync
  private readonly intents: StatementSync
  private readonly requests: StatementSync
  private readonly ignores: StatementSync
  private readonly ignore: StatementSync

  constructor(path: string) {
    this.sql = new DatabaseSync(path, {readOnly: true})
    this.intents = this.sql.prepare(
      'SELECT run_id AS runId, state, overrides FROM resends WHERE order_id = ? AND event = ? ORDER BY id',
    )
    this.ignores = this.sql.prepare(
      'SELECT id, at_risk_paisa AS atRisk FROM ignores ORDER BY id DESC LIMIT 1',
    )
    this.ignore = this.sql.prepare('SELECT removed_at_ms AS takenBackMs FROM ignores WHERE id = ?')
    this.requests = this.sql.prepare('SELECT state FROM requests WHERE kind = ? AND order_no = ?')
  }

  intentsOf(orderId: string, event: string): readonly IntentRow[] {
    return this.intents.all(orderId, event) as unknown as IntentRow[]
  }

  /** The state of a number that was claimed, or null. */
  request(kind: string, orderNo: string): string | null {
    const row = this.requests.get(kind, orderNo)
    return row ? String(row.state) : null
  }

  newestIgnore(): {readonly id: number; readonly atRisk: string | null} | null {
    const row = this.ignores.get()
    if (!row) return null
    return {id: Number(row.id), atRisk: row.atRisk === null ? null : taka(BigInt(String(row.atRisk)))}
  }

  isTakenBack(id: number): boolean {
    return this.ignore.get(id)?.takenBackMs != null
  }

  close(): void {
    this.sql.close()
  }
}
