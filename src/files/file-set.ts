import {linkSync, renameSync, rmSync} from 'node:fs'

import {draftIn, type FileContent, syncDir, unlinkIfThere, writeSynced} from './private-files.ts'
import {storageFailure, systemCode} from './storage-failure.ts'

export interface FileOfSet {
  readonly path: string
  readonly content: FileContent
}

/**
 * Replaces files of a folder that belong together, in the order given, then removes `stale`. All are on the disk
 * before the first rename, and an error restores the old ones: `storage_failed` leaves the old set whole. Only a kill
 * between two renames leaves files of both sets.
 */
export function writeSetAtomically(dir: string, files: readonly FileOfSet[], stale: readonly string[]): void {
  const drafts = files.map(() => draftIn(dir))
  const olds: OldFile[] = []
  let current = dir
  try {
    for (const [index, {path, content}] of files.entries()) {
      current = path
      writeSynced(drafts[index] ?? path, content)
    }
    for (const [index, {path}] of files.entries()) {
      current = path
      olds.push(keepOld(path, draftIn(dir)))
      renameSync(drafts[index] ?? path, path)
    }
    for (const path of stale) {
      current = path
      olds.push(keepOld(path, draftIn(dir)))
      unlinkIfThere(path)
    }
    current = dir
    syncDir(dir)
  } catch (error) {
    for (const old of olds) putBack(old)
    throw storageFailure('write', current, error)
  } finally {
    for (const draft of [...drafts, ...olds.map(({copy}) => copy)]) rmSync(draft, {force: true})
  }
}

type OldFile = ReturnType<typeof keepOld>

/** A folder in its place has no second name and is not replaced; some disks have no second names. */
function keepOld(path: string, copy: string) {
  try {
    linkSync(path, copy)
    return {path, copy, was: 'kept'}
  } catch (error) {
    return {path, copy, was: systemCode(error) === 'ENOENT' ? 'nothing' : 'not kept'}
  }
}

function putBack({path, copy, was}: OldFile): void {
  try {
    if (was === 'kept') renameSync(copy, path)
    if (was === 'nothing') rmSync(path, {force: true})
  } catch {
    // The first error is the one to report.
  }
}
