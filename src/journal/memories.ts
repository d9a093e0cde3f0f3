import {existsSync, readdirSync} from 'node:fs'
import {join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'

import {accountOf, isSameMerchant} from '../core/account.ts'
import {hostAddressOf, isLoopback} from '../core/loopback.ts'
import {ownedFileName} from '../files/owned-database.ts'
import {is, sqliteFailure} from '../files/sqlite.ts'
import {type JournalUser, witnessedElsewhere} from './witness.ts'

/** A run that read something of the service, or sent something there. */
export const reachedService = `(exit_status IN (0, 6, 7) OR EXISTS (SELECT 1 FROM resends WHERE run_id = runs.id))`

/** Whether the journal remembers anything of a service. */
export const isKnown = `EXISTS (SELECT 1 FROM requests UNION ALL SELECT 1 FROM resends
  UNION ALL SELECT 1 FROM runs WHERE ${reachedService})`

export interface MemoryElsewhere {
  readonly environment: string
  readonly addresses: ReadonlySet<string>
  /** It has rows of a service, with or without its address. */
  readonly isKnown: boolean
}

/**
 * What the merchant's other environments know of addresses: by their journals, by what they received, and of a journal
 * that is lost by its witness.
 */
export function memoriesElsewhere(user: JournalUser): MemoryElsewhere[] {
  const own = ownedFileName(user.account)
  const [ofMerchant = ''] = own.split('@')
  const read = (folder: string, isTheirs: (name: string) => boolean) => {
    const dir = join(user.dataDir, folder)
    const names = existsSync(dir) ? readdirSync(dir) : []
    return names
      .filter((name) => name.endsWith('.db') && name !== own && isTheirs(name))
      .flatMap((name) => readMemory(join(dir, name), user) ?? [])
  }
  const isOfMerchant = (name: string) => name.startsWith(`${ofMerchant}@`)
  const journals = read('journal', (name) => !name.includes('@') || isOfMerchant(name))
  const lost = witnessedElsewhere(user)
    .map(({key, addresses}) => ({environment: accountOf(key).environment, addresses: new Set(addresses)}))
    .filter(({environment}) => !journals.some((one) => one.environment === environment))
    .map((one) => ({...one, isKnown: true}))
  return [...journals, ...read('received', isOfMerchant), ...lost]
}

/** Whether this very environment received events, here or before receivers wrote down where. */
export function hasReceived(user: JournalUser): boolean {
  const path = join(user.dataDir, 'received', ownedFileName(user.account))
  const memory = existsSync(path) ? readMemory(path, user) : null
  if (memory === null || !memory.isKnown) return false
  return memory.addresses.size === 0 || user.addresses.every((address) => memory.addresses.has(address))
}

function readMemory(path: string, {account: own, addresses}: JournalUser): MemoryElsewhere | null {
  let opened: DatabaseSync | undefined
  try {
    const sql = new DatabaseSync(path, {readOnly: true, timeout: 1_000})
    opened = sql
    const has = (table: string) => is(sql, `EXISTS (SELECT 1 FROM sqlite_master WHERE name = '${table}')`)
    const key = has('account') ? sql.prepare('SELECT key FROM account').get()?.key : undefined
    const account = key === undefined ? null : accountOf(String(key))
    const owner = account ? undefined : sql.prepare('SELECT profile, merchant_id AS id FROM owner').get()
    if (!isSameMerchant(account?.merchantId ?? String(owner?.id), own.merchantId)) return null
    // One that was kept by the name of a profile has not been taken over yet, and may be this one's to be.
    if (owner && isOfEnvironment(sql, String(owner.profile), own.environment, addresses)) return null
    const isInbox = has('events')
    const rows = has('addresses') ? sql.prepare('SELECT origin FROM addresses').all() : []
    const known =
      rows.length > 0 || isInbox
        ? rows.map(({origin}) => hostAddressOf(String(origin)))
        : addressesOfRuns(sql, reachedService)
    const environment = account?.environment ?? (known.every(isLoopback) ? 'sandbox' : 'live')
    const remembers =
      is(sql, isInbox ? 'EXISTS (SELECT 1 FROM events)' : isKnown) || (isInbox && rows.length > 0)
    return {environment, addresses: new Set(remembers ? known : []), isKnown: remembers}
  } catch (error) {
    // Files of others, and empty ones, are not this merchant's; what cannot be read might be.
    const failure = sqliteFailure(error, path)
    if (failure.code === 'bug') return null
    throw failure
  } finally {
    opened?.close()
  }
}

/**
 * Whether a journal that was kept by the name of a profile is of this environment, as the addresses of its runs show.
 * One without any run is the account's that comes first.
 */
export function isOfEnvironment(
  sql: DatabaseSync,
  profileName: string,
  environment: string,
  addresses: readonly string[],
): boolean {
  const reached = addressesOfRuns(sql, 'true')
  const isSandbox = environment === 'sandbox'
  const isShared = reached.some((address) => addresses.includes(address))
  if (reached.length === 0) return profileName !== 'sandbox' || isSandbox
  if (reached.every(isLoopback)) return isSandbox || isShared
  return !isSandbox && (environment === 'live' || isShared)
}

/** Where the runs of a journal asked for their orders. */
export function addressesOfRuns(sql: DatabaseSync, which: string): string[] {
  return sql
    .prepare(
      `SELECT DISTINCT value FROM runs, json_each(runs.options, '$.service')
       WHERE json_type(runs.options, '$.service') = 'array' AND ${which}`,
    )
    .all()
    .map(({value}) => hostAddressOf(String(value)))
}
