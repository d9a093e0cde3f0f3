import {walletNumber} from '../core/order.ts'
import type {Database} from '../files/sqlite.ts'
import type {Webhook} from './webhook.ts'

/** The state of a content's forward; null if it was never meant for a server, or is a conflict. */
export type ForwardState =
  | 'acknowledged'
  /** Another content of the event, or one that completed the order, was acknowledged. */
  | 'superseded'
  /** Not acknowledged yet. */
  | 'pending'
  /** A forward was begun and its result is not known: it is under way, or was interrupted. */
  | 'unknown'
  /** A person closed it: no server gets it any more. */
  | 'closed'

/**
 * Contents that no server has acknowledged. `handed`: those meant for a server. `any`: also those that never were.
 * `conflicts`: those that contradict an acknowledged one, which only a person hands on. `waiting`: `handed` and
 * `conflicts`.
 */
export type PendingEvents = 'handed' | 'any' | 'conflicts' | 'waiting'

export interface StoredEvent extends Webhook {
  readonly id: number
  readonly isConflict: boolean
  readonly receivedAtMs: number
  readonly forwards: number
  /** The last HTTP status of the merchant's server, or null. */
  readonly forwardStatus: number | null
  readonly acknowledgedAtMs: number | null
  readonly forward: ForwardState | null
  /** Whether hisab's own 200 was the answer. */
  readonly isAnsweredAlone: boolean
  readonly closedBy: string | null
  readonly closeReason: string | null
}

export interface EventFilter {
  readonly orderNo?: string | undefined
  /** The order's number here or at the platform, or a wallet in the body. */
  readonly about?: string | undefined
  /** Only some of those that no server has acknowledged. */
  readonly pending?: PendingEvents | undefined
}

export interface Limit {
  /** -1 is no limit. */
  readonly rowsMax: number
}

const isUnanswered = 'acknowledged_at_ms IS NULL AND superseded_by IS NULL'
const isPendingRow = `(forwards > 0 OR answered_alone = 0) AND is_conflict = 0 AND ${isUnanswered}`
const isConflictRow = `is_conflict = 1 AND ${isUnanswered}`

/** How many events, and contents that contradict one, no server has acknowledged: `found`. */
export const pendingCount = `SELECT count(*) AS found FROM (SELECT DISTINCT order_id, event_key FROM events WHERE ${isPendingRow})`
export const conflictCount = `SELECT count(*) AS found FROM events WHERE ${isConflictRow}`

const conditions: Readonly<Record<PendingEvents, string>> = {
  handed: isPendingRow,
  any: `is_conflict = 0 AND ${isUnanswered}`,
  conflicts: isConflictRow,
  waiting: `(${isPendingRow}) OR (${isConflictRow})`,
}

const isAsked = (pending: PendingEvents | undefined) =>
  `(:orderNo IS NULL OR order_no = :orderNo) AND (:about IS NULL OR order_no = :about OR lower(order_id) = lower(:about)
    OR (:wallet AND instr(content, :about) > 0)) AND (${pending === undefined ? 'TRUE' : conditions[pending]})`

const asParameters = ({orderNo, about}: EventFilter) => ({
  orderNo: orderNo ?? null,
  about: about ?? null,
  wallet: Number(walletNumber.test(about ?? '')),
})

/** How many contents a list without a limit would have. */
export function countEvents({sql}: Database, filter: EventFilter): number {
  const query = `SELECT count(*) AS found FROM events WHERE ${isAsked(filter.pending)}`
  return Number(sql.prepare(query).get(asParameters(filter))?.found)
}

/** Newest first. */
export function listEvents({sql}: Database, {rowsMax, ...filter}: EventFilter & Limit): StoredEvent[] {
  const rows = sql
    .prepare(
      `SELECT id, order_id AS orderId, event, digest, is_conflict AS isConflict, order_no AS orderNo, status, amount,
         player_ref AS playerRef, content, received_at_ms AS receivedAtMs, forwards,
         forward_status AS forwardStatus, answered_alone AS isAnsweredAlone, acknowledged_at_ms AS acknowledgedAtMs,
         closed_by AS closedBy, close_reason AS closeReason,
         CASE WHEN closed_by IS NOT NULL THEN 'closed' WHEN acknowledged_at_ms IS NOT NULL THEN 'acknowledged'
           WHEN is_conflict = 1 AND forward_open = 0 THEN NULL
           WHEN forwards = 0 AND answered_alone = 1 THEN NULL WHEN superseded_by IS NOT NULL THEN 'superseded'
           WHEN forward_open = 1 THEN 'unknown' ELSE 'pending' END AS forward
       FROM events
       WHERE ${isAsked(filter.pending)}
       ORDER BY id DESC LIMIT :rowsMax`,
    )
    .all({...asParameters(filter), rowsMax})
  return rows.map(
    ({isConflict, isAnsweredAlone, ...row}) =>
      ({
        ...row,
        isConflict: isConflict === 1,
        isAnsweredAlone: isAnsweredAlone === 1,
      }) as unknown as StoredEvent,
  )
}
