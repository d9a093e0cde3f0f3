import {chmodSync, closeSync, mkdirSync, openSync} from 'node:fs'
import {join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'

import {Failure} from '../../core/failure.ts'
import {schema, schemaVersion} from './schema.ts'

export const stateFileName = 'sandbox.sqlite'
const busy = 5

/**
 * Opens the state in `dataDir`, or in memory for null. The file is 0600 and a folder it has to make is 0700.
 *
 * Throws `locked` where another sandbox holds the same folder (two would deliver every retry twice), and
 * `storage_failed` where the file cannot be used.
 */
export function openStateDatabase(dataDir: string | null): DatabaseSync {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(dataDir === null ? ':memory:' : createFile(dataDir))
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
    prepareSchema(db)
    assertDurable(db)
    return db
  } catch (error) {
    db?.close()
    throw explainDatabaseError(error, dataDir)
  }
}

/** Runs `work` as one transaction: all of it is kept, or none. Inside another it is a part of that one. */
export function transact<T>(db: DatabaseSync, work: () => T): T {
  if (db.isTransaction) return work()
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    // A failed COMMIT may have ended the transaction already.
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

function createFile(dataDir: string): string {
  mkdirSync(dataDir, {recursive: true, mode: 0o700})
  const path = join(dataDir, stateFileName)
  // SQLite would create it 0644; its -wal file takes over the mode of this one.
  closeSync(openSync(path, 'a', 0o600))
  chmodSync(path, 0o600)
  return path
}

function prepareSchema(db: DatabaseSync): void {
  const found = Number(db.prepare('PRAGMA user_version').get()?.user_version)
  if (found === schemaVersion) return
  if (found !== 0) {
    throw new Failure(
      'storage_failed',
      `The sandbox's state was written by another version of hisab (layout ${found}, this one reads ${schemaVersion}).`,
      'Name another folder with --data, or begin afresh with `hisab sandbox reset`: it holds rehearsals only.',
    )
  }
  transact(db, () => db.exec(`${schema}; PRAGMA user_version = ${schemaVersion}`))
}

function assertDurable(db: DatabaseSync): void {
  // WAL with any lower setting does not sync on commit (P3).
  if (db.prepare('PRAGMA synchronous').get()?.synchronous === 2) return
  throw new Failure('bug', 'SQLite did not take synchronous=FULL.', 'Report this with the version of Node.')
}

/** What SQLite threw over a state as one of our failures. */
export function explainDatabaseError(error: unknown, dataDir: string | null): unknown {
  if (error instanceof Failure) return error
  if ((error as {errcode?: number}).errcode === busy) {
    return new Failure(
      'locked',
      `Another sandbox is using ${dataDir}.`,
      'Stop it, or name another folder with --data.',
    )
  }
  const reason = error instanceof Error ? error.message : String(error)
  return new Failure(
    'storage_failed',
    `The sandbox's state in ${dataDir} cannot be opened: ${reason}.`,
    'Check that the folder can be written to and that the disk has room, or name another with --data.',
  )
}
