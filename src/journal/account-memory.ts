import {Failure} from '../core/failure.ts'
import {visible} from '../core/text.ts'
import {attempt, type Database, write} from '../files/sqlite.ts'

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

export function addNote(db: Database, {atMs, by, what, reason}: AccountNote): void {
  write(db, (sql) =>
    sql.prepare('INSERT INTO account_notes VALUES (NULL, ?, ?, ?, ?)').run(atMs, by, what, reason),
  )
}

const strength = ['refused', 'intent', 'unknown', 'accepted']

/**
 * Takes over all that another journal of the account remembers, in one transaction. Repeating it changes nothing.
 *
 * Throws `file_unreadable` where both sent one number with other parameters, unless `keep` says whose row is right.
 */
export function mergeJournal(db: Database, otherPath: string, keep: 'this' | 'other' | null): void {
  attempt(db, (sql) => sql.prepare('ATTACH ? AS other').run(otherPath))
  try {
    write(db, (sql) => {
      mergeRequests(sql, db.path, otherPath, keep)
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
): void {
  const both = sql
    .prepare(
      `SELECT mine.id, mine.kind, mine.order_no AS orderNo, mine.state AS mine, theirs.state AS theirs,
         mine.body_digest = theirs.body_digest OR mine.intent_digest = theirs.intent_digest AS isSame
       FROM requests AS mine JOIN other.requests AS theirs USING (kind, order_no)`,
    )
    .all()
  const contradictions = both.filter(
    ({isSame, mine, theirs}) => !isSame && mine !== 'refused' && theirs !== 'refused',
  )
  if (contradictions.length > 0 && keep === null) throw contradict(path, otherPath, contradictions)
  const columns = columnsOf(sql, 'requests').filter((name) => name !== 'id')
  const replace = sql.prepare(
    `UPDATE requests SET (${columns.join(', ')}) =
       (SELECT ${columns.join(', ')} FROM other.requests AS theirs
        WHERE theirs.kind = requests.kind AND theirs.order_no = requests.order_no) WHERE id = ?`,
  )
  for (const {id, mine, theirs, isSame} of both) {
    const isStronger = strength.indexOf(String(theirs)) > strength.indexOf(String(mine))
    const isContradicted = !isSame && mine !== 'refused' && theirs !== 'refused'
    if (isContradicted ? keep === 'other' : isStronger) replace.run(id ?? null)
  }
  copyRows(sql, 'requests', ['id'])
}

function contradict(path: string, otherPath: string, numbers: readonly Record<string, unknown>[]): Failure {
  const shown = numbers.slice(0, 5).map(({kind, orderNo}) => `${kind} ${visible(String(orderNo), 40)}`)
  const more = numbers.length > shown.length ? ` and ${numbers.length - shown.length} more` : ''
  return new Failure(
    'file_unreadable',
    `Two journals of this merchant contradict each other: ${shown.join(', ')}${more} were sent with other parameters from each. They are ${visible(path)} and ${visible(otherPath)}. Nothing was changed.`,
    'Ask the service for those numbers. Then say whose rows are right: hisab journal merge --keep this, or --keep other.',
  )
}

/** Where the text of a row holds for both, what it is known by decides; rows that are there already stay. */
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
  INSERT INTO main.settling
    SELECT NULL, kind, order_no, settlement + ids, ledger_paisa, service_paisa, platform_order_no
    FROM other.settled, moved;
  INSERT INTO main.settling
    SELECT NULL, kind, order_no, settlement + ids, ledger_paisa, service_paisa, platform_order_no
    FROM other.settling, moved ORDER BY other.settling.id;
  DROP TABLE moved;
`

const mergedByName = [
  ...['owner', 'account', 'runs', 'resends', 'requests', 'findings', 'ignores'],
  ...['settlements', 'settled', 'settling', 'list_mark', 'generations'],
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
