import {basename} from 'node:path'
import {html, raw} from 'hono/html'

import {
  actionLabels,
  causeLabel,
  historyLabels,
  type Label,
  recordWayLabels,
  resendLabels,
  verdictLabel,
} from '../core/labels.ts'
import {escapeInvisible} from '../core/text.ts'
import type {RememberedView} from './ageing-view.ts'
import {clockText, counted, grouped} from './figures.ts'
import {ledgerName} from './ledger-name.ts'
import type {FindingView, ReconcileReport} from './reconcile-report.ts'
import {openItemsText, statementRows} from './statement-text.ts'
import type {StatementView} from './statement-view.ts'

const style = `
:root{color-scheme:light dark;--ink:#1c2430;--soft:#5d6b7d;--line:#dfe4ea;--bg:#fff;--card:#f6f8fa;--red:#b3261e;--green:#1b7f4b;--amber:#946200}
@media (prefers-color-scheme:dark){:root{--ink:#e6eaf0;--soft:#9aa7b8;--line:#2e3744;--bg:#12161c;--card:#1a2028;--red:#ff8a80;--green:#6fd6a0;--amber:#f0c05a}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:76rem;padding:2rem 1.25rem 4rem;background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,"Noto Sans Bengali",sans-serif}
h1{font-size:1.6rem;margin:0}h2{font-size:1.1rem;margin:2.2rem 0 .6rem}
p,dl{margin:.3rem 0}.soft{color:var(--soft)}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(10rem,1fr));gap:.75rem;margin:1.4rem 0}
.card{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.7rem .9rem}
.card b{display:block;font-size:1.5rem;font-variant-numeric:tabular-nums}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;vertical-align:top;padding:.45rem .6rem;border-bottom:1px solid var(--line)}
th{font-weight:600;color:var(--soft);white-space:nowrap}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
code{font:13px ui-monospace,monospace;overflow-wrap:anywhere}td:nth-child(2) code{white-space:nowrap}
.sums{width:auto;min-width:26rem}
.findings td:nth-child(3){min-width:10rem}
.high{color:var(--red)}.medium{color:var(--amber)}.low,.none{color:var(--soft)}.good{color:var(--green)}
.scroll{overflow-x:auto}
@media screen and (max-width:44rem){
.sums{min-width:0}.sums th{white-space:normal}.sums th,.sums td{padding:.4rem .3rem;font-size:.85rem}
.findings,.findings tbody,.findings tr,.findings td{display:block}.findings thead{display:none}
.findings tr{padding:.7rem 0;border-bottom:1px solid var(--line)}.findings td,.findings td.n{border:0;padding:.05rem 0;text-align:left;white-space:normal}
.findings br{display:none}.findings br+span{margin-left:.5rem}.findings td::before{color:var(--soft)}
.findings td:nth-child(1)::before{content:"Line "}.findings td:nth-child(4)::before{content:"Ledger "}.findings td:nth-child(5)::before{content:"Service "}.findings td:nth-child(6)::before{content:"Amount at risk "}.findings td:nth-child(7)::before{content:"Next "}
}
@page{size:A4 landscape;margin:12mm}
@media print{body{max-width:none;padding:0;font-size:11px}code{font-size:10px}.card,tr{break-inside:avoid}h2{break-after:avoid}.scroll{overflow:visible}.cards{grid-template-columns:repeat(5,1fr)}.findings code{white-space:normal}}
`

/** The report for a reader without a terminal: one file, no script, nothing fetched, prints well. In pieces. */
export function* reportHtml(report: ReconcileReport): Generator<string> {
  yield String(head(report))
  if (report.sinceLast) yield String(html`<p class="soft">${openText(report)}</p>`)
  if (Iterator.from(report.findings).some(() => true)) {
    yield tableHead
    const words = new Map<string, Label>()
    for (const finding of report.findings) {
      const {kind, verdict, cause} = finding
      words.set(verdict, verdictLabel(verdict, kind))
      if (cause !== null) words.set(cause, causeLabel(cause, kind))
      if (asksSomebody(finding)) yield String(findingRow(finding, report))
    }
    for (const finding of report.findings)
      if (!asksSomebody(finding)) yield String(findingRow(finding, report))
    yield '</tbody></table></div>'
    yield String(wordsTable(words))
  } else yield String(noneText(report))
  const {closed, notExamined} = report.memory
  yield String(rememberedTable('Closed since earlier runs', closed))
  yield String(rememberedTable('Open from earlier runs, not checked by this run', notExamined))
  yield String(foot(report))
}

function head(report: ReconcileReport) {
  const {counts, resends, memory, needPerson} = report
  const openEarlier = memory.open + memory.notExamined.length
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${report.interim ? 'NOT FINAL: ' : ''}Reconciliation ${report.runId}</title>
<style>${raw(style)}</style>
</head>
<body>
<main>
<h1>Reconciliation of ${report.ledger.map(({path}) => escapeInvisible(basename(path))).join(', ')}</h1>
${report.interim ? html`<p class="high"><b>NOT FINAL:</b> ${report.interim.because}. The figures are as of that moment. To continue: <code>${escapeInvisible(report.interim.resume)}</code></p>` : ''}
<p class="soft">Run ${report.runId}, profile ${escapeInvisible(report.profile)}, merchant <code>${escapeInvisible(report.merchantId)}</code>, ${timeOf(report.startedAt)}${report.finishedAt === null ? ', not finished' : ` to ${timeOf(report.finishedAt)}`}${report.dryRun ? ', dry run: nothing was sent' : ''}</p>
${report.complete ? '' : html`<p class="medium"><b>Incomplete:</b> ${report.incompleteBecause.join('; ')}.</p>`}
${[...report.doubts.map(({says}) => says), ...report.notes].map((says) => html`<p class="medium">${says}</p>`)}
${report.inDoubt.length > 0 ? html`<p class="medium"><b>In doubt:</b> outcome unknown.</p><ul>${report.inDoubt.map((doubt) => html`<li>${doubt.kind}${doubt.kind === 'resend' ? ' of' : ''} ${escapeInvisible(doubt.orderNo)}${doubt.amount === null ? '' : `, BDT ${grouped(doubt.amount)}`}, sent ${timeOf(doubt.sentAt)}: <code>${escapeInvisible(doubt.next)}</code></li>`)}</ul>` : ''}
<div class="cards">
${card('rows', counts.rows)}${card('agree', counts.matched)}${card('still open on both sides', counts.in_flight)}
${card('resends planned', resends.planned)}${card('delivered', resends.delivered, 'good')}${card(needPerson === 1 ? 'needs a person' : 'need a person', needPerson, needPerson > 0 ? 'high' : 'good')}
${card('BDT, amount at risk', grouped(report.atRisk.total), report.atRisk.total === '0.00' ? 'good' : 'high')}${card('new', memory.new)}${card('open from earlier runs', openEarlier)}${card('closed since then', memory.closed.length, 'good')}
</div>
<h2>Reconciliation statement, BDT</h2>
${report.statement.map(statementTable)}
${report.amountUnknown > 0 ? html`<p class="soft">${counted(report.amountUnknown, 'order is', 'orders are')} left out of every sum: the amount is unknown on one side.</p>` : ''}
${report.unanswered > 0 ? html`<p class="medium">${counted(report.unanswered, 'order', 'orders')} got no answer. ${report.unanswered === 1 ? 'Its' : 'Their'} completed amounts in the ledger are unexplained.</p>` : ''}
<p class="soft">Prepared by: ${escapeInvisible(report.preparedBy ?? '')} ${timeOf(report.finishedAt ?? report.startedAt)}. Approved by: ____________</p>
<h2>Breaks</h2>
`
}

function foot(report: ReconcileReport) {
  const clock = clockText(report.clockSkewMs)
  return html`
<h2>What this run assumed</h2>
<p class="soft">The service's document leaves these points open. The profile sets them as follows.</p>
<table>
${report.assumptions.map(({id, what, value}) => html`<tr><th>${id}</th><td>${what}</td><td><code>${escapeInvisible(value)}</code></td></tr>`)}
</table>
<h2>Inputs and calls</h2>
<table>
${report.ledger.map(({path, rows, sha256}) => html`<tr><th>${escapeInvisible(path)}</th><td class="n">${counted(rows, 'row', 'rows')}</td><td><code>sha256 ${sha256}</code></td></tr>`)}
<tr><th>Calls</th><td colspan="2">${Object.entries(report.calls)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')}</td></tr>
<tr><th>Final</th><td colspan="2">${report.final.fromRuns.map(({runId, orders, askedFrom}) => `${counted(orders, 'order', 'orders')} from run ${runId}, queried since ${timeOf(askedFrom)}`).join(', ') || 'none: every order was queried'}</td></tr>
<tr><th>Delivery records</th><td colspan="2">${recordWayLabels[report.records.way].en}: ${report.records.pagesRead} of ${counted(report.records.pagesTotal ?? 0, 'page', 'pages')}, ${counted(report.records.lookUps, 'look-up', 'look-ups')}${report.records.because ? `; ${report.records.because}` : ''}</td></tr>
<tr><th>Missing in the ledger</th><td colspan="2">${
    report.missingInLedger.checked
      ? `searched from ${timeOf(report.missingInLedger.from ?? 'the beginning')} to ${timeOf(report.missingInLedger.to ?? 'now')}${report.missingInLedger.bookedEarlier.map(({runId, orders}) => `; ${counted(orders, 'order', 'orders')} found in the ledger of run ${runId}`).join('')}`
      : `not searched: ${report.missingInLedger.because}`
  }</td></tr>
${clock === '' ? '' : html`<tr><th>Clock</th><td colspan="2">${clock}</td></tr>`}
</table>
</main>
</body>
</html>
`
}

function statementTable(statement: StatementView) {
  return html`
<div class="scroll" tabindex="0" role="region" aria-label="Reconciliation statement, ${statement.kind}s"><table class="sums">
<caption>${statement.kind === 'deposit' ? 'Deposits' : 'Payouts'}</caption>
${statementRows(statement).map(({label, amount, isBalance}) => html`<tr><th scope="row">${isBalance ? html`<b>${label}</b>` : label.trim()}</th><td class="n ${label === 'Unexplained' ? (amount === '0.00' ? 'good' : 'high') : ''}">${amount}</td></tr>`)}
</table></div>
<p>${openItemsText(statement.openItems)}</p>`
}
function asksSomebody({action, resend}: FindingView): boolean {
  return action !== 'none' && action !== 'wait' && resend?.state !== 'delivered'
}

function card(label: string, value: number | string, tone = '') {
  return html`<div class="card"><b class="${tone}">${value}</b>${label}</div>`
}

function ageOf({history}: FindingView): string {
  if (!history) return ''
  if (history.state !== 'open') return historyLabels[history.state].en
  return history.ageDays === 0 ? 'open since today' : `open ${counted(history.ageDays, 'day', 'days')}`
}

function openText({memory: {open}}: ReconcileReport): string {
  return `Only breaks that are new or back since earlier runs. ${counted(open, 'older open break is', 'older open breaks are')} not listed (--since-last).`
}

function noneText({complete, sinceLast}: ReconcileReport) {
  if (sinceLast) return html`<p>None.</p>`
  return complete ? html`<p class="good">None: the books agree.</p>` : html`<p>None so far.</p>`
}

function rememberedTable(title: string, findings: readonly RememberedView[]) {
  if (findings.length === 0) return ''
  return html`<h2>${title}</h2>
<div class="scroll" tabindex="0" role="region" aria-label="${title}"><table>
<thead><tr><th scope="col">Order</th><th scope="col">Result</th><th class="n" scope="col">Amount at risk</th><th class="n" scope="col">Days</th></tr></thead>
<tbody>${findings.map(
    ({kind, orderNo, verdict, amountAtRisk, ageDays}) =>
      html`<tr><td><code>${escapeInvisible(orderNo, 40)}</code> <span class="soft">${kind}</span></td><td>${verdictLabel(verdict, kind).en}</td><td class="n">${taka(amountAtRisk)}</td><td class="n">${ageDays}</td></tr>`,
  )}</tbody>
</table></div>
`
}

/** The labels of this page in both languages, with their codes in findings.csv and report.json. */
function wordsTable(words: ReadonlyMap<string, Label>) {
  return html`<h2>Words of this page</h2>
<div class="scroll" tabindex="0" role="region" aria-label="Words of this page"><table>
<thead><tr><th scope="col">English</th><th scope="col">বাংলা</th><th scope="col">Code in the files</th></tr></thead>
<tbody>${[...words].map(([code, {en, bn}]) => html`<tr><td>${en}</td><td lang="bn">${bn}</td><td><code>${code}</code></td></tr>`)}</tbody>
</table></div>
`
}

const headings = ['Line', 'Order', 'Result', 'Ledger', 'Service', 'Amount at risk', 'Next', 'What it means']
const ofNumbers = new Set(['Line', 'Ledger', 'Service', 'Amount at risk'])

/** A separate heading, so that paper repeats it on each page. A table wider than the window can be scrolled by key. */
const tableHead = `<div class="scroll" tabindex="0" role="region" aria-label="Breaks"><table class="findings">
<thead><tr>${headings.map((title) => `<th${ofNumbers.has(title) ? ' class="n"' : ''} scope="col">${title}</th>`).join('')}</tr></thead>
<tbody>
`

function findingRow(finding: FindingView, {ledger}: ReconcileReport) {
  const {kind, verdict, cause, severity} = finding
  const file = ledgerName(finding.file, ledger)
  return html`<tr>
<td class="n">${finding.line ?? '–'}${file === '' ? '' : html`<br><span class="soft">${file}</span>`}</td>
<td><code>${escapeInvisible(finding.orderNo ?? '–', 40)}</code><br><span class="soft">${finding.kind ?? ''}</span></td>
<td><span class="${severity}">${verdictLabel(verdict, kind).en}</span><br><span class="soft">${cause === null ? '' : causeLabel(cause, kind).en}</span></td>
<td class="n">${taka(finding.ledger?.amount)}<br><span class="soft">${finding.ledger?.status ?? ''}</span></td>
<td class="n">${taka(finding.provider?.amount)}<br><span class="soft">${escapeInvisible(finding.provider?.rawStatus ?? '', 40)}</span></td>
<td class="n">${taka(finding.amountAtRisk)}<br><span class="soft">${ageOf(finding)}</span></td>
<td>${finding.ignored ? 'ignored' : actionLabels[finding.action].en}${finding.resend ? html`<br><span class="${finding.resend.state === 'delivered' ? 'good' : 'medium'}">${resendLabels[finding.resend.state].en}</span>` : ''}</td>
<td>${escapeInvisible(finding.explanation)} ${escapeInvisible(finding.resend?.why ?? '')} ${ignoredText(finding)}</td>
</tr>
`
}

function ignoredText({ignored}: FindingView): string {
  if (!ignored) return ''
  const [what, until] =
    ignored.until === null ? ['Closed', ''] : ['Ignored', ` until ${timeOf(ignored.until)}`]
  return `${what} by ${escapeInvisible(ignored.by)}${until}: ${escapeInvisible(ignored.reason)}`
}

function taka(amount: string | null | undefined): string {
  return amount == null ? '–' : grouped(amount)
}

/** `2026-11-20T18:00:00+06:00` as `2026-11-20 18:00:00 +06:00`, which a line can be broken at. */
function timeOf(time: string): string {
  return time.replace(/^(\S{10})T(\S{8})(?:\.\d+)?/, '$1 $2 ')
}
