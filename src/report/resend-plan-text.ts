import {visible} from '../core/text.ts'
import {listText} from './list-text.ts'
import {type ResendReportLine, resendColumns, viewLine} from './resend-report.ts'
import type {Paint} from './table.ts'

const linesMax = 20

/** What a person reads before the question: what is sent and where, what is left out and why. */
export function resendPlanText(
  lines: readonly ResendReportLine[],
  {hosts, hasCanary}: {readonly hosts: readonly string[]; readonly hasCanary: boolean},
  paint: Paint,
  width?: number,
): string {
  const planned = lines.filter(({outcome}) => outcome.state === 'planned')
  const leftOut = lines.filter(({isPlanned}) => !isPlanned)
  const part = (title: string, rows: readonly ResendReportLine[]) => {
    if (rows.length === 0) return []
    const table = listText('table', resendColumns, rows.slice(0, linesMax).map(viewLine), paint, width)
    const more = rows.length - linesMax
    return [
      `${paint('bold', title)}: ${rows.length}`,
      more > 0 ? `${table}\n… and ${more} more; --dry-run lists all` : table,
    ]
  }
  return [
    planLine(planned, hosts, hasCanary),
    ...part('To be sent', planned),
    ...part('Left out', leftOut),
  ].join('\n')
}

/** The plan in one sentence. */
export function planLine(
  planned: readonly ResendReportLine[],
  hosts: readonly string[],
  hasCanary: boolean,
): string {
  if (planned.length === 0) return 'Nothing to resend.'
  const events = [...new Set(planned.map(({event}) => visible(event ?? '', 60)))].join(', ')
  const where = hosts.map((host) => visible(host, 80)).join(', ')
  const canary = hasCanary ? ' One is sent first, the others when its record shows success.' : ''
  return `Plan: resend ${planned.length === 1 ? '1 webhook' : `${planned.length} webhooks`} (${events}) to ${where}, once each.${canary}`
}
