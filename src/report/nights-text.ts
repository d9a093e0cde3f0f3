import type {Finding} from '../core/reconcile/finding.ts'
import {ageDays} from '../core/reconcile/history.ts'
import {counted, grouped} from './figures.ts'
import type {ReconcileReport} from './reconcile-report.ts'
import type {Paint} from './table.ts'

/** How long a finding stands, to be put behind its verdict; nothing where it is new. */
export function ageText({history}: Finding, nowMs: number): string {
  if (!history || history.state === 'new') return ''
  return history.state === 'reopened' ? ', reopened' : `, open ${days(ageDays(history.openedMs, nowMs))}`
}

/** The money at risk in one line; nothing where none is. */
export function atRiskLine({atRisk}: ReconcileReport, paint: Paint): string {
  if (atRisk.total === '0.00') return ''
  const parts = (['high', 'medium', 'low', 'ignored'] as const).flatMap((part) =>
    atRisk[part] === '0.00' ? [] : [`${part} ${grouped(atRisk[part])}`],
  )
  return `${paint('bold', 'At risk')}  BDT ${grouped(atRisk.total)}: ${parts.join(', ')}`
}

/** How this night stands to those before it; nothing where there was none, or nothing was open. */
export function nightsText({memory, sinceLast}: ReconcileReport, paint: Paint): string {
  const {open, reopened, healed, notExamined, ignored, oldestDays} = memory
  const lines: string[] = []
  if (open + reopened + healed.length > 0) {
    const listed = sinceLast && open > 0 ? ', not listed (--since-last)' : ''
    lines.push(
      `${paint('bold', 'Nights')}   ${memory.new} new, ${open} open${open > 0 ? `, the oldest ${days(oldestDays)}` : ''}${listed}, ${reopened} reopened, ${paint('green', `${healed.length} healed`)}`,
    )
  }
  if (notExamined.length > 0)
    lines.push(
      `         ${notExamined.length} open from earlier nights, not in this ledger: report.json names them`,
    )
  if (ignored > 0)
    lines.push(`${paint('bold', 'Ignored')}  ${ignored}, in every figure above: hisab ignores list tells why`)
  return lines.join('\n')
}

function days(count: number): string {
  return counted(count, 'day', 'days')
}
