import {DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync} from 'node:sqlite'

import {Failure} from '../core/failure.ts'
import {escapeInvisible} from '../core/text.ts'
import {ensurePrivateFile} from './private-files.ts'

interface OpenDatabase {
  readonly sql: DatabaseSync
  readonly path: string
}

export interface Database extends OpenDatabase {
  readonly statements: Statements
}

/**
 * Compiled statements of a database, cached: to compile one often takes longer than to run it, and each keeps its memory
 * until garbage collection, so that a million of them would take gigabytes.
 */
class Statements {
  private readonly db: OpenDatabase
  private readonly byText = new Map<string, StatementSync>()

  constructor(db: OpenDatabase) {
    this.db = db
  }

  /** `cells`: rows are arrays, with whole numbers as `bigint`. */
  of(text: string, reading: 'records' | 'cells' = 'records'): StatementSync {
    const known = this.byText.get(text)
    if (known) return known
    const statement = attempt(this.db, (sql) => sql.prepare(text))
    if (reading === 'cells') {
      statement.setReadBigInts(true)
      statement.setReturnArrays(true)
    }
    this.byText.set(text, statement)
    return statement
  }

  get(text: string, ...values: readonly SQLInputValue[]): Record<string, SQLOutputValue> | undefined {
    const statement = this.of(text)
    return attempt(this.db, () => statement.get(...values))
  }
}

/** SQLite's primary result codes (https://sqlite.org/rescode.html) that a user can act on. */
const busy = 5
const locked = 6
const storageCodes: Readonly<Record<number, readonly [what: string, hint: string]>> = {
  3: ['permission denied', 'Make the file and its folder writable for the user who runs hisab.'],
  8: ['read-only', 'Make the file and its folder writable, or choose another folder with HISAB_DATA_DIR.'],
  10: ['I/O error', 'Check the space and the health of the disk, then run the same command again.'],
  11: ['damaged', 'Put back a copy of the file. Do not delete it: it is the record of what was done.'],
  13: ['disk full', 'Free some space, then run the same command again.'],
  14: ['cannot be opened', 'Check the path and its permissions, or choose another with HISAB_DATA_DIR.'],
  26: ['not a database', 'Move the file away if it is not hisab’s; else put back a copy of it.'],
}

export function databaseOf(sql: DatabaseSync, path: string): Database {
  return {sql, path, statements: new Statements({sql, path})}
}

export function openDatabase(path: string, busyTimeoutMs: number): Database {
  ensurePrivateFile(path)
  try {
    const sql = new DatabaseSync(path, {timeout: busyTimeoutMs, enableForeignKeyConstraints: true})
    return databaseOf(sql, path)
  } catch (error) {
    throw sqliteFailure(error, path)
  }
}

/** Runs `work`; an error of SQLite becomes a `Failure`, our own mistakes are thrown on. */
export function attempt<T>(db: OpenDatabase, work: (sql: DatabaseSync) => T): T {
  try {
    return work(db.sql)
  } catch (error) {
    throw primaryCode(error) === null ? error : sqliteFailure(error, db.path)
  }
}

/**
 * The columns or expressions of a SELECT, one for each field of its row; a missing one does not compile. Amounts are
 * read as text: SQLite's integers have 64 bits, a JavaScript number 53.
 */
export function columnsFor<Row>(columns: Readonly<Record<keyof Row, string>>): string {
  return Object.entries<string>(columns)
    .map(([field, column]) => `${column} AS "${field}"`)
    .join(', ')
}

/**
 * One transaction, on the disk when this returns. IMMEDIATE, because a transaction that reads first can lose its
 * snapshot to another writer instead of waiting.
 */
export function write<T>(db: Database, work: (sql: DatabaseSync) => T): T {
  return attempt(db, (sql) => {
    sql.exec('BEGIN IMMEDIATE')
    try {
      const result = work(sql)
      sql.exec('COMMIT')
      return result
    } catch (error) {
      rollBack(sql)
      throw error
    }
  })
}

export function isBusy(error: unknown): boolean {
  const code = primaryCode(error)
  return code === busy || code === locked
}

export function sqliteFailure(error: unknown, path: string): Failure {
  if (error instanceof Failure) return error
  const code = primaryCode(error)
  if (isBusy(error)) {
    return new Failure(
      'locked',
      `${escapeInvisible(path)} is locked by another process, which did not finish in time.`,
      'Wait until the other hisab has finished. Then run the same command again.',
    )
  }
  const known = code === null ? undefined : storageCodes[code]
  if (known) return new Failure('storage_failed', `${escapeInvisible(path)}: ${known[0]}.`, known[1])
  // SQLite's messages name tables and columns, never values: values are bound.
  const said = error instanceof Error ? `: ${escapeInvisible(error.message, 160)}` : ''
  return new Failure(
    'bug',
    `The database ${escapeInvisible(path)} refused a statement${said}.`,
    'Nothing was recorded. Please report this with the command you ran.',
  )
}

/** The low byte of the (extended) result code, or null for another error. */
function primaryCode(error: unknown): number | null {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return null
  return error.errcode & 0xff
}

/** A failed COMMIT may have ended the transaction; a failing ROLLBACK must not hide the first error. */
function rollBack(sql: DatabaseSync): void {
  try {
    if (sql.isTransaction) sql.exec('ROLLBACK')
  } catch {
    // The first error is the one to report.
  }
}

export function is(sql: DatabaseSync, condition: string): boolean {
  return sql.prepare(`SELECT 1 WHERE ${condition}`).get() !== undefined
}
