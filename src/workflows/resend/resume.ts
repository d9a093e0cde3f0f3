import {Failure} from '../../core/failure.ts'
import type {Delivery} from '../../core/order.ts'
import {isTakenSince} from '../../core/reconcile/evidence.ts'
import {escapeInvisible} from '../../core/text.ts'
import {formatMinute, parseInstant} from '../../core/time.ts'
import type {Journal} from '../../journal/journal.ts'
import type {ResendRow, RunRow} from '../../journal/rows.ts'
import type {ResendLine} from '../../report/resend-report.ts'
import {isPending, outcomeFrom} from './memory.ts'
import {planResends, type ResendDecision, type ResendPlanPorts} from './plan.ts'
import {jobOf, type ResendWork, type StoredPlan} from './run.ts'
import {watchedFrom} from './watch.ts'

/** The plan of an earlier `webhooks resend`, and when it was made. */
type FoundPlan = StoredPlan & Pick<RunRow, 'startedAtMs'>

/** Throws `usage` where there is none of this id. */
export async function findStoredPlan(journal: Journal, runId: string): Promise<FoundPlan> {
  const run = await journal.findRun(runId)
  if (run?.command === 'resend') {
    refuseAlive(run)
    return {...readStored(run), startedAtMs: run.startedAtMs}
  }
  throw new Failure(
    'usage',
    run
      ? `The run ${runId} is a reconciliation.`
      : `There is no run ${escapeInvisible(runId, 60)} of this profile and merchant.`,
    run ? `Continue it with \`hisab reconcile --resume ${runId}\`.` : 'List the runs with `hisab runs list`.',
  )
}

/** Throws `locked` where another process is at work on the run. */
export function refuseAlive({id, isAlive, status, by, machine}: RunRow): void {
  if (status !== 'running' || isAlive !== true) return
  throw new Failure(
    'locked',
    `${escapeInvisible(`${by ?? 'hisab'}@${machine ?? '?'}`, 120)} is at work on the run ${id}. Nothing was sent.`,
    'Wait until it is over. Where that machine is gone, it can be resumed within a minute.',
  )
}

/**
 * What is left of an interrupted run: nothing it sent is sent again (P4), what it saw no end of is watched, and
 * what it had not come to is weighed anew, because hours may have passed. What its plan left out stays out.
 */
export async function resumedWork(
  stored: FoundPlan,
  runId: string,
  journal: Journal,
  ports: ResendPlanPorts,
): Promise<ResendWork> {
  // What never left is to be sent as if it had not been tried.
  const left = (await journal.resendsOfRun(runId)).filter(({state}) => state !== 'not_sent')
  const rows = new Map(left.map((row) => [row.deliveryId, row]))
  const pending = stored.lines.filter(({id, why}) => why === null && !rows.has(id))
  const plan = await planResends({by: 'ids', ids: pending.map(({id}) => id)}, ports)
  const decisions = new Map(plan.decisions.map((decision) => [decision.id.toLowerCase(), decision]))
  const whyDone = (record: Delivery) => whyTaken(record, stored, ports)
  return {
    selectedBy: stored.selectedBy,
    incompleteBecause: [...stored.incompleteBecause, ...plan.incompleteBecause],
    overrides: stored.overrides,
    wordsKnown: stored.wordsKnown ?? 0,
    made: rows.size,
    isProven: [...rows.values()].some(({state}) => state === 'delivered'),
    isResumed: true,
    watched: [...rows.values()].filter(isPending).map(watchedFrom),
    jobs: plan.decisions.flatMap((decision) => (decision.resend ? [jobOf(decision)] : [])),
    lines: stored.lines.map((line) => ({
      ...line,
      isPlanned: line.why === null,
      outcome: outcomeOf(line, rows.get(line.id), decisions.get(line.id.toLowerCase()), whyDone),
    })),
  }
}

function outcomeOf(
  {why}: StoredPlan['lines'][number],
  row: ResendRow | undefined,
  decision: ResendDecision | undefined,
  whyDone: (record: Delivery) => string | null,
): ResendLine['outcome'] {
  if (row) return outcomeFrom(row)
  if (!decision) return {state: 'skipped', why}
  if (decision.resend) return {state: 'planned', why: null}
  const done = decision.delivery && whyDone(decision.delivery)
  return done ? {state: 'skipped', why: done, isDone: true} : {state: 'skipped', why: decision.why}
}

/** Why nothing is left to do for a planned record: what was planned as delivered already must have been sent again since. */
function whyTaken(
  record: Delivery,
  {overrides, startedAtMs}: FoundPlan,
  {client: {clockSkewMs}, timeZone}: Pick<ResendPlanPorts, 'client' | 'timeZone'>,
): string | null {
  const sinceMs = overrides.includeDelivered ? startedAtMs + (clockSkewMs ?? 0) : 0
  if (!isTakenSince(record, sinceMs)) return null
  return `Your server took it at ${formatMinute(parseInstant(record.sentAt ?? '') ?? 0, timeZone)}. Nothing is left to send.`
}

function readStored({id, options}: RunRow): StoredPlan {
  const stored = JSON.parse(options) as Partial<StoredPlan>
  if (stored.lines) return stored as StoredPlan
  throw new Failure(
    'usage',
    `An earlier version of hisab made the run ${id} and did not keep its plan.`,
    'Run the original command again. hisab remembers what was resent.',
  )
}
