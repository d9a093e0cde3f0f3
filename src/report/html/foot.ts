import {html} from 'hono/html'

import {recordWayLabels} from '../../core/labels.ts'
import type {PageWord} from '../../core/report-labels.ts'
import {escapeInvisible} from '../../core/text.ts'
import {clockText, counted} from '../figures.ts'
import type {ReconcileFacts, ReconcileReport} from '../reconcile-report.ts'
import type {Reader} from './reader.ts'
import type {Html} from './svg.ts'

/** For an auditor: doubts, notes, assumptions, inputs, signatures. */
export function footOf(report: ReconcileReport, {timeZone}: ReconcileFacts, to: Reader): Html {
  return html`${inDoubt(report, to)}${notes(report, to)}
<h2>${to.say('inputs')}</h2>
<div class="scroll" tabindex="0" role="region" aria-label="${to.say('inputs')}"><table class="grid">${inputs(report, to)}</table></div>
<details><summary>${to.say('assumed')}</summary>
<p class="soft">${to.say('assumedLead')}</p>
<table class="grid">
${report.assumptions.map(({id, what, value}) => html`<tr><th scope="row">${id}</th><td>${to.translate(what)}</td><td><code>${escapeInvisible(value)}</code></td></tr>`)}
</table></details>
<section class="sign" aria-label="${to.say('date')}">
${(['preparedBy', 'checkedBy', 'approvedBy'] as const).map(
  (word) =>
    html`<p><b>${to.say(word)}</b><span>${word === 'preparedBy' ? escapeInvisible(report.preparedBy ?? '', 40) : ''}</span><small>${to.say('date')}</small></p>`,
)}
</section>
<p class="soft">${to.say('zone', {zone: timeZone})}</p>
</main>
`
}

function inDoubt({inDoubt}: ReconcileReport, to: Reader): Html | '' {
  if (inDoubt.length === 0) return ''
  return html`<h2>${to.say('inDoubt')}</h2>
<ul>${inDoubt.map(
    ({kind, orderNo, amount, sentAt, next}) =>
      html`<li>${to.say(kind === 'resend' ? 'ofResend' : kind)} ${escapeInvisible(orderNo)}${amount === null ? '' : `, ${to.say('bdt', {amount: to.money(amount)})}`}, ${to.say('sent')} ${to.minute(sentAt)}: <code>${escapeInvisible(next)}</code></li>`,
  )}</ul>`
}

function notes({incompleteBecause, doubts, notes}: ReconcileReport, to: Reader): Html | '' {
  const all = [...doubts.map(({says}) => says), ...notes]
  if (incompleteBecause.length + all.length === 0) return ''
  return html`<h2>${to.say('notes')}</h2>
<ul>${incompleteBecause.map((says) => html`<li class="warn"><b>${to.say('incomplete')}:</b> ${to.translate(says)}</li>`)}${all.map((says) => html`<li>${to.translate(says)}</li>`)}</ul>`
}

function inputs(report: ReconcileReport, to: Reader): Html {
  const {ledger, calls, final, records, missingInLedger, evidence, startedAt, finishedAt, dryRun} = report
  const clock = clockText(report.clockSkewMs)
  const row = (name: string, value: Html | string) =>
    html`<tr><th scope="row">${name}</th><td>${value}</td></tr>\n`
  const taken = final.fromRuns.map(({runId, orders, askedFrom}) =>
    to.say('takenFrom', {n: orders, run: runId, time: timeOf(askedFrom, to)}),
  )
  const calledFor = Object.entries(calls).map(
    ([name, count]) => `${to.say(callWord(name))} ${to.count(count)}`,
  )
  const pages = to.say('deliveryPages', {
    ...{way: to.of(recordWayLabels[records.way]), n: records.pagesTotal ?? 0},
    ...{read: to.count(records.pagesRead), lookUps: to.count(records.lookUps)},
  })
  const span =
    finishedAt === null
      ? `${timeOf(startedAt, to)}, ${to.say('notFinished')}`
      : to.say('fromTo', {from: timeOf(startedAt, to), to: timeOf(finishedAt, to)})
  return html`<tbody>
${ledger.map(({path, rows, sha256}) => row(escapeInvisible(path), html`${to.say('rows', {n: rows})}, <code>sha256 ${sha256}</code>`))}
${row(to.say('run'), `${report.runId}, ${span}${dryRun ? `, ${to.say('dryRun')}` : ''}`)}
${evidence === null ? '' : row(to.say('evidence'), html`${escapeInvisible(evidence.dir)}, ${evidence.sha256 === null ? to.say('notFinished') : html`<code>sha256 ${evidence.sha256}</code>`}`)}
${row(to.say('calls'), calledFor.join(', '))}
${row(to.say('final'), taken.join(', ') || to.translate('none: every order was queried'))}
${row(to.say('delivery'), `${pages}${records.because ? `; ${to.translate(records.because)}` : ''}`)}
${row(to.say('missingOrders'), windowOf(missingInLedger, to))}
${clock === '' ? '' : row(to.say('clock'), to.translate(clock))}
</tbody>`
}

function callWord(name: string): PageWord {
  if (name === 'query') return 'query'
  return name === 'get' ? 'getCall' : name === 'list' ? 'listCall' : 'resendCall'
}

function windowOf(window: ReconcileReport['missingInLedger'], to: Reader): string {
  if (!window.checked) return to.translate(`not searched: ${window.because}`)
  const earlier = window.bookedEarlier.map(
    ({runId, orders}) =>
      `; ${to.translate(`${counted(orders, 'order', 'orders')} found in the ledger of run ${runId}`)}`,
  )
  const from = timeOf(window.from ?? 'the beginning')
  return `${to.translate(`searched from ${from} to ${timeOf(window.to ?? 'now')}`)}${earlier.join('')}`
}

/** `2026-11-20T18:00:00+06:00` as `2026-11-20 18:00:00 +06:00`, which can break. */
function timeOf(time: string, to?: Reader): string {
  const text = time.replace(/^(\S{10})T(\S{8})(?:\.\d+)?/, '$1 $2 ')
  return to ? to.digits(text) : text
}
