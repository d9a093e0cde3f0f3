import {html} from 'hono/html'

import {recordWayLabels} from '../../core/labels.ts'
import {escapeInvisible} from '../../core/text.ts'
import {clockText, counted, grouped} from '../figures.ts'
import type {ReconcileFacts, ReconcileReport} from '../reconcile-report.ts'
import type {Reader} from './reader.ts'
import type {Html} from './svg.ts'

/** What an auditor asks: doubts, notes, assumptions, inputs, and who signs. Sentences of the run itself are English. */
export function footOf(report: ReconcileReport, {timeZone}: ReconcileFacts, to: Reader): Html {
  return html`${inDoubt(report, to)}${notes(report, to)}
<h2>${to.say('inputs')}</h2>
<div class="scroll" tabindex="0" role="region" aria-label="${to.say('inputs')}"><table class="grid">${inputs(report)}</table></div>
<details><summary>${to.say('assumed')}</summary>
<p class="soft">${to.say('assumedLead')}</p>
<table class="grid" lang="en">
${report.assumptions.map(({id, what, value}) => html`<tr><th scope="row">${id}</th><td>${what}</td><td><code>${escapeInvisible(value)}</code></td></tr>`)}
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
      html`<li>${kind}${kind === 'resend' ? ' of' : ''} ${escapeInvisible(orderNo)}${amount === null ? '' : `, BDT ${grouped(amount)}`}, ${to.say('sent')} ${to.minute(sentAt)}: <code>${escapeInvisible(next)}</code></li>`,
  )}</ul>`
}

function notes({incompleteBecause, doubts, notes}: ReconcileReport, to: Reader): Html | '' {
  const all = [...doubts.map(({says}) => says), ...notes]
  if (incompleteBecause.length + all.length === 0) return ''
  return html`<h2>${to.say('notes')}</h2>
<ul lang="en">${incompleteBecause.map((says) => html`<li class="warn"><b>Incomplete:</b> ${says}</li>`)}${all.map((says) => html`<li>${says}</li>`)}</ul>`
}

function inputs(report: ReconcileReport): Html {
  const {ledger, calls, final, records, missingInLedger} = report
  const clock = clockText(report.clockSkewMs)
  const row = (name: string, value: Html | string) =>
    html`<tr><th scope="row">${name}</th><td>${value}</td></tr>\n`
  const taken = final.fromRuns.map(
    ({runId, orders, askedFrom}) =>
      `${counted(orders, 'order', 'orders')} from run ${runId}, queried since ${timeOf(askedFrom)}`,
  )
  const calledFor = Object.entries(calls).map(([name, count]) => `${name} ${count}`)
  return html`<tbody lang="en">
${ledger.map(({path, rows, sha256}) => row(escapeInvisible(path), html`${counted(rows, 'row', 'rows')}, <code>sha256 ${sha256}</code>`))}
${row('Run', `${report.runId}, ${timeOf(report.startedAt)}${report.finishedAt === null ? ', not finished' : ` to ${timeOf(report.finishedAt)}`}${report.dryRun ? ', dry run: nothing was sent' : ''}`)}
${report.evidence === null ? '' : row('Evidence', html`${escapeInvisible(report.evidence.dir)}${report.evidence.sha256 === null ? ', not finished' : html`, <code>sha256 ${report.evidence.sha256}</code>`}`)}
${row('Calls', calledFor.join(', '))}
${row('Final', taken.join(', ') || 'none: every order was queried')}
${row('Delivery records', `${recordWayLabels[records.way].en}: ${records.pagesRead} of ${counted(records.pagesTotal ?? 0, 'page', 'pages')}, ${counted(records.lookUps, 'look-up', 'look-ups')}${records.because ? `; ${records.because}` : ''}`)}
${row('Missing in the ledger', windowOf(missingInLedger))}
${clock === '' ? '' : row('Clock', clock)}
</tbody>`
}

function windowOf(window: ReconcileReport['missingInLedger']): string {
  if (!window.checked) return `not searched: ${window.because}`
  const earlier = window.bookedEarlier.map(
    ({runId, orders}) => `; ${counted(orders, 'order', 'orders')} found in the ledger of run ${runId}`,
  )
  return `searched from ${timeOf(window.from ?? 'the beginning')} to ${timeOf(window.to ?? 'now')}${earlier.join('')}`
}

/** `2026-11-20T18:00:00+06:00` as `2026-11-20 18:00:00 +06:00`, which a line can be broken at. */
function timeOf(time: string): string {
  return time.replace(/^(\S{10})T(\S{8})(?:\.\d+)?/, '$1 $2 ')
}
