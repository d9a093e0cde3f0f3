import {parse} from 'csv-parse/sync'
import {stringify} from 'csv-stringify/sync'

import {csvCell} from './escape-formula.ts'
import {type PayoutLine, type PayoutView, viewPayout} from './payouts-report.ts'

type Row = Omit<PayoutView, 'state'> & {readonly state: PayoutView['state'] | 'pending'}
type Column = readonly [name: string, kind: 'text' | 'number', value: (payout: Row) => unknown]

const columns: readonly Column[] = [
  ['line', 'number', ({line}) => line],
  ['out_order_no', 'text', ({orderNo}) => orderNo],
  ['amount', 'number', ({amount}) => amount],
  ['bank_type', 'text', ({bankType}) => bankType],
  ['account', 'text', ({account}) => account],
  ['state', 'text', ({state}) => state],
  ['confirmed', 'text', ({confirmed}) => confirmed],
  ['status', 'text', ({rawStatus}) => rawStatus],
  ['platform_order_no', 'text', ({platformOrderNo}) => platformOrderNo],
  ['why', 'text', ({why}) => why],
]
const header = columns.map(([name]) => name)

/** `payouts.result.csv`: UTF-8 with a BOM (for spreadsheets), CRLF, one row for each payout of the file. */
export function payoutsCsv(lines: readonly PayoutLine[]): string {
  return csvOf(lines.map((line) => cellsOf(viewPayout(line))))
}

/**
 * `payouts.result.partial.csv`, while the run is at work. It is a few seconds behind, and stays if the run is killed,
 * so no row of it is called unsent.
 */
export function interimPayoutsCsv(lines: readonly PayoutLine[]): string {
  return csvOf(
    lines.map((line) => {
      const view = viewPayout(line)
      return cellsOf(view.state === 'not_sent' ? {...view, state: 'pending', why: pendingWhy} : view)
    }),
  )
}

const pendingWhy =
  'This file was written while the run was not over: the payout may have been made since. Run the same command again to know.'

/**
 * The rows of an earlier result that a run over `lines` lacks: other payouts, and sent rows that the journal does not
 * know. Null if there are none, undefined if `text` is not a result file.
 */
export function leftOfPayoutsCsv(text: string, lines: readonly PayoutLine[]): string | null | undefined {
  if (!text.startsWith(`\ufeff${header.join()}\r\n`)) return undefined
  const stateOf = new Map(lines.map((line) => [keyOf(cellsOf(viewPayout(line))), line.state]))
  const rows: string[][] = parse(text, {bom: true, from: 2, relaxColumnCount: true})
  const left = rows.filter((cells) => {
    const state = stateOf.get(keyOf(cells))
    const wasSent = !neverSent.includes(cells[header.indexOf('state')] ?? '')
    return state === undefined || (state === 'not_sent' && wasSent)
  })
  return left.length === 0 ? null : csvOf(left)
}

export function numbersOfPayoutsCsv(text: string): string[] {
  const rows: string[][] = parse(text, {bom: true, from: 2, relaxColumnCount: true})
  return rows.map((cells) => cells[header.indexOf('out_order_no')] ?? '')
}

const neverSent: readonly string[] = ['not_sent', 'refused', 'pending']

/** Identifies a row by recipient and amount. */
function keyOf(cells: readonly unknown[]): string {
  return cells.slice(1, header.indexOf('state')).map(String).join('\n')
}

function cellsOf(payout: Row): unknown[] {
  return columns.map(([, kind, value]) => csvCell(kind, value(payout)))
}

function csvOf(rows: readonly (readonly unknown[])[]): string {
  return `\ufeff${stringify([header, ...rows], {record_delimiter: '\r\n'})}`
}
