import {asksAnotherRun, asksAPerson, type Finding} from '../core/reconcile/finding.ts'
import {severities} from '../core/reconcile/verdict.ts'
import {amountInvolved} from '../core/reconcile/verdict-facts.ts'
import {escapeInvisible} from '../core/text.ts'
import {ageText} from './ageing-text.ts'
import {moneyAfter} from './figures.ts'
import {resultText, wordsOf} from './finding-view.ts'
import {ledgerName} from './ledger-name.ts'
import {Orders} from './orders-sum.ts'
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

interface Paragraph {
  readonly first: Finding
  sentences: readonly string[]
  readonly sum: Orders
  readonly names: string[]
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
    const known = this.paragraphs.get(key)
    const sentences = sentencesOf(finding)
    const paragraph = known ?? {first: finding, sentences, sum: new Orders(), names: []}
    if (known) known.sentences = ofBoth(known.sentences, sentences)
    paragraph.sum.add(finding)
    if (paragraph.names.length < listedMax) paragraph.names.push(this.nameOf(finding))
    this.paragraphs.set(key, paragraph)
  }

  /** Gravest first, because the end may be cut. */
  text(title: string, style: Style, width: number): string {
    if (this.breaks === 0) return ''
    const rank = ({first}: Paragraph) => -severities.indexOf(first.severity)
    const sorted = [...this.paragraphs.values()].sort(
      (a, b) => rank(a) - rank(b) || b.sum.count - a.sum.count,
    )
    const shown = sorted
      .slice(0, listedMax)
      .map((one) => (one.sum.count === 1 ? this.single(one.first, style, width) : several(one, style, width)))
    const left = sorted.slice(listedMax).reduce((count, {sum}) => count + sum.count, 0)
    if (left > 0) shown.push(style('dim', `  and ${left} more in findings.csv`))
    return [style('bold', `${title}: ${this.breaks}`), ...shown].join('\n')
  }

  private single(finding: Finding, style: Style, width: number): string {
    const {finishedAtMs} = this.facts
    const no = finding.orderNo === null ? '' : `${escapeInvisible(finding.orderNo, 40)} `
    const what = `${no}${style('dim', resultText(finding))}${ageText(finding, finishedAtMs)}`
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
    const money = moneyAfter(amountInvolved(finding))
    const facts = `${this.placeOf(finding)}${money}${ageText(finding, this.facts.finishedAtMs)}`
    return finding.orderNo === null ? facts : `${escapeInvisible(finding.orderNo, 40)} (${facts})`
  }
}

function sentencesOf(finding: Finding): string[] {
  return wordsOf(finding).split(/(?<=[.;]) (?=[A-Z])/)
}

/** The sentences that two orders share: word for word, or without one order's amount, time and answer. */
function ofBoth(one: readonly string[], other: readonly string[]): string[] {
  const own = new Set(other.flatMap((sentence) => [sentence, withoutDetails(sentence)]))
  return one.flatMap((sentence) => [sentence, withoutDetails(sentence)].find((text) => own.has(text)) ?? [])
}

function withoutDetails(sentence: string): string {
  return sentence.replace(/ ?\([^()]*\)/g, '').replace(/ at \d{4}-\d\d-\d\d \d\d:\d\d/g, '')
}

function several({first, sentences, sum, names}: Paragraph, style: Style, width: number): string {
  const title = `${style('dim', resultText(first))}, ${sum}`
  const more = sum.count > names.length ? `, and ${sum.count - names.length} more in findings.csv` : ''
  const parts = [escapeInvisible(sentences.join(' ')), `${names.join(', ')}${more}`].filter(
    (text) => text !== '',
  )
  return [labelled('  ', title, width), ...parts.map((text) => wrapText(text, width, ' '.repeat(4)))].join(
    '\n',
  )
}
