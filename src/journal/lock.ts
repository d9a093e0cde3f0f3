import {readFileSync} from 'node:fs'
import {dirname, join} from 'node:path'
import type {DatabaseSync} from 'node:sqlite'

import {type Account, accountKey} from '../core/account.ts'
import {Failure} from '../core/failure.ts'
import {escapeInvisible} from '../core/text.ts'
import {fileNameOf} from '../files/file-name.ts'
import {makeOwnDir, writeFileAtomically} from '../files/private-files.ts'
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
  return lockFile(`${lockPath(dataDir, account)}.db`, () => heldByAnother(account))
}

/**
 * The same for `hisab nightly`, which takes the run's lock for its runs alone. `doing` is left beside the lock for whoever
 * comes second.
 */
export function acquireNightLock(dataDir: string, account: Account, doing: string): RunLock {
  const path = lockPath(dataDir, account, 'nightly-')
  const notePath = `${path}.txt`
  const lock = lockFile(`${path}.db`, () => nightIsHeld(account, readNote(notePath)))
  try {
    writeFileAtomically(notePath, doing)
    return lock
  } catch (error) {
    lock.release()
    throw error
  }
}

function readNote(path: string): string {
  try {
    return escapeInvisible(readFileSync(path, 'utf8'), 200)
  } catch {
    return 'a process that has just begun'
  }
}

function nightIsHeld({merchantId, environment}: Account, holder: string): Failure {
  return new Failure(
    'locked',
    `hisab nightly is at work for merchant ${escapeInvisible(merchantId)} (${environment}): ${holder}.`,
    'Wait until it has finished, or stop it. Its lock ends with its process; there is no lock file to delete.',
  )
}

function lockPath(dataDir: string, account: Account, prefix = ''): string {
  return join(dataDir, 'locks', prefix + fileNameOf(accountKey(account)))
}

function openLocked(path: string, timeoutMs: number, begin: string, whereHeld?: () => Failure): DatabaseSync {
  makeOwnDir(dirname(path))
  const {sql} = openDatabase(path, timeoutMs)
  try {
    sql.exec(begin)
    return sql
  } catch (error) {
    sql.close()
    throw whereHeld && isBusy(error) ? whereHeld() : sqliteFailure(error, path)
  }
}

function lockFile(path: string, whereHeld: () => Failure): RunLock {
  const sql = openLocked(path, 0, 'PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE', whereHeld)
  held.add(sql)
  return {
    release() {
      if (held.delete(sql)) sql.close()
    },
  }
}

/**
 * What every process holds that has a create on its way, from before it is claimed until its end is written down. Any
 * number hold it at once. The kernel drops it with the process, as it does the run's lock.
 */
export class SendingMark {
  private readonly path: string
  private readonly account: Account
  private readonly underway = new Set<number>()
  private sql: DatabaseSync | null = null

  constructor(dataDir: string, account: Account) {
    this.path = `${lockPath(dataDir, account, 'sending-')}.db`
    this.account = account
  }

  /** Claims a create, whose id `idOf` tells. */
  during<T>(claim: () => T, idOf: (claimed: T) => number): T {
    this.sql ??= openLocked(this.path, busyTimeoutMs, 'BEGIN; SELECT count(*) FROM sqlite_master')
    try {
      const claimed = claim()
      this.underway.add(idOf(claimed))
      return claimed
    } finally {
      if (this.underway.size === 0) this.release()
    }
  }

  /** The end of a create is written down. */
  end(id: number): void {
    if (this.underway.delete(id) && this.underway.size === 0) this.release()
  }

  release(): void {
    this.sql?.close()
    this.sql = null
  }

  /** Does what no process may be sending meanwhile. Throws `locked`, also where this one is. */
  whileNoneSends<T>(work: () => T): T {
    const lock = lockFile(this.path, () => beingSent(this.account))
    try {
      return work()
    } finally {
      lock.release()
    }
  }
}

const busyTimeoutMs = 10_000

export function beingSent({merchantId, environment}: Account): Failure {
  return new Failure(
    'locked',
    `Another hisab is sending an order of merchant ${escapeInvisible(merchantId)} (${environment}) now, perhaps this one. Nothing was recorded.`,
    'Wait until that command has finished. It may resolve the doubt. Then run `hisab payout list --in-doubt`.',
  )
}

export function heldByAnother({merchantId, environment}: Account): Failure {
  return new Failure(
    'locked',
    `Another run of hisab is active for merchant ${escapeInvisible(merchantId)} (${environment}).`,
    'Wait until it has finished, or stop it. Its lock ends with its process. There is no lock file to delete.',
  )
}
