import {join} from 'node:path'
import type {DatabaseSync} from 'node:sqlite'

import {type Account, accountKey} from '../core/account.ts'
import {Failure} from '../core/failure.ts'
import {visible} from '../core/text.ts'
import {fileNameOf} from '../files/file-name.ts'
import {makeOwnDir} from '../files/private-files.ts'
import {isBusy, openDatabase, sqliteFailure} from '../files/sqlite.ts'

/** One run's exclusive right to an account. */
export interface RunLock {
  /** Lets the next run in. A second call does nothing. */
  release(): void
}

/** The garbage collector closes a database that nobody refers to, and its lock falls with it. */
const held = new Set<DatabaseSync>()

/**
 * Takes the lock of an account, or throws `locked` at once (exit 9, P14).
 *
 * The lock is an exclusive transaction on a database of its own, in rollback mode: the kernel drops it when
 * the process ends in any way, SIGKILL included, so it never goes stale. No other code may open and close
 * that file: on POSIX, closing any descriptor of a file drops the process's locks on it.
 */
export function acquireRunLock(dataDir: string, account: Account): RunLock {
  const dir = join(dataDir, 'locks')
  makeOwnDir(dir)
  const path = join(dir, `${fileNameOf(accountKey(account))}.db`)
  const {sql} = openDatabase(path, 0)
  try {
    sql.exec('PRAGMA journal_mode = DELETE')
    sql.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    sql.close()
    throw isBusy(error) ? heldByAnother(account) : sqliteFailure(error, path)
  }
  held.add(sql)
  return {
    release() {
      if (held.delete(sql)) sql.close()
    },
  }
}

function heldByAnother({merchantId, environment}: Account): Failure {
  return new Failure(
    'locked',
    `Another run of hisab is at work for merchant ${visible(merchantId)} (${environment}).`,
    'Wait until it has finished, or stop it; the lock falls by itself when its process ends. There is no lock file to delete.',
  )
}
