import type {Account} from '../core/account.ts'
import {asFailure} from '../core/failure.ts'
import {openOwnedDatabase, ownedDatabasePath} from '../files/owned-database.ts'
import {type Database, write} from '../files/sqlite.ts'
import {type DroppedRow, mergeJournal} from './account-memory.ts'
import {
  atItsAddresses,
  linkAddresses,
  refusalOf,
  refusalOfLink,
  refuseStrange,
  takeInFirst,
} from './addresses.ts'
import {statingCeiling} from './ceiling.ts'
import {lastSkew, recordSkew} from './clock.ts'
import {resolving} from './doubts.ts'
import type {Journal} from './interface.ts'
import {SendingMark} from './lock.ts'
import {isOfEnvironment} from './memories.ts'
import {commonParts} from './parts.ts'
import {payeeKeyOf} from './payee-key.ts'
import {sql} from './query.ts'
import {claiming, recordingOutcome} from './requests.ts'
import {claimResend, recordingResend} from './resends.ts'
import type {Claim, NewRun} from './rows.ts'
import {runHistory} from './run-history.ts'
import {noRun} from './runs.ts'
import {journalSteps} from './schema.ts'
import {sqliteNames, storeOf, walk} from './store.ts'
import {Witness} from './witness.ts'

export type {Journal} from './interface.ts'

export interface JournalOptions {
  /** Where the profile reaches the service, as `addressesOf` has it: refused where this journal is not theirs. */
  readonly addresses?: readonly string[]
  /** For the command lines a hint names. */
  readonly profileName?: string
  /** False where the environment is but the default of the addresses. */
  readonly isEnvironmentNamed?: boolean
  /** Who starts its runs. */
  readonly author?: string | null
  /** What the command does, in the words of its command line. */
  readonly doing?: string
  /** Of the times that its messages name. */
  readonly timeZone?: string
  /** A person is about to say what the addresses are. */
  readonly isLinking?: boolean
  /** A person gave up the earlier journal (`--start-over`). */
  readonly isLossAccepted?: boolean
  /** Whose rows are right where two journals contradict each other. */
  readonly keep?: 'this' | 'other' | null
}

const busyTimeoutMs = 10_000

/**
 * Opens, and if need be creates, the journal of an account. Throws `storage_failed`, or `file_unreadable` for a journal
 * that is newer, somebody else's, knows less than it did, or contradicts another one of the account, or
 * `config_invalid` for an address that is not this journal's.
 */
export function openJournal(dataDir: string, account: Account, options: JournalOptions = {}): Journal {
  const {addresses = [], profileName = '', isEnvironmentNamed = true} = options
  const {isLinking = false, isLossAccepted = false, keep = null} = options
  const user = {dataDir, account, addresses, profileName, isEnvironmentNamed}
  const witness = new Witness(user, isLossAccepted)
  const merged: string[] = []
  const dropped: DroppedRow[] = []
  const db = openOwnedDatabase({
    ...journalFiles(dataDir, account, addresses),
    steps: journalSteps,
    busyTimeoutMs,
    check: (sql, path) => {
      witness.check(sql, path)
      // Before a journal is made; one that is there is asked once it is of this version.
      const refusal = isLinking ? refusalOfLink(user) : sql === null ? refusalOf(null, user) : null
      if (refusal) throw refusal
    },
    merge: (into, otherPath) => {
      dropped.push(...mergeJournal(into, otherPath, keep))
      merged.push(otherPath)
    },
  })
  try {
    takeInFirst(db, user)
    if (!isLinking) refuseStrange(db, user)
  } catch (error) {
    db.sql.close()
    throw error
  }
  if (isLossAccepted) witness.keep(db)
  // An older figure beside the journal misses less; it takes nothing back of what the journal holds.
  orLeave(() => witness.keep(db))
  const payeeKey = payeeKeyOf(dataDir)
  const own = new Set<string>()
  const store = storeOf(db)
  const recordOutcome = (...end: Parameters<Journal['recordRequestOutcome']>) =>
    walk(db, recordingOutcome(sqliteNames, ...end))
  const mark = new SendingMark(dataDir, account)
  // What a killed process sent must be missed where its journal goes with it, or an older one takes its place.
  const sending = <T>(claim: () => T, takeBack: (claimed: T) => void) => {
    witness.begin(db)
    const claimed = atItsAddresses(db, user, claim)
    try {
      witness.keep(db)
    } catch (error) {
      orLeave(() => takeBack(claimed))
      throw error
    }
    return claimed
  }
  return {
    async startRun(run) {
      startRun(db, account.merchantId, run, options.author ?? null)
      own.add(run.id)
    },
    async resumeRun(id) {
      await store.change(
        sql`UPDATE runs SET status = 'running', finished_at_ms = NULL, exit_status = NULL WHERE id = ${id}`,
        noRun(id),
      )
      own.add(id)
    },
    claimResend: async (intent, time) =>
      sending(
        () => claimResend(db, intent, time),
        (claim) => claim.claimed && walk(db, recordingResend(sqliteNames, claim.id, 'not_sent', {})),
      ),
    recordResendOutcome: async (...end) => walk(db, recordingResend(sqliteNames, ...end)),
    claimNumber: async (claim, guard) =>
      mark.during(
        () =>
          sending(
            () => walk(db, claiming(sqliteNames, claim, guard ?? null)),
            (taken) => recordOutcome(idOf(taken), 'refused', {outcomeAtMs: claim.intentAtMs}),
          ),
        idOf,
      ),
    recordSkew: async (skewMs) => recordSkew(db, skewMs),
    lastSkew: async () => lastSkew(db),
    async stateCeiling(stated, nowMs) {
      const {ceiling} = walk(db, statingCeiling(sqliteNames, stated, nowMs))
      orLeave(() => witness.keep(db))
      return ceiling
    },
    async recordRequestOutcome(id, state, outcome) {
      recordOutcome(id, state, outcome)
      mark.end(id)
    },
    resolveRequest: async (request, resolution) =>
      mark.whileNoneSends(() => walk(db, resolving(sqliteNames, request, resolution))),
    ...runHistory(db),
    ...commonParts(store, own, (...parts) => payeeKey().fingerprint(...parts)),
    linkAddresses: async () => linkAddresses(db, user),
    merged,
    dropped,
    async close() {
      if (!db.sql.isOpen) return
      orLeave(() => witness.keep(db))
      mark.release()
      db.sql.close()
    },
  }
}

/** The journal to read, be it one of a version before; null where there is none. */
export function journalPath(dataDir: string, account: Account, addresses: readonly string[]): string | null {
  return ownedDatabasePath(journalFiles(dataDir, account, addresses))
}

function journalFiles(dataDir: string, account: Account, addresses: readonly string[]) {
  const mayAdopt = (sql: Database['sql'], profileName: string) =>
    isOfEnvironment(sql, profileName, account.environment, addresses)
  return {dataDir, folder: 'journal', account, mayAdopt}
}

function idOf(claim: Claim): number {
  return claim.fresh ? claim.id : claim.row.id
}

/** Does what may fail where the disk says no, and is left out then. */
function orLeave(work: () => void): void {
  try {
    work()
  } catch (thrown) {
    const error = asFailure(thrown)
    if (error.code === 'bug') throw error
  }
}

function startRun(db: Database, merchantId: string, run: NewRun, by: string | null): void {
  const {id, command, startedAtMs, options, reportDir} = run
  write(db, (sql) =>
    sql
      .prepare(
        `INSERT INTO runs (id, command, merchant_id, started_at_ms, status, options, report_dir)
         VALUES (:id, :command, :merchantId, :startedAtMs, 'running',
           iif(:by IS NULL, :options, json_set(:options, '$.by', :by)), :reportDir)`,
      )
      .run({id, command, merchantId, startedAtMs, options, reportDir, by}),
  )
}
