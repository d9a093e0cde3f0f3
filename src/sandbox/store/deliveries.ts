import type {DatabaseSync, StatementSync} from 'node:sqlite'

import type {DeliveryStatus} from '../../core/order.ts'

/** One webhook's delivery record (document §2.3) with what the service needs to deliver it. */
export interface StoredDelivery {
  readonly id: string
  readonly merchantId: string
  /** The platform's order ID (A9). */
  readonly orderId: string
  readonly merchantOrderId: string
  readonly url: string
  readonly event: string
  /** The body, byte for byte the same in every attempt. */
  readonly payload: string
  readonly status: DeliveryStatus
  readonly responseCode: number | null
  readonly responseBody: string | null
  /** Every attempt made: the first, the automatic retries and the resends. */
  readonly attempts: number
  /** The attempts the service made by itself; resends do not move the schedule on. */
  readonly scheduledAttempts: number
  /** When the service will try by itself: at once for a `pending` record, null when it will not. */
  readonly dueAtMs: number | null
  readonly sentAtMs: number | null
  readonly createdAtMs: number
}

export type NewDelivery = Pick<
  StoredDelivery,
  'id' | 'merchantId' | 'orderId' | 'merchantOrderId' | 'url' | 'event' | 'payload' | 'createdAtMs'
>

/** What an attempt leaves behind in its record. */
export type DeliveryOutcome = Pick<
  StoredDelivery,
  'status' | 'responseCode' | 'responseBody' | 'attempts' | 'scheduledAttempts' | 'dueAtMs' | 'sentAtMs'
>

export interface DeliveryFilter {
  readonly merchantId: string
  readonly status?: DeliveryStatus | undefined
  readonly orderId?: string | undefined
}

export type DeliveryStore = ReturnType<typeof openDeliveryStore>

const columns = `id, merchant_id AS merchantId, order_id AS orderId, merchant_order_id AS merchantOrderId, url,
  event, payload, status, response_code AS responseCode, response_body AS responseBody, attempts,
  scheduled_attempts AS scheduledAttempts, due_at AS dueAtMs, sent_at AS sentAtMs, created_at AS createdAtMs`

/** The SQL of delivery records. */
export function openDeliveryStore(db: DatabaseSync) {
  const sql = prepare(db)
  const filtered = statementsByFilter(db)
  return {
    insert({id, merchantId, orderId, merchantOrderId, url, event, payload, createdAtMs}: NewDelivery): void {
      sql.insert.run(id, merchantId, orderId, merchantOrderId, url, event, payload, createdAtMs, createdAtMs)
    },

    find: (id: string) => (sql.find.get(id) as unknown as StoredDelivery | undefined) ?? null,

    record(id: string, outcome: DeliveryOutcome): void {
      const {status, responseCode, responseBody, attempts, scheduledAttempts, dueAtMs, sentAtMs} = outcome
      sql.record.run(status, responseCode, responseBody, attempts, scheduledAttempts, dueAtMs, sentAtMs, id)
    },

    /** The first `limit` records the service will try by itself, soonest first. */
    listDue: (limit: number) => sql.listDue.all(limit) as unknown as {id: string; dueAtMs: number}[],

    /** Newest first: by creation, then by id. */
    listPage(filter: DeliveryFilter, page: number, limit: number): StoredDelivery[] {
      const {list, values} = filtered(filter)
      return list.all(...values, limit, (page - 1) * limit) as unknown as StoredDelivery[]
    },

    count(filter: DeliveryFilter): number {
      const {count, values} = filtered(filter)
      return Number(count.get(...values)?.total)
    },

    /** The latest instant in the whole state, 0 where it is empty. Reads every delivery: for start-up. */
    latestInstantMs: () => Number(sql.latest.get()?.latest ?? 0),
  }
}

function prepare(db: DatabaseSync) {
  return {
    insert: db.prepare(
      `INSERT INTO deliveries (id, merchant_id, order_id, merchant_order_id, url, event, payload, created_at, due_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    find: db.prepare(`SELECT ${columns} FROM deliveries WHERE id = ?`),
    record: db.prepare(
      `UPDATE deliveries SET status = ?, response_code = ?, response_body = ?, attempts = ?,
         scheduled_attempts = ?, due_at = ?, sent_at = ? WHERE id = ?`,
    ),
    listDue: db.prepare(
      `SELECT id, due_at AS dueAtMs FROM deliveries WHERE due_at IS NOT NULL ORDER BY due_at, seq LIMIT ?`,
    ),
    latest: db.prepare(
      `SELECT max(at) AS latest FROM (
         SELECT max(sent_at) AS at FROM deliveries UNION ALL SELECT max(created_at) FROM deliveries
         UNION ALL SELECT max(created_at) FROM deposits UNION ALL SELECT max(created_at) FROM payouts)`,
    ),
  }
}

function statementsByFilter(db: DatabaseSync) {
  const known = new Map<string, {readonly list: StatementSync; readonly count: StatementSync}>()
  return ({merchantId, status, orderId}: DeliveryFilter) => {
    // The plus keeps SQLite from walking the whole list, for its order's sake, to find one order's records.
    const plus = orderId === undefined ? '' : '+'
    const conditions = [`${plus}merchant_id = ?`]
    const values = [merchantId]
    if (status !== undefined) {
      conditions.push(`${plus}status = ?`)
      values.push(status)
    }
    if (orderId !== undefined) {
      conditions.push('order_id = ?')
      values.push(orderId)
    }
    const where = conditions.join(' AND ')
    let statements = known.get(where)
    if (!statements) {
      statements = {
        list: db.prepare(
          `SELECT ${columns} FROM deliveries WHERE ${where} ORDER BY created_at DESC, id DESC LIMIT ? OFFSET ?`,
        ),
        count: db.prepare(`SELECT count(*) AS total FROM deliveries WHERE ${where}`),
      }
      known.set(where, statements)
    }
    return {...statements, values}
  }
}
