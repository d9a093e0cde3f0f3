import type {ExitStatus} from '../../core/failure.ts'
import {formatPaisa, formatTaka} from '../../core/money.ts'
import {formatInstant} from '../../core/time.ts'
import {counted} from '../../report/figures.ts'
import type {BusinessDay} from '../../workflows/nightly/business-day.ts'
import type {BreakSum} from '../../workflows/nightly/gates.ts'
import type {NightlyEnd, RunFigures} from '../../workflows/nightly/job.ts'
import type {FailureView} from '../failures.ts'
import {viewFailure} from '../failures.ts'

export interface NightlyResult {
  readonly schemaVersion: 1
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
  /** Whether somebody must look now: any status except 0, and 7 within the limits. */
  readonly alarm: boolean
  /** Which of --max-breaks and --max-break-amount were exceeded. */
  readonly exceeded: readonly string[]
  /** Why the last try ended without a report. */
  readonly failure: FailureView['error'] | null
  readonly run:
    | (Omit<RunFigures, keyof BreakSum> & {
        readonly breaks: number
        readonly breakAmount: string
        /** Breaks without a known amount. */
        readonly breakAmountUnknown: number
      })
    | null
  /** What else failed, a sentence each: heartbeats, metrics, commands. */
  readonly notDone: readonly string[]
}

export interface NightlyView {
  readonly day: BusinessDay
  readonly profile: string
  readonly result: NightlyResult
}

export function viewNightly(end: NightlyEnd, day: BusinessDay, notDone: readonly string[]): NightlyResult {
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

function viewRun({breaks, amount, amountUnknown, ...run}: NonNullable<NightlyEnd['run']>) {
  return {...run, breaks, breakAmount: formatPaisa(amount), breakAmountUnknown: amountUnknown}
}

/** The result in a few lines, figures first: for the terminal and for the body of a heartbeat. */
export function nightlyText(
  {run, tries, status, failure, exceeded, isAlarm}: NightlyEnd,
  {date}: BusinessDay,
): string {
  const answer = failure || !run ? 'not reconciled' : breaksText(run)
  const lines = [`${date}: ${answer}.${isAlarm ? ' Look at it now.' : ''}`]
  if (run) {
    const {counts, resends, needPerson} = run
    if (failure) lines.push(`The last report has ${breaksText(run)}.`)
    lines.push(
      `${counted(counts.rows, 'row', 'rows')}; ${counted(resends.delivered, 'webhook', 'webhooks')} delivered; ${needPerson === 0 ? 'nobody has to decide anything' : `${counted(needPerson, 'break needs', 'breaks need')} a person`}.`,
    )
    if (run.unconfirmed > 0)
      lines.push(
        `${counted(run.unconfirmed, 'resent order is', 'resent orders are')} not booked in any ledger since: hisab items list --state delivered.`,
      )
    for (const because of run.incompleteBecause.slice(0, 3)) lines.push(`Not complete: ${because}`)
  }
  for (const over of exceeded) lines.push(`Above the limit: ${over}.`)
  if (failure) lines.push(failure.message)
  lines.push(`Exit status ${status} after ${counted(tries.length, 'run', 'runs')}.`)
  if (run) lines.push(`Report: ${run.reports.html}`)
  return lines.join('\n')
}

/** `2 breaks, BDT 500.00 at risk`. */
function breaksText({breaks, amount, amountUnknown}: NonNullable<NightlyEnd['run']>): string {
  if (breaks === 0) return 'no breaks'
  const least = amountUnknown > 0 ? 'at least ' : ''
  const risk =
    amount > 0n
      ? `${least}BDT ${formatTaka(amount)} at risk`
      : amountUnknown > 0
        ? 'amount at risk unknown'
        : 'no money at risk'
  return `${counted(breaks, 'break', 'breaks')}, ${risk}`
}
