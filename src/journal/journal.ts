import type {Account} from '../core/account.ts'
import {asFailure, Failure} from '../core/failure.ts'
import {escapeInvisible} from '../core/text.ts'
import {openOwnedDatabase, ownedDatabasePath} from '../files/owned-database.ts'
import {attempt, columnsFor, type Database, write} from '../files/sqlite.ts'
import {addNote, type DroppedRow, mergeJournal} from './account-memory.ts'
import {
  atItsAddresses,
  linkAddresses,
  refusalOf,
  refusalOfLink,
  refuseStrange,
  takeInFirst,
} from './addresses.ts'
import {stateCeiling} from './ceiling.ts'
import {lastSkew, recordSkew} from './clock.ts'
import {doubtJournal, resolveRequest} from './doubts.ts'
import {evidenceChain} from './evidence.ts'
import type {Journal} from './interface.ts'
import {itemRegister} from './items.ts'
import {SendingMark} from './lock.ts'
import {isOfEnvironment} from './memories.ts'
import {payeeKeyOf} from './payee-key.ts'
import {
  checkNumber,
  claimNumber,
  findDuplicates,
  findRequest,
  recordRequestOutcome,
  sumPayouts,
} from './requests.ts'
import {resendDoubts} from './resend-doubts.ts'
import {claimResend, recordResendOutcome, resendHistory, resendsOfRun} from './resends.ts'
import type {Claim, NewRun, RunEnd, RunRow} from './rows.ts'
import {runHistory} from './run-history.ts'
import {journalSteps} from './schema.ts'
import {signOffs} from './sign-offs.ts'
import {traceNumber} from './trace.ts'
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
      resumeRun(db, id)
      own.add(id)
    },
    finishRun: async (id, end) => finishRun(db, id, end),
    findRun: async (id) => findRun(db, id),
    listRuns: async (rowsMax) => listRuns(db, rowsMax),
    claimResend: async (intent, time) =>
      sending(
        () => claimResend(db, intent, time),
        (claim) => claim.claimed && recordResendOutcome(db, claim.id, 'not_sent', {}),
      ),
    recordResendOutcome: async (id, state, outcome) => recordResendOutcome(db, id, state, outcome),
    resendsOfRun: async (runId) => resendsOfRun(db, runId),
    resendHistory: async () => resendHistory(db),
    claimNumber: async (claim, guard) =>
      mark.during(
        () =>
          sending(
            () => claimNumber(db, claim, guard ?? null),
            (taken) => recordRequestOutcome(db, idOf(taken), 'refused', {outcomeAtMs: claim.intentAtMs}),
          ),
        idOf,
      ),
    checkNumber: async (asked) => checkNumber(db, asked),
    fingerprint: (...parts) => payeeKey().fingerprint(...parts),
    findDuplicates: async (payee, sinceMs) => findDuplicates(db, payee, sinceMs),
    sumPayouts: async (sinceMs) => sumPayouts(db, sinceMs),
    recordSkew: async (skewMs) => recordSkew(db, skewMs),
    lastSkew: async () => lastSkew(db),
    async stateCeiling(stated, nowMs) {
      const holds = stateCeiling(db, stated, nowMs)
      orLeave(() => witness.keep(db))
      return holds
    },
    async recordRequestOutcome(id, state, outcome) {
      recordRequestOutcome(db, id, state, outcome)
      mark.end(id)
    },
    ...doubtJournal(db),
    resolveRequest: async (request, resolution) =>
      mark.whileNoneSends(() => resolveRequest(db, request, resolution)),
    knewAnOrder: async (address) => knewAnOrder(db, address),
    recordKnewAnOrder: async (address, atMs) => recordKnewAnOrder(db, address, atMs),
    findRequest: async (kind, orderNo) => findRequest(db, kind, orderNo),
    trace: async (number) => traceNumber(db, number, (...parts) => payeeKey().fingerprint(...parts)),
    ...runHistory(db),
    ...itemRegister(db),
    ...signOffs(db),
    ...evidenceChain(db),
    ...resendDoubts(db, own),
    linkAddresses: async () => linkAddresses(db, user),
    addNote: async (note) => addNote(db, note),
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

/** Whether an order was ever found at this address: only then does its JSON 404 say that there is none (A5). */
function knewAnOrder(db: Database, address: string): boolean {
  return (
    attempt(db, (sql) => sql.prepare('SELECT 1 FROM endpoints WHERE address = ?').get(address)) !== undefined
  )
}

function recordKnewAnOrder(db: Database, address: string, atMs: number): void {
  write(db, (sql) => sql.prepare('INSERT OR IGNORE INTO endpoints VALUES (?, ?)').run(address, atMs))
}

const columns = columnsFor<RunRow>({
  ...{id: 'id', command: 'command', merchantId: 'merchant_id', startedAtMs: 'started_at_ms'},
  ...{finishedAtMs: 'finished_at_ms', status: 'status', options: 'options', exitStatus: 'exit_status'},
  ...{reportDir: 'report_dir', by: "json_extract(options, '$.by')", machine: 'NULL', isAlive: 'NULL'},
})

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

function resumeRun(db: Database, id: string): void {
  changeOne(
    db,
    `UPDATE runs SET status = 'running', finished_at_ms = NULL, exit_status = NULL WHERE id = ?`,
    [id],
    `There is no run ${escapeInvisible(id)} to resume.`,
  )
}

function finishRun(db: Database, id: string, end: RunEnd): void {
  changeOne(
    db,
    `UPDATE runs SET status = ?, finished_at_ms = ?, exit_status = ?,
       report_dir = CASE WHEN ? THEN ? ELSE report_dir END
     WHERE id = ? AND status = 'running'`,
    [
      end.status,
      end.finishedAtMs,
      end.exitStatus,
      end.reportDir === undefined ? 0 : 1,
      end.reportDir ?? null,
      id,
    ],
    `The run ${escapeInvisible(id)} is not running, so it cannot end.`,
  )
}

function findRun(db: Database, id: string): RunRow | null {
  const row = attempt(db, (sql) => sql.prepare(`SELECT ${columns} FROM runs WHERE id = ?`).get(id))
  return row === undefined ? null : ({...row} as unknown as RunRow)
}

function listRuns(db: Database, rowsMax: number): RunRow[] {
  const rows = attempt(db, (sql) =>
    sql.prepare(`SELECT ${columns} FROM runs ORDER BY seq DESC LIMIT ?`).all(rowsMax),
  )
  return rows.map((row) => ({...row}) as unknown as RunRow)
}

function changeOne(
  db: Database,
  update: string,
  values: (string | number | null)[],
  otherwise: string,
): void {
  write(db, (sql) => {
    if (sql.prepare(update).run(...values).changes === 1) return
    throw new Failure('bug', otherwise, 'Please report this with the command you ran.')
  })
}
