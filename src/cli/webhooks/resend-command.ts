import type {DeliveryFilter} from '../../core/delivery-filter.ts'
import {quoteForShell} from '../../core/shell.ts'
import {formatInstant} from '../../core/time.ts'

export function shellCommand(words: readonly string[], profileFlag: string | undefined): string {
  const profile = profileFlag === undefined ? [] : ['--profile', profileFlag]
  return ['hisab', ...words, ...profile].map(quoteForShell).join(' ')
}

export function resendCommand(words: readonly string[], profileFlag: string | undefined): string {
  return shellCommand(['webhooks', 'resend', ...words], profileFlag)
}

/** The words that select the records of an outage, or all, from a filtered list. */
export function outageWords(
  outage: {readonly id: string; readonly records: number},
  filter: DeliveryFilter,
  timeZone: string,
  resendsMax: number,
): string[] {
  const time = (ms: number | null) => (ms === null ? null : shortestInstant(ms, timeZone))
  const named = (flag: string, value: string | null) => {
    if (value === null) return []
    return value.startsWith('-') ? [`${flag}=${value}`] : [flag, value]
  }
  return [
    ...['--outage', outage.id, ...named('--host', filter.host)],
    ...named('--since', time(filter.sinceMs)),
    ...named('--until', time(filter.untilMs)),
    ...named('--event', filter.event),
    ...named('--order-no', filter.merchantOrderId),
    ...filter.codes.flatMap((code) => ['--code', code]),
    ...named('--url', filter.urlStart),
    ...(outage.records > resendsMax ? ['--max-resends', String(outage.records)] : []),
  ]
}

/** ISO 8601 with an offset, without empty seconds and milliseconds. */
function shortestInstant(ms: number, timeZone: string): string {
  if (ms % 1_000 !== 0) return new Date(ms).toISOString()
  return formatInstant(ms, timeZone).replace(/(T\d\d:\d\d):00/, '$1')
}
