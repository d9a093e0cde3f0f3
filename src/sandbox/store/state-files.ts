import {existsSync, rmSync, statSync} from 'node:fs'
import {join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'

import {Failure} from '../../core/failure.ts'
import {explainDatabaseError, stateFileName} from './database.ts'

/** The files of one state, held so that no sandbox can open it meanwhile. */
export interface HeldState {
  /** Whole paths. Nothing else in the folder is the sandbox's. */
  readonly files: readonly string[]
  readonly bytes: number
  /** Deletes the files and lets go. */
  remove(): void
  release(): void
}

export function hasState(dataDir: string): boolean {
  return existsSync(join(dataDir, stateFileName))
}

/**
 * Takes hold of the state in `dataDir`; null where there is none. A state of another version's layout is taken
 * too. Throws `locked` where a sandbox is using it, `storage_failed` where the file is not a sandbox's.
 */
export function holdState(dataDir: string): HeldState | null {
  if (!hasState(dataDir)) return null
  const path = join(dataDir, stateFileName)
  const db = lock(dataDir, path)
  const files = ['', '-wal', '-shm', '-journal'].map((end) => path + end).filter((file) => existsSync(file))
  return {
    files,
    bytes: files.reduce((sum, file) => sum + statSync(file).size, 0),
    remove() {
      // While it is still locked: a sandbox that starts now makes a new file or is told to wait.
      for (const file of files) rmSync(file, {force: true})
      db.close()
    },
    release: () => db.close(),
  }
}

function lock(dataDir: string, path: string): DatabaseSync {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(path)
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT')
    if (isSandboxState(db)) return db
  } catch (error) {
    db?.close()
    throw explainDatabaseError(error, dataDir)
  }
  db.close()
  throw new Failure(
    'storage_failed',
    `${path} is not the state of a sandbox, and is left as it is.`,
    'Check --data; a file that is not needed has to be deleted by hand.',
  )
}

function isSandboxState(db: DatabaseSync): boolean {
  const names = db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .all()
    .map(({name}) => name)
  return ['balances', 'deposits', 'deliveries'].every((name) => names.includes(name))
}
