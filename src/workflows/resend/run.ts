import type {Dialect} from '../../core/dialect.ts'
import {asFailure, continuedBy, type ExitStatus, type Failure, isStop} from '../../core/failure.ts'
import type {ResendOverrides} from '../../core/reconcile/evidence.ts'
import type {ResendLine} from '../../report/resend-report.ts'
import type {ResendJob} from './job.ts'
import {overrideWordsOf} from './limits.ts'
import {closeIntents} from './memory.ts'
import type {ResendPlan} from './plan.ts'
import {type ResendPorts, runResends} from './resend.ts'
import type {WatchedResend} from './watch.ts'

/** A plan ready to be carried out, or what is left of one. */
export interface ResendWork {
  readonly selectedBy: ResendPlan['selectedBy']
  readonly incompleteBecause: readonly string[]
  /** Every selected record, as it ends where nothing is carried out. */
  readonly lines: readonly ResendLine[]
  readonly jobs: readonly ResendJob[]
  /** What an earlier process of the run sent without seeing its end. */
  readonly watched: readonly WatchedResend[]
  readonly overrides: ResendOverrides
  /** The last ignore when it was planned: `includeDelivered` was said in knowledge of no later one. */
  readonly wordsKnown?: number
  /** How many resends earlier processes of the run made. */
  readonly made: number
  /** Whether one of the run's resends has delivered already: then the merchant's server is known to be up. */
  readonly isProven: boolean
  /** Whether the run is in the journal already. */
  readonly isResumed: boolean
}

/** What a run keeps of its plan for `--resume`: a line without `why` is one to be sent. */
export interface StoredPlan
  extends Pick<ResendWork, 'selectedBy' | 'incompleteBecause' | 'overrides' | 'wordsKnown'> {
  readonly lines: readonly (Pick<ResendLine, 'id' | 'orderId' | 'merchantOrderId' | 'event' | 'isOpen'> & {
    readonly why: string | null
  })[]
  /** What the person allowed the plan to hold, at most. */
  readonly resendsMax: number
  /** Absent in runs of an earlier hisab, which did not keep it: then it may. */
  readonly mayUseCanary?: boolean
}

export interface ResendRunPorts extends Omit<ResendPorts, 'overrides' | 'canary' | 'wordsKnown'> {
  readonly resendsMax: number
  readonly dialect: Dialect
  /** Whether a run of many sends one ahead of the others. */
  readonly mayUseCanary: boolean
  /** The command that goes on with the run. */
  readonly resumeCommand: string
}

/** A plan of no more than this has no canary: the breaker holds after as many failures anyway. */
export const canaryAbove = 5

export function workOf(plan: ResendPlan, overrides: ResendOverrides): ResendWork {
  const {selectedBy, incompleteBecause, decisions} = plan
  return {
    selectedBy,
    incompleteBecause,
    overrides,
    watched: [],
    made: 0,
    isProven: false,
    isResumed: false,
    jobs: decisions.flatMap((decision) => (decision.resend ? [jobOf(decision)] : [])),
    lines: decisions.map((decision) => ({
      id: decision.id,
      orderId: decision.delivery?.orderId ?? null,
      merchantOrderId: decision.delivery?.merchantOrderId ?? null,
      event: decision.delivery?.event ?? null,
      isPlanned: decision.resend,
      ...(decision.resend ? {} : {isOpen: decision.isOpen}),
      outcome: decision.resend ? {state: 'planned', why: null} : {state: 'skipped', why: decision.why},
    })),
  }
}

/** What was approved, as it is in the new plan; never more. */
export function leftOf(work: ResendWork, again: ResendWork): ResendWork {
  const lines = new Map(again.lines.map((line) => [line.id, line]))
  return {
    ...work,
    incompleteBecause: [...work.incompleteBecause, ...again.incompleteBecause],
    jobs: again.jobs,
    lines: work.lines.map((line) => {
      const now = line.isPlanned ? lines.get(line.id) : undefined
      return now && !now.isPlanned ? {...line, isOpen: now.isOpen ?? false, outcome: now.outcome} : line
    }),
  }
}

export function jobOf({
  delivery,
  cause,
  records = [],
  isLookedUp = false,
}: Pick<ResendJob, 'delivery' | 'cause' | 'records' | 'isLookedUp'>): ResendJob {
  // A record does not say whether its order is a deposit or a payout: both are asked for before the send.
  return {
    ...{delivery, cause, records, isLookedUp},
    kind: null,
    orderNo: delivery.merchantOrderId,
    order: null,
  }
}

/** Carries out a plan as a run of the journal, and reports the end of each record; `statusOf` is recorded with it. */
export async function carryOut(
  work: ResendWork,
  ports: ResendRunPorts,
  statusOf: (lines: readonly ResendLine[]) => ExitStatus,
) {
  const {journal, runId, now, signal} = ports
  await startOrResume(work, ports)
  const end = (status: 'finished' | 'interrupted', exitStatus: ExitStatus) =>
    journal.finishRun(runId, {finishedAtMs: now(), status, exitStatus})
  const goesOn = (failure: Failure) => continuedBy(failure, ports.resumeCommand)
  try {
    const canary = ports.mayUseCanary && !work.isProven && work.jobs.length > canaryAbove
    const {outcomes, failure} = await runResends(
      work.jobs,
      {
        ...{...ports, canary, overrides: overrideWordsOf(work.overrides)},
        wordsKnown: work.overrides.includeDelivered ? work.wordsKnown : undefined,
      },
      work.watched,
    )
    const lines = work.lines.map((line) => ({...line, outcome: outcomes.get(line.id) ?? line.outcome}))
    try {
      await end(signal.aborted ? 'interrupted' : 'finished', statusOf(lines))
    } catch (thrown) {
      const error = asFailure(thrown)
      if (error.code === 'bug') throw error
      return {lines, failure: goesOn(failure ?? error)}
    }
    return {lines, failure: failure && goesOn(failure)}
  } catch (thrown) {
    const error = asFailure(thrown)
    try {
      await end(isStop(error) ? 'interrupted' : 'finished', error.exitStatus)
    } catch {
      // What stopped the run is the failure to tell, also where it keeps this from being written down.
    }
    throw goesOn(error)
  }
}

async function startOrResume(work: ResendWork, ports: ResendRunPorts): Promise<void> {
  const {journal, runId, now, resendsMax, mayUseCanary} = ports
  if (work.isResumed) {
    await journal.resumeRun(runId)
    await closeIntents(journal, runId)
    return
  }
  const {selectedBy, incompleteBecause, overrides, wordsKnown = 0, lines} = work
  const stored: StoredPlan = {
    ...{selectedBy, incompleteBecause, overrides, wordsKnown, resendsMax, mayUseCanary},
    lines: lines.map(({id, orderId, merchantOrderId, event, isOpen, isPlanned, outcome}) => ({
      ...{id, orderId, merchantOrderId, event},
      ...(isOpen ? {isOpen} : {}),
      why: isPlanned ? null : outcome.why,
    })),
  }
  await journal.startRun({
    ...{id: runId, command: 'resend', startedAtMs: now(), reportDir: null},
    options: JSON.stringify(stored),
  })
}
