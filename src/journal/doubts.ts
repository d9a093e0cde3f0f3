import {Failure} from '../core/failure.ts'
import type {OrderKind} from '../core/order.ts'
import {attempt, type Database, write} from '../files/sqlite.ts'
import type {Journal} from './interface.ts'
import {declaredMade, inDoubtCondition, onlySaid, requestRowOf, selectRequest} from './request-row.ts'
import type {RequestLook, RequestRow, Resolution} from './rows.ts'

type DoubtJournal = Pick<
  Journal,
  'recordLook' | 'requestsInDoubt' | 'listRequests' | 'numberWithPlatformOrder'
>

/** A weaker later query changes nothing. Only a person resolves a contradiction. */
const weight = (column: string) =>
  `CASE ${column} WHEN 'contradicted' THEN 2 WHEN 'confirmed' THEN 1 ELSE 0 END`

/**
 * What was accepted and is not found is in doubt again, until it is found or a person says what it is. A contradiction
 * that a person has spoken about is none any more.
 */
function recordLook(db: Database, id: number, {confirmation, why, isFound}: RequestLook): void {
  write(db, (sql) => {
    if (isFound === true)
      sql.prepare(`UPDATE requests SET state = 'accepted' WHERE id = ? AND state = 'unknown'`).run(id)
    if (isFound === false)
      sql
        .prepare(
          `UPDATE requests SET state = 'unknown', confirmation = coalesce(confirmation, 'unanswered')
           WHERE id = ? AND state = 'accepted' AND confirmation IS NOT 'contradicted' AND NOT ${declaredMade}`,
        )
        .run(id)
    sql
      .prepare(
        `UPDATE requests SET confirmation = :confirmation, confirmation_why = :why
         WHERE id = :id AND ${weight(':confirmation')} >= ${weight('confirmation')}
           AND NOT (:confirmation = 'contradicted' AND ${declaredMade})`,
      )
      .run({id, confirmation, why})
  })
}

/** An order is of the first number it was given to. Later ones are in doubt, and a person's word makes them no owner. */
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

/** Creates in doubt, oldest first. */
function requestsInDoubt(db: Database): RequestRow[] {
  return attempt(db, (sql) =>
    sql
      .prepare(`${selectRequest} WHERE ${inDoubtCondition} ORDER BY intent_at_ms, id`)
      .all()
      .map(requestRowOf),
  )
}

/** Resolves a doubt by a person, or takes a person's word back. Throws `usage` where there is none. */
export function resolveRequest(
  db: Database,
  {id, kind}: Pick<RequestRow, 'id' | 'kind'>,
  {happened, by, reason, atMs}: Resolution,
): void {
  write(db, (sql) => {
    const row = sql
      .prepare(
        `SELECT kind, order_no AS orderNo, state FROM requests WHERE id = ?
          AND (${inDoubtCondition} OR ${onlySaid(!happened)})`,
      )
      .get(id)
    if (row === undefined) {
      throw noDoubt(kind)
    }
    sql
      .prepare(
        'INSERT INTO resolutions (kind, order_no, happened, state_before, by, reason, at_ms) VALUES (?, ?, ?, ?, ?, ?, ?)',
      )
      .run(
        ...[row.kind, row.orderNo, Number(happened), row.state, by, reason, atMs].map(
          (value) => value ?? null,
        ),
      )
    sql
      .prepare(
        'UPDATE requests SET state = ?, settled_at_ms = ?, confirmation = NULL, confirmation_why = NULL WHERE id = ?',
      )
      .run(happened ? 'accepted' : 'refused', atMs, id)
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
