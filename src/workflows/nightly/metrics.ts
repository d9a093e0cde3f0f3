import {formatPaisa} from '../../core/money.ts'
import type {BusinessDay} from './business-day.ts'
import type {NightlyEnd} from './job.ts'

/** A figure of a nightly job. All are gauges; none is summed over jobs. */
export interface Metric {
  readonly name: string
  readonly help: string
  /** As text, so that money stays exact. */
  readonly points: readonly {readonly labels: Readonly<Record<string, string>>; readonly value: string}[]
}

const gauge = (name: string, help: string, value: number | string): Metric => ({
  ...{name: `hisab_nightly_${name}`, help},
  points: [{labels: {}, value: String(value)}],
})

const gauges = (name: string, help: string, label: string, values: object): Metric => ({
  ...{name: `hisab_nightly_${name}`, help},
  points: Object.entries(values).map(([key, value]) => ({labels: {[label]: key}, value: String(value)})),
})

/** The figures for monitoring. Unknown ones are left out, never 0. */
export function nightlyMetrics(end: NightlyEnd, day: BusinessDay): Metric[] {
  const {startedMs, endedMs, waitedMs, tries, status, run, exceeded, isAlarm} = end
  const seconds = (ms: number) => ms / 1000
  const always = [
    gauge('exit_status', 'Exit status of the last night; 0 is good, 7 are breaks (docs/nightly.md).', status),
    gauge('alarm', '1 where somebody is to look now.', Number(isAlarm)),
    gauge('end_timestamp_seconds', 'When the last night ended.', seconds(endedMs)),
    gauge(
      'duration_seconds',
      'How long the last night took, waiting included.',
      seconds(endedMs - startedMs),
    ),
    gauge('ledger_wait_seconds', 'How long the last night waited for its ledger.', seconds(waitedMs)),
    gauge('tries', 'Runs that the last night started.', tries.length),
    gauge(
      'business_day_timestamp_seconds',
      'Beginning of the business day of the last night.',
      seconds(day.fromMs),
    ),
    gauge(
      'run_known',
      '1 where a run of the last night wrote a report. The figures below are from it.',
      Number(run !== null),
    ),
  ]
  if (run === null) return always
  const {rows, ...results} = run.counts
  return [
    ...always,
    gauge('complete', '1 where the run could check everything.', Number(run.complete)),
    gauge('ledger_rows', 'Rows of the ledger.', rows),
    gauges('orders', 'Orders by result.', 'result', results),
    gauge('breaks', 'Breaks that are left.', run.breaks),
    gauge('breaks_taka', 'Amount of the breaks that are left.', formatPaisa(run.amount)),
    gauge('breaks_amount_unknown', 'Breaks whose amount is unknown.', run.amountUnknown),
    gauge('need_person', 'Breaks that a person has to decide.', run.needPerson),
    gauge('at_risk_taka', 'Amount at risk, what waits by itself included.', run.atRisk.total),
    gauges('resends', 'Resends by how they ended.', 'state', run.resends),
    gauge(
      'limits_exceeded',
      'Limits of --max-breaks and --max-break-amount that are exceeded.',
      exceeded.length,
    ),
  ]
}

const escapeHelp = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
const escapeLabel = (text: string) => escapeHelp(text).replaceAll('"', '\\"')

/** The text format of Prometheus, version 0.0.4. */
export function prometheusText(metrics: readonly Metric[], common: Readonly<Record<string, string>>): string {
  const lines = metrics.flatMap(({name, help, points}) => [
    `# HELP ${name} ${escapeHelp(help)}`,
    `# TYPE ${name} gauge`,
    ...points.map(({labels, value}) => {
      const pairs = Object.entries({...common, ...labels}).map(
        ([key, text]) => `${key}="${escapeLabel(text)}"`,
      )
      return `${name}{${pairs.join(',')}} ${value}`
    }),
  ])
  return `${lines.join('\n')}\n`
}

type Attributes = readonly {readonly key: string; readonly value: {readonly stringValue: string}}[]

const attributes = (pairs: Readonly<Record<string, string>>): Attributes =>
  Object.entries(pairs).map(([key, stringValue]) => ({key, value: {stringValue}}))

/** The body of OTLP/HTTP in JSON (opentelemetry-proto, `ExportMetricsServiceRequest`). */
export function otlpBody(
  metrics: readonly Metric[],
  resource: Readonly<Record<string, string>>,
  scope: {readonly name: string; readonly version: string},
  {startedMs, endedMs}: Pick<NightlyEnd, 'startedMs' | 'endedMs'>,
): object {
  const nanoseconds = (ms: number) => `${Math.round(ms)}000000`
  return {
    resourceMetrics: [
      {
        resource: {attributes: attributes(resource)},
        scopeMetrics: [
          {
            scope,
            metrics: metrics.map(({name, help, points}) => ({
              name,
              description: help,
              unit: name.endsWith('_seconds') ? 's' : '1',
              gauge: {
                dataPoints: points.map(({labels, value}) => ({
                  attributes: attributes(labels),
                  startTimeUnixNano: nanoseconds(startedMs),
                  timeUnixNano: nanoseconds(endedMs),
                  asDouble: Number(value),
                })),
              },
            })),
          },
        ],
      },
    ],
  }
}
