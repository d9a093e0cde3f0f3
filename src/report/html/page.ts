import {createHash} from 'node:crypto'
import {readFileSync} from 'node:fs'
import {basename} from 'node:path'
import {html, raw} from 'hono/html'

import {causeLabel, type Label, verdictLabel} from '../../core/labels.ts'
import {escapeInvisible} from '../../core/text.ts'
import type {RememberedView} from '../ageing-view.ts'
import {listedFindings, type ReconcileFacts, type ReconcileReport} from '../reconcile-report.ts'
import {ages} from './ages.ts'
import {Breaks, groupsTable} from './breaks.ts'
import {lastDays, type ReportedDay} from './days.ts'
import {type Digest, digestOf} from './digest.ts'
import {firstScreen} from './first-screen.ts'
import {footOf} from './foot.ts'
import {Reader} from './reader.ts'
import type {Html} from './svg.ts'
import {timeline} from './timeline.ts'
import {waterfall} from './waterfall.ts'

// Beside this module, or where the build put it (build/build.mjs).
const asset = (name: string) =>
  readFileSync(new URL(`../../report/html/assets/${name}`, import.meta.url), 'utf8')

const digestFor = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** The report as one file that loads nothing, in pieces, for any number of findings. */
export function* reportHtml(report: ReconcileReport, facts: ReconcileFacts): Generator<string> {
  const to = new Reader(facts.lang)
  const digest = digestOf(facts)
  const breaks = new Breaks(listedFindings(facts), facts, to)
  const [style, script] = [asset('report.css'), asset('report.js')]
  yield String(head(report, style, script, to))
  yield String(firstScreen(report, facts, digest, to))
  yield String(pictures(report, facts, digest, to))
  yield String(html`<h2 id="groups">${to.say('groups')}</h2>
${digest.groups.length === 0 ? nothing(report, to) : groupsTable(digest.groups, to)}`)
  if (breaks.count > 0) {
    yield String(html`<h2 id="list">${to.say('list')}</h2>
${report.sinceLast ? html`<p class="soft">${to.say('notListed', {n: report.memory.open})}</p>` : ''}`)
    yield* breaks.table(basename(report.reports.csv))
  }
  yield String(rememberedTable('closedSince', report.memory.closed, to))
  yield String(rememberedTable('notExamined', report.memory.notExamined, to))
  yield String(wordsTable(digest, to))
  yield String(footOf(report, facts, to))
  if (breaks.count > 0) yield* breaks.data(listedFindings(facts))
  yield `<script>${script}</script>\n</body>\n</html>\n`
}

function head({runId, interim}: ReconcileReport, style: string, script: string, to: Reader): Html {
  const policy = `default-src 'none'; style-src ${digestFor(style)}; script-src ${digestFor(script)}; base-uri 'none'; form-action 'none'`
  return html`<!doctype html>
<html lang="${to.lang}" data-copy="${to.say('copy')}" data-copied="${to.say('copied')}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${raw(policy)}">
<meta name="color-scheme" content="light dark">
<title>${interim ? `${to.say('notFinal')}: ` : ''}${to.say('title')} ${runId}</title>
<style>${raw(style)}</style>
</head>
<body>
<main>
`
}

function pictures(report: ReconcileReport, facts: ReconcileFacts, digest: Digest, to: Reader): Html {
  const {statement, amountUnknown, unanswered} = report
  return html`<div class="pictures">
${statement.map((one) => html`<div>${waterfall(one, to)}</div>`)}
${ages(digest.ages, to)}
${timeline(digest, facts.timeZone, to)}
${lastDays(withThisRun(facts.days, report), to)}
</div>
${amountUnknown > 0 ? html`<p class="soft">${to.say('leftOut', {n: amountUnknown})}</p>` : ''}
${unanswered > 0 ? html`<p class="warn">${to.say('unanswered', {n: unanswered})}</p>` : ''}
`
}

/** This run counts for its day. A dry run does not, and a run that is not over has no figures yet. */
function withThisRun(earlier: readonly ReportedDay[], report: ReconcileReport): readonly ReportedDay[] {
  const {startedAt, complete, breaks, atRisk, resends, dryRun, interim} = report
  if (dryRun || interim !== null) return earlier
  const day = startedAt.slice(0, 10)
  return [...earlier.filter((one) => one.day < day), {day, complete, breaks, atRisk: atRisk.total, resends}]
}

function nothing({complete}: ReconcileReport, to: Reader): Html {
  return html`<p class="${complete ? 'good' : ''}">${to.say(complete ? 'none' : 'noneSoFar')}</p>`
}

/** `hisab items list` shows more. */
const rememberedMax = 1_000

function rememberedTable(
  word: 'closedSince' | 'notExamined',
  all: readonly RememberedView[],
  to: Reader,
): Html | '' {
  if (all.length === 0) return ''
  const rest = all.length - rememberedMax
  return html`<h2>${to.say(word)}</h2>
<div class="scroll" tabindex="0" role="region" aria-label="${to.say(word)}"><table class="grid">
<thead><tr><th scope="col">${to.say('order')}</th><th scope="col">${to.say('result')}</th><th class="n" scope="col">${to.say('atRisk')}</th><th class="n" scope="col">${to.say('age')}</th></tr></thead>
<tbody>${all
    .slice(0, rememberedMax)
    .map(
      ({kind, orderNo, verdict, amountAtRisk, ageDays}) =>
        html`<tr><th scope="row"><code>${escapeInvisible(orderNo, 40)}</code><small>${to.say(kind)}</small></th><td>${to.of(verdictLabel(verdict, kind))}</td><td class="n">${to.money(amountAtRisk)}</td><td class="n">${to.say('days', {n: ageDays})}</td></tr>`,
    )}</tbody>
</table></div>
${rest > 0 ? html`<p class="soft">${to.say('restInCsv', {n: rest})}</p>` : ''}`
}

/** The labels of this page in both languages, with their codes in findings.csv and report.json. */
function wordsTable({groups}: Digest, to: Reader): Html | '' {
  const words = new Map<string, Label>()
  for (const {kind, verdict, cause} of groups) {
    words.set(verdict, verdictLabel(verdict, kind))
    if (cause !== null) words.set(cause, causeLabel(cause, kind))
  }
  if (words.size === 0) return ''
  return html`<h2>${to.say('words')}</h2>
<div class="scroll" tabindex="0" role="region" aria-label="${to.say('words')}"><table class="grid">
<thead><tr><th scope="col" lang="en">English</th><th scope="col" lang="bn">বাংলা</th><th scope="col">${to.say('code')}</th></tr></thead>
<tbody>${[...words].map(([code, {en, bn}]) => html`<tr><td lang="en">${en}</td><td lang="bn">${bn}</td><td><code>${code}</code></td></tr>`)}</tbody>
</table></div>
`
}
