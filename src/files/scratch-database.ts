import {DatabaseSync} from 'node:sqlite'

import {attempt, type Database, sqliteFailure} from './sqlite.ts'

/** Pages SQLite keeps in memory; what is more goes to a file. */
const cacheKib = 4_000

/**
 * A database for one run's working papers. It has no name: SQLite keeps it in memory while it is small, then in a file
 * for this user alone (in `SQLITE_TMPDIR`, `TMPDIR` or `/var/tmp`) that is gone with the process, however that ends.
 * Nothing in it is synced or can be rolled back: what has to last is the journal's.
 */
export function openScratchDatabase(schema: string): Database {
  const path = 'the working file in the temporary folder (TMPDIR)'
  try {
    const db = {path, sql: new DatabaseSync('')}
    attempt(db, (sql) => {
      const settings = [
        'journal_mode = OFF',
        'synchronous = OFF',
        'temp_store = FILE',
        `cache_size = -${cacheKib}`,
      ]
      for (const setting of settings) sql.exec(`PRAGMA ${setting}`)
      // One transaction from beginning to end: a commit would only cost.
      sql.exec('BEGIN')
      sql.exec(schema)
    })
    return db
  } catch (error) {
    throw sqliteFailure(error, path)
  }
}
