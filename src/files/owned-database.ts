import {existsSync, readdirSync, renameSync} from 'node:fs'
import {join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'

import {type Account, accountKey, isSameMerchant} from '../core/account.ts'
import {Failure} from '../core/failure.ts'
import {escapeInvisible} from '../core/text.ts'
import {fileNameOf} from './file-name.ts'
import {makeOwnDir} from './private-files.ts'
import {attempt, type Database, openDatabase, sqliteFailure, write} from './sqlite.ts'
import {inTurn} from './turn.ts'

export interface OwnedDatabase {
  readonly dataDir: string
  /** hisab's own folder in the data directory. */
  readonly folder: string
  readonly account: Account
  /**
   * The schema, one step a version; `user_version` counts the steps taken. A released step is never edited: add
   * another. The first one makes `ownerTable`, a later one `accountTable`.
   */
  readonly steps: readonly string[]
  readonly busyTimeoutMs: number
  /** Files that earlier versions named by a profile and that may be this account's. */
  readonly mayAdopt?: (sql: DatabaseSync, profileName: string) => boolean
  /** Merges another file of the account, in one transaction of `db`. Throws if they contradict. */
  readonly merge?: (db: Database, otherPath: string) => void
  /** Checks the file before anything is written; throws if it is not the one from before. */
  readonly check?: (sql: DatabaseSync | null, path: string) => void
}

/** Part of the first schema step: the file's owner as earlier versions named it. */
export const ownerTable = `
  CREATE TABLE owner (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    profile TEXT NOT NULL,
    merchant_id TEXT NOT NULL
  ) STRICT;`

/** A later schema step: whose file it is. */
export const accountTable = `
  CREATE TABLE account (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    key TEXT NOT NULL,
    file_id TEXT NOT NULL
  ) STRICT;`

/**
 * Opens or creates a file whose commits are on the disk when they return (P3), and migrates it. Files of the same
 * account that earlier versions named by a profile are merged first.
 *
 * Throws `storage_failed`, or `file_unreadable` for a file that is newer than this hisab, another account's, or
 * contradictory.
 */
export function openOwnedDatabase(asked: OwnedDatabase): Database {
  const dir = join(asked.dataDir, asked.folder)
  makeOwnDir(dir)
  const path = join(dir, ownedFileName(asked.account))
  if (existsSync(path) && adoptable(dir, asked).length === 0) return openChecked(path, asked)
  // Otherwise another process could begin a second file.
  return inTurn(asked.dataDir, asked.folder, () => adopt(dir, path, asked))
}

/** The file's name inside its folder, the only one with an `@`. */
export function ownedFileName(account: Account): string {
  const [merchant = '', environment = ''] = accountKey(account).split('@')
  return `${fileNameOf(merchant)}@${fileNameOf(environment)}.db`
}

export function ownedDatabasePath(
  asked: Pick<OwnedDatabase, 'dataDir' | 'folder' | 'account' | 'mayAdopt'>,
): string | null {
  const dir = join(asked.dataDir, asked.folder)
  const path = join(dir, ownedFileName(asked.account))
  return existsSync(path) ? path : (adoptable(dir, asked)[0] ?? null)
}

function adopt(dir: string, path: string, asked: OwnedDatabase): Database {
  let others = adoptable(dir, asked)
  if (!existsSync(path)) {
    const [first, ...rest] = others
    if (first !== undefined) {
      becomeOneFile(first, asked.busyTimeoutMs)
      renameSync(first, path)
      others = rest
    }
  }
  const db = openChecked(path, asked)
  try {
    for (const other of others) {
      if (!asked.merge) throw twoFiles(path, other)
      // Migrated first, so that both have the same columns.
      const old = openDatabase(other, asked.busyTimeoutMs)
      try {
        migrate(old, asked.steps)
      } finally {
        old.sql.close()
      }
      asked.merge(db, other)
      becomeOneFile(other, asked.busyTimeoutMs)
      renameSync(other, `${other}.merged`)
    }
    return db
  } catch (error) {
    db.sql.close()
    throw error
  }
}

/** Files named by a profile whose owner is this merchant. */
function adoptable(dir: string, {account, mayAdopt}: Pick<OwnedDatabase, 'account' | 'mayAdopt'>): string[] {
  const names = existsSync(dir) ? readdirSync(dir) : []
  return names
    .filter((name) => name.endsWith('.db') && !name.includes('@'))
    .sort()
    .map((name) => join(dir, name))
    .filter((path) => isOfMerchant(path, account, mayAdopt))
}

function isOfMerchant(path: string, account: Account, mayAdopt: OwnedDatabase['mayAdopt']): boolean {
  let sql: DatabaseSync | undefined
  try {
    sql = new DatabaseSync(path, {readOnly: true, timeout: 1_000})
    const owner = sql.prepare('SELECT profile, merchant_id AS merchantId FROM owner').get()
    if (owner === undefined || !isSameMerchant(String(owner.merchantId), account.merchantId)) return false
    return mayAdopt?.(sql, String(owner.profile)) ?? true
  } catch (error) {
    // Files of others and empty ones are not this account's; an unreadable one might be.
    const failure = sqliteFailure(error, path)
    if (failure.code === 'bug') return false
    throw failure
  } finally {
    sql?.close()
  }
}

/** Merges the log into a file, so that a rename moves everything. Fails if another process has it open. */
function becomeOneFile(path: string, busyTimeoutMs: number): void {
  const db = openDatabase(path, busyTimeoutMs)
  try {
    attempt(db, (sql) => sql.exec('PRAGMA journal_mode = DELETE'))
  } finally {
    db.sql.close()
  }
}

function openChecked(path: string, {account, steps, busyTimeoutMs, check}: OwnedDatabase): Database {
  if (!existsSync(path)) check?.(null, path)
  const db = openDatabase(path, busyTimeoutMs)
  try {
    makeDurable(db)
    attempt(db, (sql) => check?.(versionOf(sql) === 0 ? null : sql, path))
    migrate(db, steps)
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
function migrate(db: Database, steps: readonly string[]): void {
  if (attempt(db, versionOf) === steps.length) return
  write(db, (sql) => {
    // Read again under the write lock: another process may have migrated meanwhile.
    const version = versionOf(sql)
    if (version > steps.length) throw newerThanThis(db.path, version, steps.length)
    for (const step of steps.slice(version)) sql.exec(step)
    sql.exec(`PRAGMA user_version = ${steps.length}`)
  })
}

function versionOf(sql: Database['sql']): number {
  return Number(sql.prepare('PRAGMA user_version').get()?.user_version)
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

function twoFiles(path: string, other: string): Failure {
  return new Failure(
    'file_unreadable',
    `${escapeInvisible(path)} and ${escapeInvisible(other)} belong to the same merchant.`,
    'Move the older one away, then run the same command again.',
  )
}

function notDurable(path: string, problem: string): Failure {
  return new Failure(
    'storage_failed',
    `${escapeInvisible(path)} may not survive a power cut: ${problem}.`,
    'Choose a folder on a local disk with HISAB_DATA_DIR.',
  )
}

function newerThanThis(path: string, version: number, known: number): Failure {
  return new Failure(
    'file_unreadable',
    `${escapeInvisible(path)} was written by a newer hisab (schema ${version}; this one knows ${known}). The file was not changed.`,
    'Run the newer hisab, or choose another folder with HISAB_DATA_DIR.',
  )
}
