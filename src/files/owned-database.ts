import {existsSync} from 'node:fs'
import {join} from 'node:path'
import type {DatabaseSync} from 'node:sqlite'

import {type Account, accountKey} from '../core/account.ts'
import {Failure} from '../core/failure.ts'
import {escapeInvisible} from '../core/text.ts'
import {fileNameOf} from './file-name.ts'
import {makeOwnDir} from './private-files.ts'
import {attempt, type Database, openDatabase, write} from './sqlite.ts'
import {inTurn} from './turn.ts'

export interface OwnedDatabase {
  readonly dataDir: string
  /** hisab's own folder in the data directory. */
  readonly folder: string
  readonly account: Account
  readonly schema: Schema
  readonly busyTimeoutMs: number
  /** Checks the file before anything is written; throws if it is not the one from before. */
  readonly check?: (sql: DatabaseSync | null, path: string) => void
}

/** One step a version. A released step is never edited: add another. The first one makes `accountTable`. */
export interface Schema {
  /** The version that the first step makes, kept as `user_version`; none before it was released. */
  readonly first: number
  readonly steps: readonly string[]
}

export function latestVersion({first, steps}: Schema): number {
  return first + steps.length - 1
}

/** Part of the first schema step: whose file it is. */
export const accountTable = `
  CREATE TABLE account (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    key TEXT NOT NULL,
    file_id TEXT NOT NULL
  ) STRICT;`

/**
 * Opens or creates a file whose commits are on the disk when they return (P3), and migrates it.
 *
 * Throws `storage_failed`, or `file_unreadable` for a file of another version of hisab, or of another account.
 */
export function openOwnedDatabase(asked: OwnedDatabase): Database {
  const dir = join(asked.dataDir, asked.folder)
  makeOwnDir(dir)
  const path = join(dir, ownedFileName(asked.account))
  const open = () => openChecked(path, asked)
  // One process at a time makes the file.
  return existsSync(path) ? open() : inTurn(asked.dataDir, asked.folder, open)
}

/** The file's name inside its folder, the only one with an `@`. */
export function ownedFileName(account: Account): string {
  const [merchant = '', environment = ''] = accountKey(account).split('@')
  return `${fileNameOf(merchant)}@${fileNameOf(environment)}.db`
}

/** Null where there is none yet. */
export function ownedDatabasePath({
  dataDir,
  folder,
  account,
}: Pick<OwnedDatabase, 'dataDir' | 'folder' | 'account'>): string | null {
  const path = join(dataDir, folder, ownedFileName(account))
  return existsSync(path) ? path : null
}

function openChecked(path: string, {account, schema, busyTimeoutMs, check}: OwnedDatabase): Database {
  if (!existsSync(path)) check?.(null, path)
  const db = openDatabase(path, busyTimeoutMs)
  try {
    makeDurable(db)
    attempt(db, (sql) => check?.(versionOf(db, schema) === 0 ? null : sql, path))
    migrate(db, schema)
    claimFile(db, account)
  } catch (error) {
    db.sql.close()
    throw error
  }
  return db
}

/**
 * The settings that P3 needs, and the check that SQLite took them: WAL alone does not sync at a commit. `fullfsync`
 * is the same on macOS.
 */
function makeDurable(db: Database): void {
  const wanted: readonly (readonly [pragma: string, set: string, read: string | number])[] = [
    ['journal_mode', 'WAL', 'wal'],
    ['synchronous', 'FULL', 2],
    ['fullfsync', 'ON', 1],
    ['foreign_keys', 'ON', 1],
  ]
  attempt(db, (sql) => {
    for (const [pragma, set, read] of wanted) {
      sql.exec(`PRAGMA ${pragma} = ${set}`)
      const found = sql.prepare(`PRAGMA ${pragma}`).get()?.[pragma]
      if (found !== read) throw notDurable(db.path, `${pragma} is ${String(found)}, not ${set}`)
    }
  })
}

/** Brings the schema up to date in one transaction. */
function migrate(db: Database, schema: Schema): void {
  const latest = latestVersion(schema)
  if (versionOf(db, schema) === latest) return
  write(db, (sql) => {
    // Read again under the write lock: another process may have migrated meanwhile.
    const taken = versionOf(db, schema) - schema.first + 1
    for (const step of schema.steps.slice(Math.max(0, taken))) sql.exec(step)
    sql.exec(`PRAGMA user_version = ${latest}`)
  })
}

/** 0: the file is empty. Throws for a version that this hisab does not know. */
function versionOf(db: Database, schema: Schema): number {
  const version = attempt(db, (sql) => Number(sql.prepare('PRAGMA user_version').get()?.user_version))
  const refusal = refusalOfVersion(db.path, version, schema)
  if (refusal) throw refusal
  return version
}

/** Records whose file this is, or checks it: a copied or renamed file must not be believed. */
function claimFile(db: Database, account: Account): void {
  const key = accountKey(account)
  const read = () => attempt(db, (sql) => sql.prepare('SELECT key FROM account').get()?.key)
  let found = read()
  if (found === undefined) {
    write(db, (sql) =>
      sql.prepare('INSERT OR IGNORE INTO account VALUES (1, ?, lower(hex(randomblob(16))))').run(key),
    )
    found = read()
  }
  if (found === key) return
  throw new Failure(
    'file_unreadable',
    `${escapeInvisible(db.path)} belongs to ${escapeInvisible(String(found))}, not to ${key}.`,
    'Put the file back where it came from. hisab names its files after merchant and environment.',
  )
}

function notDurable(path: string, problem: string): Failure {
  return new Failure(
    'storage_failed',
    `${escapeInvisible(path)} may not survive a power cut: ${problem}.`,
    'Choose a folder on a local disk with HISAB_DATA_DIR.',
  )
}

export function refusalOfVersion(path: string, version: number, schema: Schema): Failure | null {
  const latest = latestVersion(schema)
  const isNewer = version > latest
  if (!isNewer && (version === 0 || version >= schema.first)) return null
  const [age, which] = isNewer ? ['a newer', 'the newer hisab'] : ['an older', 'the hisab that wrote it']
  return new Failure(
    'file_unreadable',
    `${escapeInvisible(path)} was written by ${age} hisab (schema ${version}; this one knows ${latest}). The file was not changed.`,
    `Run ${which}, or choose another folder with HISAB_DATA_DIR.`,
  )
}
