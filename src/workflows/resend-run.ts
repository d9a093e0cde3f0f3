import type {ExitStatus} from '../core/failure.ts'
import type {ResendOverrides} from '../core/reconcile/evidence.ts'
import type {ResendOutcome} from '../core/reconcile/finding.ts'
import {type ResendJob, type ResendPorts, runResends} from './resend.ts'
import {overrideWordsOf} from './resend-limits.ts'
import type {ResendDecision, ResendPlan} from './resend-plan.ts'

/** One selected record at the end: how its resend went, or why there was none. */
export interface ResendLine {
  readonly decision: ResendDecision
  readonly outcome: Pick<ResendOutcome, 'state' | 'why'>
}

export type ResendRunPorts = Omit<ResendPorts, 'overrides'>

export function plannedJobs({decisions}: ResendPlan): ResendJob[] {
  return decisions.flatMap((decision) =>
    decision.resend
      ? [
          {
            delivery: decision.delivery,
            kind: null,
            orderNo: decision.delivery.merchantOrderId,
            cause: decision.cause,
          },
        ]
      : [],
  )
}

/** A plan nobody carried out. */
export function leavePlanned({decisions}: ResendPlan): ResendLine[] {
  return decisions.map((decision) => ({
    decision,
    outcome: decision.resend ? {state: 'planned', why: null} : {state: 'skipped', why: decision.why},
  }))
}

/** Carries a plan out as a run of the journal, and says how each record ended; `statusOf` is recorded with it. */
export async function runPlan(
  plan: ResendPlan,
  overrides: ResendOverrides,
  ports: ResendRunPorts,
  statusOf: (lines: readonly ResendLine[]) => ExitStatus,
): Promise<ResendLine[]> {
  const {journal, runId, now, signal} = ports
  const jobs = plannedJobs(plan)
  const options = JSON.stringify({ids: jobs.map(({delivery}) => delivery.id), overrides})
  journal.startRun({id: runId, command: 'resend', startedAtMs: now(), options, reportDir: null})
  const {outcomes} = await runResends(jobs, {...ports, overrides: overrideWordsOf(overrides)})
  const lines = leavePlanned(plan).map((line) => ({
    ...line,
    outcome: (line.decision.resend && outcomes.get(line.decision.delivery.id)) || line.outcome,
  }))
  journal.finishRun(runId, {
    finishedAtMs: now(),
    status: signal.aborted ? 'interrupted' : 'finished',
    exitStatus: statusOf(lines),
  })
  return lines
}
