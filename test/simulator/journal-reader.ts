import {DatabaseSync, type StatementSync} from 'node:sqlite'

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

  constructor(path: string) {
    this.sql = new DatabaseSync(path, {readOnly: true})
    this.intents = this.sql.prepare(
      'SELECT run_id AS runId, state, overrides FROM resends WHERE order_id = ? AND event = ? ORDER BY id',
    )
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

  close(): void {
    this.sql.close()
  }
}
