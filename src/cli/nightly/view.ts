import type {ExitStatus} from '../../core/failure.ts'
import {formatPaisa, formatTaka} from '../../core/money.ts'
import {formatInstant} from '../../core/time.ts'
import {counted} from '../../report/figures.ts'
import type {ReconcileReport} from '../../report/reconcile-report.ts'
import type {BusinessDay} from '../../workflows/nightly/business-day.ts'
import type {NightEnd} from '../../workflows/nightly/night.ts'
import type {FailureView} from '../failures.ts'
import {viewFailure} from '../failures.ts'

/** The JSON result of `nightly`. */
export interface NightlyResult {
  readonly schemaVersion: 1
  /** The business day, whose ledger it was about. */
  readonly day: string
  readonly timeZone: string
  readonly startedAt: string
  readonly finishedAt: string
  readonly waitedSeconds: number
  readonly tries: readonly {
    readonly startedAt: string
    readonly finishedAt: string
    readonly exitStatus: ExitStatus
  }[]
  readonly exitStatus: ExitStatus
  /** Whether somebody is to look now: any status but 0, and but 7 within the limits. */
  readonly alarm: boolean
  /** What is above --max-breaks or --max-break-amount. */
  readonly exceeded: readonly string[]
  /** Why the last try ended, where it wrote no report. */
  readonly failure: FailureView['error'] | null
  /** The last run that wrote a report; null where none did. */
  readonly run:
    | (Pick<
        ReconcileReport,
        | 'runId'
        | 'complete'
        | 'incompleteBecause'
        | 'counts'
        | 'resends'
        | 'needPerson'
        | 'atRisk'
        | 'reports'
      > & {
        readonly breaks: number
        readonly breakAmount: string
        /** Breaks of which nobody knows the amount. */
        readonly breakAmountUnknown: number
      })
    | null
  /** What else could not be done, a sentence each: heartbeats, metrics, commands. */
  readonly notDone: readonly string[]
}

export interface NightView {
  readonly day: BusinessDay
  readonly profile: string
  readonly result: NightlyResult
}

export function viewNight(end: NightEnd, day: BusinessDay, notDone: readonly string[]): NightlyResult {
  const time = (ms: number) => formatInstant(ms, day.timeZone)
  const {startedMs, endedMs, waitedMs, tries, status, failure, exceeded, isAlarm} = end
  return {
    schemaVersion: 1,
    ...{day: day.date, timeZone: day.timeZone},
    ...{startedAt: time(startedMs), finishedAt: time(endedMs)},
    waitedSeconds: Math.round(waitedMs / 1000),
    tries: tries.map(({startedMs: from, endedMs: to, status: exitStatus}) => ({
      ...{startedAt: time(from), finishedAt: time(to), exitStatus},
    })),
    exitStatus: status,
    alarm: isAlarm,
    exceeded,
    failure: failure && viewFailure(failure).error,
    run: end.run && viewRun(end.run),
    notDone,
  }
}

function viewRun({breaks, amount, amountUnknown, ...run}: NonNullable<NightEnd['run']>) {
  return {...run, breaks, breakAmount: formatPaisa(amount), breakAmountUnknown: amountUnknown}
}

/** The night in a few lines, figures first: for the terminal and for the body of a heartbeat. */
export function nightText(
  {run, tries, status, failure, exceeded, isAlarm}: NightEnd,
  {date}: BusinessDay,
): string {
  const lines = [`${date}: exit status ${status}${isAlarm ? ', somebody is to look' : ''}`]
  if (run) {
    const unknown = run.amountUnknown > 0 ? `, and ${run.amountUnknown} of unknown amount` : ''
    lines.push(
      run.breaks === 0
        ? 'No breaks.'
        : `${counted(run.breaks, 'break', 'breaks')}, BDT ${formatTaka(run.amount)}${unknown}.`,
      `${counted(run.counts.rows, 'row', 'rows')}; ${counted(run.resends.delivered, 'webhook', 'webhooks')} delivered; ${run.needPerson} for a person.`,
    )
    for (const because of run.incompleteBecause.slice(0, 3)) lines.push(`Not complete: ${because}`)
  }
  for (const over of exceeded) lines.push(`Above the limit: ${over}.`)
  if (failure) lines.push(failure.message)
  lines.push(`${counted(tries.length, 'run', 'runs')}${run ? `; report: ${run.reports.dir}` : ''}`)
  return lines.join('\n')
}
