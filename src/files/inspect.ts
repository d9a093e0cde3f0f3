import {accessSync, constants, statfsSync, statSync} from 'node:fs'
import {dirname} from 'node:path'

import {isOpenToOthers} from './trust.ts'

/** What is at a path; links are followed, because their target counts. */
export interface Inspected {
  readonly kind: 'file' | 'folder' | 'other'
  readonly mode: string
  /** Whether other users can read, change or enter it. Windows counts as closed. */
  readonly isOpenToOthers: boolean
  readonly isWritable: boolean
}

/** Null if nothing is there, or nothing this user may see. */
export function inspect(path: string): Inspected | null {
  try {
    const stat = statSync(path)
    const bits = stat.mode & 0o777
    return {
      kind: stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : 'other',
      mode: `0${bits.toString(8).padStart(3, '0')}`,
      isOpenToOthers: isOpenToOthers(stat),
      isWritable: isWritable(path),
    }
  } catch {
    return null
  }
}

export function nearestFolder(path: string): string {
  let folder = path
  while (inspect(folder)?.kind !== 'folder' && dirname(folder) !== folder) folder = dirname(folder)
  return folder
}

/** Free bytes for this user, or null if the system does not say. */
export function freeBytes(path: string): number | null {
  try {
    const {bavail, bsize} = statfsSync(path)
    return bavail * bsize
  } catch {
    return null
  }
}

/** NFS, SMB and CIFS by Linux's numbers: SQLite's locks are not safe on them. */
const networkFileSystems = new Set([0x6969, 0xff534d42, 0xfe534d42, 0x517b])

export function isOnNetwork(path: string): boolean {
  try {
    return process.platform === 'linux' && networkFileSystems.has(statfsSync(path).type)
  } catch {
    return false
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}
