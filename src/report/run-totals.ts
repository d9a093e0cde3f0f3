import type {ReconcileReport} from './reconcile-report.ts'

/** The figures of a run that outlive its report: the journal keeps them for `runs show` and for the next plan. */
export interface RunTotals
  extends Pick<ReconcileReport, 'complete' | 'counts' | 'resends' | 'atRisk' | 'calls' | 'records'> {
  readonly memory: Readonly<
    Record<'new' | 'open' | 'reopened' | 'healed' | 'notExamined' | 'oldestDays' | 'ignored', number>
  >
  /** Null where too little was asked to tell. */
  readonly queriesPerSecond: number | null
}

export function writeTotals(report: ReconcileReport, queriesPerSecond: number | null): string {
  const {complete, counts, resends, atRisk, calls, records, memory} = report
  const totals: RunTotals = {
    ...{complete, counts, resends, atRisk, calls, records, queriesPerSecond},
    memory: {...memory, healed: memory.healed.length},
  }
  return JSON.stringify(totals)
}

/** What `writeTotals` wrote; null where a run left none. */
export function readTotals(text: string | null): RunTotals | null {
  return text === null ? null : (JSON.parse(text) as RunTotals)
}
