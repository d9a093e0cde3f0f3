import type {Config} from '@oclif/core/config'

import {isClockOff} from '../../core/clocks.ts'
import {escapeInvisible} from '../../core/text.ts'
import {formatMinute} from '../../core/time.ts'
import type {RunRow} from '../../journal/rows.ts'
import type {Ledger} from '../../ledger/ledger.ts'
import {type BusinessDay, businessDay} from '../../workflows/nightly/business-day.ts'
import {sumBreaks} from '../../workflows/nightly/gates.ts'
import {mendable, type Try} from '../../workflows/nightly/job.ts'
import {missingFile} from '../../workflows/nightly/missing-file.ts'
import {Context} from '../context.ts'
import {toFailure} from '../failures.ts'
import {type ReconcileInput, readReconcileInput} from '../reconcile/input.ts'
import {runInput} from '../reconcile/run-input.ts'
import type {NightlyFlags} from './flags.ts'

export interface AttemptOptions {
  readonly config: Config
  readonly argv: readonly string[]
  readonly flags: NightlyFlags
  readonly written: ReadonlySet<string>
  readonly day: BusinessDay
  readonly onRun: (runId: string) => void
  readonly tell: (text: string) => void
}

/** Runs in which the bytes of a ledger are looked for. */
const runsMax = 2_000

/** One run of `reconcile`, or the rest of one that this job began. It returns failures instead of throwing them. */
export async function attemptRun(paths: readonly string[], options: AttemptOptions): Promise<Try> {
  try {
    const first = await inContext(options, (context) => begin(paths, null, options, context))
    return typeof first === 'string'
      ? ((await inContext(options, (context) => begin(paths, first, options, context))) as Try)
      : first
  } catch (error) {
    return {is: 'failed', failure: toFailure(error, 'nightly')}
  }
}

async function inContext<T>(
  {config, argv}: AttemptOptions,
  work: (context: Context) => Promise<T>,
): Promise<T> {
  const context = new Context(config, argv)
  try {
    return await work(context)
  } finally {
    await context.close()
  }
}

/** The end of a run; or the id of the run to continue, and nothing was done. */
async function begin(
  paths: readonly string[],
  resume: string | null,
  {flags: own, written, day, onRun, tell}: AttemptOptions,
  context: Context,
): Promise<Try | string> {
  const flags = {
    ...own,
    ...{yes: !own['dry-run'], plan: false, since: undefined, until: undefined, report: undefined},
    ...{'since-last-run': resume === null, resume: resume ?? undefined, written},
    ...{
      'include-delivered': false,
      'ignore-cooldown': false,
      'retry-unknown': false,
      ...{'include-missing': false, 'from-evidence': undefined, cutoff: undefined},
    },
  }
  const loaded = await context.loadProfile(own.profile)
  const runs = (await (await context.journal(loaded)).listRuns(runsMax)).flatMap(readRun)
  const missing = missingFile(own.ledger ?? [], paths, runs, day)
  if (missing !== null) {
    const because = `${escapeInvisible(missing)} is not there, and each of the last three nights had it`
    return {is: 'file_missing', because}
  }
  const input = await readReconcileInput(paths, flags, loaded, context, false, day.date)
  if (resume === null) {
    const because = otherDay(input.ledger, runs, day)
    if (because !== null) return {is: 'other_day', because}
    const unfinished = own['dry-run'] ? null : unfinishedRun(input, runs, day)
    if (unfinished !== null) return unfinished
  }
  onRun(input.runId)
  for (const note of input.notes) tell(note)
  const ofDay = own['dry-run'] ? {} : {businessDay: day.date}
  const {facts, report, status} = await runInput({input, flags, loaded, ...ofDay, tell}, context)
  const skewMs = facts.clockSkewMs
  if (own.day === undefined && isClockOff(skewMs)) {
    const {date} = businessDay(undefined, Date.now() + skewMs, day.timeZone)
    if (date !== day.date) tell(`warning: by the service's clock, the day that ended last is ${date}.`)
  }
  const {runId, complete, incompleteBecause, counts, resends, needPerson, unconfirmed, atRisk, reports} =
    report
  if (report.notSent) tell(`error: ${report.notSent.because}\n  try: ${report.notSent.next}`)
  const run = {
    ...{runId, complete, incompleteBecause, counts, resends, needPerson, unconfirmed, atRisk, reports},
    ...sumBreaks(facts.findings),
  }
  return {is: 'ended', status, run}
}

interface KnownRun extends Pick<RunRow, 'id' | 'startedAtMs' | 'status' | 'exitStatus'> {
  readonly paths: readonly string[]
  readonly shas: readonly string[]
  readonly night: string | null
}

function readRun({id, command, startedAtMs, status, exitStatus, options}: RunRow): KnownRun[] {
  if (command !== 'reconcile') return []
  const {ledger, night = null} = JSON.parse(options) as {
    ledger: {path: string; sha256: string}[]
    night?: string
  }
  const [paths, shas] = [ledger.map(({path}) => path), ledger.map(({sha256}) => sha256)]
  return [{id, startedAtMs, status, exitStatus, paths, shas, night}]
}

/** Why these files are not the day's, as a clause: an old file, or no row of the day. */
function otherDay({files, window}: Ledger, runs: readonly KnownRun[], day: BusinessDay): string | null {
  const {date, fromMs, toMs, timeZone} = day
  for (const {path, sha256} of files) {
    const known = runs.find(
      ({shas, night, startedAtMs}) =>
        shas.includes(sha256) && (night === null ? startedAtMs < toMs : night !== date),
    )
    if (known)
      return `${path} has the same bytes as the ledger of run ${known.id} of ${formatMinute(known.startedAtMs, timeZone)}`
  }
  if (!window.ok || (window.fromMs < toMs && window.toMs >= fromMs)) return null
  const times = [window.fromMs, window.toMs].map((ms) => formatMinute(ms, timeZone)).join(' to ')
  return `no row of ${files.map(({path}) => path).join(', ')} is of that day; their times are ${times}`
}

/** The run of this day and these files that another try continues. */
function unfinishedRun(
  {ledger}: ReconcileInput,
  runs: readonly KnownRun[],
  {date}: BusinessDay,
): string | null {
  const own = ledger.files.map(({sha256}) => sha256).join()
  // Newest first.
  const last = runs.find(({night, shas}) => night === date && shas.join() === own)
  if (!last) return null
  const isOver = last.status === 'finished' && !mendable.has(last.exitStatus ?? 1)
  return isOver ? null : last.id
}
