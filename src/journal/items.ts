import {closedForMs} from '../core/reconcile/ignore.ts'
import type {ItemEvent, OpenItem} from '../core/reconcile/item.ts'
import {findingColumns, findingOf, newIgnoreColumns} from './findings.ts'
import type {ItemRegister, PersonsText} from './memory-rows.ts'
import {part, type Query, sql} from './query.ts'
import type {Store} from './store.ts'

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

/** The part of a journal that has what people do with open items. */
export function itemRegister({engine, mine, into, first, given, all, run}: Store): ItemRegister {
  const [events, findings] = [engine.table('item_events'), engine.table('findings')]
  const lastOf = (what: ItemEvent['what']) =>
    sql`(SELECT text FROM ${events} AS said WHERE ${engine.same('said')} AND said.kind = r.kind
      AND said.order_no = r.order_no AND what = ${what} ORDER BY at_ms DESC, id DESC LIMIT 1)`
  const insertEvents = (from: Query, {what, text, by, atMs}: ItemEvent) =>
    sql`INSERT INTO ${into('item_events', 'kind, order_no, what, text, by, at_ms')}
      SELECT ${first}kind, order_no, ${what}, ${text}, ${by}, ${atMs} FROM ${from} ON CONFLICT DO NOTHING`
  return {
    /** Orders that are open on both sides are remembered to be asked for again, and are no items. */
    async listItems() {
      const rows = await all(
        sql`SELECT ${part(findingColumns)}, ${lastOf('assigned')} AS owner, ${lastOf('noted')} AS note FROM ${findings} AS r
          WHERE ${mine('r')} AND severity <> 'none' ORDER BY coalesce(ordered_at_ms, opened_ms), id`,
      )
      return rows.map((row) => findingOf(row) as OpenItem)
    },
    itemEvents: async (kind, orderNo) =>
      (await all(
        sql`SELECT what, text, by, at_ms AS "atMs" FROM ${events} AS r
          WHERE ${mine('r')} AND kind = ${kind} AND order_no = ${orderNo} ORDER BY at_ms, id`,
      )) as unknown as ItemEvent[],
    async personsTexts() {
      const [signOffs, ignores] = [engine.table('sign_offs'), engine.table('ignores')]
      return (await all(
        sql`SELECT order_no AS "orderNo", text, by, at_ms AS "atMs" FROM ${events} AS r WHERE ${mine('r')}
          UNION ALL SELECT NULL, note, by, at_ms FROM ${signOffs} AS r WHERE ${mine('r')}
          UNION ALL SELECT f.order_no, reason, ignored_by, ignored_at_ms FROM ${ignores} AS r JOIN ${findings} AS f ON f.id = r.finding_id
            WHERE ${mine('r')} ORDER BY "atMs"`,
      )) as unknown as PersonsText[]
    },
    /** One statement of a person about many orders, each recorded. */
    async recordItemEvents(orders, event) {
      const rows = orders.map(({kind, orderNo}) => ({kind, order_no: orderNo}))
      await run(insertEvents(sql`${given(rows, ['kind', 'order_no'])} AS one WHERE TRUE`, event))
    },
    /**
     * A person closes open findings. That holds for their present state (P19b): it stops a resend without an end, and a
     * change of the order opens it again.
     */
    async closeItems(items, {reason, by, atMs}) {
      const ids = sql`SELECT CAST(one.id AS BIGINT) FROM ${given(
        items.map(({id}) => ({id})),
        ['id'],
      )} AS one`
      const isOpen = sql`${mine('r')} AND r.id IN (${ids}) AND r.healed_ms IS NULL`
      return await run(
        sql`INSERT INTO ${into('ignores', newIgnoreColumns)}
          SELECT ${first}id, at_risk_paisa, ${reason}, ${by}, ${atMs}, ${closedForMs}, said, opened_ms
          FROM ${findings} AS r WHERE ${isOpen}`,
        insertEvents(sql`${findings} AS r WHERE ${isOpen}`, {what: 'closed', text: reason, by, atMs}),
        sql`UPDATE ${findings} AS r SET healed_ms = ${atMs}, healed_run_id = NULL, closed_by = 'person' WHERE ${isOpen}`,
      )
    },
  }
}
