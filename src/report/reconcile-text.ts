import {basename} from 'node:path'

import {actionLabels, causeLabel, resendLabels, verdictLabel} from '../core/labels.ts'
import {formatTaka} from '../core/money.ts'
import {orderKinds} from '../core/order.ts'
import type {ResendState} from '../core/reconcile/finding.ts'
import type {TallyGroup} from '../core/reconcile/tally.ts'
import {severities} from '../core/reconcile/verdict.ts'
import {escapeInvisible} from '../core/text.ts'
import {formatMinute} from '../core/time.ts'
import {ageingText, atRiskLine} from './ageing-text.ts'
import {clockText, counted} from './figures.ts'
import {inDoubtText} from './in-doubt-text.ts'
import {personText} from './person-text.ts'
import type {ReconcileFacts, ReconcileReport} from './reconcile-report.ts'
import {deliveredText, plannedResendsLine, toBeSent} from './reconcile-resends-text.ts'
import {leftOutText, statementText} from './statement-text.ts'
import {renderTable, type Style} from './table.ts'
import {labelled} from './wrap.ts'

export function planText(facts: ReconcileFacts, style: Style, width = Number.POSITIVE_INFINITY): string {
  return [breaksTable(facts, style, width), plannedResendsLine(facts, style, width) + toBeSent(facts, width)]
    .filter(Boolean)
    .join('\n\n')
}

/** The end of a run: breaks by kind with amounts, deliveries, what a person must do, and the proof of the totals. */
export function summaryText(
  facts: ReconcileFacts,
  report: ReconcileReport,
  style: Style,
  width = Number.POSITIVE_INFINITY,
): string {
  return [
    header(facts, style, width),
    [breaksTable(facts, style, width), atRiskLine(report, style)].filter(Boolean).join('\n'),
    deliveredText(facts, style, width),
    personText(facts, style, width),
    inDoubtText(facts, style, width),
    ageingText(report, style, width),
    statementsText(report, style, width),
    endText(facts, report, style, width),
  ]
    .filter(Boolean)
    .join('\n\n')
}

function header(
  {
    ledger,
    profile,
    merchantId,
    runId,
    window,
    timeZone,
    calls,
    records,
    takenFrom,
    finishedAtMs,
    bookedEarlier,
  }: ReconcileFacts,
  style: Style,
  width: number,
): string {
  const rows = ledger.reduce((sum, file) => sum + file.rows, 0)
  const files = ledger.map(({path}) => escapeInvisible(path)).join(', ')
  const listed = counted(records.pagesRead, 'page', 'pages')
  // A look-up is a call of the list, too: for an order, and again just before each resend.
  const lookUps = Math.max(0, (calls.list ?? 0) - records.pagesRead)
  const part = records.way === 'incremental-list' ? ` (the recent part of ${records.pagesTotal})` : ''
  const looked = lookUps > 0 ? `, ${counted(lookUps, 'look-up', 'look-ups')}` : ''
  const asked = `${counted(calls.query, 'query', 'queries')}, ${listed} of delivery records${part}${looked}`
  const taken = [...takenFrom].map(([id, {orders, oldestMs}]) => {
    const whose = id === runId ? 'this run before it was stopped' : `run ${id}`
    return `${counted(orders, 'order', 'orders')}, found by ${whose} up to ${ageOf(finishedAtMs - oldestMs)} ago`
  })
  const span = window.ok
    ? `${instant(window.fromMs, timeZone)} to ${instant(window.toMs, timeZone)}`
    : `orders missing from the ledger were not searched: ${window.because}`
  return [
    style('bold', `Reconciled ${files}: ${counted(rows, 'row', 'rows')}`),
    labelled(
      '  profile  ',
      `${escapeInvisible(profile)}, merchant ${escapeInvisible(merchantId)}, run ${runId}`,
      width,
    ),
    labelled('  window   ', span, width),
    ...(bookedEarlier.length > 0
      ? [
          labelled(
            '           ',
            `${counted(bookedEarlier.length, 'order is', 'orders are')} booked in ledgers of earlier runs, not missing`,
            width,
          ),
        ]
      : []),
    labelled('  asked    ', asked, width),
    ...(taken.length > 0 ? [labelled('  final    ', `not queried again: ${taken.join(', ')}`, width)] : []),
  ].join('\n')
}

/** `3 h`. Answers are at most a day old, unless a person allowed older ones. */
function ageOf(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / 60_000))
  if (minutes < 60) return `${minutes} min`
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1440)} days`
}

function instant(ms: number, timeZone: string): string {
  if (ms === 0) return 'the beginning'
  if (ms === Number.MAX_SAFE_INTEGER) return 'now'
  return `${formatMinute(ms, timeZone)} ${timeZone}`
}

function breaksTable({tally, findings}: ReconcileFacts, style: Style, width: number): string {
  const sent = resendsOf(findings)
  const rank = ({severity}: TallyGroup) => -severities.indexOf(severity)
  const hasBothKinds = orderKinds.every((kind) => tally.some((group) => group.kind === kind))
  const rows = tally
    .toSorted((a, b) => rank(a) - rank(b) || b.findings - a.findings)
    .map((group) => [
      resultOf(group, style),
      ...(hasBothKinds ? [group.kind ?? ''] : []),
      String(group.findings),
      group.amount === null ? '' : formatTaka(group.amount),
      sent.get(groupKey(group)) ?? nextOf(group),
      group.cause === null ? '' : causeLabel(group.cause, group.kind).en,
    ])
  const columns = [
    {title: 'RESULT'},
    ...(hasBothKinds ? [{title: 'KIND'}] : []),
    {title: 'ORDERS', align: 'right' as const},
    {title: 'BDT', align: 'right' as const},
    {title: 'NEXT'},
    {title: 'CAUSE'},
  ]
  return renderTable(columns, rows, style, width)
}

type OfGroup = Pick<TallyGroup, 'verdict' | 'kind' | 'cause' | 'action'>

function groupKey({verdict, kind, cause, action}: OfGroup): string {
  return `${verdict} ${kind} ${cause} ${action}`
}

/** What became of the resends of a group: `delivered`, or `partly delivered`; the lines below the table have the counts. */
function resendsOf(findings: ReconcileFacts['findings']): Map<string, string> {
  const groups = new Map<string, Set<ResendState>>()
  for (const finding of findings) {
    if (finding.action !== 'resend') continue
    const key = groupKey(finding)
    groups.set(key, (groups.get(key) ?? new Set()).add(finding.resend?.state ?? 'planned'))
  }
  return new Map([...groups].map(([key, states]) => [key, endOf(states)]))
}

function endOf(states: ReadonlySet<ResendState>): string {
  const [state = 'planned', ...others] = states
  if (others.length > 0) return states.has('delivered') ? 'partly delivered' : 'not delivered'
  return state === 'planned' ? actionLabels.resend.en : resendLabels[state].en
}

/** Findings that need no action are ignored, or wait for a ledger to confirm them. */
function nextOf({verdict, cause, action}: TallyGroup): string {
  // Waiting does not end it: somebody must find out why the server did not take it.
  if (cause === 'recently_resent') return actionLabels.review.en
  if (action !== 'none') return actionLabels[action].en
  if (cause === 'delivered') return 'confirm'
  return verdict === 'matched' ? '' : 'ignored'
}

function resultOf({verdict, kind, severity}: TallyGroup, style: Style): string {
  const {en} = verdictLabel(verdict, kind)
  if (severity === 'high') return style('red', en)
  return severity === 'none' ? style('green', en) : style('yellow', en)
}

function statementsText(report: ReconcileReport, style: Style, width: number): string {
  const {statement, amountUnknown, unanswered} = report
  const leftOut = leftOutText(amountUnknown, unanswered)
  const text = statementText(statement, style, width)
  return leftOut === '' ? text : `${text}\n  ${leftOut}`
}

function endText(
  {incompleteBecause, clockSkewMs}: ReconcileFacts,
  {reports}: ReconcileReport,
  style: Style,
  width: number,
): string {
  const lines = incompleteBecause.map((reason) =>
    labelled(`${style('yellow', 'Incomplete')}  `, reason, width),
  )
  const clock = clockText(clockSkewMs)
  if (clock !== '') lines.push(`${style('yellow', 'Clock')}    ${clock}`)
  return [
    ...lines,
    `${style('bold', 'Report')}   ${escapeInvisible(reports.dir)}`,
    labelled(
      ' '.repeat(9),
      `report.html, ${basename(reports.xlsx)}, ${basename(reports.csv)}, report.json`,
      width,
    ),
  ].join('\n')
}
