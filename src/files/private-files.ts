import {randomBytes} from 'node:crypto'
import {
  chmodSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import {dirname, join} from 'node:path'

import {Failure} from '../core/failure.ts'
import {escapeInvisible} from '../core/text.ts'
import {storageFailure, systemCode} from './storage-failure.ts'
import {isOpenToOthers, requireTrusted} from './trust.ts'

const sticky = 0o1000

/**
 * Makes a folder, and those above it that are missing, for this user alone (0700, P25). A folder that is
 * already there keeps its mode: it may be the user's own, given with `--report .`.
 */
export function makePrivateDir(path: string): void {
  try {
    makeFolders(path)
    if (!statSync(path).isDirectory()) throw Object.assign(new Error(), {code: 'ENOTDIR'})
  } catch (error) {
    throw storageFailure('make the folder', path, error)
  }
}

/**
 * Not `mkdirSync`'s own `recursive`: it tries for ever where a folder is there and nothing can be made in it, as
 * below a mount that is not mounted (measured: `/proc/report`, Node 24).
 */
function makeFolders(path: string, isParentThere = false): void {
  try {
    mkdirSync(path, 0o700)
  } catch (error) {
    const code = systemCode(error)
    // There already, or made by another process just now.
    if (code === 'EEXIST') return
    const parent = dirname(path)
    if (code !== 'ENOENT' || isParentThere || parent === path) throw error
    makeFolders(parent)
    makeFolders(path, true)
  }
}

/**
 * The same for a folder whose name is hisab's (`journal`, `locks`): one that is too open is closed. Shared
 * folders with the sticky bit, such as `/tmp`, are never touched. Throws `config_invalid` where another user could
 * exchange what is in it.
 */
export function makeOwnDir(path: string): void {
  makePrivateDir(path)
  try {
    const stat = statSync(path)
    // Of a link as well: another user's could lead to any folder of this one's.
    const isOurOwn = isOurs(stat.uid) && isOurs(lstatSync(path).uid)
    if (isOurOwn && isOpenToOthers(stat) && (stat.mode & sticky) === 0) chmodSync(path, 0o700)
    requireTrusted(path, `The folder ${escapeInvisible(path)}`)
  } catch (error) {
    throw storageFailure('close to other users the folder', path, error)
  }
}

/**
 * Sees to it that a file for SQLite is there and is 0600, so that its `-wal` and `-shm`, which take the
 * database's mode, are too. It opens no file that exists: closing one would drop SQLite's lock on it (P14).
 */
export function ensurePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw storageFailure('create', path, error)
    closeToOthers(path)
  }
}

/** What is to be in a file: a text, bytes, or a text in pieces that are made while they are written. */
export type FileContent = string | Uint8Array | Iterable<string | Uint8Array>

/**
 * Replaces a file whole or not at all (P16): a temporary file beside it, written, synced, renamed over it,
 * and the folder synced. 0600. On any error the old file stays as it was and nothing is left behind; the disk's is
 * `storage_failed`, that of whoever makes the pieces comes out as it is. A symbolic link at `path` is replaced, not
 * followed.
 */
export function writeFileAtomically(path: string, content: FileContent, mode = 0o600): void {
  const dir = dirname(path)
  const draft = draftIn(dir)
  try {
    writeSynced(draft, content, mode)
    renameSync(draft, path)
    syncDir(dir)
  } catch (error) {
    rmSync(draft, {force: true})
    throw storageFailure('write', path, error)
  }
}

/**
 * Makes a file that was not there, whole or not at all, 0600. One that is there stays as it is: of two processes
 * the first wins.
 */
export function createPrivateFile(path: string, content: string): void {
  const dir = dirname(path)
  const draft = draftIn(dir)
  try {
    writeSynced(draft, content)
    linkSync(draft, path)
    syncDir(dir)
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw storageFailure('create', path, error)
  } finally {
    rmSync(draft, {force: true})
  }
}

/** Null where there is no such file. Throws `storage_failed`. */
export function readIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null
    throw storageFailure('read', path, error)
  }
}

/** Removes a file; that it is not there is no error. */
export function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error
  }
}

export function removeFile(path: string): void {
  try {
    unlinkIfThere(path)
  } catch (error) {
    throw storageFailure('remove', path, error)
  }
}

/**
 * Removes the drafts that killed processes left in a folder. Whether their process lives is asked of this machine
 * alone: whoever writes to one folder from two at once may be told `storage_failed`, and no file is harmed.
 */
export function clearDeadDrafts(dir: string): void {
  try {
    for (const name of readdirSync(dir)) {
      const pid = /^\.hisab-(\d+)-[0-9a-f]{16}\.tmp$/.exec(name)?.[1]
      if (pid !== undefined && isGone(Number(pid))) rmSync(join(dir, name), {force: true})
    }
  } catch {
    // A folder that cannot be read or cleared is met by what is to be written there.
  }
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch (error) {
    return systemCode(error) === 'ESRCH'
  }
}

/** A name that no other process takes, and that tells the next one whose it was. */
export function draftIn(dir: string): string {
  clearDeadDrafts(dir)
  return join(dir, `.hisab-${process.pid}-${randomBytes(8).toString('hex')}.tmp`)
}

export function writeSynced(path: string, content: FileContent, mode = 0o600): void {
  const fd = openSync(path, 'wx', 0o600)
  try {
    // Whatever the process's mask leaves out.
    if (mode !== 0o600) fchmodSync(fd, mode)
    const pieces =
      typeof content === 'string' || content instanceof Uint8Array ? [content] : inBlocks(content)
    for (const piece of pieces) writeFileSync(fd, piece)
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

const blockLength = 64 * 1024

function* inBlocks(pieces: Iterable<string | Uint8Array>): Generator<string | Uint8Array> {
  let block = ''
  for (const piece of pieces) {
    if (typeof piece !== 'string') {
      yield piece
      continue
    }
    block += piece
    if (block.length < blockLength) continue
    yield block
    block = ''
  }
  yield block
}

/** A rename is on the disk only once its folder is. */
export function syncDir(dir: string): void {
  if (process.platform === 'win32') return
  const fd = openSync(dir, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}

function closeToOthers(path: string): void {
  try {
    const stat = mustBeFile(path)
    if (isOurs(stat.uid) && isOpenToOthers(stat)) chmodSync(path, 0o600)
    // Left from a time when the folder was open: SQLite reads the files beside it as well.
    for (const name of [path, `${path}-wal`, `${path}-shm`]) {
      requireTrusted(name, `The file ${escapeInvisible(name)}`)
    }
  } catch (error) {
    throw storageFailure('close to other users', path, error)
  }
}

function mustBeFile(path: string): {mode: number; uid: number} {
  const stat = lstatSync(path)
  if (stat.isFile()) return stat
  throw new Failure(
    'storage_failed',
    `${escapeInvisible(path)} is not a regular file. hisab keeps its records only in regular files.`,
    'Move it away, or choose another folder with HISAB_DATA_DIR.',
  )
}

function isOurs(uid: number): boolean {
  return process.getuid === undefined || process.getuid() === uid
}
