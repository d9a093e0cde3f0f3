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
