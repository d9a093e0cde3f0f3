import type {SQLOutputValue} from 'node:sqlite'

import type {OrderKind} from '../core/order.ts'
import {closedForMs} from '../core/reconcile/ignore.ts'
import type {ItemEvent, OpenItem, PersonsClosing} from '../core/reconcile/item.ts'
import {attempt, type Database, write} from '../files/sqlite.ts'
import type {ItemRegister} from './memory-rows.ts'
import {findingOf, selectFinding} from './run-history.ts'

/**
 * A step of `schema.ts`: what people say of open items and of runs, what closed a finding, and the
 * date of its order. Owner and note are of the order, whatever it is called from run to run.
 */
export const itemsSchema = `
  ALTER TABLE findings ADD COLUMN ordered_at_ms INTEGER;
  ALTER TABLE findings ADD COLUMN closed_by TEXT CHECK (closed_by IN ('ledger', 'service', 'person'));

  CREATE TABLE item_events (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('deposit', 'payout')),
    order_no TEXT NOT NULL,
    what TEXT NOT NULL CHECK (what IN ('assigned', 'noted', 'closed')),
    text TEXT NOT NULL,
    by TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    UNIQUE (kind, order_no, what, at_ms, by)
  ) STRICT;
  CREATE TRIGGER item_events_stay BEFORE DELETE ON item_events
    BEGIN SELECT RAISE(ABORT, 'rows of the journal are never deleted'); END;

  CREATE TABLE sign_offs (
    id INTEGER PRIMARY KEY,
    run_id TEXT NOT NULL REFERENCES runs (id),
    by TEXT NOT NULL,
    note TEXT NOT NULL,
    is_alone INTEGER NOT NULL CHECK (is_alone IN (0, 1)),
    at_ms INTEGER NOT NULL,
    UNIQUE (run_id, by, at_ms)
  ) STRICT;
  CREATE TRIGGER sign_offs_stay BEFORE DELETE ON sign_offs
    BEGIN SELECT RAISE(ABORT, 'rows of the journal are never deleted'); END;
`

const lastOf = (what: ItemEvent['what']) =>
  `(SELECT text FROM item_events AS said WHERE said.kind = findings.kind AND said.order_no = findings.order_no
    AND what = '${what}' ORDER BY at_ms DESC, id DESC LIMIT 1)`

export function itemRegister(db: Database): ItemRegister {
  return {
    listItems: async () => listItems(db),
    itemEvents: async (kind, orderNo) => itemEvents(db, kind, orderNo),
    recordItemEvents: async (orders, event) => recordItemEvents(db, orders, event),
    closeItems: async (items, closing) => closeItems(db, items, closing),
  }
}

/** Orders that are open on both sides are remembered to be asked for again, and are no items. */
function listItems(db: Database): OpenItem[] {
  const text = selectFinding(`${lastOf('assigned')} AS owner, ${lastOf('noted')} AS note`)
  return attempt(db, (sql) =>
    sql.prepare(`${text} WHERE severity <> 'none' ORDER BY coalesce(ordered_at_ms, opened_ms), id`).all(),
  ).map((row) => findingOf(row) as OpenItem)
}

function itemEvents(db: Database, kind: OrderKind, orderNo: string): ItemEvent[] {
  const text = `SELECT what, text, by, at_ms AS atMs FROM item_events WHERE kind = ? AND order_no = ? ORDER BY at_ms, id`
  return attempt(db, (sql) => sql.prepare(text).all(kind, orderNo)).map(
    (row: Record<string, SQLOutputValue>) => ({...row}) as unknown as ItemEvent,
  )
}

/** One statement of a person about many orders, each recorded. */
function recordItemEvents(
  db: Database,
  orders: readonly Pick<OpenItem, 'kind' | 'orderNo'>[],
  event: ItemEvent,
): void {
  write(db, (sql) => {
    const insert = sql.prepare(
      'INSERT OR IGNORE INTO item_events (kind, order_no, what, text, by, at_ms) VALUES (?, ?, ?, ?, ?, ?)',
    )
    for (const {kind, orderNo} of orders)
      insert.run(kind, orderNo, event.what, event.text, event.by, event.atMs)
  })
}

/**
 * A person closes open findings. That holds for their present state (P19b): it stops a resend without an end, and a
 * change of the order opens it again.
 */
function closeItems(
  db: Database,
  items: readonly Pick<OpenItem, 'id' | 'kind' | 'orderNo'>[],
  {reason, by, atMs}: PersonsClosing,
): number {
  return write(db, (sql) => {
    const close = sql.prepare(
      `UPDATE findings SET healed_ms = ?, healed_run_id = NULL, closed_by = 'person' WHERE id = ? AND healed_ms IS NULL`,
    )
    const ignore = sql.prepare(
      `INSERT INTO ignores (finding_id, at_risk_paisa, reason, ignored_by, ignored_at_ms, expires_at_ms, said, opened_ms)
       SELECT id, at_risk_paisa, ?, ?, ?, ${closedForMs}, said, opened_ms FROM findings WHERE id = ?`,
    )
    const note = sql.prepare(
      `INSERT OR IGNORE INTO item_events (kind, order_no, what, text, by, at_ms) VALUES (?, ?, 'closed', ?, ?, ?)`,
    )
    let closed = 0
    for (const {id, kind, orderNo} of items) {
      if (close.run(atMs, id).changes === 0) continue
      ignore.run(reason, by, atMs, id)
      note.run(kind, orderNo, reason, by, atMs)
      closed += 1
    }
    return closed
  })
}
