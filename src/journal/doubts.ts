import {Failure} from '../core/failure.ts'
import type {OrderKind} from '../core/order.ts'
import {attempt, type Database, write} from '../files/sqlite.ts'
import type {Journal} from './interface.ts'
import {
  declaredMade,
  inDoubtCondition,
  onlySaid,
  requestRowOf,
  selectBoth,
  selectRequest,
} from './request-row.ts'
import {type RequestLook, type RequestRow, type Resolution, tableOf} from './rows.ts'

type DoubtJournal = Pick<
  Journal,
  'recordLook' | 'requestsInDoubt' | 'listRequests' | 'numberWithPlatformOrder'
>

/** A weaker later query changes nothing. Only a person resolves a contradiction. */
const weight = (column: string) =>
  `CASE ${column} WHEN 'contradicted' THEN 2 WHEN 'confirmed' THEN 1 ELSE 0 END`

/**
 * An accepted create that is not found is in doubt again, until it is found or a person resolves it. A contradiction
 * that a person has judged no longer counts.
 */
function recordLook(db: Database, id: number, {confirmation, why, isFound}: RequestLook): void {
  write(db, (sql) => {
    const update = `UPDATE ${tableOf(id)} AS requests`
    const rowid = Math.abs(id)
    if (isFound === true)
      sql.prepare(`${update} SET state = 'accepted' WHERE rowid = ? AND state = 'unknown'`).run(rowid)
    if (isFound === false)
      sql
        .prepare(
          `${update} SET state = 'unknown', confirmation = coalesce(confirmation, 'unanswered')
           WHERE rowid = ? AND state = 'accepted' AND confirmation IS NOT 'contradicted' AND NOT ${declaredMade}`,
        )
        .run(rowid)
    sql
      .prepare(
        `${update} SET confirmation = :confirmation, confirmation_why = :why
         WHERE rowid = :rowid AND ${weight(':confirmation')} >= ${weight('confirmation')}
           AND NOT (:confirmation = 'contradicted' AND ${declaredMade})`,
      )
      .run({rowid, confirmation, why})
  })
}

/**
 * An order belongs to the first number it was given to. Later ones are in doubt, and a person's decision makes them
 * no owner.
 */
function numberWithPlatformOrder(
  db: Database,
  kind: OrderKind,
  orderNo: string,
  platformOrderNo: string,
): string | null {
  const row = attempt(db, (sql) =>
    sql
      .prepare(
        `SELECT order_no AS orderNo FROM requests WHERE platform_order_no = :platformOrderNo AND kind = :kind AND order_no <> :orderNo
           AND state <> 'refused' AND confirmation IS NOT 'contradicted' AND (NOT ${declaredMade}
             OR id < (SELECT id FROM requests AS mine WHERE mine.kind = :kind AND mine.order_no = :orderNo)) LIMIT 1`,
      )
      .get({platformOrderNo, kind, orderNo}),
  )
  return row === undefined ? null : String(row.orderNo)
}

/** The last numbers used, newest first, at most so many. */
function listRequests(db: Database, kind: OrderKind, rowsMax: number): RequestRow[] {
  return attempt(db, (sql) =>
    sql
      .prepare(`${selectRequest} WHERE kind = ? ORDER BY intent_at_ms DESC, id DESC LIMIT ?`)
      .all(kind, rowsMax)
      .map(requestRowOf),
  )
}

/** Creates in doubt, oldest first; those that a merge did not keep, too. */
function requestsInDoubt(db: Database): RequestRow[] {
  return attempt(db, (sql) =>
    sql
      .prepare(`${selectBoth(inDoubtCondition)} ORDER BY intentAtMs, id`)
      .all()
      .map(requestRowOf),
  )
}

/** Resolves a doubt by a person, or undoes a person's decision. Throws `usage` if there is none. */
export function resolveRequest(
  db: Database,
  {id, kind}: Pick<RequestRow, 'id' | 'kind'>,
  {happened, by, reason, atMs}: Resolution,
): void {
  write(db, (sql) => {
    const row = sql
      .prepare(
        `SELECT kind, order_no AS orderNo, state, body_digest AS bodyDigest FROM ${tableOf(id)} AS requests WHERE rowid = ?
          AND (${inDoubtCondition} OR ${onlySaid(!happened)})`,
      )
      .get(Math.abs(id))
    if (row === undefined) {
      throw noDoubt(kind)
    }
    sql
      .prepare(
        'INSERT INTO resolutions (kind, order_no, body_digest, happened, state_before, by, reason, at_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
      )
      .run(
        ...[row.kind, row.orderNo, row.bodyDigest, Number(happened), row.state, by, reason, atMs].map(
          (value) => value ?? null,
        ),
      )
    sql
      .prepare(
        // A yes keeps what was shown when it was given: it holds for that.
        `UPDATE ${tableOf(id)} SET state = ?, settled_at_ms = ?, confirmation = NULL
           ${happened ? '' : ', confirmation_why = NULL'} WHERE rowid = ?`,
      )
      .run(happened ? 'accepted' : 'refused', atMs, Math.abs(id))
  })
}

export function noDoubt(kind: OrderKind): Failure {
  return new Failure(
    'usage',
    'It is not in doubt any more.',
    `To list doubts, run \`hisab ${kind} list --in-doubt\`.`,
  )
}

/** The part of a journal that knows what a look, or a person, said of a create. */
export function doubtJournal(db: Database): DoubtJournal {
  return {
    recordLook: async (id, look) => recordLook(db, id, look),
    requestsInDoubt: async () => requestsInDoubt(db),
    numberWithPlatformOrder: async (...asked) => numberWithPlatformOrder(db, ...asked),
    listRequests: async (kind, rowsMax) => listRequests(db, kind, rowsMax),
  }
}
