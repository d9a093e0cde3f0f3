import type {Account} from '../core/account.ts'
import {Failure} from '../core/failure.ts'
import type {Paisa} from '../core/money.ts'
import type {OrderKind} from '../core/order.ts'
import type {MeasuredTime} from '../core/reconcile/evidence.ts'
import {hasOwnedDatabase, openOwnedDatabase} from '../files/owned-database.ts'
import type {Database} from '../files/sqlite.ts'
import {type AccountNote, addNote, type DroppedRow, mergeJournal} from './account-memory.ts'
import {
  atItsAddresses,
  isOfEnvironment,
  linkAddresses,
  refusalOf,
  refuseStrange,
  takeInFirst,
} from './addresses.ts'
import {stateCeiling} from './ceiling.ts'
import {doubtJournal, resolveRequest} from './doubts.ts'
import {knewAnOrder, recordKnewAnOrder} from './endpoints.ts'
import {SendingMark} from './lock.ts'
import type {NightJournal} from './memory-rows.ts'
import {nightJournal} from './night.ts'
import {payeeKeyOf} from './payee-key.ts'
import {checkNumber, claimNumber, findRequest, findTwins, settleRequest, sumPayouts} from './requests.ts'
import {type ResendDoubts, resendDoubts} from './resend-doubts.ts'
import {claimResend, earlierResend, type FindEarlierResend, resendsOfRun, settleResend} from './resends.ts'
import type {
  Claim,
  NewResend,
  NewRun,
  NumberClaim,
  Payee,
  PayoutGuard,
  RequestLook,
  RequestOutcome,
  RequestRow,
  RequestState,
  ResendClaim,
  ResendOutcome,
  ResendRow,
  ResendState,
  Resolution,
  RunEnd,
  RunRow,
} from './rows.ts'
import {findRun, finishRun, listRuns, resumeRun, startRun} from './runs.ts'
import {journalSteps} from './schema.ts'
import {Witness} from './witness.ts'

/**
 * What was done for one account: runs, resends and creates, each written before it was sent (P3).
 *
 * Every writing method is on the disk when it returns. Rows are never deleted, but for what only saves asking again. Failures: `storage_failed`
 * where the disk said no (then nothing may be sent, P16), `locked` where another
 * process kept the file busy, `bug` for a move that no resend or request may make.
 */
export interface Journal extends NightJournal, ResendDoubts {
  startRun(run: NewRun): void
  /** Marks an earlier run as running again, for `--resume`. */
  resumeRun(id: string): void
  finishRun(id: string, end: RunEnd): void
  findRun(id: string): RunRow | null
  /** Newest first. */
  listRuns(rowsMax: number): RunRow[]

  /**
   * Claims the resend of an order's event; its intent is synced when this returns. Refused where any run resent the same
   * less than 8 hours ago or left it in doubt, but for the overrides of the intent. Throws `bug` for a second one in
   * the run (P4).
   */
  claimResend(intent: NewResend, time: MeasuredTime): ResendClaim
  settleResend(id: number, state: ResendState, outcome: ResendOutcome): void
  resendsOfRun(runId: string): ResendRow[]
  /** What resends of any run but that one come to; null where none may have reached the merchant. */
  readonly earlierResend: FindEarlierResend

  /**
   * Claims a number before it is sent (P2). Throws `number_reused` where the journal has it with another
   * digest. With the same digest the request may be sent again: the same number, the same bytes (P1).
   *
   * A payout's `guard` is checked in the same transaction, unless the number was accepted before. Throws
   * `payout_over_limit`, `payout_repeated`.
   */
  claimNumber(claim: NumberClaim, guard?: PayoutGuard): Claim
  /** What the journal has of a number, without claiming it. Throws `number_reused` as `claimNumber` does. */
  checkNumber(asked: Pick<NumberClaim, 'kind' | 'orderNo' | 'bodyDigest' | 'intentDigest'>): RequestRow | null
  /** What recognises an account and an amount again without telling either. */
  fingerprintPayee(account: string, amount: Paisa): string
  /**
   * Payouts of the same amount to the same account under another number since then, or of any age under a number that may
   * be this one, damaged; oldest first. Refused ones are none.
   */
  findTwins(payee: Payee, sinceMs: number): RequestRow[]
  /** The sum of payouts claimed since then. What is in doubt counts, what was refused does not. */
  sumPayouts(sinceMs: number): Paisa
  /** The merchant's daily ceiling after `stated` was stated; null where none ever was. */
  stateCeiling(stated: Paisa | null, nowMs: number): Paisa | null
  settleRequest(id: number, state: RequestState, outcome: RequestOutcome): void
  /** What a look at an accepted order said; a contradiction stays, whatever a later look says. */
  recordLook(id: number, look: RequestLook): void
  /** Creates nobody knows the outcome of, of both kinds and any age, oldest first (P6). */
  requestsInDoubt(): RequestRow[]
  /** The last numbers used of a kind, newest first. */
  listRequests(kind: OrderKind, rowsMax: number): RequestRow[]
  /**
   * Ends a doubt by a person's word, which is kept. Throws `usage` where there is none, `locked` while any process has a
   * create on its way: it may be this one.
   */
  resolveRequest(request: Pick<RequestRow, 'id' | 'kind'>, resolution: Resolution): void
  /** Whether an order was ever found at this address (A5). */
  knewAnOrder(address: string): boolean
  recordKnewAnOrder(address: string, atMs: number): void
  findRequest(kind: OrderKind, orderNo: string): RequestRow | null

  /** A person says that the addresses of the profile are this account's. Returns the other environments that know one. */
  linkAddresses(): string[]
  /** What a person said of the account, for whoever asks later. */
  addNote(note: AccountNote): void
  /** Journals that versions before kept by the name of a profile, and that were taken over just now. */
  readonly merged: readonly string[]
  /** Their rows that were not kept, because another of the same number was. */
  readonly dropped: readonly DroppedRow[]

  close(): void
}

export interface JournalOptions {
  /** Where the profile reaches the service, as `addressesOf` has it: refused where this journal is not theirs. */
  readonly addresses?: readonly string[]
  /** For the command lines a hint names. */
  readonly profileName?: string
  /** A person is about to say what the addresses are. */
  readonly isLinking?: boolean
  /** A person said that the earlier journal is lost, and that this one counts from now on. */
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
  const {addresses = [], profileName = '', isLinking = false, isLossAccepted = false, keep = null} = options
  const caller = {dataDir, account, addresses, profileName}
  const witness = new Witness(caller, isLossAccepted)
  const merged: string[] = []
  const dropped: DroppedRow[] = []
  const db = openOwnedDatabase({
    ...journalFiles(dataDir, account, addresses),
    steps: journalSteps,
    busyTimeoutMs,
    check: (sql, path) => {
      witness.check(sql, path)
      // Before a journal is made; one that is there is asked once it is of this version.
      const refusal = sql === null && !isLinking ? refusalOf(null, caller) : null
      if (refusal) throw refusal
    },
    merge: (into, otherPath) => {
      dropped.push(...mergeJournal(into, otherPath, keep))
      merged.push(otherPath)
    },
  })
  try {
    takeInFirst(db, caller)
    if (!isLinking) refuseStrange(db, caller)
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
    const claimed = atItsAddresses(db, caller, claim)
    try {
      witness.keep(db)
    } catch (error) {
      orLeave(() => takeBack(claimed))
      throw error
    }
    return claimed
  }
  return {
    startRun(run) {
      startRun(db, account.merchantId, run)
      own.add(run.id)
    },
    resumeRun(id) {
      resumeRun(db, id)
      own.add(id)
    },
    finishRun: (id, end) => finishRun(db, id, end),
    findRun: (id) => findRun(db, id),
    listRuns: (rowsMax) => listRuns(db, rowsMax),
    claimResend: (intent, time) =>
      sending(
        () => claimResend(db, intent, time),
        (claim) => claim.claimed && settleResend(db, claim.id, 'not_sent', {}),
      ),
    settleResend: (id, state, outcome) => settleResend(db, id, state, outcome),
    resendsOfRun: (runId) => resendsOfRun(db, runId),
    earlierResend: (...which) => earlierResend(db, ...which),
    claimNumber: (claim, guard) =>
      mark.during(
        () =>
          sending(
            () => claimNumber(db, claim, guard ?? null),
            (taken) => settleRequest(db, idOf(taken), 'refused', {settledAtMs: claim.intentAtMs}),
          ),
        idOf,
      ),
    checkNumber: (asked) => checkNumber(db, asked),
    fingerprintPayee: (account, amount) => payeeKey().fingerprint(account, amount),
    findTwins: (payee, sinceMs) => findTwins(db, payee, sinceMs),
    sumPayouts: (sinceMs) => sumPayouts(db, sinceMs),
    stateCeiling: (stated, nowMs) => stateCeiling(db, stated, nowMs),
    settleRequest(id, state, outcome) {
      settleRequest(db, id, state, outcome)
      mark.end(id)
    },
    ...doubtJournal(db),
    resolveRequest: (request, resolution) =>
      mark.whileNoneSends(() => resolveRequest(db, request, resolution)),
    knewAnOrder: (address) => knewAnOrder(db, address),
    recordKnewAnOrder: (address, atMs) => recordKnewAnOrder(db, address, atMs),
    findRequest: (kind, orderNo) => findRequest(db, kind, orderNo),
    ...nightJournal(db),
    ...resendDoubts(db, own),
    linkAddresses: () => linkAddresses(db, caller),
    addNote: (note) => addNote(db, note),
    merged,
    dropped,
    close() {
      if (!db.sql.isOpen) return
      orLeave(() => witness.keep(db))
      mark.release()
      db.sql.close()
    },
  }
}

/** For a command that reads only: whether there is a journal to read. */
export function hasJournal(dataDir: string, account: Account, addresses: readonly string[]): boolean {
  return hasOwnedDatabase(journalFiles(dataDir, account, addresses))
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
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'bug') throw error
  }
}
