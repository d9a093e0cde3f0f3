import {environmentOfOthers} from '../../config/others-environment.ts'
import {formatPaisa} from '../../core/money.ts'
import {writeFileAtomically} from '../../files/private-files.ts'
import type {NightlyEnd} from '../../workflows/nightly/job.ts'
import {nightlyMetrics, otlpBody, prometheusText} from '../../workflows/nightly/metrics.ts'
import {scrub} from '../streams.ts'
import {runShell} from './shell.ts'
import {heartbeatUrl, otlpTarget} from './targets.ts'
import type {NightlyView} from './view.ts'

const breakCommandMs = 60_000

/** The environment of the merchant's own command, without hisab's variables and secrets. */
export function environmentOfExport(facts: Readonly<Record<string, string>>): Record<string, string> {
  const own = Object.entries(process.env).flatMap(([name, value = '']) =>
    name.startsWith('HISAB_') || scrub(value) !== value ? [] : [[name, value] as const],
  )
  return {...Object.fromEntries(own), ...facts}
}

/**
 * Writes the figures for node_exporter, which runs as another user: they name no order and no person. Throws
 * `storage_failed`.
 */
export function writeMetrics(path: string, end: NightlyEnd, view: NightlyView): void {
  const text = prometheusText(nightlyMetrics(end, view.day), {profile: view.profile})
  writeFileAtomically(path, text, 0o644)
}

export async function sendMetrics(
  end: NightlyEnd,
  view: NightlyView,
  version: string,
): Promise<string | null> {
  const target = otlpTarget(process.env)
  if (target === null || typeof target === 'string') return target
  const resource = {...target.resource, 'hisab.profile': view.profile}
  const body = otlpBody(nightlyMetrics(end, view.day), resource, {name: 'hisab', version}, end)
  const headers = {...target.headers, 'content-type': 'application/json'}
  const {post} = await import('./post.ts')
  const problem = await post(target.url, headers, JSON.stringify(body))
  return problem && `OpenTelemetry: ${problem}`
}

export async function beat(url: string, word: '' | 'start' | 'fail', body: string): Promise<string | null> {
  const {post} = await import('./post.ts')
  const problem = await post(heartbeatUrl(url, word), {'content-type': 'text/plain; charset=utf-8'}, body)
  return problem && `--heartbeat${word === '' ? '' : ` (${word})`}: ${problem}`
}

/** Tells the merchant's own command about breaks. It gets none of hisab's variables and no secret. */
export async function runBreakCommand(
  command: string,
  end: NightlyEnd,
  view: NightlyView,
  signal: AbortSignal,
): Promise<string | null> {
  const {run, status, isAlarm} = end
  if (run === null) return null
  const env = {
    ...environmentOfOthers(process.env),
    HISAB_DAY: view.day.date,
    HISAB_PROFILE: view.profile,
    HISAB_RUN_ID: run.runId,
    HISAB_EXIT_STATUS: String(status),
    HISAB_BREAKS: String(run.breaks),
    HISAB_BREAK_AMOUNT: formatPaisa(run.amount),
    HISAB_ALARM: isAlarm ? '1' : '0',
    HISAB_REPORT_DIR: run.reports.dir,
  }
  const input = `${JSON.stringify(view.result, null, 2)}\n`
  const problem = await runShell({command, env, input, output: null, timeoutMs: breakCommandMs, signal})
  return problem && `--on-break-command: ${problem}`
}
