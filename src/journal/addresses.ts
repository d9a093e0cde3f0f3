import {existsSync, readdirSync} from 'node:fs'
import {join} from 'node:path'
import {DatabaseSync} from 'node:sqlite'

import {type Account, accountOf, isSameMerchant} from '../core/account.ts'
import {Failure} from '../core/failure.ts'
import {addressOf, isLoopback} from '../core/loopback.ts'
import {sandboxMerchantId} from '../core/profile.ts'
import {quoteForShell} from '../core/shell.ts'
import {visible} from '../core/text.ts'
import {ownedFileName} from '../files/owned-database.ts'
import {attempt, type Database, sqliteFailure, write} from '../files/sqlite.ts'
import {inTurn} from '../files/turn.ts'
import {inDoubt} from './request-row.ts'
import {resendInDoubt} from './resend-doubts.ts'
import {witnessedElsewhere} from './witness.ts'

/** A step of `schema.ts`: which addresses a person said are the account's. */
export const linkedAddresses = `ALTER TABLE addresses ADD COLUMN is_linked INTEGER NOT NULL DEFAULT 0 CHECK (is_linked IN (0, 1))`

/** Who comes to a journal, and where that account's service is said to be. */
export interface JournalUser {
  readonly dataDir: string
  readonly account: Account
  /** As `addressesOf` has them. */
  readonly addresses: readonly string[]
  /** For the command lines a hint names. */
  readonly profileName: string
}

/** A run that read something of the service, or sent something there. */
const reachedService = `(exit_status IN (0, 6, 7) OR EXISTS (SELECT 1 FROM resends WHERE run_id = runs.id))`

/** Whether the journal remembers anything of a service. */
const isKnown = `EXISTS (SELECT 1 FROM requests UNION ALL SELECT 1 FROM resends
  UNION ALL SELECT 1 FROM runs WHERE ${reachedService})`

/**
 * Why this account may not be at work at its addresses, or null. Two rules, so that one service has one memory, and a
 * memory is of one service:
 *
 * - An address that the journal of another environment of this merchant knows, and this one does not.
 * - An address that a journal that knows others does not know. A journal that remembers nothing takes any.
 *
 * A person's word (`hisab journal link`) makes an address known. `sql` is null where there is no journal yet.
 */
export function refusalOf(sql: DatabaseSync | null, user: JournalUser): Failure | null {
  const own = sql === null ? new Set<string>() : ownAddresses(sql)
  const unknown = user.addresses.filter((address) => !own.has(address))
  const [first] = unknown
  if (first === undefined) return null
  for (const other of journalsElsewhere(user)) {
    const shared = unknown.find((address) => other.addresses.has(address))
    if (shared !== undefined) return ofAnotherEnvironment(shared, other.environment, user)
  }
  if (sql === null || !is(sql, isKnown) || mayFollow(sql, user)) return null
  return neverReached(first, user)
}

/**
 * Does what sends, or is about to. The first time, and where the service moved, the addresses are taken down before it:
 * one process of the merchant at a time, so that of two environments that begin at one address one is refused.
 */
export function atItsAddresses<T>(db: Database, user: JournalUser, send: () => T): T {
  if (attempt(db, (sql) => isAtHome(sql, user))) return send()
  return inTurn(user.dataDir, 'journal', () => {
    refuseStrange(db, user)
    write(db, (sql) => {
      sql.exec('DELETE FROM addresses WHERE is_linked = 0')
      addAddresses(sql, user.addresses, false)
    })
    return send()
  })
}

/** What versions before remember without an address is of the one that comes first. */
export function takeInFirst(db: Database, user: JournalUser): void {
  if (!attempt(db, hasNoAddress)) return
  inTurn(user.dataDir, 'journal', () =>
    write(db, (sql) => {
      // Runs say where they were; creates do not, and are taken to be where the service is now.
      const reached = addressesOfRuns(sql, reachedService)
      const elsewhere = journalsElsewhere(user)
      const free = (reached.length > 0 ? reached : user.addresses).filter(
        (address) => !elsewhere.some(({addresses}) => addresses.has(address)),
      )
      addAddresses(sql, free, false)
    }),
  )
}

/** Throws `config_invalid`, see `refusalOf`. */
export function refuseStrange(db: Database, user: JournalUser): void {
  const failure = attempt(db, (sql) => refusalOf(sql, user))
  if (failure) throw failure
}

/** Whether a journal of a version before, which remembers something, does not say of where. */
export function hasNoAddress(sql: DatabaseSync): boolean {
  return is(sql, isKnown) && ownAddresses(sql).size === 0
}

/** A person says that the addresses are this account's. Returns the other environments of the merchant that know one. */
export function linkAddresses(db: Database, user: JournalUser): string[] {
  const {addresses} = user
  write(db, (sql) => addAddresses(sql, addresses, true))
  return journalsElsewhere(user)
    .filter((other) => addresses.some((address) => other.addresses.has(address)))
    .map(({environment}) => environment)
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

function is(sql: DatabaseSync, condition: string): boolean {
  return sql.prepare(`SELECT 1 WHERE ${condition}`).get() !== undefined
}

function ownAddresses(sql: DatabaseSync): Set<string> {
  const rows = sql.prepare(`SELECT origin FROM addresses WHERE is_linked = 1 OR ${isKnown}`).all()
  return new Set(rows.map(({origin}) => addressOf(String(origin))))
}

function isAtHome(sql: DatabaseSync, {addresses}: JournalUser): boolean {
  const own = ownAddresses(sql)
  return addresses.every((address) => own.has(address))
}

function addAddresses(sql: DatabaseSync, addresses: readonly string[], isLinked: boolean): void {
  const add = sql.prepare(
    `INSERT INTO addresses (origin, first_seen_ms, is_linked) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET is_linked = max(is_linked, excluded.is_linked)`,
  )
  for (const address of addresses) add.run(address, Date.now(), Number(isLinked))
}

/** The embedded sandbox is where it was started last. Its money is play money; a doubt is still its own service's to end. */
function mayFollow(sql: DatabaseSync, {account, addresses}: JournalUser): boolean {
  if (!isSameMerchant(account.merchantId, sandboxMerchantId) || !addresses.every(isLoopback)) return false
  return !is(sql, `EXISTS (SELECT 1 FROM requests WHERE ${inDoubt})`) && !is(sql, hasResendInDoubt)
}

const hasResendInDoubt = `EXISTS (SELECT 1 FROM resends WHERE ${resendInDoubt})`

/** Where the runs of a journal asked for their orders. */
function addressesOfRuns(sql: DatabaseSync, which: string): string[] {
  return sql
    .prepare(
      `SELECT DISTINCT value FROM runs, json_each(runs.options, '$.service')
       WHERE json_type(runs.options, '$.service') = 'array' AND ${which}`,
    )
    .all()
    .flatMap(({value}) => (URL.canParse(String(value)) ? addressOf(String(value)) : []))
}

interface JournalElsewhere {
  readonly environment: string
  readonly addresses: ReadonlySet<string>
}

/** What the merchant's other environments know of addresses: by their journals, and of one that is lost by its witness. */
function journalsElsewhere(user: JournalUser): JournalElsewhere[] {
  const {dataDir, account} = user
  const dir = join(dataDir, 'journal')
  const own = ownedFileName(account)
  const [ofMerchant = ''] = own.split('@')
  const names = existsSync(dir) ? readdirSync(dir) : []
  const read = names
    .filter((name) => name.endsWith('.db') && name !== own)
    .filter((name) => !name.includes('@') || name.startsWith(`${ofMerchant}@`))
    .flatMap((name) => readElsewhere(join(dir, name), account.merchantId) ?? [])
  const lost = witnessedElsewhere(user)
    .map(({key, addresses}) => ({environment: accountOf(key).environment, addresses: new Set(addresses)}))
    .filter(({environment}) => !read.some((one) => one.environment === environment))
  return [...read, ...lost]
}

function readElsewhere(path: string, merchantId: string): JournalElsewhere | null {
  let sql: DatabaseSync | undefined
  try {
    sql = new DatabaseSync(path, {readOnly: true, timeout: 1_000})
    const has = (table: string) =>
      is(sql as DatabaseSync, `EXISTS (SELECT 1 FROM sqlite_master WHERE name = '${table}')`)
    const key = has('account') ? sql.prepare('SELECT key FROM account').get()?.key : undefined
    const account = key === undefined ? null : accountOf(String(key))
    const merchant = account?.merchantId ?? sql.prepare('SELECT merchant_id AS id FROM owner').get()?.id
    if (merchant === undefined || !isSameMerchant(String(merchant), merchantId)) return null
    const rows = has('addresses') ? sql.prepare('SELECT origin FROM addresses').all() : []
    const known =
      rows.length > 0
        ? rows.map(({origin}) => addressOf(String(origin)))
        : addressesOfRuns(sql, reachedService)
    // One that was kept by the name of a profile has not been taken over yet.
    const environment = account?.environment ?? (known.every(isLoopback) ? 'sandbox' : 'live')
    return {environment, addresses: new Set(is(sql, isKnown) ? known : [])}
  } catch (error) {
    // Files of others, and empty ones, are not this merchant's; what cannot be read might be.
    const failure = sqliteFailure(error, path)
    if (failure.code === 'bug') return null
    throw failure
  } finally {
    sql?.close()
  }
}

function ofAnotherEnvironment(
  address: string,
  theirs: string,
  {account: {environment}, profileName}: JournalUser,
): Failure {
  return new Failure(
    'config_invalid',
    `${visible(address)} is known as environment "${theirs}" of this merchant, and this command says "${environment}". One service would get two memories, and what one sent the other would send again. Nothing was sent.`,
    `Say environment = "${theirs}" in the profile, or HISAB_ENVIRONMENT=${theirs}. If they are two deployments at one address: hisab journal link --profile ${quoteForShell(profileName)}.`,
  )
}

function neverReached(address: string, {account: {environment}, profileName}: JournalUser): Failure {
  return new Failure(
    'config_invalid',
    `This merchant (${environment}) was never reached at ${visible(address)} before, and its journal is of other addresses. Nothing was sent.`,
    `If the service moved there: hisab journal link --profile ${quoteForShell(profileName)}. If it is another deployment, give it an environment of its own: environment = "staging" in the profile, or HISAB_ENVIRONMENT.`,
  )
}
