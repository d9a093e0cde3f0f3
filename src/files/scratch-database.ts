import {DatabaseSync} from 'node:sqlite'

import {attempt, type Database, databaseOf, sqliteFailure} from './sqlite.ts'

/** SQLite's cache; more goes to a file. */
const cacheKib = 4_000

/**
 * A database for one run's scratch data. It has no name: SQLite keeps it in memory while it is small, then in a
 * private file (in `SQLITE_TMPDIR`, `TMPDIR` or `/var/tmp`) that disappears with the process. Nothing is synced or
 * rolled back: lasting data is in the journal.
 */
export function openScratchDatabase(schema: string): Database {
  const path = 'the working file in the temporary folder (TMPDIR)'
  try {
    const db = databaseOf(new DatabaseSync(''), path)
    attempt(db, (sql) => {
      const settings = [
        'journal_mode = OFF',
        'synchronous = OFF',
        'temp_store = FILE',
        `cache_size = -${cacheKib}`,
      ]
      for (const setting of settings) sql.exec(`PRAGMA ${setting}`)
      // A single transaction: commits would only cost time.
      sql.exec('BEGIN')
      sql.exec(schema)
    })
    return db
  } catch (error) {
    throw sqliteFailure(error, path)
  }
}
