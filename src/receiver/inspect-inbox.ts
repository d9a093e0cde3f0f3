import {existsSync} from 'node:fs'
import {join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'

import type {Account} from '../core/account.ts'
import {Failure} from '../core/failure.ts'
import {ownedDatabasePath, ownedFileName} from '../files/owned-database.ts'
import {sqliteFailure} from '../files/sqlite.ts'
import {InboxWitness} from './inbox-witness.ts'
import {conflictCount, pendingCount} from './stored-events.ts'

/** What a store of received events has that nobody acknowledged. */
export interface Unacknowledged {
  readonly pending: number
  readonly conflicts: number
}

/**
 * Whether anything was ever received for the account here. Throws if something was and its store is gone: what your server
 * acknowledged would be sent again.
 */
export function hasInbox(dataDir: string, account: Account): boolean {
  const has = ownedDatabasePath({dataDir, folder: 'received', account}) !== null
  if (!has) new InboxWitness(dataDir, account).check(null, storeOf(dataDir, account))
  return has
}

/** Looks at the store without changing it. Null if there is none, or one of an earlier version. */
export function inspectInbox(dataDir: string, account: Account): Unacknowledged | Failure | null {
  const path = storeOf(dataDir, account)
  let sql: DatabaseSync | null = null
  try {
    if (existsSync(path)) sql = new DatabaseSync(path, {readOnly: true, timeout: 1_000})
    new InboxWitness(dataDir, account).check(sql, path)
    if (!sql?.prepare(`SELECT 1 FROM pragma_table_xinfo('events') WHERE name = 'closed_by'`).get())
      return null
    const count = (query: string) => Number(sql?.prepare(query).get()?.found)
    return {pending: count(pendingCount), conflicts: count(conflictCount)}
  } catch (error) {
    return error instanceof Failure ? error : sqliteFailure(error, path)
  } finally {
    sql?.close()
  }
}

function storeOf(dataDir: string, account: Account): string {
  return join(dataDir, 'received', ownedFileName(account))
}
