import {existsSync, readdirSync} from 'node:fs'
import {join} from 'node:path'
import type {DatabaseSync} from 'node:sqlite'

import {type Account, accountKey, accountOf, isSameMerchant} from '../core/account.ts'
import {Failure} from '../core/failure.ts'
import {escapeInvisible} from '../core/text.ts'
import {fileNameOf} from '../files/file-name.ts'
import {attempt, type Database, is, write} from '../files/sqlite.ts'
import {readWitness, writeWitness} from '../files/witness-file.ts'

/** Who comes to a journal, and where that account's service is said to be. */
export interface JournalUser {
  readonly dataDir: string
  readonly account: Account
  /** As `addressesOf` has them. */
  readonly addresses: readonly string[]
  /** For the command lines a hint names. */
  readonly profileName: string
  /** The profile or a variable names the environment; else it is the default of its addresses. */
  readonly isEnvironmentNamed: boolean
}

const hasSent = 'EXISTS (SELECT 1 FROM requests UNION ALL SELECT 1 FROM resends)'

/**
 * A step of `schema.ts`. Whatever is written of a create or a resend is a generation of its own, in the same
 * transaction: its number says how much the journal knew, its token that no other journal knew just that. A step that
 * makes one of these tables again makes its triggers again.
 */
export const generations = `
  CREATE TABLE generations (number INTEGER PRIMARY KEY, token TEXT NOT NULL) STRICT;
  INSERT INTO generations (token) SELECT lower(hex(randomblob(8))) WHERE ${hasSent};
  ${[
    'INSERT ON requests',
    'UPDATE OF state, claims, confirmation ON requests',
    'INSERT ON resends',
    'UPDATE OF state, never_left ON resends',
  ]
    .map(generationAt)
    .join('\n  ')}
`

function generationAt(change: string, n: number): string {
  return `CREATE TRIGGER generation_${n} AFTER ${change}
    BEGIN INSERT INTO generations (token) VALUES (lower(hex(randomblob(8)))); END;`
}

/** A step of `schema.ts`: a copy from before a ceiling was stated lets more out than was allowed. */
export const ceilingGenerations = generationAt('INSERT ON daily_ceilings', 4)

/** A journal as it was last seen: which, and its newest generation. */
interface Seen {
  readonly fileId: string
  /** 0: it sent nothing. */
  readonly generation: number
  readonly token: string
  /** Whose it is, and where that was reached. */
  readonly key?: string
  readonly addresses?: readonly string[]
  /** The journal is one of a version before, and is being taken over. */
  readonly isTakenOver?: boolean
}

const takenOver: Seen = {fileId: '', generation: 0, token: '', isTakenOver: true}

/**
 * `alone`: nothing beside it says how much it knew, as when a copy was put back on another disk. `earlier`: nothing ever
 * did, for it is of a version before. `shared`: there is none here, and this machine was set to the shared journal.
 */
export type Loss = 'gone' | 'older' | 'another' | 'alone' | 'earlier' | 'shared'

const losses: Readonly<Record<Loss, string>> = {
  shared:
    'would be a new one, but this machine was set to the shared journal of this merchant, and the profile names none now. A new one does not know what was sent, so orders could be sent twice',
  gone: 'is gone or empty. It no longer knows what was sent, so orders could be sent twice',
  older: 'is an older copy. It does not know what was sent since, so orders could be sent twice',
  another:
    'is another journal, or continues an older copy. It does not know all that was sent, so orders could be sent twice',
  alone:
    'has no entry in accounts/, like a restored copy. It may not know what was sent after the copy was made, so orders could be sent twice',
  earlier:
    'is of an earlier version, which made no entry in accounts/. If it is a copy from before an upgrade, it does not know what was sent since, so orders could be sent twice',
}

const hints: Readonly<Partial<Record<Loss, string>>> = {
  shared:
    'Set journal = { file = "…" } in the profile, or HISAB_JOURNAL, to the URL of the database. If nobody shares it any more, query what was sent (hisab payout query NUMBER), then run: hisab journal link --start-over --reason "…".',
  alone:
    'Restore the journal that was used last, with its accounts/ folder. If this copy is all you have, query what was sent since (hisab payout query NUMBER). Then run: hisab journal link --start-over --reason "…".',
  earlier:
    'If it is the journal that was used last, run once: hisab journal link --start-over --reason "upgraded". It then belongs to the addresses of the profile. If it is a copy, first query what was sent since (hisab payout query NUMBER).',
}

export function lostJournal(path: string, loss: Loss): Failure {
  return new Failure(
    'file_unreadable',
    `The journal ${escapeInvisible(path)} ${losses[loss]}. Nothing was sent.`,
    hints[loss] ??
      'Restore the journal. If it is lost for good, run: hisab journal link --start-over --reason "…".',
  )
}

/**
 * A file beside a journal that records how much the journal knew. A journal that was removed, emptied or replaced by an
 * older copy has forgotten sends, and what was in doubt would be sent again.
 */
export class Witness {
  private readonly path: string
  private readonly key: string
  private readonly addresses: readonly string[]
  private seen: Seen | null
  private readonly isLossAccepted: boolean
  private readonly isShared: boolean

  constructor({dataDir, account, addresses}: JournalUser, isLossAccepted: boolean) {
    this.key = accountKey(account)
    this.addresses = addresses
    this.path = join(dataDir, 'accounts', `${fileNameOf(this.key)}.json`)
    this.isShared = existsSync(sharedWitnessPath(dataDir, account))
    this.isLossAccepted = isLossAccepted
    this.seen = readSeen(this.path)
  }

  /**
   * Throws `file_unreadable` where the journal knows less than it did, or may; `sql` is null where it has no tables.
   * What throws here looked only, but for a journal of a version before that sent nothing, or that a person has spoken
   * for: it is given a witness first, so that a process killed while it takes the journal over need not be told again.
   */
  check(sql: DatabaseSync | null, journalPath: string): void {
    const loss = this.isLossAccepted ? null : this.lossOf(sql)
    if (loss !== null) throw lostJournal(journalPath, loss)
    if (!this.seen?.isTakenOver && sql !== null && look(sql) === null) this.write(takenOver)
  }

  /** What was lost of the journal, or may have been; null where nothing shows it. */
  lossOf(sql: DatabaseSync | null): Loss | null {
    if (this.compare(sql) === null) return null
    // Another process may have begun since: it writes here before its first send.
    this.seen = readSeen(this.path)
    return this.compare(sql)
  }

  private compare(sql: DatabaseSync | null): Loss | null {
    const {seen} = this
    if (sql === null && this.isShared) return 'shared'
    const found = sql === null ? null : look(sql)
    if (seen !== null && seen.generation > 0) {
      if (found === null || sql === null) return 'gone'
      if (found.fileId !== seen.fileId) return 'another'
      if (found.generation < seen.generation) return 'older'
      return hasGeneration(sql, seen) ? null : 'another'
    }
    if (sql !== null && found === null && !seen?.isTakenOver && is(sql, hasSent)) return 'earlier'
    const isAlone = found !== null && found.generation > 0 && found.fileId !== seen?.fileId
    return isAlone && !seen?.isTakenOver ? 'alone' : null
  }

  /**
   * Takes down what the journal knows now, on the disk when this returns: before what was claimed is sent. A process that
   * is killed in between has sent nothing, and leaves a journal that knows more than this. One process at a time, so
   * that none takes another's figure back.
   */
  keep(db: Database): void {
    if (attempt(db, (sql) => this.isKept(sql))) return
    write(db, (sql) => {
      const found = look(sql)
      if (found !== null) this.write(found)
    })
  }

  /** Before the first claim: a journal without a witness looks like a copy. */
  begin(db: Database): void {
    if (attempt(db, look)?.fileId !== this.seen?.fileId) this.keep(db)
  }

  private isKept(sql: DatabaseSync): boolean {
    const found = look(sql)
    const seen = readSeen(this.path)
    return found !== null && found.fileId === seen?.fileId && found.token === seen.token
  }

  private write(seen: Seen): void {
    const last = readSeen(this.path)
    const before = (last?.generation ?? 0) > 0 ? (last?.addresses ?? []) : []
    const addresses = [...new Set([...before, ...this.addresses])]
    const known = {...seen, key: this.key, addresses}
    writeWitness(this.path, known)
    this.seen = known
  }
}

/** What this machine saw last in the shared journal of the account. */
export function sharedWitnessPath(dataDir: string, account: Account): string {
  return join(dataDir, 'accounts', `${fileNameOf(accountKey(account))}.shared`)
}

/** The merchant's other environments that sent something, with their addresses: what a lost journal cannot say any more. */
export function witnessedElsewhere({
  dataDir,
  account,
}: JournalUser): {key: string; addresses: readonly string[]}[] {
  const dir = join(dataDir, 'accounts')
  const names = existsSync(dir) ? readdirSync(dir) : []
  const seen = names.flatMap((name) => readSeen(join(dir, name)) ?? [])
  return seen.flatMap(({key, addresses = [], generation}) => {
    if (key === undefined || generation === 0) return []
    const isOther =
      key !== accountKey(account) && isSameMerchant(accountOf(key).merchantId, account.merchantId)
    return isOther ? [{key, addresses}] : []
  })
}

/** Null where the file is of a version that kept no generations. */
function look(sql: DatabaseSync): Seen | null {
  if (!is(sql, `EXISTS (SELECT 1 FROM sqlite_master WHERE name = 'generations')`)) return null
  const {fileId, number, token} =
    sql
      .prepare(
        `SELECT file_id AS fileId, number, token FROM account LEFT JOIN generations ORDER BY number DESC LIMIT 1`,
      )
      .get() ?? {}
  if (typeof fileId !== 'string') return null
  return {fileId, generation: Number(number ?? 0), token: String(token ?? '')}
}

/** Whether the journal was once just as it was seen. */
function hasGeneration(sql: DatabaseSync, {generation, token}: Seen): boolean {
  return (
    sql.prepare('SELECT 1 FROM generations WHERE number = ? AND token = ?').get(generation, token) !==
    undefined
  )
}

function readSeen(path: string): Seen | null {
  const asSeen = ({fileId, generation, token, ...more}: Partial<Seen>) =>
    typeof fileId === 'string' && typeof generation === 'number' && typeof token === 'string'
      ? {...more, fileId, generation, token}
      : null
  return readWitness(path, asSeen, {fileId: '', generation: 1, token: ''})
}
