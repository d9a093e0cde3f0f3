import type {DatabaseSync} from 'node:sqlite'

import type {DeliveryStatus} from '../../core/order.ts'
import {transact} from './database.ts'

/** The delivery record of a webhook (service §2.3), with what is needed to deliver it. */
export interface StoredDelivery {
  readonly id: string
  readonly merchantId: string
  readonly orderId: string
  readonly merchantOrderId: string
  readonly url: string
  readonly event: string
  /** The body, the same bytes in every attempt. */
  readonly payload: string
  readonly status: DeliveryStatus
  readonly responseCode: number | null
  readonly responseBody: string | null
  /** All attempts: the first, the retries and the resends. */
  readonly attempts: number
  /** Attempts without resends, which do not move the schedule. */
  readonly scheduledAttempts: number
  /** Time of the next automatic attempt; null if there is none. */
  readonly dueAtMs: number | null
  readonly sentAtMs: number | null
  readonly createdAtMs: number
}

export type NewDelivery = Pick<
  StoredDelivery,
  'id' | 'merchantId' | 'orderId' | 'merchantOrderId' | 'url' | 'event' | 'payload' | 'createdAtMs'
> & {readonly dueAtMs: number}

/** What an attempt changes in its record. */
export type DeliveryOutcome = Pick<
  StoredDelivery,
  'status' | 'responseCode' | 'responseBody' | 'attempts' | 'scheduledAttempts' | 'dueAtMs' | 'sentAtMs'
>

export type DeliveryStore = ReturnType<typeof openDeliveryStore>

/** The columns of a `StoredDelivery`. */
export const deliveryColumns = `id, merchant_id AS merchantId, order_id AS orderId, merchant_order_id AS merchantOrderId, url,
  event, payload, status, response_code AS responseCode, response_body AS responseBody, attempts,
  scheduled_attempts AS scheduledAttempts, due_at AS dueAtMs, sent_at AS sentAtMs, created_at AS createdAtMs`

export function openDeliveryStore(db: DatabaseSync) {
  const sql = prepare(db)
  return {
    insert(delivery: NewDelivery): void {
      const {id, merchantId, orderId, merchantOrderId, url, event, payload, createdAtMs, dueAtMs} = delivery
      sql.insert.run(id, merchantId, orderId, merchantOrderId, url, event, payload, createdAtMs, dueAtMs)
    },

    find: (id: string) => (sql.find.get(id) as unknown as StoredDelivery | undefined) ?? null,

    record(id: string, outcome: DeliveryOutcome): void {
      const {status, responseCode, responseBody, attempts, scheduledAttempts, dueAtMs, sentAtMs} = outcome
      sql.record.run(status, responseCode, responseBody, attempts, scheduledAttempts, dueAtMs, sentAtMs, id)
    },

    listDue: (limit: number) =>
      sql.listDue.all(limit) as unknown as {id: string; dueAtMs: number; receiver: string}[],
    listDueOf: (receiver: string, atMs: number, limit: number) =>
      sql.listDueOf.all(receiver, atMs, limit) as unknown as {id: string}[],
    /** Receivers of records that became due after `fromMs` and until `toMs`. */
    listDueReceivers: (fromMs: number, toMs: number) =>
      sql.dueReceivers.all(Math.max(fromMs, -1), toMs).map(({receiver}) => String(receiver)),
    nextDueAfter: (atMs: number) => (sql.nextDue.get(atMs)?.dueAtMs as number | undefined) ?? null,

    probe: (work: () => void) =>
      transact(db, () => {
        sql.probe.run()
        work()
      }),

    /** The latest time in the state, 0 if it is empty. */
    latestInstantMs: () => Number(sql.latest.get()?.latest ?? 0),
  }
}

function prepare(db: DatabaseSync) {
  return {
    insert: db.prepare(
      `INSERT INTO deliveries (id, merchant_id, order_id, merchant_order_id, url, event, payload, created_at, due_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    find: db.prepare(`SELECT ${deliveryColumns} FROM deliveries WHERE id = ?`),
    record: db.prepare(
      `UPDATE deliveries SET status = ?, response_code = ?, response_body = ?, attempts = ?,
         scheduled_attempts = ?, due_at = ?, sent_at = ? WHERE id = ?`,
    ),
    listDue: db.prepare(
      `SELECT id, due_at AS dueAtMs, receiver FROM deliveries WHERE due_at IS NOT NULL ORDER BY due_at, seq LIMIT ?`,
    ),
    listDueOf: db.prepare(
      `SELECT id FROM deliveries WHERE receiver = ? AND due_at <= ? ORDER BY due_at, seq LIMIT ?`,
    ),
    dueReceivers: db.prepare('SELECT DISTINCT receiver FROM deliveries WHERE due_at > ? AND due_at <= ?'),
    nextDue: db.prepare('SELECT due_at AS dueAtMs FROM deliveries WHERE due_at > ? ORDER BY due_at LIMIT 1'),
    probe: db.prepare('UPDATE latest_attempt SET sent_at = sent_at'),
    // Rows are in the order of their creation, but an old record may be the last one sent.
    latest: db.prepare(
      `SELECT max(at) AS latest FROM (SELECT sent_at AS at FROM latest_attempt
         UNION ALL SELECT max(created_at) FROM (SELECT created_at FROM deliveries ORDER BY seq DESC LIMIT 1)
         UNION ALL SELECT max(created_at) FROM (SELECT created_at FROM deposits ORDER BY seq DESC LIMIT 1)
         UNION ALL SELECT max(created_at) FROM (SELECT created_at FROM payouts ORDER BY seq DESC LIMIT 1))`,
    ),
  }
}
