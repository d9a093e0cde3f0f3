import {formatTaka, type Paisa} from '../core/money.ts'
import {amountInvolved, asksAPerson, type Finding, type ResendState} from '../core/reconcile/finding.ts'
import type {TallyGroup} from '../core/reconcile/tally.ts'
import {visible} from '../core/text.ts'
import {formatMinute} from '../core/time.ts'
import {clockText, counted, grouped} from './figures.ts'
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
  // A look-up is a page of the list, too, of one order's records.
  const listed = counted((calls.list ?? 0) - records.lookUps, 'page', 'pages')
  const part = records.way === 'window' ? ` (the window's part of ${records.pagesTotal})` : ''
  const looked = records.lookUps > 0 ? `, ${counted(records.lookUps, 'look-up', 'look-ups')}` : ''
  const asked = `${counted(calls.query, 'query', 'queries')}, ${listed} of delivery records${part}${looked}`
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
  return `${formatMinute(ms, timeZone)} ${timeZone}`
}

function breaksTable({tally}: ReconcileFacts, paint: Paint, width: number): string {
  const rank = ({severity}: TallyGroup) => ['high', 'medium', 'low', 'none'].indexOf(severity)
  const rows = tally
    .toSorted((a, b) => rank(a) - rank(b) || b.findings - a.findings)
    .map((group) => [
      paintVerdict(group, paint),
      String(group.findings),
      group.amount === null ? '' : formatTaka(group.amount),
      group.action === 'none' ? '' : group.action,
      group.cause ?? '',
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

function paintVerdict({verdict, severity}: TallyGroup, paint: Paint): string {
  if (severity === 'high') return paint('red', verdict)
  return severity === 'none' ? paint('green', verdict) : paint('yellow', verdict)
}

export function planLine({findings, plannedResends}: ReconcileFacts, paint: Paint): string {
  if (plannedResends === 0) return 'Nothing to resend.'
  const planned = new Orders()
  const hosts = new Set<string>()
  for (const finding of findings) {
    const {action, resend, delivery} = finding
    if (action !== 'resend' || (resend !== null && resend.state !== 'planned')) continue
    planned.add(finding)
    hosts.add(hostOf(delivery?.url ?? ''))
  }
  const where = hosts.size > 3 ? `${hosts.size} hosts` : [...hosts].join(', ')
  return `${paint('bold', 'Plan:')} resend order.completed of ${planned} to ${where}, once each.`
}

const healedStates: readonly (readonly [state: ResendState, text: string])[] = [
  ['healed', 'Healed     {}: your server took the webhook.'],
  ['still_failing', 'Failed     {}: sent again, and your server refused again.'],
  ['sent', 'Waiting    {}: sent again; the record shows no end yet.'],
  ['unknown', 'Unknown    {}: the answer was lost; it may have been delivered. Never sent again by itself.'],
  ['refused', 'Refused    {}: the service did not take the resend.'],
  ['skipped', 'Not sent   {}'],
  ['planned', 'Planned    {}: nothing was sent.'],
]

function healedText({findings}: ReconcileFacts, paint: Paint): string {
  const byState = new Map<ResendState, Orders>()
  for (const finding of findings) {
    const state = finding.resend?.state
    if (!state) continue
    const orders = byState.get(state) ?? new Orders()
    orders.add(finding)
    byState.set(state, orders)
  }
  return healedStates
    .flatMap(([state, text]) => {
      const orders = byState.get(state)
      if (!orders) return []
      const why = state === 'skipped' ? `: ${visible(orders.first?.resend?.why ?? '')}` : ''
      const color = state === 'healed' ? 'green' : state === 'planned' ? 'cyan' : 'yellow'
      return [`${paint(color, text.replace('{}', String(orders)))}${why}`]
    })
    .join('\n')
}

function personText(facts: ReconcileFacts, paint: Paint, width: number): string {
  let breaks = 0
  let listed = 0
  const lines: string[] = []
  for (const finding of facts.findings) {
    if (!asksAPerson(finding)) continue
    breaks += 1
    if (facts.sinceLast && finding.history?.state === 'open') continue
    listed += 1
    if (listed <= listedMax) lines.push(personLine(finding, facts, paint, width))
  }
  if (breaks === 0) return ''
  if (listed > listedMax) lines.push(paint('dim', `  and ${listed - listedMax} more in findings.csv`))
  return [paint('bold', `Needs a person: ${breaks}`), ...lines].join('\n')
}

function personLine(finding: Finding, {finishedAtMs}: ReconcileFacts, paint: Paint, width: number): string {
  const {line, orderNo, verdict, cause, explanation, resend} = finding
  const place = line === null ? 'no row' : `line ${line}`
  const why = resend?.why ? ` ${resend.why}` : ''
  const no = orderNo === null ? '' : `${visible(orderNo, 40)} `
  const what = paint('dim', `${verdict}${cause ? `, ${cause}` : ''}`)
  const told = wrapText(visible(`${explanation}${why}`), width, ' '.repeat(12))
  return `  ${place.padEnd(9)} ${no}${what}${ageText(finding, finishedAtMs)}\n${told}`
}

function tieOutText({tieOut, amountUnknown}: ReconcileReport, paint: Paint): string {
  const unexplained =
    tieOut.unexplained === '0.00'
      ? paint('green', 'unexplained 0.00')
      : paint('red', `unexplained ${tieOut.unexplained}`)
  const unknown =
    amountUnknown > 0
      ? `; ${counted(amountUnknown, 'order', 'orders')} left out, the amount unknown on one side`
      : ''
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
  const clock = clockText(clockSkewMs)
  if (clock !== '') lines.push(`${paint('yellow', 'Clock')}    ${clock}`)
  return [
    ...lines,
    `${paint('bold', 'Report')}   ${reports.dir}`,
    '         report.html, findings.csv, report.json',
  ].join('\n')
}

/** How many orders, and the money they are about: `3 orders, BDT 4,500.00`. */
class Orders {
  first: Finding | null = null
  private count = 0
  private amount: Paisa | null = null

  add(finding: Finding): void {
    this.first ??= finding
    this.count += 1
    const amount = amountInvolved(finding)
    if (amount !== null) this.amount = (this.amount ?? 0n) + amount
  }

  toString(): string {
    const money = this.amount === null ? '' : `, BDT ${formatTaka(this.amount)}`
    return `${counted(this.count, 'order', 'orders')}${money}`
  }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'an unknown host'
}
