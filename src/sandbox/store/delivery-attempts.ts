import type {DatabaseSync} from 'node:sqlite'

import type {AttemptReason} from '../attempt-reasons.ts'
import type {Exchange, HeaderPair} from '../delivery-sender.ts'

/** One attempt as it was sent; with another role, what a fault sent in addition. */
export interface StoredAttempt extends Exchange {
  /** Counts from 1. */
  readonly number: number
  readonly startedBy: 'schedule' | 'resend'
  readonly role: 'webhook' | 'forged' | 'doubled'
  /** By the sandbox's clock. */
  readonly beganAtMs: number
  /** Real time, as in the receiver's log. */
  readonly beganRealMs: number
}

export type AttemptStore = ReturnType<typeof openAttemptStore>

export function openAttemptStore(db: DatabaseSync) {
  const insert = db.prepare(
    `INSERT INTO delivery_attempts (delivery_seq, number, started_by, role, began_at, began_real, duration_ms, reason,
       request_headers, other_body, response_code, response_headers, response_body)
     SELECT seq, ?, ?, ?, ?, ?, ?, ?, ?, nullif(?, payload), ?, ?, ? FROM deliveries WHERE id = ?`,
  )
  const select = `SELECT number, started_by AS startedBy, role, began_at AS beganAtMs, began_real AS beganRealMs, duration_ms AS durationMs, reason,
       request_headers AS requestHeaders, coalesce(other_body, payload) AS requestBody,
       delivery_attempts.response_code AS responseCode, response_headers AS responseHeaders,
       delivery_attempts.response_body AS responseBody
     FROM deliveries JOIN delivery_attempts ON delivery_seq = deliveries.seq WHERE id = ?`
  const ofDelivery = db.prepare(`${select} ORDER BY delivery_attempts.seq`)
  const last = db.prepare(`${select} AND role = 'webhook' ORDER BY delivery_attempts.seq DESC LIMIT 1`)
  return {
    insert(deliveryId: string, attempt: StoredAttempt): void {
      const {
        number,
        startedBy,
        role,
        beganAtMs,
        beganRealMs,
        durationMs,
        reason,
        responseCode,
        responseBody,
      } = attempt
      insert.run(
        number,
        startedBy,
        role,
        beganAtMs,
        beganRealMs,
        durationMs,
        reason,
        JSON.stringify(attempt.requestHeaders),
        attempt.requestBody,
        responseCode,
        JSON.stringify(attempt.responseHeaders),
        responseBody,
        deliveryId,
      )
    },

    /** In order. A seeded history has no rows for its attempts. */
    ofDelivery: (deliveryId: string): StoredAttempt[] => ofDelivery.all(deliveryId).map(readAttempt),

    /** The last attempt of the webhook itself, or null. */
    lastOf(deliveryId: string): StoredAttempt | null {
      const row = last.get(deliveryId)
      return row ? readAttempt(row) : null
    },
  }
}

function readAttempt(row: Readonly<Record<string, unknown>>): StoredAttempt {
  return {
    ...(row as unknown as StoredAttempt),
    reason: row.reason as AttemptReason | null,
    requestHeaders: JSON.parse(String(row.requestHeaders)) as HeaderPair[],
    responseHeaders: JSON.parse(String(row.responseHeaders)) as HeaderPair[],
  }
}
