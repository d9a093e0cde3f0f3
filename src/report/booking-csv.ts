import {formatPaisa} from '../core/money.ts'
import {maskPhones} from '../core/personal.ts'
import type {Finding} from '../core/reconcile/finding.ts'
import {formatInstant} from '../core/time.ts'
import {type CellKind, csvCell} from './escape-formula.ts'
import {csvLine} from './findings-csv.ts'
import type {ReconcileFacts} from './reconcile-report.ts'

type Cell = readonly [CellKind, string | null | undefined]

const names = [
  ...['dedup_key', 'kind', 'order_no', 'platform_order_no', 'amount', 'player_ref', 'ordered_at'],
  ...['ledger_status', 'line', 'why', 'listed_by', 'listed_at'],
]

export function isToBook({isBookable, ignored}: Finding): boolean {
  return isBookable === true && !ignored
}

/**
 * `booking.csv`: orders that are certainly paid and not booked, and that no webhook can deliver any more. If a
 * webhook comes after all, it has the same platform order number, so nothing is booked twice.
 */
export function* bookingCsv({
  findings,
  timeZone,
  runId,
  finishedAtMs,
}: Pick<ReconcileFacts, 'findings' | 'timeZone' | 'runId' | 'finishedAtMs'>): Generator<string> {
  yield `\ufeff${csvLine(names)}`
  for (const finding of findings) {
    const {kind, orderNo, service, ledger, playerRef, orderedAtMs, line, explanation} = finding
    if (!isToBook(finding) || service?.amount == null) continue
    const {platformOrderNo, amount} = service
    const cells: Cell[] = [
      ['identifier', `${platformOrderNo} ${orderNo}`],
      ['text', kind],
      ['identifier', orderNo],
      ['identifier', platformOrderNo],
      ['number', formatPaisa(amount)],
      ['identifier', playerRef && maskPhones(playerRef)],
      ['text', orderedAtMs == null ? null : formatInstant(orderedAtMs, timeZone)],
      ['text', ledger?.status],
      ['number', String(line)],
      ['text', explanation],
      ['identifier', runId],
      ['text', formatInstant(finishedAtMs, timeZone)],
    ]
    yield csvLine(cells.map(([type, value]) => csvCell(type, value)))
  }
}
