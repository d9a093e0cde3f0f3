import {type ExitStatus, Failure, isStop} from '../../core/failure.ts'
import {escapeInvisible} from '../../core/text.ts'
import {spanText} from '../../core/time.ts'
import type {ReconcileReport} from '../../report/reconcile-report.ts'
import type {BusinessDay} from './business-day.ts'
import {type BreakSum, type Gates, gatesExceeded} from './gates.ts'

export interface NightlyRequest {
  readonly day: BusinessDay
  /** Paths of the expected ledgers; `*` in a file name stands for any text. */
  readonly paths: readonly string[]
  readonly exports: boolean
  readonly waitMs: number
  /** The latest start of a try; null: one try only. */
  readonly untilMs: number | null
  readonly gates: Gates
}

export interface SeenFile {
  readonly path: string
  readonly size: number
  readonly changedMs: number
}

/** The figures of a run for people who did not watch it. */
export type RunFigures = Pick<
  ReconcileReport,
  | 'runId'
  | 'complete'
  | 'incompleteBecause'
  | 'counts'
  | 'resends'
  | 'needPerson'
  | 'unconfirmed'
  | 'atRisk'
  | 'reports'
> &
  BreakSum

/** How one try ended. */
export type Try =
  | {readonly is: 'ended'; readonly status: ExitStatus; readonly run: RunFigures}
  | {readonly is: 'failed'; readonly failure: Failure}
  /** The files are complete but another day's, or one of the day's files is not among them: nothing was queried or sent. */
  | {readonly is: 'other_day' | 'file_missing'; readonly because: string}

export interface NightlyPorts {
  readonly now: () => number
  /** Ends early when the job is stopped. */
  readonly sleep: (ms: number) => Promise<void>
  readonly signal: AbortSignal
  /** The files that match a path; empty if there are none yet. */
  readonly look: (path: string) => Promise<readonly SeenFile[]>
  /** Exports the day's ledger; returns null, or the problem as a clause. */
  readonly exportLedger: (msLeft: number) => Promise<string | null>
  readonly reconcile: (paths: readonly string[]) => Promise<Try>
  /** Turns anything thrown into a failure, because a job always ends with a result. */
  readonly failureOf: (error: unknown) => Failure
  readonly tell: (event: NightlyEvent, text: string, fields?: Readonly<Record<string, unknown>>) => void
}

export type NightlyEvent = 'waiting' | 'exporting' | 'ledger' | 'try' | 'ended' | 'again' | 'refused'

export interface TryView {
  readonly startedMs: number
  readonly endedMs: number
  readonly status: ExitStatus
}

export interface NightlyEnd {
  readonly startedMs: number
  readonly endedMs: number
  /** From the start to the first try. */
  readonly waitedMs: number
  readonly tries: readonly TryView[]
  readonly status: ExitStatus
  /** The failure that ended it, if that was not a run's. */
  readonly failure: Failure | null
  /** The last run that wrote a report. */
  readonly run: RunFigures | null
  /** Limits that its breaks exceed, as clauses. */
  readonly exceeded: readonly string[]
  /** Whether a person must look now: for any status except 0, and 7 within the given limits. */
  readonly isAlarm: boolean
}

/**
 * Statuses that another try may improve (contract §2.4): the service was unreachable (5), a resend is in doubt, which
 * reading its record ends without sending again (6), something could not be checked (8), another run is active (9). All
 * others need a person or are final.
 */
export const mendable: ReadonlySet<number> = new Set([5, 6, 8, 9])

const lookEveryMs = 10_000
/** A file that was not written to for this long is complete. */
const restMs = 60_000
const [firstPauseMs, longestPauseMs] = [60_000, 15 * 60_000]

/** Always returns a `NightlyEnd`, whatever happens. */
export async function runNightly(request: NightlyRequest, ports: NightlyPorts): Promise<NightlyEnd> {
  const {now} = ports
  const startedMs = now()
  const tries: TryView[] = []
  let run: RunFigures | null = null
  let failure: Failure | null = null
  const ledger = new LedgerWatch(request, ports, startedMs)
  try {
    for (;;) {
      const paths = await ledger.come()
      const began = now()
      ports.tell('try', `Try ${tries.length + 1}: ${paths.map((path) => escapeInvisible(path)).join(', ')}`, {
        paths,
      })
      const end = await ports.reconcile(paths)
      if ('because' in end) {
        ledger.refuse(end)
        continue
      }
      const status = end.is === 'ended' ? end.status : end.failure.exitStatus
      tries.push({startedMs: began, endedMs: now(), status})
      if (end.is === 'ended') run = end.run
      failure = end.is === 'failed' ? end.failure : null
      const because = failure === null ? '' : `: ${failure.clause}`
      ports.tell('ended', `Try ${tries.length} ended with ${status}${because}`, {
        status,
        runId: run?.runId ?? null,
      })
      if (!mendable.has(status) || (failure !== null && isStop(failure))) break
      const pauseMs = Math.min(firstPauseMs * 2 ** (tries.length - 1), longestPauseMs)
      if (request.untilMs === null || now() + pauseMs > request.untilMs) break
      ports.tell('again', `The next try is in ${spanText(pauseMs / 1000)}`, {pauseMs})
      await pause(pauseMs, ports)
    }
  } catch (error) {
    failure = ports.failureOf(error)
  }
  const status = failure?.exitStatus ?? tries.at(-1)?.status ?? 0
  const exceeded = run === null ? [] : gatesExceeded(request.gates, run)
  const isGated = request.gates.maxBreaks !== null || request.gates.maxBreakAmount !== null
  const isUsual = status === 0 || (status === 7 && run !== null && isGated && exceeded.length === 0)
  const endedMs = now()
  const waitedMs = (tries[0]?.startedMs ?? endedMs) - startedMs
  return {startedMs, endedMs, waitedMs, tries, status, failure, run, exceeded, isAlarm: !isUsual}
}

async function pause(ms: number, {sleep, signal}: Pick<NightlyPorts, 'sleep' | 'signal'>): Promise<void> {
  await sleep(ms)
  if (signal.aborted) throw signal.reason
}

/** Waits for the day's ledger: exported, present, no longer growing, and not refused before. */
class LedgerWatch {
  private readonly request: NightlyRequest
  private readonly ports: NightlyPorts
  private readonly untilMs: number
  private isExported: boolean
  /** Files that were another day's, or not all of the day, and why. */
  private refused: {readonly mark: string; readonly is: Try['is']; readonly because: string} | null = null
  private mark = ''
  private markedMs = 0

  constructor(request: NightlyRequest, ports: NightlyPorts, startedMs: number) {
    this.request = request
    this.ports = ports
    const {untilMs, waitMs} = request
    this.untilMs = Math.min(
      startedMs + waitMs,
      untilMs === null ? Number.POSITIVE_INFINITY : Math.max(untilMs, startedMs),
    )
    this.isExported = !request.exports
  }

  refuse({is, because}: {readonly is: Try['is']; readonly because: string}): void {
    this.refused = {mark: this.mark, is, because}
    this.isExported = !this.request.exports
    this.ports.tell('refused', `Not reconciled: ${because}`, {because})
  }

  /** Throws `incomplete` if the files come too late, `input_invalid` if they are another day's. */
  async come(): Promise<string[]> {
    const {now, tell} = this.ports
    let said = ''
    for (let isAgain = this.refused !== null; ; isAgain = false) {
      const missing = (isAgain && this.refused?.because) || ((await this.export()) ?? (await this.look()))
      if (typeof missing !== 'string') return missing
      // Even a short wait checks twice whether a present file still grows.
      const graceMs = this.mark === '' || this.refused ? 0 : lookEveryMs
      if (now() >= this.untilMs + graceMs) throw this.tooLate(missing)
      if (said !== missing) tell('waiting', `Waiting for the ledger: ${missing}`, {because: missing})
      said = missing
      const everyMs = this.isExported ? lookEveryMs : restMs
      await pause(Math.min(everyMs, Math.max(1_000, this.untilMs - now())), this.ports)
    }
  }

  private tooLate(missing: string): Failure {
    const {date} = this.request.day
    if (this.refused?.is === 'other_day')
      return new Failure(
        'input_invalid',
        `The ledger is not that of ${date}: ${this.refused.because}. Nothing was sent.`,
        'Export the ledger of that day, then run it again. To reconcile this file all the same, use `hisab reconcile`.',
      )
    return new Failure(
      'incomplete',
      `The ledger of ${date} did not come: ${missing}. Nothing was sent.`,
      `See to the export, then run it again with --day ${date}.${this.refused ? ' If there is no such file any more, name the others, each by a --ledger without *.' : ''}`,
    )
  }

  private async export(): Promise<string | null> {
    if (this.isExported) return null
    const {now, tell, exportLedger} = this.ports
    tell('exporting', 'Running --export-command')
    const problem = await exportLedger(Math.max(this.untilMs - now(), restMs))
    this.isExported = problem === null
    return problem
  }

  /** Returns the paths, or what is missing, as a clause. */
  private async look(): Promise<string | string[]> {
    const {now, look, tell} = this.ports
    const seen: SeenFile[] = []
    for (const path of this.request.paths) {
      const files = await look(path)
      if (files.length === 0) return `${escapeInvisible(path)} is not there`
      seen.push(...files)
    }
    const mark = JSON.stringify(seen)
    if (mark !== this.mark) this.markedMs = now()
    this.mark = mark
    if (mark === this.refused?.mark) return this.refused.because
    const resting = now() - Math.max(...seen.map(({changedMs}) => changedMs))
    const isStill = this.request.exports || resting >= restMs || now() - this.markedMs >= lookEveryMs
    if (!isStill) return `${escapeInvisible(seen.map(({path}) => path).join(', '))} was written to just now`
    tell('ledger', `The ledger of ${this.request.day.date} is there`, {files: seen})
    return seen.map(({path}) => path)
  }
}
