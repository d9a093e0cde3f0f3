import type {SQLOutputValue} from 'node:sqlite'

import {Failure} from '../core/failure.ts'
import type {OrderKind} from '../core/order.ts'
import {visible} from '../core/text.ts'
import {attempt, type Database, write} from '../files/sqlite.ts'
import {
  type Claim,
  type NumberClaim,
  type RequestOutcome,
  type RequestRow,
  type RequestState,
  requestMoves,
} from './rows.ts'

/** The amount as text: SQLite's integers have 64 bits, a JavaScript number has 53. */
const selectRequest = `SELECT id, kind, order_no AS orderNo, body_digest AS bodyDigest,
  CAST(amount_paisa AS TEXT) AS amount, channel, masked_account AS maskedAccount, state,
  platform_order_no AS platformOrderNo, service_code AS serviceCode, claims,
  intent_at_ms AS intentAtMs, settled_at_ms AS settledAtMs FROM requests`

export function claimNumber(db: Database, claim: NumberClaim): Claim {
  return write(db, (sql): Claim => {
    const found = sql
      .prepare(`${selectRequest} WHERE kind = ? AND order_no = ?`)
      .get(claim.kind, claim.orderNo)
    if (found === undefined) {
      const {lastInsertRowid} = sql
        .prepare(
          `INSERT INTO requests (kind, order_no, body_digest, amount_paisa, channel, masked_account, state,
             intent_at_ms) VALUES (?, ?, ?, ?, ?, ?, 'intent', ?)`,
        )
        .run(
          claim.kind,
          claim.orderNo,
          claim.bodyDigest,
          claim.amount,
          claim.channel,
          claim.maskedAccount,
          claim.intentAtMs,
        )
      return {fresh: true, id: Number(lastInsertRowid)}
    }
    const row = requestOf(found)
    if (row.bodyDigest !== claim.bodyDigest) throw numberReused(claim)
    // A refused request that is sent again is an intent again: it may be accepted this time.
    sql
      .prepare(
        `UPDATE requests SET claims = claims + 1,
           state = CASE state WHEN 'refused' THEN 'intent' ELSE state END WHERE id = ?`,
      )
      .run(row.id)
    return {fresh: false, row}
  })
}

export function settleRequest(db: Database, id: number, state: RequestState, outcome: RequestOutcome): void {
  write(db, (sql) => {
    const from = sql.prepare('SELECT state FROM requests WHERE id = ?').get(id)?.state as
      | RequestState
      | undefined
    if (from === undefined || !requestMoves[from].includes(state)) {
      throw new Failure(
        'bug',
        `A request that is "${from ?? 'not in the journal'}" cannot become "${state}".`,
        'Query the order before anything else, and please report this.',
      )
    }
    sql
      .prepare(
        `UPDATE requests SET state = :state, settled_at_ms = :settledAtMs,
           platform_order_no = coalesce(:platformOrderNo, platform_order_no), service_code = :serviceCode
         WHERE id = :id`,
      )
      .run({
        id,
        state,
        settledAtMs: outcome.settledAtMs,
        platformOrderNo: outcome.platformOrderNo ?? null,
        serviceCode: outcome.serviceCode ?? null,
      })
  })
}

export function findRequest(db: Database, kind: OrderKind, orderNo: string): RequestRow | null {
  const row = attempt(db, (sql) =>
    sql.prepare(`${selectRequest} WHERE kind = ? AND order_no = ?`).get(kind, orderNo),
  )
  return row === undefined ? null : requestOf(row)
}

function requestOf(row: Record<string, SQLOutputValue>): RequestRow {
  return {...row, amount: row.amount === null ? null : BigInt(String(row.amount))} as unknown as RequestRow
}

function numberReused({kind, orderNo}: NumberClaim): Failure {
  return new Failure(
    'number_reused',
    `The ${kind} number ${visible(orderNo)} is already in the journal with other parameters. The service would answer with the old order as if it were this one.`,
    `See the old one with \`hisab ${kind} query ${visible(orderNo)}\`; give the new ${kind} a new number. Nothing was sent.`,
  )
}
