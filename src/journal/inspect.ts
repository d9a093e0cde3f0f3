import {existsSync} from 'node:fs'
import {join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'

import {type Account, accountKey} from '../core/account.ts'
import {Failure} from '../core/failure.ts'
import type {OrderKind} from '../core/order.ts'
import {fileNameOf} from '../files/file-name.ts'
import {ownedFileName} from '../files/owned-database.ts'
import {isBusy, sqliteFailure} from '../files/sqlite.ts'
import {inTurn} from '../files/turn.ts'
import {refusalOf, refusalOfReceiver} from './addresses.ts'
import {journalPath} from './journal.ts'
import {inDoubtCondition} from './request-row.ts'
import {resendInDoubt} from './resend-doubts.ts'
import {journalSteps} from './schema.ts'
import {sqliteEngine} from './store.ts'
import type {JournalUser} from './witness.ts'
import {lostJournal, Witness} from './witness.ts'

/** A journal as it lies on the disk, looked at through a connection that cannot write. */
export type JournalState =
  | {readonly state: 'absent'; readonly path: string}
  | {readonly state: 'unreadable'; readonly path: string; readonly why: string; readonly hint: string}
  /** Whole, or gone, and no command goes on with it. */
  | {readonly state: 'refused'; readonly path: string; readonly failure: Failure}
  | {
      readonly state: 'ok'
      readonly path: string
      readonly runs: number
      /** Resends with unknown outcome. */
      readonly resendsInDoubt: number
      readonly createsInDoubt: {readonly deposit: number; readonly payout: number}
    }

/** Looks at the journal of an account: its schema, its owner, its pages, its memory, its addresses. Changes nothing. */
export function inspectJournal(user: JournalUser): JournalState {
  const {dataDir, account, addresses} = user
  const path = journalPath(dataDir, account, addresses) ?? join(dataDir, 'journal', ownedFileName(account))
  const refused = (sql: DatabaseSync | null, version = journalSteps.length): JournalState | null => {
    const loss = new Witness(user, false).lossOf(sql)
    if (loss !== null) return {state: 'refused', path, failure: lostJournal(path, loss)}
    if (version < journalSteps.length) return null
    const failure = refusalOf(sql, user)
    return failure && {state: 'refused', path, failure}
  }
  if (!existsSync(path)) return refused(null) ?? {state: 'absent', path}
  let sql: DatabaseSync | undefined
  try {
    sql = new DatabaseSync(path, {readOnly: true, timeout: 1_000})
    const one = (query: string) => Object.values(sql?.prepare(query).get() ?? {})[0]
    const version = Number(one('PRAGMA user_version'))
    if (version > journalSteps.length) {
      return unreadable(path, `it was written by a newer hisab (schema ${version})`, 'Run the newer hisab.')
    }
    const health = String(one('PRAGMA quick_check(1)'))
    if (health !== 'ok') {
      return unreadable(
        path,
        'its pages are damaged',
        'Put back a copy; do not delete it: it is the record of what was sent.',
      )
    }
    // A file that was made and never written to has no tables yet.
    if (version === 0) {
      return (
        refused(null) ?? {
          state: 'ok',
          path,
          runs: 0,
          resendsInDoubt: 0,
          createsInDoubt: {deposit: 0, payout: 0},
        }
      )
    }
    const key = version === journalSteps.length ? one('SELECT key FROM account') : undefined
    if (key !== undefined && key !== accountKey(account)) {
      return unreadable(
        path,
        'it belongs to another merchant or environment',
        'Put the file back where it came from.',
      )
    }
    const no = refused(sql, version)
    if (no !== null) return no
    // One of an older hisab that is not refused sent nothing.
    const isOfThisTime = Number(one("SELECT count(*) FROM sqlite_master WHERE name = 'requests_dropped'")) > 0
    const count = (table: string, where: string) =>
      isOfThisTime ? Number(one(`SELECT count(*) FROM ${table} AS r WHERE ${where}`)) : 0
    const createsOf = (kind: OrderKind) =>
      ['requests', 'requests_dropped']
        .map((table) => count(table, `kind = '${kind}' AND ${inDoubtCondition}`))
        .reduce((sum, some) => sum + some)
    return {
      createsInDoubt: {deposit: createsOf('deposit'), payout: createsOf('payout')},
      state: 'ok',
      path,
      runs: Number(one('SELECT count(*) FROM runs')),
      resendsInDoubt: count('resends', resendInDoubt(sqliteEngine).text),
    }
  } catch (error) {
    const {clause, hint} = sqliteFailure(error, path)
    return unreadable(path, clause, hint)
  } finally {
    sql?.close()
  }
}

/** Throws `config_invalid` where a receiver would make a second memory of the merchant's service. */
export function refuseElsewhere(user: JournalUser): void {
  const path = join(user.dataDir, 'journal', ownedFileName(user.account))
  const sql = existsSync(path) ? new DatabaseSync(path, {readOnly: true, timeout: 1_000}) : null
  try {
    const version = Number(sql?.prepare('PRAGMA user_version').get()?.user_version ?? 0)
    const failure = refusalOfReceiver(version === journalSteps.length ? sql : null, user)
    if (failure) throw failure
  } catch (error) {
    throw error instanceof Failure ? error : sqliteFailure(error, path)
  } finally {
    sql?.close()
  }
}

/** Does what makes a receiver's memory of its addresses, one process of the merchant at a time. */
export function beginReceiving(user: JournalUser, begin: () => void): void {
  inTurn(user.dataDir, 'journal', () => {
    refuseElsewhere(user)
    begin()
  })
}

function unreadable(path: string, why: string, hint: string): JournalState {
  return {state: 'unreadable', path, why, hint}
}

/**
 * Whether a run holds the account's lock now. Asked by reading, which never takes it: a run that starts at this
 * moment is not turned away.
 */
export function isLockHeld(dataDir: string, account: Account): boolean {
  const path = join(dataDir, 'locks', `${fileNameOf(accountKey(account))}.db`)
  if (!existsSync(path)) return false
  let sql: DatabaseSync | undefined
  try {
    sql = new DatabaseSync(path, {readOnly: true, timeout: 0})
    sql.prepare('SELECT count(*) FROM sqlite_master').get()
    return false
  } catch (error) {
    return isBusy(error)
  } finally {
    sql?.close()
  }
}
