import {mkdtempSync, rmSync, statSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'

import {onTestFinished} from 'vitest'

/** A folder of the test's own, gone when the test is over. */
export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'hisab-test-'))
  onTestFinished(() => rmSync(dir, {recursive: true, force: true}))
  return dir
}

/** The permission bits of a path as `chmod` writes them: `600`. */
export function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8)
}
