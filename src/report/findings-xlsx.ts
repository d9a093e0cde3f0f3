import {actionLabels, causeLabel, verdictLabel} from '../core/labels.ts'
import type {OrderKind} from '../core/order.ts'
import {type FindingView, wordsOf} from './finding-view.ts'
import type {ReconcileReport} from './reconcile-report.ts'
import {leftOutText, negated, statementLines} from './statement-text.ts'
import {sheetOf, type XlsxColumn, xlsx} from './xlsx.ts'

const columns: readonly XlsxColumn<FindingView>[] = [
  {title: 'Order no', kind: 'text', width: 26, value: ({orderNo}) => orderNo},
  {title: 'Ordered at', kind: 'time', width: 20, value: ({orderedAt}) => orderedAt},
  {title: 'Result', kind: 'text', width: 24, value: ({verdict, kind}) => verdictLabel(verdict, kind).en},
  {title: 'Cause', kind: 'text', width: 30, value: ({cause, kind}) => cause && causeLabel(cause, kind).en},
  {title: 'Next step', kind: 'text', width: 14, value: ({action}) => actionLabels[action].en},
  {title: 'Amount at risk', kind: 'amount', width: 15, value: ({amountAtRisk}) => amountAtRisk},
  {title: 'Ledger status', kind: 'text', width: 14, value: ({ledger}) => ledger?.status},
  {title: 'Ledger amount', kind: 'amount', width: 15, value: ({ledger}) => ledger?.amount},
  {title: 'Service status', kind: 'text', width: 14, value: ({provider}) => provider?.rawStatus},
  {title: 'Service amount', kind: 'amount', width: 15, value: ({provider}) => provider?.amount},
  {title: 'Platform order no', kind: 'text', width: 38, value: ({provider}) => provider?.platformOrderNo},
  {title: 'Player', kind: 'text', width: 18, value: ({playerRef}) => playerRef},
  {title: 'Webhook', kind: 'text', width: 12, value: ({delivery}) => delivery?.status},
  {title: 'Webhook amount', kind: 'amount', width: 15, value: ({delivered}) => delivered?.amount},
  {title: 'Resend', kind: 'text', width: 14, value: ({resend}) => resend?.state},
  {title: 'Resent at', kind: 'time', width: 20, value: ({resend}) => resend?.sentAt},
  {title: 'First seen', kind: 'time', width: 20, value: ({history}) => history?.firstSeenAt},
  {title: 'Days', kind: 'count', width: 7, value: ({history}) => history?.ageDays},
  {title: 'Ignored until', kind: 'time', width: 20, value: ({ignored}) => ignored?.until},
  {title: 'Ignored because', kind: 'text', width: 30, value: ({ignored}) => ignored?.reason},
  {title: 'Line', kind: 'count', width: 8, value: ({line}) => line},
  {title: 'File', kind: 'text', width: 24, value: ({file}) => file},
  {title: 'Explanation', kind: 'text', width: 90, value: wordsOf},
]

interface StatementRow {
  readonly kind?: OrderKind
  readonly line: string
  readonly orders?: number | null
  readonly amount?: string
}

const statementColumns: readonly XlsxColumn<StatementRow>[] = [
  {title: 'Kind', kind: 'text', width: 12, value: ({kind}) => kind && titles[kind]},
  {title: 'Line', kind: 'text', width: 60, value: ({line}) => line},
  {title: 'Orders', kind: 'count', width: 10, value: ({orders}) => orders},
  {title: 'Amount, BDT', kind: 'amount', width: 18, value: ({amount}) => amount},
]

const titles = {deposit: 'Deposits', payout: 'Payouts'} as const satisfies Record<OrderKind, string>

/**
 * `findings.xlsx`: the findings of deposits and of payouts with labels instead of codes, and the reconciliation
 * statement.
 */
export function findingsXlsx(report: ReconcileReport): Generator<Uint8Array> {
  const sheets = [
    [titles.deposit, 'deposit'],
    [titles.payout, 'payout'],
    ['Rows without a kind', null],
  ] as const
  const [first, ...others] = [
    ...sheets.map(([name, kind]) => sheetOf(name, columns, only(report.findings, kind))),
    sheetOf('Statement', statementColumns, statementSheet(report)),
  ]
  const filled = others.filter(({rows}) => !rows[Symbol.iterator]().next().done)
  return xlsx(first === undefined ? [] : [first, ...filled])
}

/** Signed amounts: the ledger's balance and the items of a kind add up to the service's balance. */
function statementSheet({statement, amountUnknown, unanswered, preparedBy}: ReconcileReport): StatementRow[] {
  const rows = statement.flatMap(({openItems, ...view}): StatementRow[] => {
    const {opening, new: fresh, closed, revalued, closing} = openItems
    const {kind} = view
    return [
      ...statementLines(view).map(({label, orders, amount}) => ({kind, line: label, orders, amount})),
      {kind, line: 'Open items before', orders: opening.items, amount: opening.amount},
      {kind, line: 'New', orders: fresh.items, amount: fresh.amount},
      {kind, line: 'Closed', orders: closed.items, amount: negated(closed.amount)},
      {kind, line: 'Changed amounts', amount: revalued},
      {kind, line: 'Open items now', orders: closing.items, amount: closing.amount},
    ]
  })
  if (rows.length === 0) return []
  const leftOut = leftOutText(amountUnknown, unanswered)
  return [
    ...rows,
    ...(leftOut === '' ? [] : [{line: leftOut}]),
    {line: `Prepared by: ${preparedBy ?? ''}`},
    {line: 'Approved by: ____________'},
  ]
}

/** Walked anew each time: there may be more findings than memory holds. */
function only(findings: Iterable<FindingView>, kind: FindingView['kind']): Iterable<FindingView> {
  return {
    *[Symbol.iterator]() {
      for (const finding of findings) if (finding.kind === kind) yield finding
    },
  }
}
