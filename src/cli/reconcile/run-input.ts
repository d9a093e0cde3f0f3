import {setTimeout as delay} from 'node:timers/promises'

import type {LoadedProfile} from '../../config/load-profile.ts'
import {asFailure, continuedBy} from '../../core/failure.ts'
import {callPlanLine} from '../../report/plan-text.ts'
import type {ReconcileFacts} from '../../report/reconcile-report.ts'
import {windowNotes} from '../../report/window-text.ts'
import type {RunResult} from '../../workflows/reconcile/run.ts'
import type {RunRequest} from '../../workflows/reconcile/types.ts'
import {approveResends} from '../approve.ts'
import {type Context, monotonic} from '../context.ts'
import {evidenceLines, evidenceSettings} from '../evidence.ts'
import {Progress} from '../progress.ts'
import {styleFor} from '../style.ts'
import {type Turn, turnOf} from '../turn.ts'
import {shellCommand} from '../webhooks/resend-command.ts'
import type {ReconcileFlags} from './flags.ts'
import type {ReconcileInput} from './input.ts'

export interface InputRun extends Pick<RunRequest, 'businessDay'> {
  readonly input: ReconcileInput
  readonly flags: Pick<ReconcileFlags, 'profile' | 'resume' | 'dry-run' | 'yes'>
  readonly loaded: LoadedProfile
  readonly progress?: Progress
  readonly tell: (text: string) => void
  /** Reads the input again, to continue the run. Only with it may a person be asked before the run has the lock. */
  readonly again?: (runId: string) => Promise<ReconcileInput>
}

/** Another run worked between the plan and its answer. */
class PlanAgain extends Error {}

interface Agreement {
  asked: ReadonlySet<string> | null
  isYes: boolean
}

const sortedLater = 'The next run with --skip-final or --resume sorts the final orders.'

/** Reconciles under the merchant's lock, with notes on stderr. */
export async function runInput(run: InputRun, context: Context): Promise<RunResult> {
  const {flags, loaded, again, tell} = run
  // A dry run takes no lock of a shared journal.
  const isLooking = flags['dry-run'] && loaded.sharedJournal !== null
  const turn = isLooking ? null : await turnOf(context, loaded, !flags.yes && again !== undefined)
  const agreed: Agreement = {asked: null, isYes: false}
  for (let {input} = run, resumes = flags.resume !== undefined; ; resumes = true) {
    try {
      return await runOnce({...run, input}, {resumes, turn, agreed}, context)
    } catch (error) {
      if (!(error instanceof PlanAgain) || !again) throw error
      tell('note: somebody else was at work meanwhile. It is planned again.')
      input = await again(input.runId)
    }
  }
}

async function runOnce(
  {input, flags, loaded, businessDay, progress = new Progress(), tell}: InputRun,
  {
    resumes,
    turn,
    agreed,
  }: {readonly resumes: boolean; readonly turn: Turn | null; readonly agreed: Agreement},
  context: Context,
): Promise<RunResult> {
  const resumeCommand = shellCommand(['reconcile', '--resume', input.runId], flags.profile)
  const {runWithEvidence} = await import('../../workflows/evidence/keep.ts')
  const {concurrency, skipDeliveries, rate = null, listing} = input.options
  const result = await runWithEvidence(
    {
      ledger: input.ledger,
      staging: input.staging,
      options: input.options,
      resume: resumes,
      resumeCommand,
      dryRun: flags['dry-run'],
      reportDir: input.reportDir,
      listAll: listing?.all === true,
      sinceLast: listing?.sinceLast === true,
      lang: listing?.lang ?? 'en',
      ...(businessDay === undefined ? {} : {businessDay}),
    },
    {
      profile: loaded.profile,
      client: await context.client(loaded, {
        ordersOnly: skipDeliveries,
        concurrencyMax: concurrency,
        ratePerSecond: rate,
      }),
      journal: input.journal,
      received: await context.received(loaded),
      runId: input.runId,
      now: Date.now,
      monotonic,
      sleep: (ms) => delay(Math.max(0, ms)),
      signal: context.signal,
      onWindow: (meetings) => {
        for (const note of windowNotes(meetings, loaded.profile.ledger.timeZone)) tell(`note: ${note}`)
      },
      onNote: (note) => tell(`note: ${note}`),
      onPlan: (plan) => tell(callPlanLine(plan, styleFor(process.stderr), process.stderr.columns)),
      onProgress: (stage, done, total, breaks) => progress.update(stage, done, total, breaks),
      approve: async (planned) => {
        progress.end()
        const orders = plannedOrders(planned)
        // Others may have sent some meanwhile. Only new ones are asked about.
        if (agreed.asked && orders.isSubsetOf(agreed.asked)) return agreed.isYes
        await turn?.giveBack()
        agreed.asked = orders
        agreed.isYes = await approveResends(planned, flags.yes)
        return agreed.isYes
      },
      takeTurn: async () => {
        if (await isMoved(turn, resumeCommand)) throw new PlanAgain()
      },
    },
    evidenceSettings(context, loaded),
  )
  progress.end()
  if (result.unsorted) tell(`warning: this run is recorded, but ${result.unsorted.clause}. ${sortedLater}`)
  for (const line of result.evidence ? evidenceLines(result.evidence) : []) tell(line)
  return result
}

function plannedOrders({findings}: Pick<ReconcileFacts, 'findings'>): Set<string> {
  const planned = new Set<string>()
  for (const {kind, orderNo, resend} of findings)
    if (resend?.state === 'planned') planned.add(`${kind} ${orderNo}`)
  return planned
}

/** Throws `locked`. Everything found so far is in the journal: the run can be resumed. */
async function isMoved(turn: Turn | null, resumeCommand: string): Promise<boolean> {
  try {
    return (await turn?.take()) ?? false
  } catch (thrown) {
    const error = asFailure(thrown)
    if (error.code !== 'locked') throw error
    throw continuedBy(error, resumeCommand)
  }
}
