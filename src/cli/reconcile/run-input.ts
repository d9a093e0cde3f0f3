import {setTimeout as delay} from 'node:timers/promises'

import type {LoadedProfile} from '../../config/load-profile.ts'
import {callPlanLine} from '../../report/plan-text.ts'
import {windowNotes} from '../../report/window-text.ts'
import type {RunResult} from '../../workflows/reconcile/run.ts'
import type {RunRequest} from '../../workflows/reconcile/types.ts'
import {approveResends} from '../approve.ts'
import {type Context, monotonic} from '../context.ts'
import {Progress} from '../progress.ts'
import {styleFor} from '../style.ts'
import {shellCommand} from '../webhooks/resend-command.ts'
import type {ReconcileFlags} from './flags.ts'
import type {ReconcileInput} from './input.ts'

export interface InputRun extends Pick<RunRequest, 'night'> {
  readonly input: ReconcileInput
  readonly flags: Pick<ReconcileFlags, 'profile' | 'resume' | 'dry-run' | 'yes'>
  readonly loaded: LoadedProfile
  readonly progress?: Progress
  readonly tell: (text: string) => void
}

const sortedLater = 'The next run with --skip-final or --resume sorts the final orders.'

/** Reconciles what was read, under the merchant's lock, and tells on stderr what a person should know meanwhile. */
export async function runInput(
  {input, flags, loaded, night, progress = new Progress(), tell}: InputRun,
  context: Context,
): Promise<RunResult> {
  await context.lock(loaded)
  const {runReconcile} = await import('../../workflows/reconcile/run.ts')
  const {concurrency, skipDeliveries, rate = null, listing} = input.options
  const result = await runReconcile(
    {
      ledger: input.ledger,
      staging: input.staging,
      options: input.options,
      resume: flags.resume !== undefined,
      resumeCommand: shellCommand(['reconcile', '--resume', input.runId], flags.profile),
      dryRun: flags['dry-run'],
      reportDir: input.reportDir,
      listAll: listing?.all === true,
      sinceLast: listing?.sinceLast === true,
      ...(night === undefined ? {} : {night}),
    },
    {
      profile: loaded.profile,
      client: await context.client(loaded, {
        ordersOnly: skipDeliveries,
        concurrencyMax: concurrency,
        ratePerSecond: rate,
      }),
      journal: input.journal,
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
      approve: (planned) => {
        progress.end()
        return approveResends(planned, flags.yes)
      },
    },
  )
  progress.end()
  if (result.unsorted) tell(`warning: this run is recorded, but ${result.unsorted.clause}. ${sortedLater}`)
  return result
}
