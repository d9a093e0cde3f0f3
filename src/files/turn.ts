import {join} from 'node:path'

import {makeOwnDir} from './private-files.ts'
import {attempt, openDatabase} from './sqlite.ts'

const turnTimeoutMs = 30_000

/** One process of this data directory at a time, for decisions about several files of a folder. */
export function inTurn<T>(dataDir: string, folder: string, work: () => T): T {
  const locks = join(dataDir, 'locks')
  makeOwnDir(locks)
  const turn = openDatabase(join(locks, `opening-${folder}.db`), turnTimeoutMs)
  try {
    attempt(turn, (sql) => sql.exec('BEGIN EXCLUSIVE'))
    return work()
  } finally {
    turn.sql.close()
  }
}
