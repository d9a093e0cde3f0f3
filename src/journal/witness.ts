import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import type {DatabaseSync} from 'node:sqlite'

import {type Account, accountKey} from '../core/account.ts'
import {Failure} from '../core/failure.ts'
import {visible} from '../core/text.ts'
import {fileNameOf} from '../files/file-name.ts'
import {makeOwnDir, writeFileAtomically} from '../files/private-files.ts'
import {storageFailure, systemCode} from '../files/storage-failure.ts'

interface Seen {
  readonly fileId: string
  /** Sends the journal knew of when it was last seen. */
  readonly sends: number
  /** Whether one was about to be written down, which a killed process may have done. */
  readonly hasSent: boolean
}

/**
 * What stands beside a journal and says that it was there: a journal that was removed, emptied or replaced by an older
 * copy has forgotten sends, and what was in doubt would be sent again.
 */
export class Witness {
  private readonly dir: string
  private readonly path: string
  private seen: Seen | null
  private readonly isLossAccepted: boolean

  constructor(dataDir: string, account: Account, isLossAccepted: boolean) {
    this.dir = join(dataDir, 'accounts')
    this.path = join(this.dir, `${fileNameOf(accountKey(account))}.json`)
    this.isLossAccepted = isLossAccepted
    this.seen = readSeen(this.path)
  }

  /** Throws `file_unreadable` where the journal knows less than it did; `sql` is null where it has no tables. */
  check(sql: DatabaseSync | null, journalPath: string): void {
    if (this.isLossAccepted || !this.seen?.hasSent) return
    const found = sql === null ? null : look(sql)
    if (found !== null && found.fileId === this.seen.fileId && found.sends >= this.seen.sends) return
    const what =
      found === null
        ? 'is gone or empty'
        : found.fileId === this.seen.fileId
          ? 'is an older copy'
          : 'is another one'
    throw new Failure(
      'file_unreadable',
      `The journal ${visible(journalPath)} ${what}: it has forgotten what was sent, and it might be sent again.`,
      'Put the journal back. If it is lost for good, say so: hisab journal link --start-over --reason "…".',
    )
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
    makeOwnDir(this.dir)
    writeFileAtomically(this.path, `${JSON.stringify(seen)}\n`)
    this.seen = seen
  }
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
    const {fileId, sends, hasSent} = JSON.parse(text) as Partial<Seen>
    if (typeof fileId === 'string' && typeof sends === 'number')
      return {fileId, sends, hasSent: hasSent !== false}
  } catch {
    // Written whole or not at all: what cannot be read was changed by others.
  }
  return {fileId: '', sends: 0, hasSent: true}
}
