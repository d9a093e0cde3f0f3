import {rmSync} from 'node:fs'
import {join} from 'node:path'
import type {DatabaseSync} from 'node:sqlite'

import {type Account, accountKey} from '../core/account.ts'
import {Failure} from '../core/failure.ts'
import {escapeInvisible} from '../core/text.ts'
import {fileNameOf} from '../files/file-name.ts'
import {readWitness, writeWitness} from '../files/witness-file.ts'

/** The store when last seen: its identity, its newest content, and what your server had acknowledged. */
interface Seen {
  readonly fileId: string
  readonly id: number
  readonly receivedAtMs: number
  /** Absent in files of an earlier version. */
  readonly acknowledged?: number
  readonly lastAcknowledgedAtMs?: number | null
}

const keptForMs = 60_000

/**
 * A file beside the store of received events that records how much it knew. A store that was lost or replaced by an
 * older copy has forgotten acknowledgements, and your server would get those events again. Written at most once a
 * minute, because an event must not cost a second synced file.
 */
export class InboxWitness {
  private readonly path: string
  private keptAtMs = Number.NEGATIVE_INFINITY

  constructor(dataDir: string, account: Account) {
    this.path = join(dataDir, 'accounts', `${fileNameOf(accountKey(account))}.received`)
  }

  check(sql: DatabaseSync | null, storePath: string): void {
    const seen = this.read()
    if (seen === null) return
    const fileId = sql && fileIdOf(sql)
    if (sql === null || fileId === null) throw lostStore(storePath, 'is gone or empty')
    if (fileId !== seen.fileId) throw lostStore(storePath, 'is another one')
    const found = sql.prepare('SELECT received_at_ms AS atMs FROM events WHERE id = ?').get(seen.id)
    if (found?.atMs !== seen.receivedAtMs || !hasAcknowledged(sql, seen))
      throw lostStore(storePath, 'is an older copy')
  }

  /** Records what the store knows, after a commit there. */
  keep(sql: DatabaseSync, nowMs: number): void {
    if (Math.abs(nowMs - this.keptAtMs) < keptForMs) return
    this.keptAtMs = nowMs
    const newest = sql
      .prepare('SELECT id, received_at_ms AS receivedAtMs FROM events ORDER BY id DESC LIMIT 1')
      .get()
    try {
      writeWitness(this.path, {fileId: fileIdOf(sql), ...newest, ...acknowledgedIn(sql)})
    } catch {
      // The event is stored. An unwritable store reports itself.
    }
  }

  forget(): void {
    rmSync(this.path, {force: true})
  }

  private read(): Seen | null {
    const asSeen = ({fileId, id, receivedAtMs, ...more}: Partial<Seen>) =>
      fileId !== undefined && id !== undefined && receivedAtMs !== undefined
        ? {fileId, id, receivedAtMs, ...more}
        : null
    return readWitness(this.path, asSeen, {fileId: '', id: 0, receivedAtMs: 0})
  }
}

function acknowledgedIn(sql: DatabaseSync): Required<Pick<Seen, 'acknowledged' | 'lastAcknowledgedAtMs'>> {
  return sql
    .prepare(
      `SELECT count(*) AS acknowledged, max(acknowledged_at_ms) AS lastAcknowledgedAtMs
       FROM events WHERE acknowledged_at_ms IS NOT NULL`,
    )
    .get() as ReturnType<typeof acknowledgedIn>
}

/** An event stored before the copy was made may have been acknowledged after it. */
function hasAcknowledged(
  sql: DatabaseSync,
  {acknowledged = 0, lastAcknowledgedAtMs: last = null}: Seen,
): boolean {
  if (acknowledgedIn(sql).acknowledged < acknowledged) return false
  return (
    last === null || sql.prepare('SELECT 1 FROM events WHERE acknowledged_at_ms = ?').get(last) !== undefined
  )
}

/** Null in a store of an earlier version. */
function fileIdOf(sql: DatabaseSync): string | null {
  if (!sql.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'account'`).get()) return null
  const fileId = sql.prepare('SELECT file_id AS fileId FROM account').get()?.fileId
  return typeof fileId === 'string' ? fileId : null
}

function lostStore(path: string, what: string): Failure {
  return new Failure(
    'file_unreadable',
    `The store of received events ${escapeInvisible(path)} ${what}. It no longer knows what your server acknowledged, and would send those events again. Nothing was received or sent.`,
    'Restore the store. If it is lost for good, run: hisab journal link --start-over --reason "…".',
  )
}
