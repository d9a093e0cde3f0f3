import {formatTaka, type Paisa, sumPaisa} from '../core/money.ts'
import {amountInvolved, type Finding, isBreak} from '../core/reconcile/finding.ts'
import {visible} from '../core/text.ts'
import {formatInstant} from '../core/time.ts'
import {counted, grouped} from './figures.ts'
import {ageText, atRiskLine, nightsText} from './nights-text.ts'
import type {ReconcileFacts, ReconcileReport} from './reconcile-report.ts'
import {type Paint, renderTable} from './table.ts'
import {wrapText} from './wrap.ts'

/** More than this many orders are not listed on a screen; the files hold them all. */
const listedMax = 15

/** What was read and what follows from it, shown before anything is sent. */
export function planText(facts: ReconcileFacts, paint: Paint, width = Number.POSITIVE_INFINITY): string {
  return [breaksTable(facts, paint, width), planLine(facts, paint)].filter(Boolean).join('\n\n')
}

/** The end of a run: breaks by kind with amounts, what was healed, what a person must do, and the proof of the totals. */
export function summaryText(
  facts: ReconcileFacts,
  report: ReconcileReport,
  paint: Paint,
  width = Number.POSITIVE_INFINITY,
): string {
  return [
    header(facts, paint),
    [breaksTable(facts, paint, width), atRiskLine(report, paint)].filter(Boolean).join('\n'),
    healedText(facts, paint),
    personText(facts, paint, width),
    nightsText(report, paint),
    tieOutText(report, paint),
    endText(facts, report, paint),
  ]
    .filter(Boolean)
    .join('\n\n')
}

function header(
  {ledger, profile, merchantId, runId, window, timeZone, calls, records, takenFrom}: ReconcileFacts,
  paint: Paint,
): string {
  const rows = ledger.reduce((sum, file) => sum + file.rows, 0)
  const files = ledger.map(({path}) => visible(path)).join(', ')
  const listed = counted(calls.list, 'page', 'pages')
  const part = records.way === 'window' ? ` (the window's part of ${records.pagesTotal})` : ''
  const asked = `${counted(calls.query, 'query', 'queries')}, ${listed} of delivery records${part}`
  const taken = [...takenFrom].map(
    ([id, orders]) => `${counted(orders, 'order', 'orders')} as run ${id} found them`,
  )
  const span = window.ok
    ? `  window   ${instant(window.fromMs, timeZone)} to ${instant(window.toMs, timeZone)}`
    : `  window   none, so orders missing in the ledger were not looked for: ${window.because}`
  return [
    paint('bold', `Reconciled ${files}: ${rows} rows`),
    `  profile  ${visible(profile)}, merchant ${visible(merchantId)}, run ${runId}`,
    span,
    `  asked    ${asked}`,
    ...(taken.length > 0 ? [`  settled  not asked again: ${taken.join(', ')}`] : []),
  ].join('\n')
}

function instant(ms: number, timeZone: string): string {
  if (ms === 0) return 'the beginning'
  if (ms === Number.MAX_SAFE_INTEGER) return 'now'
  return `${formatInstant(ms, timeZone).slice(0, 16).replace('T', ' ')} ${timeZone}`
}

interface Group {
  readonly first: Finding
  orders: number
  readonly amounts: Paisa[]
}

function breaksTable({findings}: ReconcileFacts, paint: Paint, width: number): string {
  const groups = new Map<string, Group>()
  for (const finding of findings) {
    const key = [finding.verdict, finding.cause, finding.action].join()
    const group = groups.get(key) ?? {first: finding, orders: 0, amounts: []}
    group.orders += 1
    const amount = amountInvolved(finding)
    if (amount !== null) group.amounts.push(amount)
    groups.set(key, group)
  }
  const rank = ({severity}: Finding) => ['high', 'medium', 'low', 'none'].indexOf(severity)
  const rows = [...groups.values()]
    .sort((a, b) => rank(a.first) - rank(b.first) || b.orders - a.orders)
    .map(({first, orders, amounts}) => [
      paintVerdict(first, paint),
      String(orders),
      amounts.length > 0 ? formatTaka(sumPaisa(amounts)) : '',
      first.action === 'none' ? '' : first.action,
      first.cause ?? '',
    ])
  const columns = [
    {title: 'VERDICT'},
    {title: 'ORDERS', align: 'right'},
    {title: 'BDT', align: 'right'},
    {title: 'ACTION'},
    {title: 'CAUSE'},
  ] as const
  return renderTable(columns, rows, paint, width)
}

function paintVerdict({verdict, severity}: Finding, paint: Paint): string {
  if (severity === 'high') return paint('red', verdict)
  return severity === 'none' ? paint('green', verdict) : paint('yellow', verdict)
}

export function planLine({findings, plannedResends}: ReconcileFacts, paint: Paint): string {
  if (plannedResends === 0) return 'Nothing to resend.'
  const planned = findings.filter(
    ({action, resend}) => action === 'resend' && (resend === null || resend.state === 'planned'),
  )
  const hosts = [...new Set(planned.map(({delivery}) => hostOf(delivery?.url ?? '')))]
  const where = hosts.length > 3 ? `${hosts.length} hosts` : hosts.join(', ')
  return `${paint('bold', 'Plan:')} resend order.completed of ${orders(planned)} to ${where}, once each.`
}

function healedText({findings}: ReconcileFacts, paint: Paint): string {
  const resent = findings.filter(({resend}) => resend !== null)
  if (resent.length === 0) return ''
  const inState = (state: string) => resent.filter(({resend}) => resend?.state === state)
  const healed = inState('healed')
  const lines =
    healed.length > 0 ? [paint('green', `Healed     ${orders(healed)}: your server took the webhook.`)] : []
  const others: [state: string, text: string][] = [
    ['still_failing', 'Failed     {}: sent again, and your server refused again.'],
    ['sent', 'Waiting    {}: sent again; the record shows no end yet.'],
    [
      'unknown',
      'Unknown    {}: the answer was lost; it may have been delivered. Never sent again by itself.',
    ],
    ['refused', 'Refused    {}: the service did not take the resend.'],
    ['skipped', 'Not sent   {}'],
    ['planned', 'Planned    {}: nothing was sent.'],
  ]
  for (const [state, text] of others) {
    const some = inState(state)
    if (some.length === 0) continue
    const why = state === 'skipped' ? `: ${visible(some[0]?.resend?.why ?? '')}` : ''
    lines.push(`${paint(state === 'planned' ? 'cyan' : 'yellow', text.replace('{}', orders(some)))}${why}`)
  }
  return lines.join('\n')
}

function personText(facts: ReconcileFacts, paint: Paint, width: number): string {
  const breaks = facts.findings.filter(asksAPerson)
  if (breaks.length === 0) return ''
  const listed = facts.sinceLast ? breaks.filter(({history}) => history?.state !== 'open') : breaks
  const lines = listed.slice(0, listedMax).map((finding) => {
    const place = finding.line === null ? 'no row' : `line ${finding.line}`
    const why = finding.resend?.why ? ` ${finding.resend.why}` : ''
    const age = ageText(finding, facts.finishedAtMs)
    const no = finding.orderNo === null ? '' : `${visible(finding.orderNo, 40)} `
    return `  ${place.padEnd(9)} ${no}${paint('dim', `${finding.verdict}${finding.cause ? `, ${finding.cause}` : ''}`)}${age}\n${wrapText(visible(`${finding.explanation}${why}`), width, ' '.repeat(12))}`
  })
  const more = listed.length - listedMax
  if (more > 0) lines.push(paint('dim', `  and ${more} more in findings.csv`))
  return [paint('bold', `Needs a person: ${breaks.length}`), ...lines].join('\n')
}

// What was not asked for asks for the run to go on, which its end says once.
function asksAPerson(finding: Finding): boolean {
  return isBreak(finding) && finding.resend?.state !== 'planned' && finding.cause !== 'not_asked'
}

function tieOutText({tieOut, amountUnknown}: ReconcileReport, paint: Paint): string {
  const unexplained =
    tieOut.unexplained === '0.00'
      ? paint('green', 'unexplained 0.00')
      : paint('red', `unexplained ${tieOut.unexplained}`)
  const unknown =
    amountUnknown > 0 ? `; ${amountUnknown} orders left out, their amount is unknown on one side` : ''
  return [
    `${paint('bold', 'Tie-out')}  ledger BDT ${grouped(tieOut.ledgerCompleted)} - service BDT ${grouped(tieOut.providerCompleted)} = ${grouped(tieOut.difference)}`,
    `         explained by the findings ${grouped(tieOut.explained)}, ${unexplained}${unknown}`,
  ].join('\n')
}

function endText(
  {incompleteBecause, clockSkewMs}: ReconcileFacts,
  {reports}: ReconcileReport,
  paint: Paint,
): string {
  const lines = incompleteBecause.map((reason) => `${paint('yellow', 'Incomplete')}  ${reason}`)
  if (clockSkewMs !== null && Math.abs(clockSkewMs) > 30_000) {
    lines.push(
      `${paint('yellow', 'Clock')}  the service's clock is ${Math.round(clockSkewMs / 1000)} s from this machine's`,
    )
  }
  return [
    ...lines,
    `${paint('bold', 'Report')}   ${reports.dir}`,
    '         report.html, findings.csv, report.json',
  ].join('\n')
}

function orders(findings: readonly Finding[]): string {
  const amounts = findings.flatMap((finding) => amountInvolved(finding) ?? [])
  const money = amounts.length > 0 ? `, BDT ${formatTaka(sumPaisa(amounts))}` : ''
  return `${findings.length} ${findings.length === 1 ? 'order' : 'orders'}${money}`
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'an unknown host'
}
