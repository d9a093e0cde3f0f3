import {grouped} from './figures.ts'
import type {ListColumn} from './list-text.ts'
import type {RunTotals} from './run-totals.ts'

/** A run of `reconcile` or `webhooks resend`. `killed`: it did not record its end; `--resume` continues it. */
export interface RunView {
  readonly id: string
  readonly command: string
  readonly status: 'running' | 'finished' | 'interrupted' | 'killed'
  readonly startedAt: string
  readonly finishedAt: string | null
  readonly exitStatus: number | null
  readonly reportDir: string | null
  /** What a reconciliation came to; null for a resend, and for a run that was killed. */
  readonly totals: RunTotals | null
}

export const runColumns: readonly ListColumn<RunView>[] = [
  {name: 'id', title: 'RUN', kind: 'text', value: ({id}) => id},
  {name: 'command', title: 'COMMAND', kind: 'text', value: ({command}) => command},
  {
    ...{name: 'started_at', title: 'STARTED', kind: 'text', value: ({startedAt}) => startedAt, dropRank: 3},
    shown: ({startedAt}) => startedAt.slice(0, 16).replace('T', ' '),
  },
  {name: 'finished_at', kind: 'text', value: ({finishedAt}) => finishedAt},
  {name: 'status', title: 'STATUS', kind: 'text', value: ({status}) => status},
  {name: 'exit_status', title: 'EXIT', kind: 'number', value: ({exitStatus}) => exitStatus},
  {name: 'new', title: 'NEW', kind: 'number', value: ({totals}) => totals?.memory.new, dropRank: 1},
  {name: 'open', title: 'OPEN', kind: 'number', value: ({totals}) => totals?.memory.open},
  {name: 'closed', title: 'CLOSED', kind: 'number', value: ({totals}) => totals?.memory.closed, dropRank: 2},
  {
    ...{name: 'at_risk', title: 'BDT AT RISK', kind: 'number', value: ({totals}) => totals?.atRisk.total},
    shown: ({totals}) => (totals ? grouped(totals.atRisk.total) : ''),
  },
  {
    name: 'report_dir',
    title: 'REPORT',
    kind: 'text',
    value: ({reportDir}) => reportDir,
    isLast: true,
    dropRank: 4,
  },
]
