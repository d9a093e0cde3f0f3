import {escapeInvisible} from '../core/text.ts'
import {listText} from './list-text.ts'
import {type ResendReportLine, resendColumns, viewLine} from './resend-report.ts'
import type {Style} from './table.ts'
import {wrapText} from './wrap.ts'

/** Where the plan sends to, and whether one webhook goes ahead of the others. */
interface PlanTarget {
  readonly hosts: readonly string[]
  readonly hasCanary: boolean
}

const linesMax = 20

/** What a person reads before the question: what is sent and where, what is left out and why. */
export function resendPlanText(
  lines: readonly ResendReportLine[],
  {hosts, hasCanary}: PlanTarget,
  style: Style,
  width?: number,
): string {
  const planned = lines.filter(({outcome}) => outcome.state === 'planned')
  const leftOut = lines.filter(({isPlanned}) => !isPlanned)
  const part = (title: string, rows: readonly ResendReportLine[]) => {
    if (rows.length === 0) return []
    const table = listText('table', resendColumns, rows.slice(0, linesMax).map(viewLine), style, width)
    const more = rows.length - linesMax
    return [
      `${style('bold', title)}: ${rows.length}`,
      more > 0 ? `${table}\n… and ${more} more; --dry-run lists all` : table,
    ]
  }
  return [
    resendPlanLine(planned, {hosts, hasCanary}, width),
    ...part('To be sent', planned),
    ...part('Left out', leftOut),
  ].join('\n')
}

export function resendPlanLine(
  planned: readonly ResendReportLine[],
  {hosts, hasCanary}: PlanTarget,
  width?: number,
): string {
  if (planned.length === 0) return 'Nothing to resend.'
  const events = [...new Set(planned.map(({event}) => escapeInvisible(event ?? '', 60)))].join(', ')
  const where = hosts.map((host) => escapeInvisible(host, 80)).join(', ')
  const count = planned.length === 1 ? '1 webhook' : `${planned.length} webhooks`
  const canary = hasCanary ? ' One is sent first; the others follow when its record shows success.' : ''
  return wrapText(`Plan: resend ${count} (${events}) to ${where}, once each.${canary}`, width ?? 1_000, '')
}
