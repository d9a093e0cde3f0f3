import {Failure} from '../../core/failure.ts'
import {part, sql} from '../query.ts'
import type {SharedDatabase, Transaction} from './database.ts'
import {tryAgain} from './failures.ts'

/** Whose rows, and in what database. */
export interface Shared {
  readonly db: SharedDatabase
  readonly accountId: number
}

/** What holds in a transaction that has the account's row: no other one of the account writes meanwhile. */
export interface Held {
  /** The database's time: one for all machines. */
  readonly nowMs: number
  /** How far this machine's clock is behind the database's. */
  readonly behindMs: number
}

/** A machine whose clock differs by more takes no part: days and cool-downs are of the database's time. */
const clockMaxMs = 120_000

/** Takes the account's row: every writing transaction of an account waits here for the one before. */
export async function holdAccount(tx: Transaction, accountId: number): Promise<Held> {
  await lockAccount(tx, accountId)
  const before = Date.now()
  const row = await tx.one(sql`SELECT ${clockNow} AS now`)
  return heldAt(Number(row?.now), before)
}

/** A statement that waits sees what was before it: what is to be read while it is held is read by the next one. */
export async function lockAccount(tx: Transaction, accountId: number): Promise<void> {
  await tx.one(sql`SELECT 1 FROM hisab.account WHERE id = ${accountId} FOR UPDATE`)
}

export const clockNow = part(`floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint`)

/** `before`: when the database was asked for its time. */
export function heldAt(nowMs: number, before: number): Held {
  return {nowMs, behindMs: nowMs - Math.round((before + Date.now()) / 2)}
}

export function requireClock({behindMs}: Held): void {
  if (Math.abs(behindMs) > clockMaxMs) throw clockOff(behindMs)
}

/** A claim that was acknowledged later is not sent: the machine may have slept meanwhile. */
export const sendWithinMs = 5_000

export interface Elapsed {
  readonly elapsedMs: () => number
}

/** Both clocks of this machine: one stops while it sleeps. */
export function clocks(): Elapsed {
  const [wall, steady] = [Date.now(), performance.now()]
  return {elapsedMs: () => Math.max(Math.abs(Date.now() - wall), performance.now() - steady)}
}

export function tooLate(): Failure {
  return new Failure(
    'storage_failed',
    'The shared journal acknowledged a claim too late. It was not sent.',
    tryAgain,
  )
}

function clockOff(behindMs: number): Failure {
  const minutes = Math.round(Math.abs(behindMs) / 60_000)
  const how = behindMs > 0 ? 'behind' : 'ahead of'
  return new Failure(
    'config_invalid',
    `The clock of this machine is ${minutes} minutes ${how} the shared journal’s. Nothing was sent.`,
    'Correct the clock of this machine, or of the database.',
  )
}
