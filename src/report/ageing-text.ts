import {historyLabels, severityLabels} from '../core/labels.ts'
import type {Finding} from '../core/reconcile/finding.ts'
import {ageDays} from '../core/reconcile/history.ts'
import {counted, grouped} from './figures.ts'
import type {ReconcileReport} from './reconcile-report.ts'
import type {Style} from './table.ts'
import {labelled} from './wrap.ts'

/** The age that follows a verdict; empty for a new finding. */
export function ageText({history}: Finding, nowMs: number): string {
  if (!history || history.state === 'new') return ''
  if (history.state === 'reopened' || history.state === 'changed')
    return `, ${historyLabels[history.state].en}`
  const days = ageDays(history.openedMs, nowMs)
  return days === 0 ? ', open since today' : `, open ${counted(days, 'day', 'days')}`
}

/** The amount at risk in one line, or nothing. */
export function atRiskLine({atRisk}: ReconcileReport, style: Style): string {
  if (atRisk.total === '0.00') return ''
  const parts = (['high', 'medium', 'low', 'ignored'] as const).flatMap((part) =>
    atRisk[part] === '0.00'
      ? []
      : [`${part === 'ignored' ? part : severityLabels[part].en} ${grouped(atRisk[part])}`],
  )
  return `${style('bold', 'Amount at risk')}  BDT ${grouped(atRisk.total)}: ${parts.join(', ')}`
}

/** Comparison with earlier runs; empty without earlier open items. */
export function ageingText(
  {memory, sinceLast}: Pick<ReconcileReport, 'memory' | 'sinceLast'>,
  style: Style,
  width: number,
): string {
  const {open, changed, reopened, closed, notExamined, ignored, oldestDays} = memory
  const confirmed = closed.filter(({state}) => state === 'confirmed').length
  const lines: string[] = []
  if (open + changed + reopened + closed.length + notExamined.length > 0) {
    const oldest = oldestDays > 0 ? `, the oldest ${counted(oldestDays, 'day', 'days')}` : ''
    const parts = [
      memory.new > 0 && `${memory.new} new`,
      open > 0 && `${open} open${oldest}${sinceLast ? ', not listed (--since-last)' : ''}`,
      changed > 0 && style('yellow', `${changed} changed`),
      reopened > 0 && `${reopened} back again`,
      confirmed > 0 && style('green', `${confirmed} confirmed`),
      closed.length > confirmed && style('green', `${closed.length - confirmed} closed`),
    ]
    const text = parts.filter(Boolean).join(', ')
    if (text !== '') lines.push(labelled(`${style('bold', 'Earlier runs')}  `, text, width))
  }
  if (notExamined.length > 0)
    lines.push(
      labelled(
        lines.length > 0 ? ' '.repeat(14) : `${style('bold', 'Earlier runs')}  `,
        `${notExamined.length} open from earlier runs, not checked by this run: see report.html`,
        width,
      ),
    )
  if (ignored > 0) {
    const text = `${ignored}, included in every figure above. List them: hisab ignores list`
    lines.push(labelled(`${style('bold', 'Ignored')}  `, text, width))
  }
  return lines.join('\n')
}
