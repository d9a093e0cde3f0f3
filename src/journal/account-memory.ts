import type {Paisa} from '../core/money.ts'
import type {OrderKind} from '../core/order.ts'

/** A part of `schema.ts`: the addresses an account was reached at, and what people said of it. */
export const accountMemory = `
  CREATE TABLE addresses (
    origin TEXT PRIMARY KEY,
    first_seen_ms INTEGER NOT NULL,
    -- A person said that it is the account's.
    is_linked INTEGER NOT NULL DEFAULT 0 CHECK (is_linked IN (0, 1))
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE account_notes (
    id INTEGER PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    by TEXT NOT NULL,
    what TEXT NOT NULL,
    reason TEXT
  ) STRICT;
`

/** What a person said of an account: an address is its own, a lost journal is given up, which of two is right. */
export interface AccountNote {
  readonly atMs: number
  readonly by: string
  readonly what: string
  readonly reason: string | null
}

/**
 * A part of `schema.ts`: creates that lost their number to another journal's, and may have been carried out. A later
 * column of `requests` is added here, too.
 */
export const droppedRequests = `
  CREATE TABLE requests_dropped AS SELECT * FROM requests WHERE false;
  CREATE UNIQUE INDEX requests_dropped_once ON requests_dropped (kind, order_no, body_digest);
`

/** What was accepted, and no query has shown, is in doubt where another of its number is kept; in SQL. */
export const dropInDoubt = `state = 'unknown', confirmation = NULL, confirmation_why = NULL
  WHERE state = 'accepted' AND coalesce(confirmation, '') NOT IN ('confirmed', 'contradicted')`

/** A row that a merge did not keep: another of the same number, with other parameters, took its place. */
export interface DroppedRow {
  readonly kind: OrderKind
  readonly orderNo: string
  readonly amount: Paisa | null
  readonly maskedAccount: string | null
  /** The journal it was in. */
  readonly path: string
  /** The number was another order's before this was sent, so that this was never made. */
  readonly isNeverMade: boolean
}

export const strength = ['refused', 'intent', 'unknown', 'accepted']

/** Accepted, as the order that it is, before the other of the same number was sent; in the SQL of both engines. */
export const wasThereBefore = (one: string, other: string) =>
  `(${one}.state = 'accepted' AND coalesce(${one}.confirmation, '') <> 'contradicted'
    AND coalesce(${one}.settled_at_ms < ${other}.intent_at_ms, false)
    AND (${other}.state <> 'accepted' OR ${other}.platform_order_no IS NOT DISTINCT FROM ${one}.platform_order_no))`
