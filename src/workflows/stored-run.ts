import {basename} from 'node:path'

import type {Window} from '../core/reconcile/window.ts'
import type {Journal} from '../journal/journal.ts'

/** What `hisab reconcile` stores of a run at its start, for later runs; other commands store nothing of it. */
export interface StoredRun {
  readonly startedAtMs?: number
  readonly ledger?: readonly {readonly path: string; readonly sha256: string}[]
  /** The addresses where it queried orders (`serviceOf`). */
  readonly service?: readonly string[]
  /** The time of a ledger that only a dry run saw, or whose status column was not read. */
  readonly weak?: Window
  readonly isStatusUnread?: boolean
}

/** Reads each run once, because many orders may name the same one. */
export function storedRuns(journal: Pick<Journal, 'findRun'>): (runId: string) => Promise<StoredRun> {
  const known = new Map<string, StoredRun>()
  return async (runId) => {
    const found = known.get(runId)
    if (found) return found
    const run = await journal.findRun(runId)
    const stored: StoredRun = {
      ...(JSON.parse(run?.options ?? '{}') as StoredRun),
      ...(run && {startedAtMs: run.startedAtMs}),
    }
    known.set(runId, stored)
    return stored
  }
}

/** The files of a run, and when the rows of one begin; null if no row has a time. */
export interface GivenFiles {
  readonly files: readonly {readonly path: string}[]
  readonly beginOf: (file: number) => number | null
}

/**
 * Whether these files are not new exports of all that a run which found an item read: another file, or that of another day, does
 * not show that a row of theirs is gone.
 */
export async function lacksFiles(
  items: Iterable<{readonly openedRunId: string}>,
  {files, beginOf}: GivenFiles,
  journal: Pick<Journal, 'findRun'>,
): Promise<(item: {readonly openedRunId: string; readonly orderedAtMs: number | null}) => boolean> {
  const stored = storedRuns(journal)
  const pathsOf = new Map<string, readonly string[]>()
  for (const {openedRunId} of items) {
    const {ledger = []} = await stored(openedRunId)
    pathsOf.set(
      openedRunId,
      ledger.map(({path}) => basename(path)),
    )
  }
  const isAgain = (name: string, atMs: number | null) =>
    files.some(({path}, file) => {
      const own = basename(path)
      return own === name || (stemOf(own) === stemOf(name) && (beginOf(file) ?? 0) <= (atMs ?? Infinity))
    })
  return ({openedRunId, orderedAtMs}) =>
    pathsOf.get(openedRunId)?.some((name) => !isAgain(name, orderedAtMs)) === true
}

/** The letters of a file's name: `Deposits 2026-11-24 (1).csv` and `deposits_v2.xlsx` are both of `deposits`. */
function stemOf(name: string): string {
  const words = name.replace(/\.\p{L}+$/u, '').match(/[\p{L}\p{M}]+/gu) ?? []
  return words
    .map((word) => word.toLowerCase())
    .filter((word) => !/^(?:v|copy|final|new|latest|fixed|corrected|updated?)$/.test(word))
    .join(' ')
}
