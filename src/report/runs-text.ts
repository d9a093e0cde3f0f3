import type {SignOff} from '../core/reconcile/sign-off.ts'
import {formatInstant} from '../core/time.ts'
import {minuteOf} from './figures.ts'
import {type ListColumn, takaColumn} from './list-text.ts'
import {isDryRun, itemsOfRun, type RunTotals} from './run-totals.ts'

export interface RunView {
  readonly id: string
  readonly command: string
  readonly status: 'running' | 'finished' | 'interrupted' | 'killed'
  readonly startedAt: string
  readonly finishedAt: string | null
  readonly exitStatus: number | null
  readonly reportDir: string | null
  /** The machine's user who started it; null in runs of an earlier version. */
  readonly by: string | null
  readonly machine: string | null
  readonly ledger: readonly {readonly path: string; readonly sha256: string}[]
  readonly totals: RunTotals | null
}

export interface SignOffView {
  readonly by: string
  readonly at: string
  readonly note: string
  /** The person who ran it approved it, because there was nobody else. */
  readonly alone: boolean
  /** The run was resumed since, and has other figures. */
  readonly outdated: boolean
}

/** `finishedAtMs` is the run's present end. */
export function viewSignOff(
  {by, atMs, note, isAlone}: SignOff,
  timeZone: string,
  finishedAtMs: number | null,
): SignOffView {
  const outdated = finishedAtMs === null || finishedAtMs > atMs
  return {by, at: formatInstant(atMs, timeZone), note, alone: isAlone, outdated}
}

export function signOffText({by, at, note, alone, outdated}: SignOffView): string {
  const who = `${by}${alone ? ', who also ran it' : ''} at ${minuteOf(at)}: ${note}`
  return outdated ? `not approved: the run was resumed after the approval by ${who}` : `approved by ${who}`
}

export function runFields(run: RunView): [name: string, text: string][] {
  const {id, command, status, startedAt, finishedAt, exitStatus, reportDir, by, machine, ledger, totals} = run
  const person = [by, machine].filter((part) => part !== null).join('@')
  return [
    ['Run', `${id}  ${command}${totals && isDryRun(totals) ? ' (dry run)' : ''}`],
    [
      'Status',
      `${shownStatus({command, status, totals})}${exitStatus === null ? '' : `, exit status ${exitStatus}`}`,
    ],
    ['Time', `${minuteOf(startedAt)} to ${finishedAt === null ? '–' : minuteOf(finishedAt)}`],
    ...(person === '' ? [] : [['By', person] as [string, string]]),
    ...ledger.map(({path}): [string, string] => ['Ledger', path]),
    ...(reportDir === null ? [] : [['Report', reportDir] as [string, string]]),
  ]
}

/** What a dry run found new is still new to the next run, and it closes nothing. */
function movedBy({totals}: RunView, how: 'new' | 'closed'): number | null {
  return totals === null || isDryRun(totals) ? null : itemsOfRun(totals)[how]
}

/** A reconciliation that ended without a result left no figures. */
function shownStatus({command, status, totals}: Pick<RunView, 'command' | 'status' | 'totals'>): string {
  return command === 'reconcile' && status === 'finished' && totals === null ? 'failed' : status
}

/** `isActive`: whether its process is at work. */
export function endOf(status: 'running' | 'finished' | 'interrupted', isActive: boolean): RunView['status'] {
  return status === 'running' && !isActive ? 'killed' : status
}

export const runColumns: readonly ListColumn<RunView>[] = [
  {name: 'id', title: 'RUN', kind: 'text', value: ({id}) => id},
  {
    ...{name: 'command', title: 'COMMAND', kind: 'text', value: ({command}) => command},
    shown: ({command, totals}) => (totals && isDryRun(totals) ? `${command} (dry run)` : command),
  },
  {
    ...{name: 'started_at', title: 'STARTED', kind: 'text', value: ({startedAt}) => startedAt, dropRank: 3},
    shown: ({startedAt}) => minuteOf(startedAt),
  },
  {name: 'finished_at', kind: 'text', value: ({finishedAt}) => finishedAt},
  {name: 'status', title: 'STATUS', kind: 'text', value: ({status}) => status, shown: shownStatus},
  {name: 'exit_status', title: 'EXIT', kind: 'number', value: ({exitStatus}) => exitStatus},
  {name: 'new', title: 'NEW', kind: 'number', value: (run) => movedBy(run, 'new'), dropRank: 1},
  {name: 'open', title: 'OPEN', kind: 'number', value: ({totals}) => totals && itemsOfRun(totals).open},
  {name: 'closed', title: 'CLOSED', kind: 'number', value: (run) => movedBy(run, 'closed'), dropRank: 2},
  takaColumn('at_risk', ({totals}) => totals?.atRisk.total, 'BDT AT RISK'),
  {name: 'by', kind: 'text', value: ({by}) => by},
  {name: 'ledger', kind: 'text', value: ({ledger}) => ledger.map(({path}) => path).join(' ')},
  {
    name: 'report_dir',
    title: 'REPORT',
    kind: 'text',
    value: ({reportDir}) => reportDir,
    shown: ({machine, reportDir}) => [machine, reportDir].filter((part) => part !== null).join(':'),
    isLast: true,
    dropRank: 4,
  },
  {
    ...{name: 'machine', title: 'BY', kind: 'text', value: ({machine}) => machine, dropRank: 5},
    shown: ({by, machine}) => (machine === null ? '' : `${by ?? ''}@${machine}`),
  },
]
