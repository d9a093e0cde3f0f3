import {existsSync, readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import type {DatabaseSync} from 'node:sqlite'

import {accountKey, accountOf, isSameMerchant} from '../core/account.ts'
import {Failure} from '../core/failure.ts'
import {visible} from '../core/text.ts'
import {fileNameOf} from '../files/file-name.ts'
import {makeOwnDir, writeFileAtomically} from '../files/private-files.ts'
import {storageFailure, systemCode} from '../files/storage-failure.ts'
import type {Caller} from './addresses.ts'

interface Seen {
  readonly fileId: string
  /** Sends the journal knew of when it was last seen. */
  readonly sends: number
  /** Whether one was about to be written down, which a killed process may have done. */
  readonly hasSent: boolean
  /** Whose it is, and where that was reached. */
  readonly key?: string
  readonly addresses?: readonly string[]
  /** The journal is one of a version before, and is being taken over. */
  readonly isTakenOver?: boolean
}

const takenOver: Seen = {fileId: '', sends: 0, hasSent: false, isTakenOver: true}

/** `alone`: nothing beside it says how much it knew, as when a copy was put back on another disk. */
export type Loss = 'gone' | 'older' | 'another' | 'alone'

const losses: Readonly<Record<Loss, string>> = {
  gone: 'is gone or empty: it has forgotten what was sent, and it might be sent again',
  older: 'is an older copy: it has forgotten what was sent, and it might be sent again',
  another: 'is another one: it has forgotten what was sent, and it might be sent again',
  alone:
    'has nothing in accounts/ that says how much it knew, like a copy that was put back: what was sent after the copy was made is not in it, and might be sent again',
}

export function lostJournal(path: string, loss: Loss): Failure {
  return new Failure(
    'file_unreadable',
    `The journal ${visible(path)} ${losses[loss]}. Nothing was sent.`,
    loss === 'alone'
      ? 'Put the journal back that was last at work, with its accounts/. If this copy is all there is, ask the service for what was sent since (hisab payout query NUMBER), then say so: hisab journal link --start-over --reason "…".'
      : 'Put the journal back. If it is lost for good, say so: hisab journal link --start-over --reason "…".',
  )
}

/**
 * What stands beside a journal and says that it was there: a journal that was removed, emptied or replaced by an older
 * copy has forgotten sends, and what was in doubt would be sent again.
 */
export class Witness {
  private readonly dir: string
  private readonly path: string
  private readonly key: string
  private readonly addresses: readonly string[]
  private seen: Seen | null
  private readonly isLossAccepted: boolean

  constructor({dataDir, account, addresses}: Caller, isLossAccepted: boolean) {
    this.dir = join(dataDir, 'accounts')
    this.key = accountKey(account)
    this.addresses = addresses
    this.path = join(this.dir, `${fileNameOf(this.key)}.json`)
    this.isLossAccepted = isLossAccepted
    this.seen = readSeen(this.path)
  }

  /**
   * Throws `file_unreadable` where the journal knows less than it did, or may; `sql` is null where it has no tables.
   * What throws here looked only, but for a journal of a version before: it had no witness, and is given one first, so
   * that a process killed while it takes the journal over leaves none that looks like a copy.
   */
  check(sql: DatabaseSync | null, journalPath: string): void {
    const loss = this.isLossAccepted ? null : this.lossOf(sql)
    if (loss !== null) throw lostJournal(journalPath, loss)
    if (this.seen === null && sql !== null && look(sql) === null) this.write(takenOver)
  }

  /** What was lost of the journal, or may have been; null where nothing shows it. */
  lossOf(sql: DatabaseSync | null): Loss | null {
    const loss = this.compare(sql)
    if (loss !== 'alone') return loss
    // Another process may have begun since: it writes here before its first send.
    this.seen = readSeen(this.path)
    return this.compare(sql)
  }

  private compare(sql: DatabaseSync | null): Loss | null {
    const found = sql === null ? null : look(sql)
    if (this.seen?.hasSent) {
      if (found === null) return 'gone'
      if (found.fileId !== this.seen.fileId) return 'another'
      return found.sends < this.seen.sends ? 'older' : null
    }
    const isAlone = found?.hasSent && found.fileId !== this.seen?.fileId && !this.seen?.isTakenOver
    return isAlone ? 'alone' : null
  }

  /** To be called once the journal is open, and when it is closed. */
  keep(sql: DatabaseSync): void {
    const found = look(sql)
    const isNews = found !== null && (found.fileId !== this.seen?.fileId || found.sends !== this.seen.sends)
    if (isNews) this.write(found)
  }

  /** Before the first send of a journal: one that is killed after it must be missed as well. */
  beforeSend(sql: DatabaseSync): void {
    if (this.seen?.hasSent) return
    const found = look(sql)
    if (found !== null) this.write({...found, hasSent: true})
  }

  private write(seen: Seen): void {
    const before = this.seen?.hasSent ? (this.seen.addresses ?? []) : []
    const addresses = [...new Set([...before, ...this.addresses])]
    this.seen = {...seen, key: this.key, addresses}
    makeOwnDir(this.dir)
    writeFileAtomically(this.path, `${JSON.stringify(this.seen)}\n`)
  }
}

/** The merchant's other environments that sent something, with their addresses: what a lost journal cannot say any more. */
export function witnessedElsewhere({
  dataDir,
  account,
}: Caller): {key: string; addresses: readonly string[]}[] {
  const dir = join(dataDir, 'accounts')
  const names = existsSync(dir) ? readdirSync(dir) : []
  return names
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => {
      const {key, addresses = [], hasSent} = readSeen(join(dir, name)) ?? {hasSent: false}
      if (key === undefined || !hasSent) return []
      const isOther =
        key !== accountKey(account) && isSameMerchant(accountOf(key).merchantId, account.merchantId)
      return isOther ? [{key, addresses}] : []
    })
}

/** Null where the file is of a version that had no accounts. */
function look(sql: DatabaseSync): Seen | null {
  const hasAccount = sql.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'account'`).get()
  const fileId = hasAccount && sql.prepare('SELECT file_id AS fileId FROM account').get()?.fileId
  if (typeof fileId !== 'string') return null
  const {sends} = sql
    .prepare(
      'SELECT coalesce((SELECT max(id) FROM requests), 0) + coalesce((SELECT max(id) FROM resends), 0) AS sends',
    )
    .get() ?? {sends: 0}
  return {fileId, sends: Number(sends), hasSent: Number(sends) > 0}
}

function readSeen(path: string): Seen | null {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null
    throw storageFailure('read', path, error)
  }
  try {
    const {fileId, sends, hasSent, ...more} = JSON.parse(text) as Partial<Seen>
    if (typeof fileId === 'string' && typeof sends === 'number')
      return {...more, fileId, sends, hasSent: hasSent !== false}
  } catch {
    // Written whole or not at all: what cannot be read was changed by others.
  }
  return {fileId: '', sends: 0, hasSent: true}
}
