import {join} from 'node:path'

import {Failure} from '../core/failure.ts'
import {visible} from '../core/text.ts'
import {fileNameOf} from './file-name.ts'
import {makeOwnDir} from './private-files.ts'
import {attempt, type Database, openDatabase, write} from './sqlite.ts'

/** Whose records a file holds: one file a profile and merchant, so that two never mix. */
export interface Owner {
  readonly name: string
  readonly merchantId: string
}

export interface OwnedDatabase {
  readonly dataDir: string
  /** The folder inside the data directory, hisab's own. */
  readonly folder: string
  readonly owner: Owner
  /**
   * The schema, one step a version; `user_version` counts the steps that were taken. A step that has been
   * released is never edited: the next one is added. The first one makes `ownerTable`.
   */
  readonly steps: readonly string[]
  readonly busyTimeoutMs: number
}

/** Part of the first step of every schema here: whose file it is. */
export const ownerTable = `
  CREATE TABLE owner (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    profile TEXT NOT NULL,
    merchant_id TEXT NOT NULL
  ) STRICT;`

/**
 * Opens, and if need be creates, a file whose commits are on the disk when they return (P3), brought up to date.
 * Throws `storage_failed`, or `file_unreadable` for one that is newer than this hisab or somebody else's.
 */
export function openOwnedDatabase({dataDir, folder, owner, steps, busyTimeoutMs}: OwnedDatabase): Database {
  const dir = join(dataDir, folder)
  makeOwnDir(dir)
  const db = openDatabase(join(dir, ownedFileName(owner)), busyTimeoutMs)
  try {
    makeDurable(db)
    migrate(db, steps)
    claimFile(db, owner)
  } catch (error) {
    db.sql.close()
    throw error
  }
  return db
}

/** The name of an owner's file inside its folder. */
export function ownedFileName({name, merchantId}: Owner): string {
  return `${fileNameOf(name)}-${fileNameOf(merchantId)}.db`
}

/**
 * The settings P3 rests on, and the proof that SQLite took them: WAL mode by itself does not promise to sync
 * at a commit. `fullfsync` is the same promise on macOS, and nothing elsewhere.
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
    // Read again under the write lock: another process may have taken the steps in between.
    const version = versionOf(sql)
    if (version > steps.length) throw newerThanThis(db.path, version, steps.length)
    for (const step of steps.slice(version)) sql.exec(step)
    sql.exec(`PRAGMA user_version = ${steps.length}`)
  })
}

function versionOf(sql: Database['sql']): number {
  return Number(sql.prepare('PRAGMA user_version').get()?.user_version)
}

/** Writes down whose file this is, or checks it: one that was copied or renamed must not be believed. */
function claimFile(db: Database, {name, merchantId}: Owner): void {
  const read = () =>
    attempt(db, (sql) => sql.prepare('SELECT profile, merchant_id AS merchantId FROM owner').get())
  let owner = read()
  if (owner === undefined) {
    write(db, (sql) => sql.prepare('INSERT OR IGNORE INTO owner VALUES (1, ?, ?)').run(name, merchantId))
    owner = read()
  }
  if (owner?.profile === name && owner.merchantId === merchantId) return
  throw new Failure(
    'file_unreadable',
    `${visible(db.path)} belongs to the profile "${visible(String(owner?.profile))}" of merchant ${visible(String(owner?.merchantId))}.`,
    'Put the file back where it came from; hisab names its files after their profile and merchant.',
  )
}

function notDurable(path: string, problem: string): Failure {
  return new Failure(
    'storage_failed',
    `${visible(path)} cannot promise to survive a power cut: ${problem}.`,
    'Choose a folder on a local disk with HISAB_DATA_DIR.',
  )
}

function newerThanThis(path: string, version: number, known: number): Failure {
  return new Failure(
    'file_unreadable',
    `${visible(path)} was written by a newer hisab (schema ${version}; this one knows ${known}).`,
    'Run the newer hisab, or choose another folder with HISAB_DATA_DIR. The file was not changed.',
  )
}
