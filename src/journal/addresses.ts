import type {DatabaseSync} from 'node:sqlite'

import {isSameMerchant} from '../core/account.ts'
import {Failure} from '../core/failure.ts'
import {hostAddressOf, isLoopback} from '../core/loopback.ts'
import {sandboxMerchantId} from '../core/profile.ts'
import {quoteForShell} from '../core/shell.ts'
import {escapeInvisible} from '../core/text.ts'
import {attempt, type Database, is, write} from '../files/sqlite.ts'
import {inTurn} from '../files/turn.ts'
import {
  addressesOfRuns,
  hasReceived,
  isKnown,
  type MemoryElsewhere,
  memoriesElsewhere,
  reachedService,
} from './memories.ts'
import {inDoubtCondition} from './request-row.ts'
import {resendInDoubt} from './resend-doubts.ts'
import {sqliteEngine} from './store.ts'
import type {JournalUser} from './witness.ts'

/** A step of `schema.ts`: which addresses a person said are the account's. */
export const linkedAddresses = `ALTER TABLE addresses ADD COLUMN is_linked INTEGER NOT NULL DEFAULT 0 CHECK (is_linked IN (0, 1))`

/**
 * Why this account may not be at work at its addresses, or null. Three rules, so that one service has one memory, and a
 * memory is of one service:
 *
 * - An address that another environment of this merchant knows, and this one does not.
 * - An address that a journal that knows others does not know. A journal that remembers nothing takes any.
 * - A merchant that another environment knows, where this one remembers nothing and is not named: the default follows
 *   the address, and a tunnel to a service is another address of it.
 *
 * A person's word (`hisab journal link`) makes an address known, and is no name. `sql` is null where there is no journal
 * yet.
 */
export function refusalOf(sql: DatabaseSync | null, user: JournalUser): Failure | null {
  const unknown = unknownOf(sql, user)
  const elsewhere = refusalElsewhere(sql, unknown, user)
  const [first] = unknown
  if (first === undefined) return elsewhere
  if (elsewhere !== null || sql === null || !is(sql, isKnown) || mayFollow(sql, user)) return elsewhere
  return ownAddresses(sql).size > 0 ? neverReached(first, user) : null
}

/** The same for a name: if another environment knows the merchant, a name is needed. */
export function refusalOfLink(user: JournalUser): Failure | null {
  return unnamedBeside(memoriesElsewhere(user), user)
}

/** The same for a command that asks the service nothing, and takes in what others send. */
export function refusalOfReceiver(sql: DatabaseSync | null, user: JournalUser): Failure | null {
  return refusalElsewhere(sql, unknownOf(sql, user), user)
}

function unknownOf(sql: DatabaseSync | null, {addresses}: JournalUser): string[] {
  const own = sql === null ? new Set<string>() : ownAddresses(sql)
  return addresses.filter((address) => !own.has(address))
}

function refusalElsewhere(
  sql: DatabaseSync | null,
  unknown: readonly string[],
  user: JournalUser,
): Failure | null {
  const isAsked = !user.isEnvironmentNamed && !(sql !== null && is(sql, isKnown)) && !hasReceived(user)
  if (unknown.length === 0 && !isAsked) return null
  const others = memoriesElsewhere(user)
  for (const other of others) {
    const shared = unknown.find((address) => other.addresses.has(address))
    if (shared !== undefined) return ofAnotherEnvironment(shared, other.environment, user)
  }
  return isAsked ? unnamedBeside(others, user) : null
}

function unnamedBeside(others: readonly MemoryElsewhere[], user: JournalUser): Failure | null {
  const known = others.find(({isKnown}) => isKnown)
  const [first] = user.addresses
  if (known === undefined || first === undefined || user.isEnvironmentNamed || isDemonstration(user))
    return null
  return unnamed(first, known, user)
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

/** What a version before remembers without an address is of the one that comes first, once a person has spoken for it. */
export function takeInFirst(db: Database, user: JournalUser): void {
  if (!attempt(db, hasNoAddress)) return
  inTurn(user.dataDir, 'journal', () =>
    write(db, (sql) => {
      // Runs say where they were; creates do not, and are taken to be where the service is now.
      const reached = addressesOfRuns(sql, reachedService)
      const elsewhere = memoriesElsewhere(user)
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
function hasNoAddress(sql: DatabaseSync): boolean {
  return is(sql, isKnown) && ownAddresses(sql).size === 0
}

/**
 * A person states that the addresses are this account's. Returns the merchant's other environments: whether each
 * knows one of them, or is a second journal beside one that begins here.
 */
export function linkAddresses(db: Database, user: JournalUser): {environment: string; isShared: boolean}[] {
  const {addresses} = user
  const begins = !attempt(db, (sql) => is(sql, isKnown))
  write(db, (sql) => addAddresses(sql, addresses, true))
  return memoriesElsewhere(user)
    .map((other) => ({...other, isShared: addresses.some((address) => other.addresses.has(address))}))
    .filter(({isShared, isKnown}) => isShared || (begins && isKnown))
    .map(({environment, isShared}) => ({environment, isShared}))
}

function ownAddresses(sql: DatabaseSync): Set<string> {
  const rows = sql.prepare(`SELECT origin FROM addresses WHERE is_linked = 1 OR ${isKnown}`).all()
  return new Set(rows.map(({origin}) => hostAddressOf(String(origin))))
}

function isAtHome(sql: DatabaseSync, {addresses}: JournalUser): boolean {
  const own = ownAddresses(sql)
  return is(sql, isKnown) && addresses.every((address) => own.has(address))
}

function addAddresses(sql: DatabaseSync, addresses: readonly string[], isLinked: boolean): void {
  const add = sql.prepare(
    `INSERT INTO addresses (origin, first_seen_ms, is_linked) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET is_linked = max(is_linked, excluded.is_linked)`,
  )
  for (const address of addresses) add.run(address, Date.now(), Number(isLinked))
}

/** The embedded sandbox is where it was started last. Its money is play money; a doubt is still its own service's to end. */
function mayFollow(sql: DatabaseSync, user: JournalUser): boolean {
  return isDemonstration(user) && !is(sql, hasDoubt)
}

function isDemonstration({account, addresses}: JournalUser): boolean {
  return isSameMerchant(account.merchantId, sandboxMerchantId) && addresses.every(isLoopback)
}

const hasDoubt = `EXISTS (SELECT 1 FROM requests AS r WHERE ${inDoubtCondition}
  UNION ALL SELECT 1 FROM resends AS r WHERE ${resendInDoubt(sqliteEngine).text})`

export function ofAnotherEnvironment(
  address: string,
  theirs: string,
  {account: {environment}, profileName}: JournalUser,
): Failure {
  return new Failure(
    'config_invalid',
    `${escapeInvisible(address)} is known as environment "${theirs}" of this merchant, but this command uses "${environment}". Two journals of one service would send the same orders twice. Nothing was sent.`,
    `Set environment = "${theirs}" in the profile, or HISAB_ENVIRONMENT=${theirs}. If two deployments share the address, run: hisab journal link --profile ${quoteForShell(profileName)}.`,
  )
}

export function neverReached(address: string, {account: {environment}, profileName}: JournalUser): Failure {
  return new Failure(
    'config_invalid',
    `The journal of this merchant (${environment}) does not have the address ${escapeInvisible(address)}. Nothing was sent.`,
    `If the service moved there, run: hisab journal link --profile ${quoteForShell(profileName)}. If it is another deployment, give it its own environment: environment = "staging" in the profile, or HISAB_ENVIRONMENT.`,
  )
}

/** The other one comes first: it is the likelier answer, and costs least if it is wrong. */
export function unnamed(
  address: string,
  {environment: theirs, addresses}: MemoryElsewhere,
  {account: {environment}, profileName}: JournalUser,
): Failure {
  const at = addresses.size === 0 ? '' : ` at ${escapeInvisible([...addresses].join(', '))}`
  return new Failure(
    'config_invalid',
    `This merchant is known here as environment "${theirs}"${at}. The environment of ${escapeInvisible(address)} is unknown. Two journals of one service would send the same orders twice. Nothing was sent.`,
    `If it is the same service, set environment = "${theirs}" in the profile (or HISAB_ENVIRONMENT=${theirs}), then run: hisab journal link --profile ${quoteForShell(profileName)}. If it is another deployment, set environment = "${environment}" in the profile, or HISAB_ENVIRONMENT=${environment}.`,
  )
}
