import {html, raw} from 'hono/html'

import {sentenceEnd} from '../../core/in-bangla.ts'
import {causeLabel, resendLabels, verdictLabel} from '../../core/labels.ts'
import {maskPhones} from '../../core/personal.ts'
import type {Finding} from '../../core/reconcile/finding.ts'
import {stepLabel} from '../../core/report-labels.ts'
import {escapeInvisible, jsonText} from '../../core/text.ts'
import {type FindingView, viewFinding, wordsOf} from '../finding-view.ts'
import {ledgerName} from '../ledger-name.ts'
import type {ReconcileFacts} from '../reconcile-report.ts'
import {type Group, gravity, groupOf} from './digest.ts'
import type {Reader} from './reader.ts'
import type {Html} from './svg.ts'

/** As many rows as a browser opens within two seconds; the rest is in findings.csv. */
export const rowsMax = 100_000

/** Rows in the page without its script; the script shows as many at first. */
const rowsShown = 100

/** A finding for the page's script: text as an index into the list of texts. */
type Row = readonly [
  group: number,
  orderNo: string,
  kind: number,
  line: number | null,
  file: number,
  ledger: string | null,
  ledgerStatus: number,
  service: string | null,
  serviceStatus: number,
  atRisk: string | null,
  age: number | null,
  texts: readonly number[],
]

export class Breaks {
  readonly count: number
  private readonly quota: readonly number[]
  private readonly first: readonly Finding[]
  private readonly facts: ReconcileFacts
  private readonly to: Reader
  private readonly texts = new Map<string, number>()
  private readonly groups = new Map<string, {readonly at: number; readonly group: RowGroup}>()

  constructor(listed: Iterable<Finding>, facts: ReconcileFacts, to: Reader) {
    const byGravity: {count: number; readonly first: Finding[]}[] = []
    for (const finding of listed) {
      const rank = gravity(groupOf(finding))
      const those = byGravity[rank] ?? {count: 0, first: []}
      byGravity[rank] = those
      those.count += 1
      if (those.first.length < rowsShown) those.first.push(finding)
    }
    let room = rowsMax
    this.quota = Array.from(byGravity, (those) => {
      const taken = Math.min(those?.count ?? 0, room)
      room -= taken
      return taken
    })
    this.count = byGravity.reduce((sum, {count}) => sum + count, 0)
    this.first = byGravity.flatMap(({first}) => first).slice(0, rowsShown)
    ;[this.facts, this.to] = [facts, to]
  }

  /** For a reader without the script: the gravest rows. */
  *table(csvName: string): Generator<string> {
    const {count, to} = this
    const heads = headings.map(
      ([word, numeric]) => html`<th${numeric ? raw(' class="n"') : ''} scope="col">${to.say(word)}</th>`,
    )
    if (count > rowsMax)
      yield String(html`<p class="warn">${to.say('capped', {shown: rowsMax, n: count, csv: csvName})}</p>`)
    if (count > rowsShown)
      yield String(html`<p class="soft" id="first">${to.say('firstRows', {shown: rowsShown, n: count})}</p>`)
    yield String(html`<div id="tools" hidden></div>
<div class="scroll" tabindex="0" role="region" aria-label="${to.say('list')}"><table id="breaks" class="findings">
<thead><tr>${heads}</tr></thead>
<tbody>`)
    for (const finding of this.first) yield String(this.rowHtml(finding))
    yield '</tbody></table></div>\n'
  }

  /** All rows as data that no browser runs; `<` is escaped, so that nothing ends the element. */
  *data(listed: Iterable<Finding>): Generator<string> {
    const left = [...this.quota]
    const safe = (value: unknown) => jsonText(value).replaceAll('<', '\\u003c')
    yield '<script type="application/json" id="rows">{"rows":[\n'
    let before = ''
    for (const finding of listed) {
      const rank = gravity(groupOf(finding))
      if ((left[rank] ?? 0) === 0) continue
      left[rank] = (left[rank] ?? 0) - 1
      yield `${before}${safe(this.rowOf(finding))}`
      before = ',\n'
    }
    const groups = [...this.groups.values()].map(({group}) => group)
    const {to} = this
    const words = Object.fromEntries(
      scriptWords.map((word) => [word, to.say(word, {n: '{n}', from: '{from}', to: '{to}'})]),
    )
    const heads = headings.map(([word]) => to.say(word))
    const rest = safe({texts: [...this.texts.keys()], groups, words, heads, lang: to.lang, total: this.count})
    yield `],\n${rest.slice(1)}</script>\n`
  }

  private rowOf(finding: Finding): Row {
    const view = viewFinding(finding, this.facts)
    const {line, orderNo, kind, ledger, provider, amountAtRisk, history} = view
    return [
      this.groupFor(finding).at,
      escapeInvisible(orderNo ?? '–', 80),
      this.textAt(kind === null ? '' : this.to.say(kind)),
      line,
      this.textAt(ledgerName(view.file, this.facts.ledger)),
      ledger?.amount ?? null,
      this.textAt(statusOf(ledger, this.to)),
      provider?.amount ?? null,
      this.textAt(provider?.rawStatus ?? ''),
      amountAtRisk,
      history && (history.state === 'new' ? -1 : history.ageDays),
      this.sentencesOf(view).map((text) => this.textAt(text)),
    ]
  }

  private rowHtml(finding: Finding): Html {
    const {to} = this
    const view = viewFinding(finding, this.facts)
    const {line, orderNo, kind, ledger, provider, amountAtRisk, history} = view
    const {group} = this.groupFor(finding)
    const file = ledgerName(view.file, this.facts.ledger)
    const place = [
      kind === null ? '' : to.say(kind),
      line === null ? '' : `${to.say('line')} ${to.count(line)}`,
      file,
    ]
    const cell = (at: number, first: Html | string, second: Html | string, look = '') =>
      html`<td class="${look}" data-l="${to.say(headings[at]?.[0] ?? 'order')}">${first}<small>${second}</small></td>`
    return html`<tr>${cell(0, html`<code>${escapeInvisible(orderNo ?? '–', 80)}</code>`, place.filter(Boolean).join(' · '))}${cell(1, html`<b class="${group.tone}">${group.result}</b>`, group.cause)}${cell(2, to.money(ledger?.amount), statusOf(ledger, to), 'n')}${cell(3, to.money(provider?.amount), escapeInvisible(provider?.rawStatus ?? '', 40), 'n')}${cell(4, to.money(amountAtRisk), '', 'n')}${cell(5, ageOf(history, to), '', history ? 'n' : 'n none')}${cell(6, group.next, this.sentencesOf(view).join(' '))}</tr>
`
  }

  private groupFor(finding: Finding): {readonly at: number; readonly group: RowGroup} {
    const group = groupOf(finding)
    const key = Object.values(group).join()
    const known = this.groups.get(key) ?? {at: this.groups.size, group: rowGroup(group, this.to)}
    this.groups.set(key, known)
    return known
  }

  /** A finding's sentences; each sentence is in the page once. */
  private sentencesOf(view: FindingView): string[] {
    const told = wordsOf(view).split(sentenceEnd)
    return [...told.map((text) => this.to.translate(text)), ...ignoredText(view.ignored, this.to)].map(
      (text) => maskPhones(escapeInvisible(text)),
    )
  }

  private textAt(text: string): number {
    const shown = escapeInvisible(text)
    const known = this.texts.get(shown)
    if (known !== undefined) return known
    this.texts.set(shown, this.texts.size)
    return this.texts.size - 1
  }
}

const headings = [
  ['order', false],
  ['result', false],
  ['ledger', true],
  ['service', true],
  ['atRisk', true],
  ['age', true],
  ['next', false],
] as const

const scriptWords = [
  ...(['find', 'everything', 'onlyPerson', 'copyRows', 'before', 'after'] as const),
  ...(['shownRows', 'line', 'days', 'fresh'] as const),
] as const

type RowGroup = ReturnType<typeof rowGroup>

function rowGroup(group: ReturnType<typeof groupOf>, to: Reader) {
  const {verdict, cause, kind, severity, resend, isIgnored, asks} = group
  const next = isIgnored ? to.say('ignored') : resend === null ? '' : to.of(resendLabels[resend])
  const step = asks === 'nobody' || resend === 'delivered' ? '' : to.of(stepLabel(group))
  return {
    gravity: gravity(group),
    result: to.of(verdictLabel(verdict, kind)),
    cause: cause === null ? '' : to.of(causeLabel(cause, kind)),
    next: [next, step].filter(Boolean).map(sentence).join('. '),
    tone: resend === 'delivered' ? 'good' : severity,
    person: asks === 'person' ? 1 : 0,
  }
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`
}

function statusOf(ledger: FindingView['ledger'], to: Reader): string {
  const status = ledger?.status
  return status === 'completed' || status === 'open' || status === 'failed' ? to.say(status) : (status ?? '')
}

function ageOf(history: FindingView['history'], to: Reader): string {
  if (!history) return ''
  return history.state === 'new' ? to.say('fresh') : to.say('days', {n: history.ageDays})
}

function ignoredText(ignored: FindingView['ignored'], to: Reader): string[] {
  if (!ignored) return []
  const {by, reason, until} = ignored
  return [
    until === null
      ? to.say('closedByPerson', {by, reason})
      : to.say('ignoredBy', {by, reason, until: to.minute(until)}),
  ]
}

/** Findings with equal causes on one line, with what to do. The script makes each a filter. */
export function groupsTable(groups: readonly Group[], to: Reader): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${to.say('groups')}"><table class="grid groups">
<thead><tr><th scope="col">${to.say('result')}</th><th class="n" scope="col">${to.say('count')}</th><th class="n roomy" scope="col">${to.say('amount')}</th><th class="n" scope="col">${to.say('atRisk')}</th><th scope="col">${to.say('next')}</th></tr></thead>
<tbody>${groups.map((group) => {
    const {result, cause, next, tone} = rowGroup(group, to)
    const key = `${result}|${cause}|${next}`
    return html`<tr data-group="${key}"><th scope="row"><b class="${tone}">${result}</b><small>${[cause, group.kind === null ? '' : to.say(group.kind)].filter(Boolean).join(' · ')}</small></th><td class="n" data-l="${to.say('count')}">${to.count(group.orders)}</td><td class="n roomy">${group.amount === null ? '–' : to.taka(group.amount)}</td><td class="n" data-l="${to.say('atRisk')}">${to.taka(group.atRisk)}</td><td>${next}</td></tr>`
  })}</tbody></table></div>
`
}
