import {randomUUID} from 'node:crypto'
import type {Account} from '../core/account.ts'
import {type Dialect, defaultDialect} from '../core/dialect.ts'
import {openOwnedDatabase} from '../files/owned-database.ts'
import {attempt, type Database, write} from '../files/sqlite.ts'
import {foldedOrderId, inboxSteps} from './inbox-schema.ts'
import {InboxWitness} from './inbox-witness.ts'
import {agreesWith, answersFor, contradicts, isSameEvent, lineOf} from './same-event.ts'
import {
  countEvents,
  type EventFilter,
  type Limit,
  listEvents,
  pendingCount,
  type StoredEvent,
} from './stored-events.ts'
import type {Webhook} from './webhook.ts'

/**
 * The result of a delivery. `new`: the first of its event. `duplicate`: an earlier one has the same money and state.
 * `changed`: earlier ones differ, and none was acknowledged. `conflict`: one was acknowledged.
 */
export type Novelty = 'new' | 'duplicate' | 'changed' | 'conflict'

export interface Taken {
  readonly id: number
  readonly novelty: Novelty
  /** When the first content of the event came. */
  readonly firstAtMs: number
  /** Whether the merchant's server has answered 2xx to this event with this money and state. */
  readonly isAcknowledged: boolean
  /** The right to hand this content on; null if it is not wanted, or another forward of the event is under way. */
  readonly claim: string | null
}

/** The answer of the merchant's own server, or null. */
export interface ForwardRecord {
  readonly httpStatus: number | null
  /** Null if it did not acknowledge. */
  readonly acknowledgedAtMs: number | null
}

/**
 * What one profile's listener received. Kept for ever, because a signature has no time and an old webhook stays
 * genuine.
 */
export interface Inbox {
  /**
   * Resolves when the event is on the disk (P23); rejects with `storage_failed` or `locked` if it is not. With a
   * server (`claimForMs` is not null), the claim is in the same commit, so that only one process forwards an event at
   * a time. A claim ends after `claimForMs`, because its process may be killed. `isForced`: a person approved handing
   * on a contradiction.
   */
  take(webhook: Webhook, nowMs: number, claimForMs: number | null, isForced?: boolean): Promise<Taken>
  renewClaim(claim: string, untilMs: number): Promise<void>
  /** Resolves when the answer is on the disk. An acknowledged event stays acknowledged. */
  recordForward(id: number, claim: string, record: ForwardRecord): Promise<void>
  /** Whether a forward of it is under way now, in any process. */
  isUnderWay(event: StoredEvent, nowMs: number): boolean
  /** Resolves when the disk has it: no server gets the content any more, because a person saw to it. False while it is being forwarded. */
  closeEvent(event: StoredEvent, by: string, reason: string, nowMs: number): Promise<boolean>
  list(filter: EventFilter & Limit): StoredEvent[]
  /** How many `list` would have without a limit. */
  count(filter: EventFilter): number
  countPending(): number
  readonly path: string
  close(): void
}

const busyTimeoutMs = 5_000
const claimMsMax = 10_000

export interface InboxOptions {
  readonly dataDir: string
  readonly account: Account
  /** The profile's words for a state (A3). */
  readonly words?: Dialect['status']
  /** Addresses of the service, from `addressesOf`. */
  readonly addresses?: readonly string[]
  /** Runs `begin` when no other process is beginning a store for the service. Throws if there is one. */
  readonly inTurn?: (begin: () => void) => void
  /** At most this many pages of 4 KiB: tests fill the disk with it. */
  readonly pagesMax?: number
}

/**
 * Opens or creates `received/MERCHANT@ENVIRONMENT.db`. Throws like `openOwnedDatabase`, and `file_unreadable` if the
 * store was lost or replaced by an older copy.
 */
export function openInbox({
  dataDir,
  account,
  words,
  addresses = [],
  inTurn = (begin) => begin(),
  pagesMax,
}: InboxOptions): Inbox {
  const witness = new InboxWitness(dataDir, account)
  const check: InboxWitness['check'] = (found, path) => witness.check(found, path)
  const db = openOwnedDatabase({
    dataDir,
    folder: 'received',
    account,
    steps: inboxSteps,
    busyTimeoutMs,
    check,
  })
  if (pagesMax !== undefined) db.sql.exec(`PRAGMA max_page_count = ${pagesMax}`)
  const sql = {...attempt(db, prepare), words: words ?? defaultDialect.status}
  const commits = new BatchCommit(db)
  // Before the first event: from then on, this store belongs to these addresses.
  let isBegun = addresses.length === 0
  const begin = () => {
    if (isBegun) return
    inTurn(() => write(db, () => addresses.forEach((address) => void sql.reach.run(address))))
    isBegun = true
  }
  let hasTaken = false
  return {
    async take(webhook, nowMs, claimForMs, isForced) {
      begin()
      const taken = await commits.run(() => take(sql, webhook, nowMs, claimForMs, isForced))
      hasTaken = true
      if (db.sql.isOpen) witness.keep(db.sql, nowMs)
      return taken
    },
    renewClaim: (claim, untilMs) => commits.run(() => void sql.renew.run(untilMs, claim)),
    async recordForward(id, claim, {httpStatus, acknowledgedAtMs}) {
      await commits.run(() => {
        sql.endForward.run(httpStatus, acknowledgedAtMs, id)
        if (acknowledgedAtMs !== null) supersedeOthers(sql, id)
        sql.release.run(claim)
      })
      if (acknowledgedAtMs !== null && db.sql.isOpen) witness.keep(db.sql, acknowledgedAtMs)
    },
    isUnderWay: (event, nowMs) => attempt(db, () => isUnderWay(sql, event, nowMs)),
    async closeEvent(event, by, reason, nowMs) {
      const isClosed = await commits.run(() => {
        if (isUnderWay(sql, event, nowMs)) return false
        sql.close.run({id: event.id, by, reason, nowMs})
        supersedeOthers(sql, event.id)
        return true
      })
      if (isClosed && db.sql.isOpen) witness.keep(db.sql, nowMs)
      return isClosed
    },
    list: (filter) => attempt(db, () => listEvents(db, filter)),
    count: (filter) => attempt(db, () => countEvents(db, filter)),
    countPending: () => attempt(db, () => Number(sql.countPending.get()?.found)),
    path: db.path,
    close() {
      if (!db.sql.isOpen) return
      if (hasTaken) witness.keep(db.sql, Number.POSITIVE_INFINITY)
      db.sql.close()
    },
  }
}

type Statements = ReturnType<typeof prepare> & {readonly words: Dialect['status']}

function prepare(sql: Database['sql']) {
  return {
    known: sql.prepare(
      `SELECT id, digest, order_id AS orderId, event, order_no AS orderNo, status, amount, player_ref AS playerRef,
         content, is_conflict AS isConflict, closed_by IS NOT NULL AS isClosed, forward_open AS isForwardOpen, received_at_ms AS receivedAtMs, answered_alone AS isAnsweredAlone,
         acknowledged_at_ms IS NOT NULL AS isAcknowledged
       FROM events WHERE ${foldedOrderId} = lower(trim(:orderId)) OR order_no = :orderNo ORDER BY id`,
    ),
    reach: sql.prepare('INSERT OR IGNORE INTO addresses VALUES (?)'),
    one: sql.prepare('SELECT order_id AS orderId, order_no AS orderNo FROM events WHERE id = ?'),
    supersede: sql.prepare(
      'UPDATE events SET superseded_by = ?1 WHERE id = ?2 AND acknowledged_at_ms IS NULL AND superseded_by IS NULL',
    ),
    insert: sql.prepare(
      `INSERT INTO events (order_id, event, digest, is_conflict, order_no, status, amount, player_ref, content,
         received_at_ms) VALUES (:orderId, :event, :digest, 0, :orderNo, :status, :amount, :playerRef, :content,
         :nowMs)`,
    ),
    // A contradiction waits for a person, also where it was an earlier state of the order before.
    judge: sql.prepare(
      `UPDATE events SET is_conflict = ?1, superseded_by = CASE ?1 WHEN 0 THEN superseded_by END
       WHERE id = ?2 AND is_conflict <> ?1`,
    ),
    answerAlone: sql.prepare('UPDATE events SET answered_alone = 1 WHERE id = ? AND answered_alone = 0'),
    // A claim with a distant end was made before the clock was set back.
    lapse: sql.prepare(
      `DELETE FROM forwards_under_way
       WHERE order_id = :orderId AND event_key = :key AND (until_ms <= :nowMs OR until_ms > :nowMs + ${claimMsMax})`,
    ),
    isClaimed: sql.prepare(
      'SELECT 1 FROM forwards_under_way WHERE order_id = :orderId AND event_key = :key AND until_ms > :nowMs',
    ),
    // A contradiction stays one: the other version counts, and this one is never acknowledged.
    close: sql.prepare(
      `UPDATE events SET closed_by = :by, close_reason = :reason, superseded_by = CASE is_conflict WHEN 1 THEN id END,
         acknowledged_at_ms = CASE is_conflict WHEN 0 THEN :nowMs END WHERE id = :id AND acknowledged_at_ms IS NULL`,
    ),
    claim: sql.prepare('INSERT OR IGNORE INTO forwards_under_way VALUES (:orderId, :key, :claim, :untilMs)'),
    beginForward: sql.prepare('UPDATE events SET forwards = forwards + 1, forward_open = 1 WHERE id = ?'),
    endForward: sql.prepare(
      `UPDATE events SET forward_open = 0, forward_status = ?,
         acknowledged_at_ms = coalesce(acknowledged_at_ms, ?) WHERE id = ?`,
    ),
    renew: sql.prepare('UPDATE forwards_under_way SET until_ms = ? WHERE claim = ?'),
    release: sql.prepare('DELETE FROM forwards_under_way WHERE claim = ?'),
    countPending: sql.prepare(pendingCount),
  }
}

interface KnownRow extends Webhook {
  readonly id: number
  readonly isConflict: number
  readonly isClosed: number
  readonly isForwardOpen: number
  readonly receivedAtMs: number
  readonly isAnsweredAlone: number
  readonly isAcknowledged: number
}

/** Every content that may belong to the order. */
function rowsOf(sql: Statements, {orderId, orderNo}: Pick<Webhook, 'orderId' | 'orderNo'>): KnownRow[] {
  return sql.known.all({orderId, orderNo}) as unknown as KnownRow[]
}

function take(
  sql: Statements,
  webhook: Webhook,
  nowMs: number,
  claimForMs: number | null,
  isForced: boolean | undefined,
): Taken {
  const rows = rowsOf(sql, webhook)
  const ofEvent = rows.filter((row) => isSameEvent(row, webhook, sql.words))
  const stands = rows.filter(
    (row) =>
      (row.isAcknowledged === 1 || (claimForMs === null && row.isAnsweredAlone === 1)) &&
      // What a person saw to is done under any name.
      ((row.isClosed === 1 && agreesWith(webhook, row, sql.words)) || answersFor(row, webhook, sql.words)),
  )
  const agreeing = stands.find((row) => agreesWith(webhook, row, sql.words))
  const isAcknowledged = agreeing !== undefined
  const isConflict = stands.length > 0 && !isAcknowledged
  const same = rows.find(({digest}) => digest === webhook.digest)
  const id = same?.id ?? Number(sql.insert.run({...webhook, nowMs}).lastInsertRowid)
  sql.judge.run(isConflict ? 1 : 0, id)
  if (claimForMs === null && !isConflict) sql.answerAlone.run(id)
  if (agreeing?.isAcknowledged === 1) sql.supersede.run(agreeing.id, id)
  const novelty = isConflict
    ? 'conflict'
    : ofEvent.length === 0
      ? 'new'
      : ofEvent.some((row) => agreesWith(webhook, row, sql.words))
        ? 'duplicate'
        : 'changed'
  const isWanted = claimForMs !== null && (isForced || !isConflict) && !isAcknowledged
  const claim = isWanted ? claimForward(sql, id, webhook, nowMs, nowMs + claimForMs) : null
  return {id, novelty, firstAtMs: ofEvent[0]?.receivedAtMs ?? nowMs, isAcknowledged, claim}
}

/**
 * Earlier contents that the acknowledged one covers are no longer handed on. A different order or amount under the
 * same ID stays visible as a contradiction, and so does an interrupted forward, which may also have been acted on.
 */
function supersedeOthers(sql: Statements, id: number): void {
  const rows = rowsOf(sql, sql.one.get(id) as unknown as Webhook)
  const acknowledged = rows.find((row) => row.id === id && row.isAcknowledged === 1)
  if (acknowledged === undefined) return
  for (const row of rows) {
    if (row.id === id || !answersFor(acknowledged, row, sql.words)) continue
    const mayBeBooked =
      (row.isForwardOpen === 1 || row.isConflict === 1) && !agreesWith(row, acknowledged, sql.words)
    if (mayBeBooked || contradicts(row, acknowledged, sql.words)) sql.judge.run(1, row.id)
    else sql.supersede.run(id, row.id)
  }
}

function isUnderWay(sql: Statements, event: Webhook, nowMs: number): boolean {
  return sql.isClaimed.get({...underWayAs(lineOf(event)), nowMs}) !== undefined
}

function underWayAs(line: string) {
  return {orderId: line, key: ''}
}

function claimForward(
  sql: Statements,
  id: number,
  webhook: Webhook,
  nowMs: number,
  untilMs: number,
): string | null {
  const claim = randomUUID()
  // By its number too: of two contents of an order, one may lack the ID.
  for (const line of [lineOf(webhook), `number ${webhook.orderNo ?? ''}`]) {
    if (line === 'number ') continue
    const one = underWayAs(line)
    sql.lapse.run({...one, nowMs})
    if (sql.claim.run({...one, claim, untilMs}).changes === 0) {
      sql.release.run(claim)
      return null
    }
  }
  sql.beginForward.run(id)
  return claim
}

/**
 * Many requests, one synced commit: work that arrives in the same turn of the event loop shares a transaction. A sync
 * takes as long for a hundred rows as for one, and the next hundred arrive meanwhile.
 */
class BatchCommit {
  private readonly db: Database
  private waiting: {readonly begin: () => () => void; readonly reject: (error: unknown) => void}[] = []

  constructor(db: Database) {
    this.db = db
  }

  /**
   * Runs `work` in the shared transaction, and resolves with its result after the commit is synced. If the commit
   * fails, nothing is kept and all reject (`storage_failed`, `locked`).
   */
  run<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        const result = work()
        return () => resolve(result)
      }
      // After the turn in which data arrives, so that all of it is in the batch.
      if (this.waiting.push({begin, reject}) === 1) setImmediate(() => this.flush())
    })
  }

  private flush(): void {
    const batch = this.waiting
    this.waiting = []
    try {
      const callbacks = write(this.db, () => batch.map(({begin}) => begin()))
      for (const callback of callbacks) callback()
    } catch (error) {
      for (const {reject} of batch) reject(error)
    }
  }
}
