import type {SQLOutputValue} from 'node:sqlite'

import {Failure} from '../core/failure.ts'
import type {Paisa} from '../core/money.ts'
import type {OrderKind} from '../core/order.ts'
import {escapeInvisible, firstOf} from '../core/text.ts'
import {attempt, type Database, write} from '../files/sqlite.ts'
import {finalColumns} from './final-orders.ts'
import {declaredMade} from './request-row.ts'
import {sqliteEngine} from './store.ts'

/** A step of `schema.ts`: the addresses an account was reached at, and what people said of it. */
export const accountMemory = `
  CREATE TABLE addresses (
    origin TEXT PRIMARY KEY,
    first_seen_ms INTEGER NOT NULL
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
 * A step of `schema.ts`: creates that lost their number to another journal's, and may have been carried out. A later
 * column of `requests` is added here, too.
 */
export const droppedRequests = `
  CREATE TABLE requests_dropped AS SELECT * FROM requests WHERE false;
  CREATE UNIQUE INDEX requests_dropped_once ON requests_dropped (kind, order_no, body_digest);
`

/** What was accepted, and no query has shown, is in doubt where another of its number is kept; in the SQL of both engines. */
export const dropInDoubt = `state = 'unknown', confirmation = NULL, confirmation_why = NULL
  WHERE state = 'accepted' AND coalesce(confirmation, '') NOT IN ('confirmed', 'contradicted')`

/** A step of `schema.ts`: a person's decision is about one request, and its number may have had others. */
export const wordsOfRequests = `
  ALTER TABLE resolutions ADD COLUMN body_digest TEXT;
  UPDATE resolutions SET body_digest = (SELECT body_digest FROM requests
    WHERE requests.kind = resolutions.kind AND requests.order_no = resolutions.order_no);
  UPDATE requests_dropped SET ${dropInDoubt};
`

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

/**
 * Takes over all that another journal of the account remembers, in one transaction. Repeating it changes nothing.
 *
 * Of a number that both sent with other parameters, the row counts that was accepted before the other was sent: the
 * service answers a number it knows with the old order (P2). Throws `file_unreadable` where neither was, unless `keep`
 * says whose row is right; the other may have been carried out, and goes on counting.
 */
export function mergeJournal(db: Database, otherPath: string, keep: 'this' | 'other' | null): DroppedRow[] {
  attempt(db, (sql) => sql.prepare('ATTACH ? AS other').run(otherPath))
  try {
    return write(db, (sql) => {
      const dropped = mergeRequests(sql, db.path, otherPath, keep)
      copyRows(sql, 'runs', ['seq'])
      renumber(sql, 'runs', 'seq', 'started_at_ms')
      copyRows(sql, 'resends', ['id'])
      renumber(sql, 'resends', 'id', 'intent_at_ms')
      copyRows(sql, 'findings', ['id'])
      sql.exec(copyIgnores)
      sql.exec(copyFinalOrders)
      // How the list stood is one run's knowledge; the next run reads it whole.
      sql.exec('DELETE FROM list_mark')
      for (const table of otherTables(sql)) copyRows(sql, table, ['id'])
      sql.exec(`UPDATE requests_dropped AS r SET ${dropInDoubt} AND NOT ${declaredMade(sqliteEngine).text}`)
      return dropped
    })
  } finally {
    attempt(db, (sql) => sql.exec('DETACH other'))
  }
}

function mergeRequests(
  sql: Database['sql'],
  path: string,
  otherPath: string,
  keep: 'this' | 'other' | null,
): DroppedRow[] {
  const both = sql
    .prepare(
      `SELECT mine.id, mine.kind, mine.order_no AS orderNo, mine.state AS mine, theirs.state AS theirs,
         mine.body_digest = theirs.body_digest OR mine.intent_digest = theirs.intent_digest AS isSame,
         ${wasThereBefore('mine', 'theirs')} AS isMine, ${wasThereBefore('theirs', 'mine')} AS isTheirs
       FROM requests AS mine JOIN other.requests AS theirs USING (kind, order_no)`,
    )
    .all()
  const contradictions = both.filter(
    ({isSame, mine, theirs}) => !isSame && mine !== 'refused' && theirs !== 'refused',
  )
  const open = contradictions.filter(({isMine, isTheirs}) => !isMine && !isTheirs)
  if (open.length > 0 && keep === null) throw contradict(path, otherPath, open)
  const columns = columnsOf(sql, 'requests').filter((name) => name !== 'id')
  const replace = sql.prepare(
    `UPDATE requests SET (${columns.join(', ')}) =
       (SELECT ${columns.join(', ')} FROM other.requests AS theirs
        WHERE theirs.kind = requests.kind AND theirs.order_no = requests.order_no) WHERE id = ?`,
  )
  const dropped: DroppedRow[] = []
  for (const row of both) {
    const {id = null, mine, theirs, isMine} = row
    const isContradicted = contradictions.includes(row)
    const isOpen = open.includes(row)
    const isStronger = strength.indexOf(String(theirs)) > strength.indexOf(String(mine))
    const takesTheirs = isOpen ? keep === 'other' : isContradicted ? isMine === 0 : isStronger
    if (isContradicted) dropped.push(dropRow(sql, row, takesTheirs ? path : otherPath, takesTheirs, !isOpen))
    if (takesTheirs) replace.run(id)
  }
  copyRows(sql, 'requests', ['id'])
  return dropped
}

/** Accepted, as the order that it is, before the other of the same number was sent; in the SQL of both engines. */
export const wasThereBefore = (one: string, other: string) =>
  `(${one}.state = 'accepted' AND coalesce(${one}.confirmation, '') NOT IN ('contradicted', 'another_order')
    AND coalesce(${one}.settled_at_ms < ${other}.intent_at_ms, false)
    AND (${other}.state <> 'accepted' OR ${other}.platform_order_no IS NOT DISTINCT FROM ${one}.platform_order_no))`

/** Records which row is not kept; one that may have been carried out still counts. */
function dropRow(
  sql: Database['sql'],
  {kind, orderNo}: Readonly<Record<string, SQLOutputValue>>,
  path: string,
  isMine: boolean,
  isNeverMade: boolean,
): DroppedRow {
  const from = `FROM ${isMine ? 'main' : 'other'}.requests WHERE kind = ? AND order_no = ?`
  const which = [String(kind), String(orderNo)] as const
  const {amount = null, account = null} =
    sql
      .prepare(`SELECT CAST(amount_paisa AS TEXT) AS amount, masked_account AS account ${from}`)
      .get(...which) ?? {}
  const columns = columnsOf(sql, 'requests').join(', ')
  if (!isNeverMade)
    sql
      .prepare(`INSERT OR IGNORE INTO main.requests_dropped (${columns}) SELECT ${columns} ${from}`)
      .run(...which)
  return {
    kind: which[0] as OrderKind,
    orderNo: which[1],
    amount: amount === null ? null : BigInt(String(amount)),
    maskedAccount: account === null ? null : String(account),
    path,
    isNeverMade,
  }
}

function contradict(path: string, otherPath: string, numbers: readonly Record<string, unknown>[]): Failure {
  const shown = firstOf(numbers, 5, ({kind, orderNo}) => `${kind} ${escapeInvisible(String(orderNo), 40)}`)
  return new Failure(
    'file_unreadable',
    `Two journals of this merchant contradict each other: ${escapeInvisible(path)} and ${escapeInvisible(otherPath)}. They sent ${shown} with different parameters. Nothing was changed.`,
    'Query those numbers at the service. Then keep the right rows: hisab journal merge --keep this, or --keep other. The other rows stay in doubt: hisab payout list --in-doubt.',
  )
}

/** Rows with the same key as existing ones are skipped. */
function copyRows(sql: Database['sql'], table: string, without: readonly string[]): void {
  const columns = columnsOf(sql, table).filter((name) => !without.includes(name))
  sql.exec(
    `INSERT OR IGNORE INTO main.${table} (${columns.join(', ')}) SELECT ${columns.join(', ')} FROM other.${table}`,
  )
}

/** The newest row has the highest number, whichever journal it is from. */
function renumber(sql: Database['sql'], table: string, id: string, time: string): void {
  sql.exec(`
    CREATE TEMP TABLE ranks AS SELECT ${id} AS old, row_number() OVER (ORDER BY ${time}, ${id}) AS rank FROM main.${table};
    CREATE UNIQUE INDEX temp.ranks_by_old ON ranks (old);
    UPDATE main.${table} SET ${id} = -(SELECT rank FROM ranks WHERE old = ${id});
    UPDATE main.${table} SET ${id} = -${id};
    DROP TABLE ranks;
  `)
}

const copyIgnores = `
  INSERT INTO ignores (finding_id, at_risk_paisa, reason, ignored_by, ignored_at_ms, expires_at_ms, removed_by, removed_at_ms,
    said, opened_ms)
    SELECT mine.id, theirs.at_risk_paisa, reason, ignored_by, ignored_at_ms, expires_at_ms, removed_by, removed_at_ms,
      theirs.said, theirs.opened_ms
    FROM other.ignores AS theirs JOIN other.findings AS named ON named.id = theirs.finding_id
      JOIN main.findings AS mine USING (kind, order_no, verdict)
    WHERE NOT EXISTS (SELECT 1 FROM main.ignores AS known WHERE known.finding_id = mine.id
      AND known.ignored_at_ms = theirs.ignored_at_ms AND known.ignored_by = theirs.ignored_by);
`

const copyFinalOrders = `
  CREATE TEMP TABLE moved AS SELECT coalesce(max(id), 0) AS ids FROM main.settlements;
  INSERT INTO main.settlements
    SELECT id + ids, kind, status, raw_status, run_id, settled_at_ms, is_seen_only FROM other.settlements, moved;
  INSERT INTO main.settling (${finalColumns()}) SELECT ${finalColumns('settlement + ids')} FROM other.settled, moved;
  INSERT INTO main.settling (kind, order_no) SELECT kind, order_no FROM other.settled WHERE is_taken_back = 1;
  INSERT INTO main.settling (${finalColumns()})
    SELECT ${finalColumns('settlement + ids')} FROM other.settling, moved ORDER BY other.settling.id;
  DROP TABLE moved;
`

const mergedByName = [
  ...['owner', 'account', 'runs', 'resends', 'requests', 'findings', 'ignores'],
  ...['settlements', 'settled', 'settling', 'list_mark', 'generations', 'clock'],
]

function otherTables(sql: Database['sql']): string[] {
  return sql
    .prepare(`SELECT name FROM other.sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
    .all()
    .map(({name}) => String(name))
    .filter((name) => !mergedByName.includes(name))
}

function columnsOf(sql: Database['sql'], table: string): string[] {
  return sql
    .prepare(`SELECT name FROM pragma_table_info(?, 'main')`)
    .all(table)
    .map(({name}) => String(name))
}
