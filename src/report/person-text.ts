import {causeLabel, verdictLabel} from '../core/labels.ts'
import {formatTaka, type Paisa} from '../core/money.ts'
import {asksAnotherRun, asksAPerson, type Finding} from '../core/reconcile/finding.ts'
import {amountInvolved} from '../core/reconcile/verdict-facts.ts'
import {escapeInvisible} from '../core/text.ts'
import {ageText} from './ageing-text.ts'
import {counted} from './figures.ts'
import {ledgerName} from './ledger-name.ts'
import type {ReconcileFacts} from './reconcile-report.ts'
import type {Style} from './table.ts'
import {labelled, wrapText} from './wrap.ts'

/** Most causes, and orders of a cause, on a screen; the files have them all. */
const listedMax = 15

export function personText(facts: ReconcileFacts, style: Style, width: number): string {
  const [person, anotherRun] = [new Listing(facts), new Listing(facts)]
  for (const finding of facts.findings) {
    const listing = asksAPerson(finding) ? person : asksAnotherRun(finding) ? anotherRun : null
    listing?.add(finding, !facts.sinceLast || finding.history?.state !== 'open')
  }
  const texts = [person.text('Needs a person', style, width), anotherRun.text('Run it again', style, width)]
  return texts.filter((text) => text !== '').join('\n\n')
}

const severities = ['high', 'medium', 'low', 'none'] as const

interface Paragraph {
  readonly first: Finding
  sentences: readonly string[]
  count: number
  amount: Paisa | null
  readonly orders: string[]
}

class Listing {
  private breaks = 0
  private readonly facts: ReconcileFacts
  private readonly paragraphs = new Map<string, Paragraph>()

  constructor(facts: ReconcileFacts) {
    this.facts = facts
  }

  add(finding: Finding, isListed: boolean): void {
    this.breaks += 1
    if (!isListed) return
    const {kind, verdict, cause, action, severity, resend} = finding
    const key = [severity, kind, verdict, cause, action, resend?.state].join()
    const amount = amountInvolved(finding)
    const known = this.paragraphs.get(key)
    if (!known) {
      const orders = [this.nameOf(finding)]
      this.paragraphs.set(key, {first: finding, sentences: sentencesOf(finding), count: 1, amount, orders})
      return
    }
    const own = new Set(sentencesOf(finding).map(withoutDetails))
    known.sentences = known.sentences.map(withoutDetails).filter((sentence) => own.has(sentence))
    known.count += 1
    if (amount !== null) known.amount = (known.amount ?? 0n) + amount
    if (known.orders.length < listedMax) known.orders.push(this.nameOf(finding))
  }

  /** Gravest first, because the end may be cut. */
  text(title: string, style: Style, width: number): string {
    if (this.breaks === 0) return ''
    const rank = ({first}: Paragraph) => severities.indexOf(first.severity)
    const sorted = [...this.paragraphs.values()].sort((a, b) => rank(a) - rank(b) || b.count - a.count)
    const shown = sorted
      .slice(0, listedMax)
      .map((one) => (one.count === 1 ? this.single(one.first, style, width) : several(one, style, width)))
    const left = sorted.slice(listedMax).reduce((count, one) => count + one.count, 0)
    if (left > 0) shown.push(style('dim', `  and ${left} more in findings.csv`))
    return [style('bold', `${title}: ${this.breaks}`), ...shown].join('\n')
  }

  private single(finding: Finding, style: Style, width: number): string {
    const {finishedAtMs} = this.facts
    const no = finding.orderNo === null ? '' : `${escapeInvisible(finding.orderNo, 40)} `
    const what = `${no}${style('dim', resultOf(finding))}${ageText(finding, finishedAtMs)}`
    const text = escapeInvisible(sentencesOf(finding).join(' '))
    return `${labelled(`  ${this.placeOf(finding).padEnd(9)} `, what, width)}\n${wrapText(text, width, ' '.repeat(12))}`
  }

  private placeOf({line, file}: Finding): string {
    const {ledger} = this.facts
    const name = ledgerName(file === null ? null : (ledger[file]?.path ?? null), ledger)
    return line === null ? 'no row' : `${name === '' ? '' : `${name} `}line ${line}`
  }

  /** `D-1002 (line 3, BDT 1,200.00)` */
  private nameOf(finding: Finding): string {
    const amount = amountInvolved(finding)
    const money = amount === null ? '' : `, BDT ${formatTaka(amount)}`
    const facts = `${this.placeOf(finding)}${money}${ageText(finding, this.facts.finishedAtMs)}`
    return finding.orderNo === null ? facts : `${escapeInvisible(finding.orderNo, 40)} (${facts})`
  }
}

function resultOf({verdict, kind, cause}: Finding): string {
  return [verdictLabel(verdict, kind).en, ...(cause === null ? [] : [causeLabel(cause, kind).en])].join('; ')
}

function sentencesOf({explanation, resend}: Finding): string[] {
  return `${explanation}${resend?.why ? ` ${resend.why}` : ''}`.split(/(?<=[.;]) (?=[A-Z])/)
}

/** The sentence without one order's amount, time and answer. */
function withoutDetails(sentence: string): string {
  return sentence.replace(/ ?\([^()]*\)/g, '').replace(/ at \d{4}-\d\d-\d\d \d\d:\d\d/g, '')
}

function several({first, sentences, count, amount, orders}: Paragraph, style: Style, width: number): string {
  const money = amount === null ? '' : `, BDT ${formatTaka(amount)}`
  const title = `${style('dim', resultOf(first))}, ${counted(count, 'order', 'orders')}${money}`
  const more = count > orders.length ? `, and ${count - orders.length} more in findings.csv` : ''
  const parts = [escapeInvisible(sentences.join(' ')), `${orders.join(', ')}${more}`].filter(
    (text) => text !== '',
  )
  return [labelled('  ', title, width), ...parts.map((text) => wrapText(text, width, ' '.repeat(4)))].join(
    '\n',
  )
}
