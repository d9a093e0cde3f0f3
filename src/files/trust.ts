import {constants, lstatSync, readFileSync, readlinkSync, type Stats} from 'node:fs'
import {dirname, join, parse, relative, resolve, sep} from 'node:path'

import {Failure} from '../core/failure.ts'
import {quoteForShell} from '../core/shell.ts'
import {escapeInvisible} from '../core/text.ts'
import {hasOtherMembers} from './group-members.ts'

/** A file or folder that lets another user change what a path leads to. */
export interface WeakPlace {
  readonly path: string
  readonly why: string
  readonly fix: string
}

type Owned = Pick<Stats, 'uid' | 'gid' | 'mode'>

const linksMax = 40
const [changeableByGroup, changeableByAll, sticky] = [0o020, 0o002, 0o1000]

/** Whether others may read, change or enter it. Windows has no such modes. */
export function isOpenToOthers({mode}: Pick<Stats, 'mode'>): boolean {
  return process.getuid !== undefined && (mode & 0o077) !== 0
}

/**
 * Throws `config_invalid` if another user than root could change what the path leads to. `what` begins a sentence.
 */
export function requireTrusted(path: string, what: string): void {
  const place = weakPlaceOf(path)
  if (place) throw untrusted(what, place)
}

/** For an open file: its state when it was opened counts. */
export function requireTrustedFile(path: string, stat: Owned, what: string): void {
  const place = weaknessOf(path, stat, false) ?? weakPlaceOf(dirname(path)) ?? weakPlaceOf(path)
  if (place) throw untrusted(what, place)
}

/** The first weak place on a path, with its links followed, or null. What does not exist yet is not weak. */
export function weakPlaceOf(path: string): WeakPlace | null {
  // Windows has no such modes.
  if (process.getuid === undefined) return null
  for (const {place, stat} of wayTo(resolve(path))) {
    const weak = weaknessOf(place, stat, stat.isDirectory())
    if (weak) return weak
  }
  return null
}

function* wayTo(path: string, links = 0): Generator<{place: string; stat: Stats}> {
  const {root} = parse(path)
  let at = root
  for (const name of ['', ...relative(root, path).split(sep)]) {
    at = join(at, name)
    const stat = look(at)
    if (!stat) return
    yield {place: at, stat}
    if (!stat.isSymbolicLink()) continue
    if (links >= linksMax) return
    at = resolve(dirname(at), readlinkSync(at))
    yield* wayTo(at, links + 1)
  }
}

/** What cannot be examined cannot be read either, and the reader reports it. */
function look(path: string): Stats | undefined {
  try {
    return lstatSync(path, {throwIfNoEntry: false})
  } catch {
    return undefined
  }
}

/**
 * In a folder with the sticky bit others can add, not exchange. A group without members besides root and this user is
 * safe.
 */
function weaknessOf(path: string, {uid, gid, mode}: Owned, isFolder: boolean): WeakPlace | null {
  const me = process.getuid?.()
  if (me === undefined) return null
  if (uid !== me && uid !== 0) {
    const fix = `Use one of your own, or run hisab as the user with the number ${uid}.`
    return {path, why: `belongs to another user (number ${uid})`, fix}
  }
  const type = mode & constants.S_IFMT
  if (type === constants.S_IFLNK || type === constants.S_IFCHR || (isFolder && (mode & sticky) !== 0))
    return null
  const isGroupOthers = (mode & changeableByGroup) !== 0 && !(isFolder && isOwnGroup(gid, me))
  if ((mode & changeableByAll) === 0 && !isGroupOthers) return null
  return {path, why: 'can be changed by other users', fix: `Run: chmod go-w ${quoteForShell(path)}`}
}

function isOwnGroup(gid: number, me: number): boolean {
  if (gid !== 0 && gid !== me) return false
  return !hasOtherMembers(gid, me, {passwd: textOf('/etc/passwd'), group: textOf('/etc/group')})
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function untrusted(what: string, {path, why, fix}: WeakPlace): Failure {
  return new Failure('config_invalid', `${what} is not used: ${escapeInvisible(path)} ${why}.`, fix)
}
