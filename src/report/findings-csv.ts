import {stringify} from 'csv-stringify/sync'

import {type CellKind, csvCell} from './escape-formula.ts'
import {type FindingView, wordsOf} from './finding-view.ts'
import type {ReconcileReport} from './reconcile-report.ts'

type Column = readonly [
  name: string,
  kind: CellKind,
  value: (finding: FindingView) => string | number | null | undefined,
]

const columns: readonly Column[] = [
  ['line', 'number', ({line}) => line],
  ['file', 'text', ({file}) => file],
  ['kind', 'text', ({kind}) => kind],
  ['order_no', 'identifier', ({orderNo}) => orderNo],
  ['verdict', 'text', ({verdict}) => verdict],
  ['cause', 'text', ({cause}) => cause],
  ['action', 'text', ({action}) => action],
  ['severity', 'text', ({severity}) => severity],
  ['amount_at_risk', 'number', ({amountAtRisk}) => amountAtRisk],
  ['ledger_status', 'text', ({ledger}) => ledger?.status],
  ['ledger_amount', 'number', ({ledger}) => ledger?.amount],
  ['provider_status', 'text', ({provider}) => provider?.rawStatus],
  ['provider_amount', 'number', ({provider}) => provider?.amount],
  ['platform_order_no', 'identifier', ({provider}) => provider?.platformOrderNo],
  ['delivery_id', 'text', ({delivery}) => delivery?.id],
  ['delivery_status', 'text', ({delivery}) => delivery?.status],
  ['delivery_attempts', 'number', ({delivery}) => delivery?.attempts],
  ['delivery_response_code', 'number', ({delivery}) => delivery?.responseCode],
  ['delivered_amount', 'number', ({delivered}) => delivered?.amount],
  ['resend', 'text', ({resend}) => resend?.state],
  ['resend_at', 'text', ({resend}) => resend?.sentAt],
  ['history', 'text', ({history}) => history?.state],
  ['first_seen_at', 'text', ({history}) => history?.firstSeenAt],
  ['age_days', 'number', ({history}) => history?.ageDays],
  ['ignored_until', 'text', ({ignored}) => ignored?.until],
  ['ignored_by', 'text', ({ignored}) => ignored?.by],
  ['ignored_reason', 'text', ({ignored}) => ignored?.reason],
  ['corruption', 'text', ({corruption}) => corruption?.what],
  ['repair', 'identifier', ({corruption}) => corruption?.repair],
  ['taken_from', 'text', ({takenFrom}) => takenFrom],
  ['explanation', 'text', wordsOf],
  ['ordered_at', 'text', ({orderedAt}) => orderedAt],
  ['player_ref', 'identifier', ({playerRef}) => playerRef],
]

/** `findings.csv`: UTF-8 with a BOM (for spreadsheets), CRLF, one finding a row; in pieces. */
export function* findingsCsv({findings}: Pick<ReconcileReport, 'findings'>): Generator<string> {
  yield `\ufeff${csvLine(columns.map(([name]) => name))}`
  for (const finding of findings) {
    yield csvLine(columns.map(([, kind, value]) => csvCell(kind, value(finding))))
  }
}

export function csvLine(cells: readonly (string | number)[]): string {
  return stringify([cells], {record_delimiter: '\r\n'})
}
