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
 * Makes a folder and its missing parents for this user alone (0700, P25). An existing folder keeps its mode: it may
 * be the user's own, given with `--report .`.
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
 * Not `mkdirSync`'s `recursive`, which loops for ever if nothing can be made in an existing folder (measured:
 * `/proc/report`, Node 24).
 */
function makeFolders(path: string, isParentThere = false): void {
  try {
    mkdirSync(path, 0o700)
  } catch (error) {
    const code = systemCode(error)
    // It exists, or another process has just made it.
    if (code === 'EEXIST') return
    const parent = dirname(path)
    if (code !== 'ENOENT' || isParentThere || parent === path) throw error
    makeFolders(parent)
    makeFolders(path, true)
  }
}

/**
 * The same for hisab's own folders (`journal`, `locks`), which are also closed if they are open. Shared folders with
 * the sticky bit, such as `/tmp`, are never touched. Throws `config_invalid` if another user could exchange the
 * content.
 */
export function makeOwnDir(path: string): void {
  makePrivateDir(path)
  try {
    const stat = statSync(path)
    // Links too: another user's link could lead to any folder of this user.
    const isOurOwn = isOurs(stat.uid) && isOurs(lstatSync(path).uid)
    if (isOurOwn && isOpenToOthers(stat) && (stat.mode & sticky) === 0) chmodSync(path, 0o700)
    requireTrusted(path, `The folder ${escapeInvisible(path)}`)
  } catch (error) {
    throw storageFailure('close to other users the folder', path, error)
  }
}

/**
 * Creates an SQLite file with mode 0600, which its `-wal` and `-shm` copy. It opens no existing file: closing it
 * would drop SQLite's lock (P14).
 */
export function ensurePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw storageFailure('create', path, error)
    closeToOthers(path)
  }
}

export type FileContent = string | Uint8Array | Iterable<string | Uint8Array>

/**
 * Replaces a file completely or not at all (P16): a temporary file beside it, synced and renamed, and the folder
 * synced. 0600. After an error the old file is unchanged and nothing is left behind; a disk error is
 * `storage_failed`, an error of the content's maker is thrown on. A symbolic link at `path` is replaced.
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

/** Creates a file completely or not at all, 0600. An existing file stays: of two processes the first wins. */
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

export function readIfThere(path: string): Buffer | null {
  try {
    return readFileSync(path)
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null
    throw storageFailure('read', path, error)
  }
}

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
 * Removes drafts that killed processes left. Only processes of this machine count as alive: if two machines write to
 * one folder, one may get `storage_failed`, but no file is harmed.
 */
export function clearDeadDrafts(dir: string): void {
  try {
    for (const name of readdirSync(dir)) {
      const pid = /^\.hisab-(\d+)-[0-9a-f]{16}\.tmp$/.exec(name)?.[1]
      if (pid !== undefined && isGone(Number(pid))) rmSync(join(dir, name), {force: true})
    }
  } catch {
    // The next write there will report the problem.
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

/** A name that no other process takes, with the process in it. */
export function draftIn(dir: string): string {
  clearDeadDrafts(dir)
  return join(dir, `.hisab-${process.pid}-${randomBytes(8).toString('hex')}.tmp`)
}

export function writeSynced(path: string, content: FileContent, mode = 0o600): void {
  const fd = openSync(path, 'wx', 0o600)
  try {
    // Whatever the process's umask leaves out.
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

/** A rename is on the disk only after a sync of its folder. */
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
    // Perhaps left from a time when the folder was open: SQLite reads the files beside it too.
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
