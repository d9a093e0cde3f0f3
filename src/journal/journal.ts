import {join} from 'node:path'

import {Failure} from '../core/failure.ts'
import type {OrderKind} from '../core/order.ts'
import {visible} from '../core/text.ts'
import {makeOwnDir} from '../files/private-files.ts'
import {fileNameOf} from './file-name.ts'
import {claimNumber, findRequest, settleRequest} from './requests.ts'
import {latestResend, latestResends, recordIntent, resendsOfRun, settleResend} from './resends.ts'
import type {
  Claim,
  NewResend,
  NewRun,
  NumberClaim,
  RequestOutcome,
  RequestRow,
  RequestState,
  ResendOutcome,
  ResendRow,
  ResendState,
  RunEnd,
  RunRow,
} from './rows.ts'
import {findRun, finishRun, listRuns, resumeRun, startRun} from './runs.ts'
import {migrate} from './schema.ts'
import {attempt, type Database, openDatabase, write} from './sqlite.ts'

/**
 * What one profile did with one merchant: runs, resends and creates, each written before it was sent (P3).
 *
 * Every writing method is on the disk when it returns. Rows are never deleted. Failures: `storage_failed`
 * where the disk said no (then nothing was recorded and nothing may be sent, P16), `locked` where another
 * process kept the file busy, `bug` for a move that no resend or request may make.
 */
export interface Journal {
  startRun(run: NewRun): void
  /** Marks an earlier run as running again, for `--resume`. */
  resumeRun(id: string): void
  finishRun(id: string, end: RunEnd): void
  findRun(id: string): RunRow | null
  /** Newest first. */
  listRuns(rowsMax: number): RunRow[]

  /** Returns the resend's id once the intent is synced. Throws `bug` for a second one in the run (P4). */
  recordIntent(intent: NewResend): number
  settleResend(id: number, state: ResendState, outcome: ResendOutcome): void
  resendsOfRun(runId: string): ResendRow[]
  /** The newest resend that may have reached the merchant, of any run: those refused or not sent are passed over. */
  latestResend(orderId: string, event: string): ResendRow | null
  /** The same for every order, by `resendKey(orderId, event)`. */
  latestResends(): ReadonlyMap<string, ResendRow>

  /**
   * Claims a number before it is sent (P2). Throws `number_reused` where the journal has it with another
   * digest. With the same digest the request may be sent again: the same number, the same bytes (P1).
   */
  claimNumber(claim: NumberClaim): Claim
  settleRequest(id: number, state: RequestState, outcome: RequestOutcome): void
  findRequest(kind: OrderKind, orderNo: string): RequestRow | null

  close(): void
}

const busyTimeoutMs = 10_000

/**
 * Opens, and if need be creates, the journal of a profile and merchant: one file a pair, so that two never
 * mix. Throws `storage_failed`, or `file_unreadable` for a journal that is newer or somebody else's.
 */
export function openJournal(dataDir: string, profile: {name: string; merchantId: string}): Journal {
  const dir = join(dataDir, 'journal')
  makeOwnDir(dir)
  const db = openDatabase(join(dir, journalFileName(profile)), busyTimeoutMs)
  try {
    makeDurable(db)
    migrate(db)
    claimFile(db, profile)
  } catch (error) {
    db.sql.close()
    throw error
  }
  return {
    startRun: (run) => startRun(db, profile.merchantId, run),
    resumeRun: (id) => resumeRun(db, id),
    finishRun: (id, end) => finishRun(db, id, end),
    findRun: (id) => findRun(db, id),
    listRuns: (rowsMax) => listRuns(db, rowsMax),
    recordIntent: (intent) => recordIntent(db, intent),
    settleResend: (id, state, outcome) => settleResend(db, id, state, outcome),
    resendsOfRun: (runId) => resendsOfRun(db, runId),
    latestResend: (orderId, event) => latestResend(db, orderId, event),
    latestResends: () => latestResends(db),
    claimNumber: (claim) => claimNumber(db, claim),
    settleRequest: (id, state, outcome) => settleRequest(db, id, state, outcome),
    findRequest: (kind, orderNo) => findRequest(db, kind, orderNo),
    close() {
      if (db.sql.isOpen) db.sql.close()
    },
  }
}

/** The file of a journal inside `<data directory>/journal`. */
export function journalFileName({name, merchantId}: {name: string; merchantId: string}): string {
  return `${fileNameOf(name)}-${fileNameOf(merchantId)}.db`
}

/**
 * The settings P3 rests on, and the proof that SQLite took them: WAL mode by itself does not promise to sync
 * at a commit. `fullfsync` is the same promise on macOS, and nothing elsewhere.
 */
function makeDurable(db: Database): void {
  const wanted: readonly (readonly [pragma: string, set: string, read: string | number])[] = [
    ['journal_mode', 'WAL', 'wal'],
    ['synchronous', 'FULL', 2],
    ['fullfsync', 'ON', 1],
    ['foreign_keys', 'ON', 1],
  ]
  attempt(db, (sql) => {
    for (const [pragma, set, read] of wanted) {
      sql.exec(`PRAGMA ${pragma} = ${set}`)
      const found = sql.prepare(`PRAGMA ${pragma}`).get()?.[pragma]
      if (found !== read) throw notDurable(db.path, `${pragma} is ${String(found)}, not ${set}`)
    }
  })
}

/** Writes down whose journal this is, or checks it: a file that was copied or renamed must not be believed. */
function claimFile(db: Database, profile: {name: string; merchantId: string}): void {
  const read = () =>
    attempt(db, (sql) => sql.prepare('SELECT profile, merchant_id AS merchantId FROM owner').get())
  let owner = read()
  if (owner === undefined) {
    write(db, (sql) =>
      sql.prepare('INSERT OR IGNORE INTO owner VALUES (1, ?, ?)').run(profile.name, profile.merchantId),
    )
    owner = read()
  }
  if (owner?.profile === profile.name && owner.merchantId === profile.merchantId) return
  throw new Failure(
    'file_unreadable',
    `The journal ${visible(db.path)} belongs to the profile "${visible(String(owner?.profile))}" of merchant ${visible(String(owner?.merchantId))}.`,
    'Put the file back where it came from; hisab names a journal after its profile and merchant.',
  )
}

function notDurable(path: string, problem: string): Failure {
  return new Failure(
    'storage_failed',
    `The journal ${visible(path)} cannot promise to survive a power cut: ${problem}.`,
    'Choose a folder on a local disk with HISAB_DATA_DIR.',
  )
}
