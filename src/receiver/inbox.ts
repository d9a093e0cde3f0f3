import {type Owner, openOwnedDatabase} from '../files/owned-database.ts'
import {attempt, type Database} from '../files/sqlite.ts'
import {GroupCommit} from './group-commit.ts'
import {inboxSteps} from './schema.ts'
import type {Webhook} from './webhook.ts'

/** What a delivery turned out to be. `conflict`: the event is known, with another content. */
export type Novelty = 'new' | 'duplicate' | 'conflict'

export interface Taken {
  readonly id: number
  readonly novelty: Novelty
  /** When the first content of the event came. */
  readonly firstAtMs: number
  /** Whether the merchant's own server has answered 2xx to it, ever. */
  readonly isAcknowledged: boolean
}

/** One stored event, or a content that contradicts one. */
export interface StoredEvent extends Omit<Webhook, 'digest'> {
  readonly id: number
  readonly isConflict: boolean
  readonly receivedAtMs: number
  /** How often the merchant's own server was asked to take it. */
  readonly forwards: number
  /** Its last HTTP status; null where it gave none. */
  readonly forwardStatus: number | null
  readonly acknowledgedAtMs: number | null
}

export interface EventFilter {
  readonly orderNo?: string | undefined
  /** Only those no server has acknowledged. */
  readonly isPending?: boolean
  readonly rowsMax: number
}

/** How the merchant's own server answered; null where it gave no answer. */
export interface ForwardRecord {
  readonly httpStatus: number | null
  /** Null where the answer was no acknowledgement. */
  readonly acknowledgedAtMs: number | null
}

/**
 * What one profile's listener received: kept for good, because a signature carries no time and an old webhook is
 * as genuine as on its first day.
 */
export interface Inbox {
  /** Resolves once the event is on the disk (P23). Rejects with `storage_failed` or `locked`: then it is not. */
  take(webhook: Webhook, nowMs: number): Promise<Taken>
  /** Resolves once the answer is on the disk. An event that was acknowledged once stays so. */
  recordForward(id: number, record: ForwardRecord): Promise<void>
  /** Newest first. */
  list(filter: EventFilter): StoredEvent[]
  countPending(): number
  readonly path: string
  close(): void
}

const busyTimeoutMs = 5_000

export interface InboxOptions {
  readonly dataDir: string
  readonly owner: Owner
  /** Of 4 KiB each, at most: how a test fills the disk. */
  readonly pagesMax?: number
}

/** Opens, and if need be creates, `received/PROFILE-MERCHANT.db`. Throws as `openOwnedDatabase`. */
export function openInbox({dataDir, owner, pagesMax}: InboxOptions): Inbox {
  const db = openOwnedDatabase({dataDir, folder: 'received', owner, steps: inboxSteps, busyTimeoutMs})
  if (pagesMax !== undefined) db.sql.exec(`PRAGMA max_page_count = ${pagesMax}`)
  const sql = attempt(db, prepare)
  const commits = new GroupCommit(db)
  return {
    take: (webhook, nowMs) => commits.run(() => take(sql, webhook, nowMs)),
    recordForward: (id, {httpStatus, acknowledgedAtMs}) =>
      commits.run(() => void sql.forward.run(httpStatus, acknowledgedAtMs, id)),
    list: (filter) => attempt(db, () => list(db, filter)),
    countPending: () => attempt(db, () => Number(sql.countPending.get()?.pending)),
    path: db.path,
    close() {
      if (db.sql.isOpen) db.sql.close()
    },
  }
}

type Statements = ReturnType<typeof prepare>

function prepare(sql: Database['sql']) {
  return {
    known: sql.prepare(
      `SELECT id, digest, is_conflict AS isConflict, received_at_ms AS receivedAtMs,
         acknowledged_at_ms IS NOT NULL AS isAcknowledged
       FROM events WHERE order_id = ? AND event = ? ORDER BY is_conflict`,
    ),
    insert: sql.prepare(
      `INSERT INTO events (order_id, event, digest, is_conflict, order_no, status, amount, player_ref, content,
         received_at_ms) VALUES (:orderId, :event, :digest, :isConflict, :orderNo, :status, :amount,
         :playerRef, :content, :nowMs)`,
    ),
    forward: sql.prepare(
      `UPDATE events SET forwards = forwards + 1, forward_status = ?,
         acknowledged_at_ms = coalesce(acknowledged_at_ms, ?) WHERE id = ?`,
    ),
    countPending: sql.prepare(
      'SELECT count(*) AS pending FROM events WHERE forwards > 0 AND acknowledged_at_ms IS NULL',
    ),
  }
}

interface KnownRow {
  readonly id: number
  readonly digest: string
  readonly isConflict: number
  readonly receivedAtMs: number
  readonly isAcknowledged: number
}

function take(sql: Statements, webhook: Webhook, nowMs: number): Taken {
  const rows = sql.known.all(webhook.orderId, webhook.event) as unknown as KnownRow[]
  const [first] = rows
  const same = rows.find(({digest}) => digest === webhook.digest)
  const firstAtMs = first?.receivedAtMs ?? nowMs
  if (same) {
    const novelty = same.isConflict ? 'conflict' : 'duplicate'
    return {id: same.id, novelty, firstAtMs, isAcknowledged: same.isAcknowledged === 1}
  }
  const isConflict = first ? 1 : 0
  const {lastInsertRowid} = sql.insert.run({...webhook, isConflict, nowMs})
  return {
    id: Number(lastInsertRowid),
    novelty: first ? 'conflict' : 'new',
    firstAtMs,
    isAcknowledged: false,
  }
}

function list({sql}: Database, {orderNo, isPending, rowsMax}: EventFilter): StoredEvent[] {
  const rows = sql
    .prepare(
      `SELECT id, order_id AS orderId, event, is_conflict AS isConflict, order_no AS orderNo, status, amount,
         player_ref AS playerRef, content, received_at_ms AS receivedAtMs, forwards,
         forward_status AS forwardStatus, acknowledged_at_ms AS acknowledgedAtMs
       FROM events
       WHERE (:orderNo IS NULL OR order_no = :orderNo)
         AND (:isPending = 0 OR (forwards > 0 AND acknowledged_at_ms IS NULL))
       ORDER BY id DESC LIMIT :rowsMax`,
    )
    .all({orderNo: orderNo ?? null, isPending: isPending ? 1 : 0, rowsMax})
  return rows.map((row) => ({...row, isConflict: row.isConflict === 1}) as unknown as StoredEvent)
}
