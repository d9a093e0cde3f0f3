import {changed, type Finding, type Findings} from '../../core/reconcile/finding.ts'
import {overrideWordsOf, refuseTooMany} from '../resend/limits.ts'
import {runResends, whyUnfinished} from '../resend/resend.ts'
import type {ReconcileOptions, ReconcilePorts, Reconciliation} from './types.ts'

/** Sends the planned resends and reports each result. */
export async function resendMissing(
  examined: Reconciliation,
  options: ReconcileOptions,
  ports: Omit<ReconcilePorts, 'resumes'>,
): Promise<Reconciliation> {
  const {resends} = examined
  refuseTooMany(examined.planned.length, resends.made, options.resendsMax)
  const {outcomes} = await (ports.recorded?.runResends ?? runResends)(
    examined.planned,
    {
      client: ports.client,
      journal: ports.journal,
      ...(ports.received && {received: ports.received}),
      runId: ports.runId,
      now: ports.now,
      monotonic: ports.monotonic,
      sleep: ports.sleep,
      ratePerSecond: options.resendsPerSecond,
      waitMs: options.waitMs,
      overrides: overrideWordsOf(options.overrides),
      signal: ports.signal,
      onNote: ports.onNote,
      onProgress: ports.onProgress,
    },
    resends.pending(examined.findings),
  )
  const ended = (finding: Finding): Finding => {
    const id = finding.delivery?.id ?? resends.rowOf(finding)?.deliveryId
    const outcome = id === undefined ? undefined : outcomes.get(id)
    return outcome ? {...finding, resend: outcome} : finding
  }
  const findings = changed(examined.findings, ended)
  return {
    ...examined,
    findings,
    seen: () => examined.seen(ended),
    incompleteBecause: [...new Set([...examined.incompleteBecause, ...unfinishedOf(findings)])],
    calls: {...ports.client.calls},
    clockSkewMs: ports.client.clockSkewMs,
  }
}

/** The result without sending: planned resends stay `planned`. */
export function leavePlanned(examined: Reconciliation): Reconciliation {
  const planned = new Set(examined.planned.map(({delivery}) => delivery.id))
  const findings = changed(examined.findings, (finding) =>
    finding.action === 'resend' &&
    finding.resend === null &&
    finding.delivery &&
    planned.has(finding.delivery.id)
      ? {...finding, resend: {state: 'planned' as const, sentAtMs: null, responseCode: null, why: null}}
      : finding,
  )
  return {
    ...examined,
    findings,
    incompleteBecause: [...new Set([...examined.incompleteBecause, ...unfinishedOf(findings)])],
  }
}

/** Counts all resends of the run, because those that an earlier process did not send are not finished either. */
function unfinishedOf(findings: Findings): string[] {
  return whyUnfinished(Iterator.from(findings).flatMap(({resend}) => (resend ? [resend] : [])))
}
