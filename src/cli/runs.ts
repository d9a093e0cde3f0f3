import type {LoadedProfile} from '../config/load-profile.ts'
import {formatInstant} from '../core/time.ts'
import type {Journal} from '../journal/journal.ts'
import type {RunRow} from '../journal/rows.ts'
import {readTotals} from '../report/run-totals.ts'
import {endOf, type RunView} from '../report/runs-text.ts'
import type {Context} from './context.ts'

/**
 * Runs as they are shown. A row `running` is true only while somebody holds the lock; otherwise its process was
 * killed.
 */
export async function viewRuns(
  rows: readonly RunRow[],
  loaded: LoadedProfile,
  context: Context,
  journal: Pick<Journal, 'findTotals'>,
): Promise<RunView[]> {
  const asksLock = rows.some(({status, isAlive}) => status === 'running' && isAlive === null)
  const isActive = asksLock && (await context.isRunActive(loaded))
  const views: RunView[] = []
  for (const row of rows) views.push(await viewRow(row, isActive, loaded, journal))
  return views
}

export async function viewRun(
  row: RunRow,
  loaded: LoadedProfile,
  context: Context,
  journal: Pick<Journal, 'findTotals'>,
): Promise<RunView> {
  const [view] = await viewRuns([row], loaded, context, journal)
  if (view === undefined) throw new Error('a run has a view')
  return view
}

async function viewRow(
  {
    id,
    command,
    status,
    startedAtMs,
    finishedAtMs,
    exitStatus,
    reportDir,
    by,
    machine,
    isAlive,
    options,
  }: RunRow,
  isLockHeld: boolean,
  loaded: LoadedProfile,
  journal: Pick<Journal, 'findTotals'>,
): Promise<RunView> {
  const time = (ms: number) => formatInstant(ms, loaded.profile.ledger.timeZone)
  return {
    id,
    command,
    status: endOf(status, isAlive ?? isLockHeld),
    startedAt: time(startedAtMs),
    finishedAt: finishedAtMs === null ? null : time(finishedAtMs),
    exitStatus,
    reportDir,
    by,
    machine,
    ledger: (JSON.parse(options) as {readonly ledger?: RunView['ledger']}).ledger ?? [],
    totals: readTotals(await journal.findTotals(id)),
  }
}
