import {basename} from 'node:path'
import {html, raw} from 'hono/html'

import {visible} from '../core/text.ts'
import {counted} from './figures.ts'
import type {FindingView, ReconcileReport} from './reconcile-report.ts'

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
.high{color:var(--red)}.medium{color:var(--amber)}.low,.none{color:var(--soft)}.good{color:var(--green)}
.scroll{overflow-x:auto}
@media print{body{max-width:none;padding:0}.card{break-inside:avoid}}
`

/** The report for a reader without a terminal: one file, no script, nothing fetched, prints well. In pieces. */
export function* reportHtml(report: ReconcileReport): Generator<string> {
  let breaks = 0
  let others = 0
  for (const finding of report.findings) {
    if (asksSomebody(finding)) breaks += 1
    else others += 1
  }
  yield String(head(report, breaks))
  if (breaks + others === 0) yield String(html`<p class="good">None: the books agree.</p>`)
  else {
    yield tableHead
    for (const finding of report.findings) if (asksSomebody(finding)) yield String(findingRow(finding))
    for (const finding of report.findings) if (!asksSomebody(finding)) yield String(findingRow(finding))
    yield '</table></div>'
  }
  yield String(foot(report))
}

function head(report: ReconcileReport, breaks: number) {
  const {counts, resends, tieOut} = report
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Reconciliation ${report.runId}</title>
<style>${raw(style)}</style>
</head>
<body>
<h1>Reconciliation of ${report.ledger.map(({path}) => visible(basename(path))).join(', ')}</h1>
<p class="soft">Run ${report.runId}, profile ${visible(report.profile)}, merchant <code>${visible(report.merchantId)}</code>, ${report.startedAt} to ${report.finishedAt}${report.dryRun ? ', dry run: nothing was sent' : ''}</p>
${report.complete ? '' : html`<p class="medium"><b>Incomplete:</b> ${report.incompleteBecause.join('; ')}.</p>`}
${report.doubts.map(({says}) => html`<p class="medium">${says}</p>`)}
<div class="cards">
${card('rows', counts.rows)}${card('matched', counts.matched)}${card('in flight', counts.in_flight)}
${card('resends planned', resends.planned)}${card('healed', resends.healed, 'good')}${card('need a person', breaks, breaks > 0 ? 'high' : 'good')}
${card('BDT at risk', report.atRisk.total, report.atRisk.total === '0.00' ? 'good' : 'high')}${card('new', report.memory.new)}${card('open from earlier nights', report.memory.open + report.memory.notExamined.length)}${card('healed since', report.memory.healed.length, 'good')}
</div>
<h2>Tie-out, BDT</h2>
<table class="sums">
<tr><td></td><th class="n">All</th><th class="n">Deposits</th><th class="n">Payouts</th></tr>
${sumRows.map(([label, name]) => html`<tr><th>${label}</th>${[tieOut, report.tieOutByKind.deposit, report.tieOutByKind.payout].map((sums) => html`<td class="n ${toneOf(name, sums[name])}">${sums[name]}</td>`)}</tr>`)}
</table>
${report.amountUnknown > 0 ? html`<p class="soft">${counted(report.amountUnknown, 'order is', 'orders are')} left out of every sum: one side completed without stating an amount.</p>` : ''}
<h2>Findings</h2>
`
}

function foot(report: ReconcileReport) {
  return html`
<h2>What this run assumed</h2>
<p class="soft">Points the service's document leaves open, as the profile settles them.</p>
<table>
${report.assumptions.map(({id, what, value}) => html`<tr><th>${id}</th><td>${what}</td><td><code>${visible(value)}</code></td></tr>`)}
</table>
<h2>Inputs and calls</h2>
<table>
${report.ledger.map(({path, rows, sha256}) => html`<tr><th>${visible(path)}</th><td class="n">${rows} rows</td><td><code>sha256 ${sha256}</code></td></tr>`)}
<tr><th>Calls</th><td colspan="2">${Object.entries(report.calls)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')}</td></tr>
<tr><th>Settled</th><td colspan="2">${report.settled.fromRuns.map(({runId, orders}) => `${counted(orders, 'order', 'orders')} as run ${runId} found`).join(', ') || 'none taken: every order was asked for'}</td></tr>
<tr><th>Delivery records</th><td colspan="2">${report.records.way}: ${report.records.pagesRead} of ${counted(report.records.pagesTotal ?? 0, 'page', 'pages')}, ${counted(report.records.lookUps, 'look-up', 'look-ups')}${report.records.because ? `; ${report.records.because}` : ''}</td></tr>
<tr><th>Missing in the ledger</th><td colspan="2">${
    report.missingInLedger.checked
      ? `looked for from ${report.missingInLedger.from ?? 'the beginning'} to ${report.missingInLedger.to ?? 'now'}`
      : `not looked for: ${report.missingInLedger.because}`
  }</td></tr>
</table>
</body>
</html>
`
}

const sumRows = [
  ['Ledger, completed', 'ledgerCompleted'],
  ['Service, completed', 'providerCompleted'],
  ['Difference', 'difference'],
  ['Explained by the findings', 'explained'],
  ['Unexplained', 'unexplained'],
] as const

function toneOf(name: string, amount: string): string {
  if (name !== 'unexplained') return ''
  return amount === '0.00' ? 'good' : 'high'
}

function asksSomebody({action, resend}: FindingView): boolean {
  return action !== 'none' && action !== 'wait' && resend?.state !== 'healed'
}

function card(label: string, value: number | string, tone = '') {
  return html`<div class="card"><b class="${tone}">${value}</b>${label}</div>`
}

function ageOf({history}: FindingView): string {
  if (!history) return ''
  return history.state === 'open' ? `open ${history.ageDays} d` : history.state
}

const tableHead = `<div class="scroll"><table>
<tr><th class="n">Line</th><th>Order</th><th>Verdict</th><th class="n">Ledger</th><th class="n">Service</th><th class="n">At risk</th><th>Action</th><th>What it means</th></tr>
`

function findingRow(finding: FindingView) {
  return html`<tr>
<td class="n">${finding.line ?? '–'}</td>
<td><code>${visible(finding.orderNo ?? '–', 40)}</code><br><span class="soft">${finding.kind ?? ''}</span></td>
<td><span class="${finding.severity}">${finding.verdict}</span><br><span class="soft">${finding.cause ?? ''}</span></td>
<td class="n">${finding.ledger?.amount ?? '–'}<br><span class="soft">${finding.ledger?.status ?? ''}</span></td>
<td class="n">${finding.provider?.amount ?? '–'}<br><span class="soft">${visible(finding.provider?.rawStatus ?? '', 40)}</span></td>
<td class="n">${finding.amountAtRisk ?? '–'}<br><span class="soft">${ageOf(finding)}</span></td>
<td>${finding.ignored ? 'ignored' : finding.action}${finding.resend ? html`<br><span class="${finding.resend.state === 'healed' ? 'good' : 'medium'}">${finding.resend.state}</span>` : ''}</td>
<td>${visible(finding.explanation)} ${visible(finding.resend?.why ?? '')}</td>
</tr>
`
}
