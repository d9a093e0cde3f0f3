import {basename} from 'node:path'
import {html} from 'hono/html'

import {severityLabels} from '../../core/labels.ts'
import {escapeInvisible} from '../../core/text.ts'
import {type ReconcileFacts, type ReconcileReport, verifyCommand} from '../reconcile-report.ts'
import type {Digest} from './digest.ts'
import type {Reader} from './reader.ts'
import type {Html} from './svg.ts'
import {muchOf, type ToDo, toDos} from './to-do.ts'

/** The rest opens on a tap. */
const toDoMax = 3

/** Five questions: do the books agree, how much is at risk, what was delivered, what must I do, can I prove it. */
export function firstScreen(
  report: ReconcileReport,
  facts: ReconcileFacts,
  digest: Digest,
  to: Reader,
): Html {
  const {ledger, counts, resends, needPerson, atRisk} = report
  const day = facts.businessDay === null ? '' : html`<b>${to.day(facts.businessDay)}</b> · `
  const isAtRisk = atRisk.total !== '0.00'
  return html`<header class="answer ${toneOf(report)}">
<p class="eyebrow"><span class="roomy">${to.say('title')} · </span>${day}${ledger.map(({path}) => escapeInvisible(basename(path), 60)).join(', ')} · ${to.minute(report.finishedAt ?? report.startedAt)}</p>
<h1>${answerOf(report, digest, to)}</h1>
${balancesOf(report, to)}
${report.interim ? html`<p><b>${to.say('notFinal')}:</b> ${to.translate(report.interim.because)}. ${to.say('asOf')}</p>` : ''}
</header>
<section class="cards" aria-label="${to.say('figures')}">
${card(to.say('inBdt', {what: to.say('atRisk')}), to.money(atRisk.total), riskNote(report, to), isAtRisk ? 'bad' : 'good')}
${card(to.say('inBdt', {what: to.say('deliveredOrders')}), to.taka(digest.delivered.amount), to.say('ofDelivered', {n: resends.delivered, sent: to.count(resends.sent)}), resends.delivered > 0 ? 'good' : '')}
${card(to.say('needPerson'), to.count(needPerson), openNote(report, to), needPerson > 0 ? 'bad' : 'good')}
${card(to.say('ledgerRows'), to.count(counts.rows), to.say('rowsAgree', {agree: to.count(counts.matched), open: to.count(counts.in_flight)}), '')}
</section>
<div class="halves">
<section class="todo" aria-labelledby="todo"><h2 id="todo">${to.say('toDo')}</h2>
${toDoList(toDos(facts, digest, to), to)}
</section>
${proofOf(report, facts, to)}
</div>
`
}

function toneOf({complete, interim, breaks}: ReconcileReport): 'good' | 'warn' | 'bad' {
  if (breaks > 0) return 'bad'
  return complete && interim === null ? 'good' : 'warn'
}

function answerOf(
  {complete, interim, memory, breaks}: ReconcileReport,
  {groups}: Digest,
  to: Reader,
): string {
  const notFinal = interim === null ? '' : `${to.say('notFinal')}: `
  if (breaks > 0) return `${notFinal}${to.say('breaks', {n: breaks})}`
  if (!complete) return `${notFinal}${to.say('unproven')}`
  const {length: earlier} = memory.notExamined
  if (earlier > 0) return to.say('openEarlier', {n: earlier})
  return to.say(groups.length === 0 ? 'agree' : 'noBreaks')
}

function balancesOf({statement, tieOutByKind}: ReconcileReport, to: Reader): Html {
  return html`${statement.map(({kind, balanceByLedger, balanceByService, unexplained}) => {
    const {difference} = tieOutByKind[kind]
    const sums = to.say('sums', {ledger: to.money(balanceByLedger), service: to.money(balanceByService)})
    const rest = html`<span class="${unexplained === '0.00' ? 'roomy' : 'bad'}">, ${to.say('unexplained').toLowerCase()} ${to.money(unexplained)}</span>`
    return html`<p class="sum"><b>${to.say(kind === 'deposit' ? 'deposits' : 'payouts')}</b> ${to.say(difference === '0.00' ? 'equal' : difference.startsWith('-') ? 'more' : 'less', {difference: to.money(difference.replace('-', ''))})}${rest} <span class="roomy">(${sums})</span></p>`
  })}`
}

function riskNote({atRisk}: ReconcileReport, to: Reader): string {
  const parts = (['high', 'medium', 'low'] as const).filter((one) => atRisk[one] !== '0.00')
  return parts.map((one) => `${to.of(severityLabels[one])} ${to.money(atRisk[one])}`).join(', ')
}

function openNote({memory}: ReconcileReport, to: Reader): string {
  return to.say('openItems', {n: memory.new, closed: memory.closed.length, days: memory.oldestDays})
}

function card(label: string, value: string, note: string, tone: string): Html {
  return html`<div class="card"><p>${label}</p><b class="${tone}">${value}</b><p class="soft">${note}</p></div>`
}

function toDoList(all: readonly ToDo[], to: Reader): Html {
  if (all.length === 0) return html`<p class="good">${to.say('nothingToDo')}</p>`
  const more = all.slice(toDoMax)
  const rest = html`<details><summary>${to.say('moreToDo', {n: more.length})}</summary><ol start="${toDoMax + 1}">${more.map((one) => toDoItem(one, to))}</ol></details>`
  return html`<ol>${all.slice(0, toDoMax).map((one) => toDoItem(one, to))}</ol>${more.length > 0 ? rest : ''}`
}

function toDoItem(toDo: ToDo, to: Reader): Html {
  const {what, why, command} = toDo
  const much = muchOf(toDo, to)
  return html`
<li><b>${what}</b>${much === '' ? '' : html` <span class="much">${much}</span>`}${why === '' ? '' : html` <span class="soft roomy">${escapeInvisible(to.translate(why))}</span>`}${command === null ? '' : commandLine(command)}</li>`
}

function commandLine(command: string): Html {
  return html`<span class="copied"><code class="command" tabindex="0">${escapeInvisible(command)}</code></span>`
}

function evidenceOf(report: ReconcileReport, to: Reader): Html {
  const {evidence, interim} = report
  const said = (words: Html | string, more: Html | '' = '') =>
    html`<div class="evidence"><span class="soft">${to.say('evidence')}</span> ${words}${more}</div>`
  if (evidence === null) return said(to.say(interim === null ? 'evidenceNone' : 'evidenceLater'))
  const {sha256} = evidence
  const sum =
    sha256 === null
      ? html`<b class="warn">${to.say('notFinished')}</b>`
      : html`<code title="${sha256}">sha256 ${sha256.slice(0, 12)}…</code>`
  return said(sum, commandLine(verifyCommand(report)))
}

/** What somebody else can check: the inputs, the service, and whether the run is complete. */
function proofOf(report: ReconcileReport, {service}: ReconcileFacts, to: Reader): Html {
  const {runId, profile, merchantId, ledger, complete, incompleteBecause, dryRun, preparedBy} = report
  const [first] = incompleteBecause
  const whole = complete
    ? html`<b class="good">✓</b> ${to.say('complete')}`
    : html`<b class="warn">!</b> <b>${to.say('incomplete')}:</b> ${to.translate(first ?? '')}${incompleteBecause.length > 1 ? ` (+${to.count(incompleteBecause.length - 1)})` : ''}`
  return html`<section class="proof" aria-labelledby="proof"><h2 id="proof">${to.say('proof')}</h2>
<p>${whole}</p>
${evidenceOf(report, to)}
<dl>
<dt>${to.say('run')}</dt><dd><code>${runId}</code>${preparedBy === null ? '' : ` ${to.say('preparedBy')}: ${escapeInvisible(preparedBy, 40)}`}${dryRun ? html` <b>${to.say('dryRun')}</b>` : ''}</dd>
${ledger.slice(0, 3).map(({path, rows, sha256}) => html`<dt>${to.say('input')}</dt><dd>${escapeInvisible(basename(path), 60)}, ${to.say('rows', {n: rows})}, <code title="${sha256}">sha256 ${sha256.slice(0, 12)}…</code></dd>`)}
<dt>${to.say('service')}</dt><dd><code>${escapeInvisible(service, 80)}</code></dd>
<dt>${to.say('profile')}</dt><dd>${escapeInvisible(profile, 40)}, ${to.say('merchant')} <code>${escapeInvisible(merchantId, 60)}</code></dd>
</dl></section>`
}
