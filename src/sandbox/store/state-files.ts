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
 * Takes hold of the state in `dataDir`; null where there is none. A state of another version's layout is taken
 * too. Throws `locked` where a sandbox is using it, `storage_failed` where the file is not a sandbox's.
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
