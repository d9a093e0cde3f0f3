import type {Journal} from '../../journal/journal.ts'
import {isDryRun, readTotals} from '../../report/run-totals.ts'

const runsMax = 100

/** The run that last checked the open items, or null: stopped runs and dry runs change none. */
export async function lastCheck(journal: Pick<Journal, 'listRuns' | 'findTotals'>): Promise<string | null> {
  const ended = (await journal.listRuns(runsMax)).filter(
    ({command, status, finishedAtMs}) =>
      command === 'reconcile' && status === 'finished' && finishedAtMs !== null,
  )
  // A run that was resumed began before others.
  for (const {id} of ended.toSorted((a, b) => (b.finishedAtMs ?? 0) - (a.finishedAtMs ?? 0))) {
    const totals = readTotals(await journal.findTotals(id))
    if (totals && !isDryRun(totals)) return id
  }
  return null
}
