import {causeLabel, verdictLabel} from '../core/labels.ts'
import {asksAnotherRun, asksAPerson, type Finding} from '../core/reconcile/finding.ts'
import {escapeInvisible} from '../core/text.ts'
import {ageText} from './ageing-text.ts'
import {ledgerName} from './ledger-name.ts'
import type {ReconcileFacts} from './reconcile-report.ts'
import type {Style} from './table.ts'
import {labelled, wrapText} from './wrap.ts'

/** More than this many orders are not listed on a screen; the files hold them all. */
const listedMax = 15

export function personText(facts: ReconcileFacts, style: Style, width: number): string {
  const [person, anotherRun] = [new Listing(), new Listing()]
  for (const finding of facts.findings) {
    const listing = asksAPerson(finding) ? person : asksAnotherRun(finding) ? anotherRun : null
    const isListed = !facts.sinceLast || finding.history?.state !== 'open'
    listing?.add(finding.severity, isListed ? () => personLine(finding, facts, style, width) : null)
  }
  const texts = [person.text('Needs a person', style), anotherRun.text('Run it again', style)]
  return texts.filter((text) => text !== '').join('\n\n')
}

/** The gravest first: what is left to the files must not be what matters most. */
class Listing {
  private breaks = 0
  private listed = 0
  private readonly lines: Record<Finding['severity'], string[]> = {high: [], medium: [], low: [], none: []}

  /** `line` is null for what is counted and not listed. */
  add(severity: Finding['severity'], line: (() => string) | null): void {
    this.breaks += 1
    if (line === null) return
    this.listed += 1
    const alike = this.lines[severity]
    if (alike.length < listedMax) alike.push(line())
  }

  text(title: string, style: Style): string {
    const {breaks, listed, lines} = this
    if (breaks === 0) return ''
    const shown = [...lines.high, ...lines.medium, ...lines.low, ...lines.none].slice(0, listedMax)
    if (listed > listedMax) shown.push(style('dim', `  and ${listed - listedMax} more in findings.csv`))
    return [style('bold', `${title}: ${breaks}`), ...shown].join('\n')
  }
}

function personLine(
  finding: Finding,
  {finishedAtMs, ledger}: ReconcileFacts,
  style: Style,
  width: number,
): string {
  const {line, file, kind, orderNo, verdict, cause, explanation, resend} = finding
  const name = ledgerName(file === null ? null : (ledger[file]?.path ?? null), ledger)
  const place = line === null ? 'no row' : `${name === '' ? '' : `${name} `}line ${line}`
  const why = resend?.why ? ` ${resend.why}` : ''
  const no = orderNo === null ? '' : `${escapeInvisible(orderNo, 40)} `
  const result = [verdictLabel(verdict, kind).en, ...(cause === null ? [] : [causeLabel(cause, kind).en])]
  const what = `${no}${style('dim', result.join('; '))}${ageText(finding, finishedAtMs)}`
  const wrapped = wrapText(escapeInvisible(`${explanation}${why}`), width, ' '.repeat(12))
  return `${labelled(`  ${place.padEnd(9)} `, what, width)}\n${wrapped}`
}
