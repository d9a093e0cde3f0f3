import {type ExitStatus, exitStatusOf} from '../../src/core/failure.ts'
import type {Journal} from '../../src/journal/journal.ts'
import {acquireRunLock} from '../../src/journal/lock.ts'
import {resendStatus} from '../../src/report/resend-report.ts'
import {refuseTooMany} from '../../src/workflows/resend-limits.ts'
import {earlierResends} from '../../src/workflows/resend-memory.ts'
import {planResends, type ResendSelection} from '../../src/workflows/resend-plan.ts'
import {findStoredPlan, resumedWork} from '../../src/workflows/resend-resume.ts'
import {carryOut, type ResendLine, type ResendWork, workOf} from '../../src/workflows/resend-run.ts'
import {SimulatedNetwork, type Try} from './network.ts'
import {clientOf, type Ending, type JournalFile, live} from './night.ts'
import type {SimulatedProcess} from './process.ts'
import {profile} from './profile.ts'

/** What a person says to `hisab webhooks resend`. */
export interface ResendOptions {
  readonly runId: string
  readonly selection: ResendSelection
  readonly says: boolean
  readonly thinksMs: number
  readonly includeDelivered: boolean
  readonly ignoreCooldown: boolean
  readonly retryUnknown: boolean
  readonly mayUseCanary: boolean
  readonly resendsMax: number
  readonly settleMs: number
}

export interface ResendEnd {
  readonly process: SimulatedProcess
  readonly tries: readonly Try[]
  readonly startedMs: number
  readonly ending: Ending<{
    readonly status: ExitStatus
    readonly lines: readonly ResendLine[]
    readonly work: ResendWork
    readonly isRun: boolean
  }>
}

/** One process of `hisab webhooks resend`, put together as the command does it. */
export async function playResend(
  process: SimulatedProcess,
  journal: JournalFile,
  options: ResendOptions,
  resume: boolean,
): Promise<ResendEnd> {
  const {time, dir} = process.site
  const network = new SimulatedNetwork(process)
  const startedMs = time.nowMs
  const ending = await live(process, journal, async () => {
    const lock = acquireRunLock(dir, profile)
    const client = clientOf(process, network, 8)
    const ofProcess = process.journal(journal.get())
    const run = async () => {
      const work = await readWork(ofProcess, client, options, resume, time.now)
      refuseTooMany(work.jobs.length, options.resendsMax)
      const {signal} = process.stop
      const statusOf = (lines: readonly ResendLine[]) =>
        signal.aborted ? exitStatusOf.interrupted : resendStatus(lines, work)
      await process.sleep(options.thinksMs)
      const isRun = work.jobs.length + work.watched.length > 0 && options.says
      const lines = isRun
        ? await carryOut(
            work,
            {
              ...{client, journal: ofProcess, runId: options.runId, resendsMax: options.resendsMax, signal},
              ...{mayUseCanary: options.mayUseCanary, resumeCommand: 'hisab webhooks resend --resume'},
              ...{now: time.now, sleep: process.sleep, ratePerSecond: 5, settleMs: options.settleMs},
            },
            statusOf,
          )
        : work.lines
      return {status: statusOf(lines), lines, work, isRun}
    }
    try {
      return await Promise.race([run(), process.death.then(() => null as never)])
    } finally {
      lock.release()
      await client.close()
    }
  })
  return {process, tries: network.tries, startedMs, ending}
}

async function readWork(
  journal: Journal,
  client: ReturnType<typeof clientOf>,
  options: ResendOptions,
  resume: boolean,
  now: () => number,
): Promise<ResendWork> {
  const {runId, includeDelivered, ignoreCooldown, retryUnknown} = options
  const overrides = {includeDelivered, ignoreCooldown, retryUnknown}
  const ports = {
    client,
    timeZone: profile.ledger.timeZone,
    now,
    width: 8,
    earlierResend: earlierResends(journal, runId),
  }
  if (!resume) return workOf(await planResends(options.selection, {...ports, overrides}), overrides)
  const stored = findStoredPlan(journal, runId)
  return await resumedWork(stored, runId, journal, {...ports, overrides: stored.overrides})
}
