import {Failure} from '../core/failure.ts'
import {escapeInvisible} from '../core/text.ts'

const hints: readonly (readonly [codes: readonly string[], hint: string])[] = [
  [['ENOSPC', 'EDQUOT', 'EFBIG'], 'Free some space (or raise the quota), then run the same command again.'],
  [['EROFS'], 'The file system is read-only: choose a writable folder with HISAB_DATA_DIR.'],
  [
    ['EACCES', 'EPERM'],
    'Make the folder writable for the user who runs hisab, or choose another with HISAB_DATA_DIR.',
  ],
  [['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP'], 'Check the path, or choose another folder with HISAB_DATA_DIR.'],
]

/**
 * An error of the file system as `storage_failed`, with what was attempted, where, and what to do (P16). Only the
 * system's code is kept. A `Failure` is returned unchanged; any other error is our own mistake and is thrown on.
 */
export function storageFailure(attempt: string, path: string, error: unknown): Failure {
  if (error instanceof Failure) return error
  const code = systemCode(error)
  if (code === null) throw error
  const hint = hints.find(([codes]) => codes.includes(code))?.[1] ?? 'Check the disk, then run it again.'
  return new Failure('storage_failed', `Could not ${attempt} ${escapeInvisible(path)} (${code}).`, hint)
}

/** `ENOSPC` and its like; null for other errors (Node's own codes are `ERR_…`). */
export function systemCode(error: unknown): string | null {
  const code = error instanceof Error && 'code' in error ? error.code : null
  return typeof code === 'string' && /^[A-Z0-9]+$/.test(code) ? code : null
}
