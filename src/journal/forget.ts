import {existsSync, rmSync} from 'node:fs'
import {join} from 'node:path'

import {type Account, accountKey} from '../core/account.ts'
import {Failure} from '../core/failure.ts'
import {escapeInvisible} from '../core/text.ts'
import {fileNameOf} from '../files/file-name.ts'
import {type HeldDatabase, holdDatabase} from '../files/hold-database.ts'
import {ownedFileName} from '../files/owned-database.ts'
import {isBusy, sqliteFailure} from '../files/sqlite.ts'

/** All that is remembered of one account on this machine, held so that no command can use it meanwhile. */
export interface HeldMemory {
  readonly files: readonly string[]
  readonly bytes: number
  remove(): void
  release(): void
}

/**
 * Takes hold of the journal and of the received events of an account, with what says beside them that they were there.
 * Null where nothing is remembered. For a rehearsal's account alone: a journal is the record of what was sent. Throws
 * `locked` where a command has it open.
 */
export function holdMemory(dataDir: string, account: Account): HeldMemory | null {
  const accounts = fileNameOf(accountKey(account))
  const witnesses = ['json', 'received']
    .map((end) => join(dataDir, 'accounts', `${accounts}.${end}`))
    .filter((path) => existsSync(path))
  const held: HeldDatabase[] = []
  const release = () => held.forEach((one) => void one.release())
  for (const folder of ['journal', 'received']) {
    const path = join(dataDir, folder, ownedFileName(account))
    if (!existsSync(path)) continue
    try {
      held.push(holdDatabase(path))
    } catch (error) {
      release()
      throw isBusy(error) ? inUse(path) : sqliteFailure(error, path)
    }
  }
  const files = [...held.flatMap((one) => one.files), ...witnesses]
  if (files.length === 0) return null
  return {
    files,
    bytes: held.reduce((sum, {bytes}) => sum + bytes, 0),
    remove() {
      // The witnesses first: a kill in between leaves a journal that knows more than they say.
      for (const path of witnesses) rmSync(path, {force: true})
      held.forEach((one) => void one.remove())
    },
    release,
  }
}

function inUse(path: string): Failure {
  return new Failure(
    'locked',
    `A command is using ${escapeInvisible(path)}. Nothing was deleted.`,
    'Wait until it has finished, or stop it. `webhooks listen` runs until Ctrl-C.',
  )
}
