import {Failure} from '../core/failure.ts'
import {visible} from '../core/text.ts'

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
 * An error of the file system as `storage_failed`: what was attempted, where, and what to do (P16). The
 * system's own error object is dropped; only its code is kept.
 */
export function storageFailure(attempt: string, path: string, error: unknown): Failure {
  const code = systemCode(error)
  const hint = hints.find(([codes]) => codes.includes(code))?.[1] ?? 'Check the disk, then run it again.'
  return new Failure('storage_failed', `Could not ${attempt} ${visible(path)} (${code}).`, hint)
}

/** `ENOSPC` and its like; `unknown error` where the error carries no code. */
export function systemCode(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : 'unknown error'
}
