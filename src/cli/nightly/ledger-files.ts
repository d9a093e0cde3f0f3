import {closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, statSync} from 'node:fs'
import {basename, dirname, join} from 'node:path'

import {draftIn, makePrivateDir} from '../../files/private-files.ts'
import {storageFailure} from '../../files/storage-failure.ts'
import type {SeenFile} from '../../workflows/nightly/job.ts'
import {fitOf} from '../../workflows/nightly/missing-file.ts'
import {runShell} from './shell.ts'

/** The files of a path: one, or with `*` in its name all that fit. */
export function lookAt(path: string): SeenFile[] {
  if (!basename(path).includes('*')) return seen(path)
  const dir = dirname(path)
  try {
    const names = readdirSync(dir).filter((one) => fitOf(path, join(dir, one)) && !one.startsWith('.'))
    return names.sort().flatMap((one) => seen(join(dir, one)))
  } catch {
    return []
  }
}

function seen(path: string): SeenFile[] {
  const stat = statIfThere(path)
  return stat?.isFile() ? [{path, size: stat.size, changedMs: Math.floor(stat.mtimeMs)}] : []
}

export interface LedgerExport {
  readonly command: string
  readonly env: Readonly<Record<string, string>>
  /** Where the standard output is kept; null: the command writes the file itself. */
  readonly toPath: string | null
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/**
 * Runs the command that exports a ledger: its output becomes a file completely or not at all. Returns the problem as
 * a clause, or null.
 */
export async function exportLedger({
  command,
  env,
  toPath,
  timeoutMs,
  signal,
}: LedgerExport): Promise<string | null> {
  const run = {command, env, input: '', timeoutMs, signal}
  const said = (problem: string | null) => problem && `--export-command failed: ${problem}`
  if (toPath === null) return said(await runShell({...run, output: null}))
  let draft: string | null = null
  try {
    makePrivateDir(dirname(toPath))
    draft = draftIn(dirname(toPath))
    const output = openSync(draft, 'wx', 0o600)
    try {
      const problem = await runShell({...run, output})
      if (problem !== null) return said(problem)
      fsyncSync(output)
    } finally {
      closeSync(output)
    }
    renameSync(draft, toPath)
    return null
  } catch (error) {
    return `its output could not be kept: ${storageFailure('write', toPath, error).clause}`
  } finally {
    if (draft !== null) rmSync(draft, {force: true})
  }
}

/** A missing or unreadable parent folder counts as a missing file. */
function statIfThere(path: string) {
  try {
    return statSync(path)
  } catch {
    return null
  }
}
