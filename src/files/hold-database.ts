import {existsSync, rmSync, statSync} from 'node:fs'
import {DatabaseSync} from 'node:sqlite'

/** A database with its logs, held so that no process can open it meanwhile. */
export interface HeldDatabase {
  /** Whole paths. */
  readonly files: readonly string[]
  readonly bytes: number
  readonly sql: DatabaseSync
  /** Deletes the files while they are still locked, then lets go: whoever opens it now makes a new one or has to wait. */
  remove(): void
  release(): void
}

/** Takes hold of a database that is there. Throws SQLite's own error, a busy one where a process has it open. */
export function holdDatabase(path: string): HeldDatabase {
  const sql = new DatabaseSync(path)
  try {
    sql.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT')
  } catch (error) {
    sql.close()
    throw error
  }
  const files = ['', '-wal', '-shm', '-journal'].map((end) => path + end).filter((file) => existsSync(file))
  return {
    files,
    bytes: files.reduce((sum, file) => sum + statSync(file).size, 0),
    sql,
    remove() {
      for (const file of files) rmSync(file, {force: true})
      sql.close()
    },
    release: () => sql.close(),
  }
}
