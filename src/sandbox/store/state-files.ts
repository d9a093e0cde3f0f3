import {existsSync} from 'node:fs'
import {join} from 'node:path'
import type {DatabaseSync} from 'node:sqlite'

import {Failure} from '../../core/failure.ts'
import {type HeldDatabase, holdDatabase} from '../../files/hold-database.ts'
import {explainDatabaseError, stateFileName} from './database.ts'

export function hasState(dataDir: string): boolean {
  return existsSync(join(dataDir, stateFileName))
}

/**
 * Opens the state in `dataDir`, even of another version; null if there is none. Throws `locked` if a sandbox uses it,
 * `storage_failed` if the file is not a sandbox's.
 */
export function holdState(dataDir: string): HeldDatabase | null {
  if (!hasState(dataDir)) return null
  const path = join(dataDir, stateFileName)
  let held: HeldDatabase | undefined
  try {
    held = holdDatabase(path)
    if (isSandboxState(held.sql)) return held
  } catch (error) {
    held?.release()
    throw explainDatabaseError(error, dataDir)
  }
  held.release()
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
