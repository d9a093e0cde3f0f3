import {existsSync, rmSync, statSync} from 'node:fs'
import {DatabaseSync} from 'node:sqlite'

/** A database with its logs, locked so that no process can open it. */
export type HeldDatabase = ReturnType<typeof holdDatabase>

/** Locks an existing database. Throws SQLite's error: busy if a process has it open. */
export function holdDatabase(path: string) {
  const sql = new DatabaseSync(path)
  try {
    sql.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT')
  } catch (error) {
    sql.close()
    throw error
  }
  const files = ['', '-wal', '-shm', '-journal'].map((end) => path + end).filter((file) => existsSync(file))
  return {
    /** Absolute paths. */
    files,
    bytes: files.reduce((sum, file) => sum + statSync(file).size, 0),
    sql,
    /** Deletes the files while they are locked, then releases them. */
    remove() {
      for (const file of files) rmSync(file, {force: true})
      sql.close()
    },
    release: () => sql.close(),
  }
}
