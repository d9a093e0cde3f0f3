import {stringify} from 'csv-stringify/sync'

import {visible} from '../core/text.ts'
import {defuseCell} from './defuse.ts'
import {type PayoutLineFacts, type PayoutView, viewPayout} from './payouts-report.ts'

type Column = readonly [name: string, kind: 'text' | 'number', value: (payout: PayoutView) => unknown]

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

/** The first line of a result file, without its line end and the BOM before it. */
export const payoutsCsvHeader = columns.map(([name]) => name).join()

/** `payouts.result.csv`: UTF-8 with a BOM (spreadsheet programs ask for it), CRLF, a row for each payout of the file. */
export function payoutsCsv(lines: readonly PayoutLineFacts[]): string {
  const rows = lines.map(viewPayout).map((payout) =>
    columns.map(([, kind, value]) => {
      const cell = value(payout) ?? ''
      return kind === 'number' ? cell : defuseCell(visible(String(cell)))
    }),
  )
  return `\ufeff${stringify([columns.map(([name]) => name), ...rows], {record_delimiter: '\r\n'})}`
}
