import type {Window} from '../core/reconcile/window.ts'
import type {Journal} from '../journal/journal.ts'

/** What `hisab reconcile` keeps of a run when it starts, for later runs; all of it is missing of other commands. */
export interface StoredRun {
  /** Where it queried its orders (`serviceOf`). */
  readonly service?: readonly string[]
  /** The time of a ledger that only a dry run saw, or whose status column was not read. */
  readonly weak?: Window
  readonly isStatusUnread?: boolean
}

/** Reads each run once: many orders may name the same one. */
export function storedRuns(journal: Pick<Journal, 'findRun'>): (runId: string) => Promise<StoredRun> {
  const known = new Map<string, StoredRun>()
  return async (runId) => {
    const run = known.get(runId) ?? (JSON.parse((await journal.findRun(runId))?.options ?? '{}') as StoredRun)
    known.set(runId, run)
    return run
  }
}
