import {formatTaka, type Paisa} from '../core/money.ts'
import {escapeInvisible} from '../core/text.ts'
import {type ListColumn, listText} from './list-text.ts'
import {type ResendLine, type ResendRecordView, resendColumns, viewLine} from './resend-report.ts'
import type {Style} from './table.ts'
import {wrapText} from './wrap.ts'

interface PlanTarget {
  readonly hosts: readonly string[]
  readonly hasCanary: boolean
}

interface PlanAmounts {
  /** By the record's id, if known. */
  readonly amounts: ReadonlyMap<string, Paisa>
}

const linesMax = 20

/** Shown before the question: what is sent and where, what is left out and why. */
export function resendPlanText(
  lines: readonly ResendLine[],
  {hosts, hasCanary, amounts}: PlanTarget & PlanAmounts,
  style: Style,
  width?: number,
): string {
  const planned = lines.filter(({outcome}) => outcome.state === 'planned')
  const leftOut = lines.filter(({isPlanned}) => !isPlanned)
  const part = (title: string, rows: readonly ResendLine[]) => {
    if (rows.length === 0) return []
    const columns = rows.some(({id}) => amounts.has(id)) ? withAmounts(amounts) : resendColumns
    const table = listText('table', columns, rows.slice(0, linesMax).map(viewLine), style, width)
    const more = rows.length - linesMax
    return [
      `${style('bold', title)}: ${rows.length}${totalOf(rows, amounts)}`,
      more > 0 ? `${table}\n… and ${more} more; --dry-run lists all` : table,
    ]
  }
  return [
    resendPlanLine(planned, {hosts, hasCanary}, width),
    ...part('To be sent', planned),
    ...part('Left out', leftOut),
  ].join('\n')
}

function withAmounts(amounts: PlanAmounts['amounts']): ListColumn<ResendRecordView>[] {
  const value = ({id}: ResendRecordView) => {
    const amount = amounts.get(id)
    return amount === undefined ? '' : formatTaka(amount)
  }
  const column: ListColumn<ResendRecordView> = {name: 'amount', title: 'BDT', kind: 'number', value}
  return [...resendColumns, column]
}

function totalOf(rows: readonly ResendLine[], amounts: PlanAmounts['amounts']): string {
  const known = rows.flatMap(({id}) => amounts.get(id) ?? [])
  if (known.length === 0) return ''
  const sum = formatTaka(known.reduce((total, amount) => total + amount, 0n))
  return `, BDT ${sum}${known.length === rows.length ? '' : ` in ${known.length} of them`}`
}

export function resendPlanLine(
  planned: readonly ResendLine[],
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
