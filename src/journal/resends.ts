import type {SQLOutputValue} from 'node:sqlite'

import {Failure} from '../core/failure.ts'
import {visible} from '../core/text.ts'
import {attempt, type Database, isConstraint, write} from '../files/sqlite.ts'
import {type NewResend, type ResendOutcome, type ResendRow, type ResendState, resendMoves} from './rows.ts'

/** `not_sent` is stored as `refused` with a mark of its own (schema.ts). */
const stateNow = `CASE WHEN never_left = 1 THEN 'not_sent' ELSE state END`

const columns = `id, run_id AS runId, delivery_id AS deliveryId, order_id AS orderId, event, kind,
  order_no AS orderNo, ${stateNow} AS state, intent_at_ms AS intentAtMs, sent_at_ms AS sentAtMs,
  baseline_attempts AS baselineAttempts, baseline_sent_at AS baselineSentAt,
  baseline_status AS baselineStatus, baseline_next_retry_at AS baselineNextRetryAt,
  baseline_response_code AS baselineResponseCode,
  response_code AS responseCode, detail, overrides, cause`

/** A resend that was refused or never left reached nobody: it must not hide an earlier one that may have. */
const mayHaveReached = `state <> 'refused'`

/** The key of `latestResends`. */
export function resendKey(orderId: string, event: string): string {
  return JSON.stringify([orderId, event])
}

export function recordIntent(db: Database, intent: NewResend): number {
  return write(db, (sql) => {
    const running = sql.prepare(`SELECT 1 FROM runs WHERE id = ? AND status = 'running'`).get(intent.runId)
    if (running === undefined) throw defect(`The run ${visible(intent.runId)} is not running.`)
    const insert = sql.prepare(
      `INSERT INTO resends (run_id, delivery_id, order_id, event, kind, order_no, state, intent_at_ms,
         baseline_attempts, baseline_sent_at, baseline_status, baseline_next_retry_at,
         baseline_response_code, overrides, cause)
       VALUES (?, ?, ?, ?, ?, ?, 'intent', ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    try {
      const {lastInsertRowid} = insert.run(
        intent.runId,
        intent.deliveryId,
        intent.orderId,
        intent.event,
        intent.kind,
        intent.orderNo,
        intent.intentAtMs,
        intent.baselineAttempts,
        intent.baselineSentAt,
        intent.baselineStatus,
        intent.baselineNextRetryAt,
        intent.baselineResponseCode,
        JSON.stringify(intent.overrides),
        intent.cause,
      )
      return Number(lastInsertRowid)
    } catch (error) {
      if (!isConstraint(error)) throw error
      throw defect(
        `A second resend of ${visible(intent.event)} for order ${visible(intent.orderId)} in one run.`,
      )
    }
  })
}

export function settleResend(db: Database, id: number, state: ResendState, outcome: ResendOutcome): void {
  write(db, (sql) => {
    const from = sql.prepare(`SELECT ${stateNow} AS state FROM resends WHERE id = ?`).get(id)?.state as
      | ResendState
      | undefined
    if (from === undefined) throw defect(`There is no resend ${id}.`)
    if (!resendMoves[from].includes(state)) {
      throw defect(`A resend that is "${from}" cannot become "${state}".`)
    }
    sql
      .prepare(
        `UPDATE resends SET state = :state, never_left = :neverLeft, sent_at_ms = coalesce(:sentAtMs, sent_at_ms),
           response_code = coalesce(:responseCode, response_code), detail = coalesce(:detail, detail)
         WHERE id = :id`,
      )
      .run({
        id,
        state: state === 'not_sent' ? 'refused' : state,
        neverLeft: state === 'not_sent' ? 1 : 0,
        sentAtMs: outcome.sentAtMs ?? null,
        responseCode: outcome.responseCode ?? null,
        detail: outcome.detail ?? null,
      })
  })
}

export function resendsOfRun(db: Database, runId: string): ResendRow[] {
  return attempt(db, (sql) =>
    sql.prepare(`SELECT ${columns} FROM resends WHERE run_id = ? ORDER BY id`).all(runId),
  ).map(resendOf)
}

export function latestResend(db: Database, orderId: string, event: string): ResendRow | null {
  const row = attempt(db, (sql) =>
    sql
      .prepare(
        `SELECT ${columns} FROM resends WHERE order_id = ? AND event = ? AND ${mayHaveReached}
         ORDER BY id DESC LIMIT 1`,
      )
      .get(orderId, event),
  )
  return row === undefined ? null : resendOf(row)
}

export function latestResends(db: Database): Map<string, ResendRow> {
  const rows = attempt(db, (sql) =>
    sql
      .prepare(
        `SELECT ${columns} FROM resends WHERE id IN
           (SELECT max(id) FROM resends WHERE ${mayHaveReached} GROUP BY order_id, event)`,
      )
      .all(),
  ).map(resendOf)
  return new Map(rows.map((row) => [resendKey(row.orderId, row.event), row]))
}

function resendOf(row: Record<string, SQLOutputValue>): ResendRow {
  return {...row, overrides: JSON.parse(String(row.overrides))} as unknown as ResendRow
}

function defect(message: string): Failure {
  return new Failure('bug', message, 'Nothing was sent. Please report this with the id of the run.')
}
