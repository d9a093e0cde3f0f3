import type {MerchantState} from '../core/merchant-state.ts'
import {formatInstant} from '../core/time.ts'
import {minuteOf} from './figures.ts'
import {type ListColumn, takaColumn} from './list-text.ts'
import {readTotals} from './run-totals.ts'
import {endOf, type RunView} from './runs-text.ts'

export interface MerchantView extends Pick<MerchantState, 'merchantId' | 'environment' | 'inDoubt'> {
  /** Null if it was never reconciled. Dry runs do not count. */
  readonly lastRun:
    | (Pick<RunView, 'id' | 'status' | 'startedAt' | 'finishedAt' | 'exitStatus'> & {
        readonly by: string | null
      })
    | null
  /** Of the last finished run, or null. */
  readonly breaks: number | null
  readonly amountAtRisk: string | null
  /** Breaks of all runs that are not closed. */
  readonly openItems: number
  /** `person@machine`; null if no process is active. */
  readonly atWork: string | null
}

export function viewMerchant({run, totals, ...merchant}: MerchantState, timeZone: string): MerchantView {
  const ended = readTotals(totals)
  return {
    ...merchant,
    lastRun: run && {
      ...{id: run.id, status: endOf(run.status, run.isAlive), exitStatus: run.exitStatus, by: run.by},
      startedAt: formatInstant(run.startedAtMs, timeZone),
      finishedAt: run.finishedAtMs === null ? null : formatInstant(run.finishedAtMs, timeZone),
    },
    breaks: ended?.breaks ?? null,
    amountAtRisk: ended?.atRisk.total ?? null,
  }
}

export const merchantColumns: readonly ListColumn<MerchantView>[] = [
  {name: 'merchant_id', title: 'MERCHANT', kind: 'text', value: ({merchantId}) => merchantId},
  {name: 'environment', title: 'ENV', kind: 'text', value: ({environment}) => environment},
  {
    ...{name: 'last_run_at', title: 'LAST RUN', kind: 'text', value: ({lastRun}) => lastRun?.startedAt},
    shown: ({lastRun}) => (lastRun ? minuteOf(lastRun.startedAt) : 'never'),
  },
  {name: 'status', title: 'STATUS', kind: 'text', value: ({lastRun}) => lastRun?.status},
  {name: 'exit_status', title: 'EXIT', kind: 'number', value: ({lastRun}) => lastRun?.exitStatus},
  {name: 'breaks', title: 'BREAKS', kind: 'number', value: ({breaks}) => breaks},
  {name: 'open_items', title: 'OPEN', kind: 'number', value: ({openItems}) => openItems, dropRank: 1},
  {name: 'in_doubt', title: 'IN DOUBT', kind: 'number', value: ({inDoubt}) => inDoubt, dropRank: 2},
  takaColumn('amount_at_risk', ({amountAtRisk}) => amountAtRisk, 'BDT AT RISK'),
  {name: 'at_work', title: 'AT WORK', kind: 'text', value: ({atWork}) => atWork, dropRank: 3},
  {name: 'run', kind: 'text', value: ({lastRun}) => lastRun?.id},
  {name: 'by', title: 'BY', kind: 'text', value: ({lastRun}) => lastRun?.by, dropRank: 4},
]
